#include "harness/core/text/progress_line.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "harness/core/text/terminal.hpp"

namespace cliffbench {

ProgressLine::ProgressLine(bool quiet) {
  const char* term = std::getenv("TERM");
  shown_ = !quiet && isatty(STDOUT_FILENO) == 1 && term && std::string_view(term) != "dumb";
}

void ProgressLine::show(const std::string& text) const {
  if (!shown_) return;
  const std::size_t width = screen().width;
  fmt::print("\r\x1b[K{}", width ? cut_middle(one_line(text), width - 1) : one_line(text));
  std::fflush(stdout);
}

void ProgressLine::clear() const {
  if (!shown_) return;
  (void)std::fputs("\r\x1b[K", stdout);
  std::fflush(stdout);
}

}  // namespace cliffbench
