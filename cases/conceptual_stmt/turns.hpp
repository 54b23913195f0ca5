// A test takes seconds of Halide's time, so each runs with one of the Halides, the next with the
// next; where CLIFFBENCH_ALL is set (scripts/setup/test), each runs with each.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>

/// Whether it is another Halide's turn. HALIDES, TURN: how many there are, and which one this is.
inline bool is_anothers_turn() {
  if (std::getenv("CLIFFBENCH_ALL")) return false;
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  int number = 0;
  while (all.current_test_suite()->GetTestInfo(number) != all.current_test_info()) ++number;
  return number % HALIDES != TURN;
}
