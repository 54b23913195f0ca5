#pragma once

/// One line at the bottom of a terminal that shows the current step.

#include <string>

namespace cliffbench {

class ProgressLine {
 public:
  /// Shows nothing when `quiet`, or where standard output is no terminal that can overwrite a line.
  explicit ProgressLine(bool quiet = false);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine() { clear(); }  // an error leaves no line behind

  [[nodiscard]] bool shown() const { return shown_; }
  /// Overwrites the line before, cut to the terminal's width.
  void show(const std::string& text) const;
  /// Before anything else is printed.
  void clear() const;

 private:
  bool shown_ = false;
};

}  // namespace cliffbench
