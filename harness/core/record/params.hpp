#pragma once

#include <map>
#include <string>

namespace cliffbench {

/// One value per axis, by the axis's name: {"buffers": "1", "size": "3072x2048"}.
using Params = std::map<std::string, std::string>;

/// The most rounds that a cell can have.
inline constexpr int kMostRounds = 100000;

constexpr int kSchema = 1;  ///< of every file this project writes; another number is refused

}  // namespace cliffbench
