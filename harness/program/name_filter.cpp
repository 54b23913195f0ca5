#include "harness/program/name_filter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "harness/text/text.hpp"

namespace cliffbench {
namespace {

// The standard libraries compile and match by recursion: an expression must stay far below what a
// stack of 8 MB holds, in a sanitizer's build too. Longest known need: a few dozen names by |.
constexpr size_t kLongest = 1000;
constexpr int kDeepestGroup = 20;
constexpr size_t kLargest = 2000;  // its length, times all its counts of repetition

/// How deep its groups can nest, counting every opening bracket that is not escaped.
int depth_of(const std::string& expression) {
  int depth = 0;
  int deepest = 0;
  for (size_t i = 0; i < expression.size(); ++i) {
    if (expression[i] == '\\')
      ++i;
    else if (expression[i] == '(')
      deepest = std::max(deepest, ++depth);
    else if (expression[i] == ')')
      --depth;
  }
  return deepest;
}

/// Its length when every {n} is written out, at most.
double size_of(const std::string& expression) {
  double size = static_cast<double>(expression.size());
  for (size_t at = expression.find('{'); at != std::string::npos;
       at = expression.find('{', at + 1)) {
    double most = 1;
    std::istringstream counts(expression.substr(at + 1, expression.find('}', at) - at - 1));
    for (std::string count; std::getline(counts, count, ',');) {
      most = std::max(most, std::strtod(count.c_str(), nullptr));
    }
    size *= most;
  }
  return size;
}

#ifdef __GLIBCXX__
// The usual matcher recurses along the name and can take exponential time; this one does neither.
// It begins at every character anew when it searches, so it is asked to match the whole name.
std::regex compiled(const std::string& expression) {
  const auto flags = std::regex::ECMAScript | std::regex_constants::__polynomial;
  const std::regex alone(expression, flags);  // what cannot stand alone might between the brackets
  return std::regex("[\\s\\S]*(?:" + expression + ")[\\s\\S]*", flags);
}
bool matches(const std::string& name, const std::regex& expression) {
  return std::regex_match(name, expression);
}
#else
// libc++ gives up by itself.
std::regex compiled(const std::string& expression) { return std::regex(expression); }
bool matches(const std::string& name, const std::regex& expression) {
  return std::regex_search(name, expression);
}
#endif

}  // namespace

NameFilter::NameFilter(const std::string& expression) : expression_(expression.substr(0, 60)) {
  if (expression.empty()) return;
  if (expression.size() > kLongest || depth_of(expression) > kDeepestGroup ||
      size_of(expression) > kLargest) {
    throw UserError(
        fmt::format("--filter '{}...' is too large; the limits are {} characters, {} nested "
                    "groups, and {} characters with all repetitions written out",
                    expression_, kLongest, kDeepestGroup, kLargest));
  }
  try {
    compiled_ = compiled(expression);
  } catch (const std::regex_error&) {
    throw UserError("--filter '" + expression +
                    "' is not a regular expression (ECMAScript, without back references)");
  }
}

bool NameFilter::finds(const std::string& name) const {
  if (!compiled_) return true;
  try {
    return matches(name, *compiled_);
  } catch (const std::regex_error&) {
    throw UserError(fmt::format("--filter '{}' is too complicated for a name of {} characters",
                                expression_, name.size()));
  }
}

}  // namespace cliffbench
