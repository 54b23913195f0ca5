#pragma once

#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "harness/core/host/process.hpp"

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

/// For tests: what the function prints to a terminal of 40 columns, which can overwrite a line
/// unless `term` is "dumb".
template <typename Function>
std::string shown_by(const Function& function, const char* term = "xterm") {
  std::fflush(stdout);
  std::array<int, 2> ends{};
  EXPECT_TRUE(open_terminal(ends));
  const auto [terminal, side] = ends;
  const winsize size{.ws_row = 24, .ws_col = 40, .ws_xpixel = 0, .ws_ypixel = 0};
  EXPECT_EQ(ioctl(side, TIOCSWINSZ, &size), 0);
  std::string shown;
  std::thread reader([&shown, terminal = terminal] {
    char part[4096];
    for (ssize_t bytes = 0; (bytes = read(terminal, part, sizeof(part))) > 0;) {
      shown.append(part, static_cast<std::size_t>(bytes));
    }
  });
  const char* before = std::getenv("TERM");
  const std::string term_before = before ? before : "";
  const int output = dup(STDOUT_FILENO);
  setenv("TERM", term, 1);
  dup2(side, STDOUT_FILENO);
  function();
  std::fflush(stdout);
  dup2(output, STDOUT_FILENO);
  if (before) setenv("TERM", term_before.c_str(), 1);
  if (!before) unsetenv("TERM");
  close(output);
  close(side);  // the reader's end of file
  reader.join();
  close(terminal);
  return shown;
}

}  // namespace cliffbench
