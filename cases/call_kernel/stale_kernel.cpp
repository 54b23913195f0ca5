// Whether a kernel's address names the kernel: two kernels one after the other at one address.

#include "cases/call_kernel/bench.hpp"

namespace zk {
namespace {

using namespace cliffbench;
using Config = Bn254Config;
using Scalar = Config::Scalar;

/// x0 + x1, or x0 - x1.
Kernel<Scalar> sum_or_difference(bool sum) {
  return compile(Source<Scalar>{{{{2}, Direction::input}, {{}, Direction::output}},
                                [sum](Builder<Scalar>& b, Source<Scalar>::Ios& io) {
                                  io[1][0] =
                                      sum ? b.add(io[0][0], io[0][1]) : b.sub(io[0][0], io[0][1]);
                                }});
}

template <typename Naming>
void measure_sequence(benchmark::State& state, Trial& trial) {
  using Evaluate = EvaluateInstances<Config>;
  typename Naming::template ContextWith<Evaluate> context;
  DeviceMemoryHandle x;
  std::vector<DeviceMemoryHandle> outputs;
  const auto begin = [&] {
    context.reset();
    outputs.clear();
    x = context.copy_to_device(std::vector{Scalar(7), Scalar(3)});
  };
  const auto call = [&](const auto& name) {
    Ios ios = {x, {}};
    context.call_kernel(name, 1, ios);
    outputs.push_back(ios[1]);
  };
  const std::string& sequence = trial.params.at("sequence");
  begin();

  trial.ready();
  for (auto _ : state) {
    trial.between(begin);
    if (sequence == "same_slot") {
      for (const bool sum : {true, false}) {
        const auto name = Naming::name(context, sum_or_difference(sum));
        call(name);
      }
    } else if (sequence == "reassigned") {
      auto name = Naming::name(context, sum_or_difference(true));
      call(name);
      name = Naming::name(context, sum_or_difference(false));
      call(name);
    } else {
      for (const bool sum : {true, false}) {
        call(*std::make_unique<decltype(Naming::name(context, sum_or_difference(sum)))>(
            Naming::name(context, sum_or_difference(sum))));
      }
    }
  }
  trial.done();

  std::string digest = "recorded";
  for (const KernelCall& recorded : context.calls())
    digest += ' ' + std::to_string(recorded.kernel_id);
  digest += ", computed";
  for (const DeviceMemoryHandle& output : outputs) {
    digest += ' ' + std::to_string(context.copy_simd_to_host(output)[0].lane(0).limbs()[0]);
  }
  trial.digest(digest);
}

}  // namespace

cliffbench::Bench stale_kernel_bench() {
  std::vector<Claim> claims;
  claims.push_back({.id = "pointer_names_a_kernel",
                    .text = "a pointer names a kernel: the graph records what was computed",
                    .quantity = Quantity::agreement,
                    .variant = "pointer_cache",
                    .range = {1, 1},
                    .origin = Origin::theirs,
                    .expected = Verdict::refuted,
                    .source = kIssue + ": pointer-based identity"});
  for (const char* variant : {"kernel_ids", "construction_digest"}) {
    claims.push_back({.id = std::string(variant) + "_names_a_kernel",
                      .text = std::string(variant) + ": the graph records what was computed",
                      .quantity = Quantity::agreement,
                      .variant = variant,
                      .range = {1, 1},
                      .source = "a goal of this project"});
  }
  const std::vector<std::string> all = {"baseline", "pointer_cache", "kernel_ids",
                                        "construction_digest"};
  const std::vector<std::string> sequences = {"same_slot", "reassigned", "reallocated"};
  Case declared = {
      .name = "stale_kernel",
      .why =
          "A cache from a kernel's address to its id records the wrong kernel once another one "
          "lies there.",
      .readme = CASE_README,
      .subject = subject(),
      .axes = {{"sequence", "", sequences}},
      .variants =
          {{"baseline", Role::baseline, "looked up by content"},
           {"pointer_cache", Role::patch, "looked up by its address first", {"pointer_cache"}, ""},
           {"kernel_ids", Role::patch, "called by a registered id", {"kernel_ids"}},
           {"construction_digest",
            Role::patch,
            "looked up by a digest made when it was built",
            {"construction_digest"}}},
      .patches = {pck::kPointerCache, pck::kKernelIds, pck::kConstructionDigest},
      .claims = claims,
      .profiles = {{"quick", "three sequences of two calls", {{{{"sequence", sequences}}, all}}},
                   {"demo", "the same", {{{{"sequence", sequences}}, all, 1}}},
                   {"verify", "the same", {{{{"sequence", sequences}}, all, 1}}},
                   {"full", "the same", {{{{"sequence", sequences}}, all}}}},
      .limit_s = 60,
      .cost = [](const Params&, const std::string&) {
        return Cost{0.01, 20, 0};
      }};
  return {declared, [](benchmark::State& state, Trial& trial) {
            if (trial.variant == "pointer_cache")
              return measure_sequence<ByPointer<Config>>(state, trial);
            if (trial.variant == "kernel_ids") return measure_sequence<ById<Config>>(state, trial);
            if (trial.variant == "construction_digest") {
              return measure_sequence<ByDigest<Config>>(state, trial);
            }
            require_unpatched(trial.variant);
            measure_sequence<ByContent<Config>>(state, trial);
          }};
}

}  // namespace zk
