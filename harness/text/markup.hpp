#pragma once

/// Escapes text of programs and files for a markup language, so that none of it acts as markup.

#include <cstddef>
#include <string>
#include <string_view>

namespace cliffbench {

/// Escapes text for a cell of a Markdown table, so that it ends neither the cell nor the line.
[[nodiscard]] std::string markdown_cell(std::string_view text);

/// A test suite as CI systems show one (https://github.com/testmoapp/junitxml).
class JUnit {
 public:
  enum class Result { failed, skipped, passed };
  /// `verdict` is the short word for a failure, `line` the whole message; `seconds` >= 0.
  void add(std::string_view program, std::string_view name, Result result, std::string_view verdict,
           std::string_view line, double seconds = 0);
  [[nodiscard]] std::string text(std::string_view suite, double seconds = 0) const;

 private:
  size_t tests_ = 0, failed_ = 0, skipped_ = 0;
  std::string cases_;
};

}  // namespace cliffbench
