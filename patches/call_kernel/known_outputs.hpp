#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "harness/suite/case/patch.hpp"

namespace patches::call_kernel {

inline const cliffbench::Patch kKnownOutputs{
    .name = "known_outputs",
    .before =
        "Output values are computed at every call, even when the caller already has them, for "
        "example from running the model.",
    .after =
        "The caller passes the output values. Their number is checked, they become the outputs' "
        "memories, and nothing is copied or evaluated.",
    .cost =
        "Wrong values are found only by the proof, unless the caller asks to verify: then the "
        "kernel is evaluated and compared.",
    .source = "Requested in the ECC issue (\"known outputs\").",
    .left_out = "Passing values for some outputs and computing the others."};

/// Seam two: the next call has the given outputs. Evaluates as `Evaluation` does when none are
/// given, or to verify them.
template <typename Evaluation>
class KnownOutputs {
 public:
  using Values = std::vector<std::vector<typename Evaluation::Packed>>;
  enum class Check { trust, verify };

  /// For each io of the next call: its values, layout [P, shape...]; empty for ios without output.
  void give(Values values, Check check) {
    given_ = std::move(values);
    check_ = check;
  }

  /// Throws std::invalid_argument when the number of values is wrong, or when they differ from what
  /// the evaluation gives.
  template <typename Call>
  [[nodiscard]] Values outputs(const Call& call) {
    Values given = std::exchange(given_, {});
    if (given.empty()) return evaluation_.outputs(call);
    check_sizes(given, call);
    if (check_ == Check::verify) {
      const Values computed = evaluation_.outputs(call);
      for (std::size_t i = 0; i < given.size(); ++i) {
        if (given[i] != computed[i]) {
          throw std::invalid_argument("the known output at index " + std::to_string(i) +
                                      " differs from what the kernel computes");
        }
      }
    }
    return given;
  }

 private:
  template <typename Call>
  static void check_sizes(const Values& given, const Call& call) {
    const auto& specs = call.kernel.io_specs;
    if (given.size() != specs.size()) {
      throw std::invalid_argument("known outputs are given for " + std::to_string(given.size()) +
                                  " ios, the kernel has " + std::to_string(specs.size()));
    }
    for (std::size_t i = 0; i < specs.size(); ++i) {
      const std::size_t wanted = specs[i].is_output ? specs[i].len * call.record.num_parallel : 0;
      if (given[i].size() == wanted) continue;
      throw std::invalid_argument("the known output at index " + std::to_string(i) + " has " +
                                  std::to_string(given[i].size()) + " elements, expected " +
                                  std::to_string(wanted));
    }
  }

  Evaluation evaluation_;
  Values given_;
  Check check_ = Check::trust;
};

}  // namespace patches::call_kernel
