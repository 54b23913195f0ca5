// What the benchmarks of impact_test.py execute. CHANGE is the change under test.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#define OUT __attribute__((noinline, noipa)) long
#define IS(change) (CHANGE == change)
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
  kMember
};

static volatile long sink;

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
  char line[64];
  std::snprintf(line, sizeof line, IS(kText) ? "value %ld" : "count %ld", n);
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
