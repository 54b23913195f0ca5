#pragma once

#include <exception>
#include <string>

namespace zk {

/// For tests: what the exception that `body` throws says; "" when it throws none.
template <typename Body>
[[nodiscard]] std::string message(const Body& body) {
  try {
    body();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

}  // namespace zk
