#pragma once

namespace cliffbench {

/// The program's exit codes; `cliffbench --help` lists the same.
struct Exit {
  static constexpr int fine = 0;
  static constexpr int usage = 2;
  static constexpr int regression = 10;
  static constexpr int unexpected = 11;      ///< a verdict differs from its expectation
  static constexpr int inconclusive = 12;    ///< with --strict
  static constexpr int cannot_measure = 13;  ///< or something crashed or was wrong
  static constexpr int control_moved = 14;
  static constexpr int stopped = 130;  ///< by the user; a shell reports SIGINT so
};

}  // namespace cliffbench
