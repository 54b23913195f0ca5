#pragma once

/// How a sentence reaches people: no text of a program or a file can act on their terminal.

#include <fmt/core.h>

#include <cstdio>
#include <utility>

#include "harness/text/text.hpp"

namespace cliffbench {

/// As fmt::print, of what is printable. Throws std::system_error when `to` takes no more.
template <typename... T>
void say(std::FILE* to, fmt::format_string<T...> format, T&&... values) {
  fmt::print(to, "{}", printable(fmt::format(format, std::forward<T>(values)...)));
}

/// The same to standard output.
template <typename... T>
void say(fmt::format_string<T...> format, T&&... values) {
  say(stdout, format, std::forward<T>(values)...);
}

}  // namespace cliffbench
