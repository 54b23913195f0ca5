// The work of the benchmarks of impact_test.py. CHANGE is the change under test.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#define OUT __attribute__((noinline, noipa)) long
#define IS(change) (CHANGE == change)
// Around what differs in a string: who reads its neighbour by vectors does not read that, too.
#define FAR "0123456789012345678901234567890123456789012345678901234567890123456789"
enum {
  kNone,
  kFunction,
  kInline,
  kTable,
  kConstant,
  kVirtual,
  kJump,
  kText,
  kReal,
  kRare,
  kFlag,
  kHandler,
  kPointers,
  kRename,
  kFold,
  kAlias,
  kThread,
  kWeak,
  kNew,
  kLines,
  kTemplate,
  kBeforeTable,
  kMember,
  kGetters,
  kInserted,
  kZeros,
  kThreadLocal,
  kCases,
  kStrings,
  kConstructor,
  kBiased,
  kWide,
  kShift  // by_hand.cpp has the next ones
};

static volatile long sink;

template <typename T>
static void benchmark_hides(T& value) {
  asm volatile("" : "+m"(value));
}

extern "C" OUT quiet(long n) {
  for (long i = 0; i < 20; ++i) sink = n * i;
  return sink;
}

static OUT helper(long n) { return IS(kFunction) ? n * 5 + 1 : n * 3 + 1; }
extern "C" OUT direct(long n) { return helper(n); }

static inline long small(long n) { return IS(kInline) ? n * 7 : n * 9; }
extern "C" OUT inlined(long n) { return small(n) + small(n + 1); }

static const int kNumbers[16] = {1,  2,  3,  4,  5, 6, 7, 8, 9, 10, IS(kTable) ? 12 : 11,
                                 12, 13, 14, 15, 16};
extern "C" OUT table(long n) { return kNumbers[n & 15]; }

extern "C" OUT constant(long n) { return n + (IS(kConstant) ? 1000001 : 1000003); }

struct Shape {
  virtual long area(long n) { return n; }
  virtual ~Shape() = default;
};
struct Square : Shape {
#if CHANGE == 5
  long area(long n) override { return n * n; }
#endif
  long unused = 0;
};
extern "C" OUT virtually(long n) {
  static Shape* volatile shape = new Square;
  return shape->area(n);
}

extern "C" OUT jumps(long n) {
  switch (n % 8) {
    case 0:
      return quiet(n);
    case 1:
      sink = n + 4;
      return 5;
    case 2:
      sink = n * n;
      return 7;
    case 3:
      sink = n ^ 99;
      return IS(kJump) ? 8 : 9;
    case 4:
      sink = n / 3;
      return 21;
    case 5:
      sink = n - 8;
      return 23;
    case 6:
      sink = ~n;
      return 15;
    default:
      return 17;
  }
}

extern "C" OUT text(long n) {
  char line[200];
  std::snprintf(line, sizeof line, IS(kText) ? FAR "value %ld" FAR : FAR "count %ld" FAR, n);
  return line[0];
}

extern "C" OUT real(long n) {
  return static_cast<long>(static_cast<double>(n) * (IS(kReal) ? 1.25 : 1.5));
}

extern "C" OUT rare(long n) {
  if (n % 200000 == 199999) return helper(n) + (IS(kRare) ? quiet(n) : 0);
  return n;
}

static OUT initial() { return IS(kFlag) ? 3 : 4; }
static long setting = initial();
extern "C" OUT flag(long n) { return n + setting; }

extern "C" OUT throws(long n) {
  if (n % 4) return n;
  try {
    throw n;
  } catch (long caught) {
    sink = caught + (IS(kHandler) ? 1 : 2);
  }
  return sink;
}

static OUT first(long n) { return n + 1; }
static OUT second(long n) { return n - 1; }
static long (*const kCalls[2])(long) = {IS(kPointers) ? second : first,
                                        IS(kPointers) ? first : second};
extern "C" OUT pointers(long n) { return kCalls[0](n); }

#if CHANGE == 13
static OUT new_name(long n) { return n * 11; }
extern "C" OUT renamed(long n) { return new_name(n); }
#else
static OUT old_name(long n) { return n * 11; }
extern "C" OUT renamed(long n) { return old_name(n); }
#endif

static OUT one_way(long n) { return n * 21 + 5; }
static OUT other_way(long n) { return IS(kFold) ? n * 22 + 5 : n * 21 + 5; }
static long (*volatile way)(long) = one_way;
extern "C" OUT folded(long n) {
  way = n & 1 ? one_way : other_way;
  return way(n);
}

static OUT implementation(long n) { return IS(kAlias) ? n * 33 : n * 35; }
extern "C" OUT alias_of_it(long n) __attribute__((visibility("hidden")));
extern "C" OUT alias_of_it(long n) { return implementation(n); }
extern "C" OUT aliased(long n) { return alias_of_it(n); }

static OUT in_thread(long n) { return IS(kThread) ? n + 2 : n + 3; }
extern "C" OUT threaded(long n) {
  std::thread([n] { sink = in_thread(n); }).join();
  return sink;
}

