#pragma once

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

namespace patches::halide {

/// All bytes of a file; "" when there is none. Throws std::runtime_error when it cannot be read on.
inline std::string contents_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file.is_open() && file.peek() != std::ifstream::traits_type::eof()) text << file.rdbuf();
  if (file.bad()) throw std::runtime_error("cannot read " + path);
  return std::move(text).str();
}

}  // namespace patches::halide
