#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "harness/suite/case/patch.hpp"
#include "patches/call_kernel/flat_program.hpp"

namespace patches::call_kernel {

inline const cliffbench::Patch kFlatCall{
    .name = "flat_call",
    .before =
        "For a kernel with outputs, each call copies the inputs three times, grows two vectors of "
        "values by doubling, and multiplies by every coefficient, even by 1.",
    .after =
        "The circuit is translated once into a list of runs over a fixed layout. Instances read "
        "their inputs where they are, share one block of values a thread, and write their outputs "
        "in place. A product that is used once is added where it is made; coefficients 1 and -1 "
        "are not multiplied.",
    .cost = "The translation at a kernel's first call, and its memory (24 bytes a run).",
    .source = "Ours.",
    .left_out =
        "Kernels with hints, random draws or sub-circuits are evaluated as before, and "
        "transposed inputs are copied as before."};

/// Seam two: evaluates by the flat program, or as `Evaluation` does where that does not translate.
template <typename Evaluation, typename Scalar>
class FlatCall {
 public:
  using Packed = typename Evaluation::Packed;

  template <typename Call>
  [[nodiscard]] std::vector<std::vector<Packed>> outputs(const Call& call) {
    const auto& kernel = call.kernel;
    const auto [found, added] = programs_.try_emplace(call.record.kernel_id);
    std::unique_ptr<Program>& program = found->second;
    if (added && Program::translates(kernel)) program = std::make_unique<Program>(kernel);
    if (!program) return evaluation_.outputs(call);
    const std::size_t num_ios = kernel.io_specs.size();
    const std::uint64_t instances = call.record.num_parallel;
    std::vector<std::vector<Packed>> outputs(num_ios), copies(num_ios);
    std::vector<const Packed*> bases(num_ios);
    std::vector<std::size_t> chunk_sizes(num_ios);
    {
      const auto timer = call.time_inputs();
      for (std::size_t i = 0; i < num_ios; ++i) {
        if (kernel.io_specs[i].is_output) outputs[i].resize(kernel.io_specs[i].len * instances);
        if (!call.ios[i]) continue;
        if (call.ios[i].history->is_identity()) {
          bases[i] = call.memories[call.ios[i].id].values.data();
        } else {
          copies[i] = call.permuted(i);
          bases[i] = copies[i].data();
        }
        if (!call.record.ios[i].is_broadcast) chunk_sizes[i] = kernel.io_specs[i].len;
      }
    }
    const auto timer = call.time_evaluation();
    call.in_parallel(instances, [&](std::size_t p) {
      thread_local std::vector<Packed> computed;
      if (computed.size() < program->num_computed()) computed.resize(program->num_computed());
      std::vector<const Packed*> blocks = bases;
      for (std::size_t i = 0; i < num_ios; ++i) blocks[i] += p * chunk_sizes[i];
      program->run(blocks, computed.data());
      std::size_t next = 0;
      for (std::size_t i = 0; i < num_ios; ++i) {
        if (!kernel.io_specs[i].is_output) continue;
        Packed* to = outputs[i].data() + p * kernel.io_specs[i].len;
        for (std::uint64_t j = 0; j < kernel.io_specs[i].len; ++j) {
          *to++ = program->value(blocks, computed.data(), program->outputs()[next++]);
        }
      }
    });
    return outputs;
  }

 private:
  using Program = FlatProgram<Scalar, Packed>;

  Evaluation evaluation_;
  std::map<std::size_t, std::unique_ptr<Program>> programs_;  // by kernel; null: does not translate
};

}  // namespace patches::call_kernel
