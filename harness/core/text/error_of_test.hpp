#pragma once

#include <exception>
#include <string>

namespace cliffbench {

/// For tests: the function's complaint; "" when it has none.
template <typename Function>
std::string error_of(const Function& function) {
  try {
    function();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

}  // namespace cliffbench
