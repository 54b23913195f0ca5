#pragma once

#include <algorithm>

#include "harness/suite/case/patch.hpp"

namespace patches::call_kernel {

inline const cliffbench::Patch kSkipSimd{
    .name = "skip_simd",
    .before =
        "Every call copies all inputs, three times, and evaluates the circuit, even when no io is "
        "an output: then the circuit has no instruction left and the values are discarded.",
    .after =
        "When no io is an output, nothing is copied and nothing is evaluated. Shapes are "
        "checked and the call is recorded as before.",
    .cost =
        "One behaviour changes: a kernel without outputs whose constrained sub-circuit fails to "
        "evaluate (a random draw, an unknown hint) is no longer refused at the call. Violated "
        "constraints are found at the proof, as before.",
    .source = "Proposed in the ECC issue; upstream has it since 464f687.",
    .left_out = "Kernels with outputs: see known_outputs and flat_call."};

/// Seam two: evaluates as `Evaluation` does, when there is an output.
template <typename Evaluation>
class SkipSimd {
 public:
  template <typename Call>
  [[nodiscard]] auto outputs(const Call& call) {
    const auto& specs = call.kernel.io_specs;
    const bool any =
        std::any_of(specs.begin(), specs.end(), [](const auto& spec) { return spec.is_output; });
    return any ? evaluation_.outputs(call) : decltype(evaluation_.outputs(call))();
  }

 private:
  Evaluation evaluation_;
};

}  // namespace patches::call_kernel
