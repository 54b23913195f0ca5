// The library of impact_test.py's benchmarks.
#ifndef SHARED
#define SHARED 0
#endif
extern "C" {
extern const int shared_numbers[8];
const int shared_numbers[8] = {1, 2, 3, 4, 5, 6, SHARED == 2 ? 8 : 7, 8};
__attribute__((noinline)) long shared_code(long n) { return SHARED == 1 ? n * 13 : n * 15; }
__attribute__((noinline)) long shared_table(long n) { return shared_numbers[n & 7]; }
}
static long counted = 0;
__attribute__((constructor)) static void begin() { counted = SHARED == 3 ? 5 : 6; }
extern "C" long shared_count() { return counted; }