extern "C" __attribute__((weak)) OUT hook(long n) { return n; }
#if CHANGE == 17
extern "C" OUT weak_replacement(long n) { return n * 2; }
static OUT chosen(long n) { return weak_replacement(n); }
#else
static OUT chosen(long n) { return hook(n); }
#endif
extern "C" OUT weakly(long n) { return chosen(n); }

extern "C" OUT allocates(long n) {
  char* block = new char[static_cast<size_t>(n % 100) + 1];
  block[0] = 1;
  const long found = block[0];
  delete[] block;
  return found;
}
#if CHANGE == 18
void* operator new[](size_t size) { return std::malloc(size + 16); }
void operator delete[](void* block) noexcept { std::free(block); }
void operator delete[](void* block, size_t) noexcept { std::free(block); }
#endif

#if CHANGE == 19
#line 5000
#endif
extern "C" OUT line(long n) {
  sink = __LINE__;
  return n + sink;
}

template <int N>
OUT times(long n) {
  return n * N;
}
extern "C" OUT template_(long n) { return times<IS(kTemplate) ? 41 : 43>(n); }

static volatile int kSquares[24] = {1,
                                    4,
                                    9,
                                    16,
                                    25,
                                    36,
                                    49,
                                    64,
                                    81,
                                    100,
                                    121,
                                    144,
                                    169,
                                    196,
                                    225,
                                    256,
                                    289,
                                    324,
                                    361,
                                    400,
                                    441,
                                    484,
                                    IS(kBeforeTable) ? 1 : 529,
                                    576};
extern "C" OUT before_table(long n) {
  long sum = n;
  for (long i = 1; i <= 24; ++i) sum += kSquares[i - 1];
  return sum;
}

struct Pair {
  long left = 1;
#if CHANGE == 22
  long between[8] = {};
#endif
  long right = 2;
};
extern "C" OUT member(long n) {
  Pair pairs[4];
  pairs[n & 3].right = n;
  sink = pairs[1].right;
  return pairs[n & 3].left + pairs[(n + 1) & 3].right;
}

// Two functions of one shape that differ only in what they name.
static volatile long left_value = 3, right_value = 4;
static OUT get_left() { return IS(kGetters) ? right_value : left_value; }
static OUT get_right() { return IS(kGetters) ? left_value : right_value; }
extern "C" OUT getters(long n) { return n & 1 ? get_left() : get_left() + get_right() * 0; }

// Data of another benchmark move; this one's stay the same.
#if CHANGE == 24
static volatile int kMore[1000] = {9, 8, 7};
#endif
extern "C" OUT inserted(long n) {
#if CHANGE == 24
  return n + kMore[n & 7];
#else
  return n;
#endif
}

static volatile long zeros[IS(kZeros) ? 64 : 32];
extern "C" OUT zeroed(long n) {
  long sum = n;
  for (const volatile long& one : zeros) sum += one;
  return sum;
}

static thread_local volatile long own = IS(kThreadLocal) ? 12 : 13;
extern "C" OUT thread_local_(long n) { return n + own; }

extern "C" OUT cases(long n) {
  switch (n % 8) {
    case IS(kCases) ? 1:
      0 : sink = n + 40;
      return 50;
    case IS(kCases) ? 0:
      1 : sink = n * n + 1;
      return 70;
    case 2:
      sink = n ^ 98;
      return 90;
    case 3:
      sink = n / 5;
      return 20;
    case 4:
      sink = n - 9;
      return 24;
    case 5:
      sink = ~n + 3;
      return 16;
    default:
      return quiet(n);
  }
}

static const char* volatile kWords[2] = {IS(kStrings) ? FAR "north" FAR : FAR "south" FAR,
                                         IS(kStrings) ? FAR "south" FAR : FAR "north" FAR};
extern "C" OUT strings(long n) { return n + kWords[0][sizeof FAR - 1]; }

#if CHANGE == 29
__attribute__((constructor)) static void begin() { sink = 1; }
#endif

// An index that begins far from zero: the code names what lies in front of the table.
static volatile int kLetters[26] = {1, 2, 3, 4, 5, IS(kBiased) ? 66 : 6, 7, 8, 9};
extern "C" OUT biased(long n) {
  char letter = static_cast<char>('a' + n % 26);
  benchmark_hides(letter);
  return n + kLetters[letter - 'a'];
}

static const double kReals[4] = {1.0, 2.5, IS(kWide) ? 3.5 : 3.25, 4.0};
extern "C" OUT wide(long n) {
  double all[4];
  std::memcpy(all, kReals, sizeof all);
  benchmark_hides(all[0]);
  return n + static_cast<long>(all[0] + all[1] + all[2] + all[3]);
}

// Longer code in front moves the benchmarks behind it, and the tables of their switches.
#if CHANGE == 32
extern "C" OUT shift(long n) {
  for (long i = 0; i < n % 50; ++i) sink = sink * 3 + i * n - (sink >> 3);
  return sink;
}
#else
extern "C" OUT shift(long n) { return n; }
#endif
