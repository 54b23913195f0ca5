#pragma once

/// What the cases of this program share: the variants as types, data on the device, digests.

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "cases/call_kernel/circuit/check.hpp"
#include "cases/call_kernel/context/context.hpp"
#include "cases/call_kernel/field/config.hpp"
#include "cases/call_kernel/kernels/data.hpp"
#include "harness/case.hpp"
#include "patches/call_kernel/construction_digest.hpp"
#include "patches/call_kernel/flat_call.hpp"
#include "patches/call_kernel/kernel_ids.hpp"
#include "patches/call_kernel/known_outputs.hpp"
#include "patches/call_kernel/pointer_cache.hpp"
#include "patches/call_kernel/skip_simd.hpp"

namespace zk {

namespace pck = patches::call_kernel;
using Ios = std::vector<DeviceMemoryHandle>;

[[nodiscard]] std::vector<cliffbench::Bench> repeat_call_benches();
[[nodiscard]] cliffbench::Bench mul_line_bench();
[[nodiscard]] cliffbench::Bench circuit_building_bench();
[[nodiscard]] cliffbench::Bench kernel_building_bench();
[[nodiscard]] cliffbench::Bench stale_kernel_bench();

/// The program under study, with the instruction set that its packed arithmetic was compiled for.
[[nodiscard]] inline cliffbench::Subject subject() {
  return {
      "zkcuda-model",
      std::string("model of ECC 504879c; M31x16 on ") + M31x16::target() + ", " CALL_KERNEL_ARCH,
      ""};
}

inline const std::string kIssue = "the ECC issue on call_kernel";

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

/// After all branches of the patched variants. Throws for a variant that none of them has run,
/// which would be measured as the baseline.
inline void require_unpatched(const std::string& variant) {
  if (variant != "baseline" && variant != "control") {
    throw std::invalid_argument("no code runs the variant " + variant);
  }
}

/// Calls measure.template operator()<Naming, Evaluation>() with the seams as the variant fills
/// them.
template <typename C, typename Measure>
void with_seams(const std::string& variant, const Measure& measure) {
  using Evaluate = EvaluateInstances<C>;
  using Skip = pck::SkipSimd<Evaluate>;
  if (variant == "kernel_ids") return measure.template operator()<ById<C>, Evaluate>();
  if (variant == "skip_simd") return measure.template operator()<ByContent<C>, Skip>();
  if (variant == "pointer_cache") return measure.template operator()<ByPointer<C>, Evaluate>();
  if (variant == "construction_digest") return measure.template operator()<ByDigest<C>, Evaluate>();
  if (variant == "all") return measure.template operator()<ById<C>, Skip>();
  if (variant == "all_digest") return measure.template operator()<ByDigest<C>, Skip>();
  require_unpatched(variant);
  measure.template operator()<ByContent<C>, Evaluate>();
}

/// The variants that with_seams knows, for kernels without outputs, and their patches.
[[nodiscard]] inline std::vector<cliffbench::Variant> call_variants() {
  using cliffbench::Role;
  return {{"baseline", Role::baseline, "call_kernel as it was before upstream's fix"},
          {"control", Role::control, "the same again"},
          {"kernel_ids", Role::patch, "called by a registered id", {"kernel_ids"}},
          {"skip_simd", Role::patch, "not evaluated without outputs", {"skip_simd"}},
          {"pointer_cache", Role::patch, "looked up by its address first", {"pointer_cache"}},
          {"construction_digest",
           Role::patch,
           "looked up by a digest made when it was built",
           {"construction_digest"}},
          {"all",
           Role::patch,
           "the issue's two: kernel_ids and skip_simd",
           {"kernel_ids", "skip_simd"}},
          {"all_digest",
           Role::patch,
           "construction_digest and skip_simd",
           {"construction_digest", "skip_simd"}}};
}
[[nodiscard]] inline std::vector<cliffbench::Patch> call_patches() {
  return {pck::kKernelIds, pck::kSkipSimd, pck::kPointerCache, pck::kConstructionDigest};
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

/// What the last call left behind: the kernel by its content, how often it was called, its ios, and
/// the outputs' values.
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
