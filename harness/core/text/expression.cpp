#include "harness/core/text/expression.hpp"

#include <fmt/format.h>

#include <regex>

#include "harness/core/text/text.hpp"

namespace cliffbench {

struct Expression::Compiled {
  std::regex regex;
};

Expression::Expression(const std::string& text) {
  try {
    compiled_ = std::make_shared<Compiled>(Compiled{std::regex(text, std::regex::extended)});
  } catch (const std::regex_error& error) {
    throw UserError(fmt::format("'{}' is not a regular expression ({})", text, error.what()));
  }
}

bool Expression::is_in(const std::string& text) const {
  return std::regex_search(text, compiled_->regex);
}

std::string Expression::first_group(const std::string& text) const {
  std::smatch match;
  return std::regex_search(text, match, compiled_->regex) ? match[1].str() : "";
}

std::string Expression::starred(const std::string& text) const {
  return std::regex_replace(text, compiled_->regex, "*", std::regex_constants::format_first_only);
}

}  // namespace cliffbench
