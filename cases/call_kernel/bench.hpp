#pragma once

/// Shared by the cases of this program: the variants as types, data on the device, digests.

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "cases/call_kernel/circuit/check.hpp"
#include "cases/call_kernel/context/context.hpp"
#include "cases/call_kernel/field/config.hpp"
#include "cases/call_kernel/kernels/data.hpp"
#include "harness/suite/kit/case_data.hpp"
#include "patches/call_kernel/construction_digest.hpp"
#include "patches/call_kernel/flat_call.hpp"
#include "patches/call_kernel/kernel_ids.hpp"
#include "patches/call_kernel/known_outputs.hpp"
#include "patches/call_kernel/pointer_cache.hpp"
#include "patches/call_kernel/skip_simd.hpp"

namespace zk {

namespace pck = patches::call_kernel;
using Ios = std::vector<DeviceMemoryHandle>;

[[nodiscard]] std::vector<cliffbench::Measure> repeat_call_measures();
[[nodiscard]] cliffbench::Measure mul_line_measure();
[[nodiscard]] cliffbench::Measure circuit_building_measure();
[[nodiscard]] cliffbench::Measure stale_kernel_measure();

/// The program under study, with the instruction set that its packed arithmetic was compiled for.
[[nodiscard]] inline cliffbench::Subject subject() {
  return {
      "zkcuda-model",
      std::string("model of ECC 504879c; M31x16 on ") + M31x16::target() + ", " CALL_KERNEL_ARCH,
      ""};
}

/// The seams filled: what a variant's context is, and how a caller names a kernel there. `name`
/// takes the kernel; it may keep it.
template <typename C>
struct ByContent {
  using Config = C;
  using K = Kernel<typename C::Scalar>;
  template <typename Evaluation>
  using ContextWith = Context<C, IdentityByContent<K>, Evaluation>;
  template <typename Context>
  static K name(Context&, K kernel) {
    return kernel;
  }
};
template <typename C>
struct ByPointer : ByContent<C> {
  using K = Kernel<typename C::Scalar>;
  template <typename Evaluation>
  using ContextWith = Context<C, pck::PointerCache<Pool<K>, K>, Evaluation>;
};
template <typename C>
struct ById {
  using Config = C;
  using K = Kernel<typename C::Scalar>;
  template <typename Evaluation>
  using ContextWith = Context<C, pck::KernelIds<Pool<K>, K>, Evaluation>;
  template <typename Context>
  static auto name(Context& context, const K& kernel) {
    return pck::register_kernel(context, kernel);
  }
};
template <typename C>
struct ByDigest {
  using Config = C;
  using K = Kernel<typename C::Scalar>;
  template <typename Evaluation>
  using ContextWith = Context<C, pck::ConstructionDigest<K>, Evaluation>;
  template <typename Context>
  static pck::Sealed<K> name(Context&, K kernel) {
    return pck::Sealed<K>(std::move(kernel));
  }
};

/// One line of a seam's table: a patch and the type that it puts there.
template <const cliffbench::Patch* kPatch, typename Filling>
struct Puts {
  using Type = Filling;
  static const cliffbench::Patch& card() { return *kPatch; }
};
/// A seam's table: one line a patch.
template <typename... Lines>
struct Seam {};

/// The first seam: the number of a kernel.
template <typename C>
using Namings = Seam<Puts<&pck::kKernelIds, ById<C>>, Puts<&pck::kPointerCache, ByPointer<C>>,
                     Puts<&pck::kConstructionDigest, ByDigest<C>>>;
/// The evaluation of a kernel without outputs, and of one with outputs.
template <typename C, typename Evaluate = EvaluateInstances<C>>
using Evaluations = Seam<Puts<&pck::kSkipSimd, pck::SkipSimd<Evaluate>>>;
template <typename C, typename Evaluate = EvaluateInstances<C>>
using EvaluationsWithOutputs =
    Seam<Puts<&pck::kFlatCall, pck::FlatCall<Evaluate, typename C::Scalar>>,
         Puts<&pck::kKnownOutputs, pck::KnownOutputs<Evaluate>>>;

template <typename... Lines>
[[nodiscard]] std::vector<cliffbench::Patch> cards_of(Seam<Lines...>) {
  return {Lines::card()...};
}
template <typename... Lines>
[[nodiscard]] std::vector<std::string> names_of(Seam<Lines...>) {
  return {Lines::card().name...};
}

/// Calls body.template operator()<Filling>() with what the trial's patches put into a seam, or with
/// `Unpatched`. Throws std::invalid_argument for two patches of one seam.
template <typename Unpatched, typename... Lines, typename Body>
void fill(Seam<Lines...>, const cliffbench::Trial& trial, const Body& body) {
  const int count = (0 + ... + trial.has_patch(Lines::card()));
  if (count > 1) throw std::invalid_argument("two patches of one seam in " + trial.variant);
  if (count == 0) return body.template operator()<Unpatched>();
  const auto one = [&]<typename Line>(Line) {
    if (trial.has_patch(Line::card())) body.template operator()<typename Line::Type>();
  };
  (one(Lines()), ...);
}

/// Calls measure.template operator()<Naming, Evaluation>() with both seams of a kernel without
/// outputs as the trial's patches fill them.
template <typename C, typename Measure>
void with_seams(const cliffbench::Trial& trial, const Measure& measure) {
  fill<ByContent<C>>(Namings<C>(), trial, [&]<typename Naming>() {
    fill<EvaluateInstances<C>>(Evaluations<C>(), trial, [&]<typename Evaluation>() {
      measure.template operator()<Naming, Evaluation>();
    });
  });
}

/// Calls measure.template operator()<Config>() for the trial's field.
template <typename Measure>
void with_field(const cliffbench::Trial& trial, const Measure& measure) {
  if (trial.params.at("field") == "m31") {
    measure.template operator()<M31Config>();
  } else {
    measure.template operator()<Bn254Config>();
  }
}

/// One lane's values of a kernel's ios -> memories with all lanes; `data(lane)` gives a lane's.
template <typename Context, typename Data>
[[nodiscard]] Ios put_on_device(Context& context, const Data& data) {
  using Packed = typename Context::Packed;
  using Scalar = typename Context::Scalar;
  std::vector<std::vector<Packed>> values;
  std::vector<Shape> shapes;
  for (size_t lane = 0; lane < Packed::kLanes; ++lane) {
    const std::vector<IoData> ios = data(lane);
    if (lane == 0) {
      for (const IoData& io : ios) {
        values.emplace_back(io.values.size());
        shapes.push_back(io.shape);
      }
    }
    for (size_t i = 0; i < ios.size(); ++i) {
      for (size_t j = 0; j < ios[i].values.size(); ++j) {
        values[i][j].set_lane(lane, to_field<Scalar>(ios[i].values[j]));
      }
    }
  }
  Ios handles;
  for (size_t i = 0; i < values.size(); ++i) {
    handles.push_back(context.new_memory(std::move(values[i]), shapes[i]));
  }
  return handles;
}

/// Why this witness does not satisfy the kernel, or "".
template <typename Scalar>
[[nodiscard]] std::string fault_of(const Kernel<Scalar>& kernel, const std::vector<IoData>& ios) {
  std::vector<Scalar> inputs;
  for (const IoData& io : ios) {
    for (const std::int64_t value : io.values) inputs.push_back(to_field<Scalar>(value));
  }
  Checker<Scalar> checker(kernel.ir_for_later_compilation, nullptr, 8717);
  (void)checker.outputs(inputs);
  return checker.faults().empty() ? "" : "the inputs violate " + checker.faults().front();
}

/// A digest of the last call's record: the kernel by its content, how often it was called, its ios,
/// and the outputs' values.
template <typename Context, typename Scalar>
[[nodiscard]] std::string digest_of(const Context& context, const Kernel<Scalar>& kernel,
                                    const Ios& outputs) {
  SipHasher hasher;
  kernel.write_to(hasher);
  const KernelCall& call = context.calls().back();
  hasher.u64(call.kernel_id);
  hasher.u64(call.num_parallel);
  for (const KernelCall::Io& io : call.ios) {
    hasher.u64(io.is_broadcast);
    for (const DeviceMemoryHandle& handle : {io.input, io.output}) {
      hasher.u64(handle ? handle.id + 1 : 0);
      if (handle) write_to(hasher, context.shape(handle));
    }
  }
  for (const DeviceMemoryHandle& handle : outputs) {
    if (!handle) continue;
    for (const auto& value : context.copy_simd_to_host(handle)) {
      for (size_t lane = 0; lane < Context::Packed::kLanes; ++lane)
        value.lane(lane).write_to(hasher);
    }
  }
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hasher.finish()));
  return text;
}

inline void add_stages(cliffbench::Trial& trial, const StageTimes& times) {
  trial.add_to_stage("add", times.add);
  trial.add_to_stage("inputs", times.inputs);
  trial.add_to_stage("evaluate", times.evaluate);
  trial.add_to_stage("record", times.record);
}

}  // namespace zk
