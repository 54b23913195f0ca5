#pragma once

/// Text of programs and files inside a markup: it stays text, whatever it holds.

#include <cstddef>
#include <string>
#include <string_view>

namespace cliffbench {

/// For a cell of a Markdown table: it ends neither the cell nor the line.
[[nodiscard]] std::string markdown_cell(std::string_view text);

/// A test suite as CI systems show one (https://github.com/testmoapp/junitxml).
class JUnit {
 public:
  enum class Result { failed, skipped, passed };
  /// `verdict` is the short word of a failure, `line` all that is to say; `seconds` >= 0.
  void add(std::string_view program, std::string_view name, Result result, std::string_view verdict,
           std::string_view line, double seconds = 0);
  [[nodiscard]] std::string text(std::string_view suite, double seconds = 0) const;

 private:
  size_t tests_ = 0, failed_ = 0, skipped_ = 0;
  std::string cases_;
};

}  // namespace cliffbench
