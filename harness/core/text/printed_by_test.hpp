#pragma once

#include <gtest/gtest.h>

#include <string>

namespace cliffbench {

/// For tests: what the function prints to standard output. What it throws is thrown on.
template <typename Function>
std::string printed_by(const Function& function) {
  testing::internal::CaptureStdout();
  try {
    function();
  } catch (...) {
    (void)testing::internal::GetCapturedStdout();
    throw;
  }
  return testing::internal::GetCapturedStdout();
}

}  // namespace cliffbench
