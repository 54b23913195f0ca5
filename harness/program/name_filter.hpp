#pragma once

/// The user's regular expression on benchmark names; neither is trusted.

#include <optional>
#include <regex>
#include <string>

namespace cliffbench {

class NameFilter {
 public:
  /// ECMAScript without back references; "" finds every name. Throws UserError for what is no
  /// expression, and for one so large or so deep that a library might not survive it.
  explicit NameFilter(const std::string& expression);
  [[nodiscard]] bool empty() const { return !compiled_; }
  [[nodiscard]] bool finds(const std::string& name) const;

 private:
  std::string expression_;
  std::optional<std::regex> compiled_;
};

}  // namespace cliffbench
