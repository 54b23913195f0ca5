#pragma once

#include <string>
#include <utility>
#include <vector>

/// The names that Halide numbers while it generates code, for one thread: written down in one
/// generation and given again in another one of the same code. So generating code once more moves
/// no number, and later compilations get the same names as without it.
class Names {
 public:
  enum class Mode { pass, write_down, give_again, give_again_then_pass };

  /// `own` is Halide's unique_name for this prefix; it is called only where the number must move.
  template <typename Own>
  std::string name(const std::string& prefix, const Own& own) {
    if (mode_ == Mode::pass) return own();
    if (mode_ == Mode::write_down) return given_.emplace_back(prefix, own()).second;
    for (size_t i = next_; i < given_.size(); ++i) {
      if (given_[i].first != prefix) continue;
      next_ = i + 1;
      return given_[i].second;
    }
    if (mode_ == Mode::give_again_then_pass) return own();
    return prefix + "$again" + std::to_string(more_++);  // a name that Halide never makes
  }

  void set(Mode mode) {
    if (mode == Mode::write_down) given_.clear();
    mode_ = mode;
    next_ = 0;
  }

 private:
  Mode mode_ = Mode::pass;
  std::vector<std::pair<std::string, std::string>> given_ = {};  ///< prefix, name
  size_t next_ = 0;
  int more_ = 0;
};
