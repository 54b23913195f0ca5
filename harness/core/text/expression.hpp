#pragma once

/// Regular expressions as Google Benchmark's --benchmark_filter reads them: POSIX extended, by
/// std::regex. Only expression.cpp includes <regex>, which takes each source seconds to compile.

#include <memory>
#include <string>

namespace cliffbench {

class Expression {
 public:
  /// Throws UserError "'TEXT' is not a regular expression (REASON)".
  explicit Expression(const std::string& text);

  [[nodiscard]] bool is_in(const std::string& text) const;
  /// What the first group holds in the first match; empty without a match.
  [[nodiscard]] std::string first_group(const std::string& text) const;
  /// The text with `*` in place of the first match.
  [[nodiscard]] std::string starred(const std::string& text) const;

 private:
  struct Compiled;
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace cliffbench
