// Calls of the two kernels, which have inputs only: freivalds and pre_attn_sln.

#include "cases/call_kernel/bench.hpp"
#include "cases/call_kernel/free_memory.hpp"
#include "cases/call_kernel/kernels/heap_layout.hpp"

namespace zk {
namespace {

using namespace cliffbench;

/// The subject of one trial, apart from the variant: which kernel at which size on which data.
struct Question {
  bool sln = false;
  std::vector<std::uint64_t> dims;
  std::uint64_t instances = 1;

  template <typename Scalar>
  [[nodiscard]] Kernel<Scalar> kernel(const std::string& heap) const {
    Kernel<Scalar> made = kernel_of<Scalar>(sln ? "pre_attn_sln" : "freivalds", dims);
    if (heap == "scattered") scatter(made, heap_layout<Scalar>(sln), 8717);
    return made;
  }
  [[nodiscard]] std::vector<IoData> data(std::uint64_t lane) const {
    return sln ? pre_attn_sln_data({dims[0], dims[1], dims[2], dims[3]}, lane)
               : freivalds_data({dims[0], dims[1], dims[2], dims[3]}, lane);
  }
  /// With P > 1 the weights are broadcast, everything else is given once an instance.
  [[nodiscard]] bool is_weight(size_t io) const { return sln ? io == 1 : io >= 1 && io <= 3; }
  [[nodiscard]] std::vector<IoData> instances_data(std::uint64_t lane) const {
    std::vector<IoData> ios = data(lane);
    if (instances == 1) return ios;
    for (size_t i = 0; i < ios.size(); ++i) {
      if (is_weight(i)) continue;
      const size_t size = ios[i].values.size();
      ios[i].values.reserve(size * instances);
      for (std::uint64_t p = 1; p < instances; ++p) {
        std::copy_n(ios[i].values.begin(), size, std::back_inserter(ios[i].values));
      }
      ios[i].shape.insert(ios[i].shape.begin(), instances);
    }
    return ios;
  }
  /// The number of instructions in the later circuit, by the formulas in README.md.
  [[nodiscard]] double instructions() const {
    const auto [a, b, c, d] =
        std::array{double(dims[0]), double(dims[1]), double(dims[2]), double(dims[3])};
    if (!sln) {
      const double n = c + 2 * d;
      return a * b + b * n + 3 * b + a * n + n + 2 * (4 * b + n) + 9;
    }
    return a * (b + 4) + a * b * (5 + 6 * c);  // the table's 2^b entries are left out
  }
  /// More bytes than the first call needs: for inputs copied three times, as many results, and a
  /// clone of the kernel.
  template <typename Config>
  [[nodiscard]] size_t bytes_of_first_call() const {
    constexpr size_t kClone = 512;  // bytes an instruction
    const size_t vectors = 8 * instances * sizeof(typename Config::Packed);
    return static_cast<size_t>(instructions()) * (vectors + kClone);
  }
};

struct Size {
  const char* name;
  std::vector<std::uint64_t> freivalds, sln;
};
const std::vector<Size> kSizes = {{"small", {64, 256, 256, 256}, {16, 256, 2, 8}},
                                  {"tiny", {2, 2, 2, 2}, {2, 4, 2, 3}},
                                  {"little", {16, 64, 64, 64}, {4, 64, 2, 6}},
                                  {"medium", {80, 320, 320, 320}, {32, 320, 2, 9}},
                                  {"default", {256, 768, 768, 768}, {128, 768, 2, 12}},
                                  {"large", {1024, 2048, 2048, 256}, {512, 2048, 2, 12}}};

Question question(bool sln, const Params& params) {
  for (const Size& size : kSizes) {
    if (size.name != params.at("dims")) continue;
    return {sln, sln ? size.sln : size.freivalds, std::stoull(params.at("P"))};
  }
  throw std::logic_error("an undeclared size");
}

bool takes_microseconds(const std::string& variant) { return variant.starts_with("all"); }

/// Whether only one call meets the measured state: a new kernel, or one at a new address.
bool can_be_called_once(const Params& params, const std::string& variant) {
  if (params.at("call") == "first") return true;
  return params.at("object") != "same" && !takes_microseconds(variant);
}

/// How many calls make one trial: a call that takes microseconds is repeated.
benchmark::IterationCount calls_in(const Trial& trial) {
  if (can_be_called_once(trial.params, trial.variant)) return 1;
  if (takes_microseconds(trial.variant)) return 2000;
  return trial.params.at("dims") == "tiny" ? 200 : 1;
}

template <typename Naming, typename Evaluation>
void measure_calls(benchmark::State& state, Trial& trial, const Question& question) {
  using Config = typename Naming::Config;
  using Scalar = typename Config::Scalar;
  const bool first = trial.params.at("call") == "first";
  const std::string& object = trial.params.at("object");
  const std::string& heap = trial.params.at("heap");
  if (first && object != "same") throw Skipped("a first call needs object:same");
  typename Naming::template ContextWith<Evaluation> context(std::stoul(trial.params.at("threads")));
  const Ios inputs =
      put_on_device(context, [&](std::uint64_t lane) { return question.instances_data(lane); });
  Ios ios = inputs;
  auto kernel = std::make_unique<Kernel<Scalar>>(question.kernel<Scalar>(heap));
  using Name = decltype(Naming::name(context, std::move(*kernel)));
  std::unique_ptr<Name> name;
  const FreeMemory memory(trial.params.at("free_memory"));
  if (first) memory.leave(question.bytes_of_first_call<Config>());
  if (!first) {
    name = std::make_unique<Name>(Naming::name(context, std::move(*kernel)));
    // The heap has settled after four calls (DESIGN.md): the circuit's authors see many.
    constexpr int kSettling = 4;
    for (int i = 0; i < kSettling; ++i) {
      std::copy(inputs.begin(), inputs.end(), ios.begin());
      context.call_kernel(*name, question.instances, ios);
    }
  }
  if (object == "moved") {
    name = std::make_unique<Name>(std::move(*std::unique_ptr<Name>(std::move(name))));
  } else if (object == "rebuilt") {
    auto old = std::exchange(name, nullptr);
    name = std::make_unique<Name>(Naming::name(context, question.kernel<Scalar>(heap)));
  }
  StageTimes times;
  if (!takes_microseconds(trial.variant))
    context.times = &times;  // else reading the clock would cost as much as a call
  const benchmark::IterationCount calls = calls_in(trial);
  const size_t memories = context.num_memories();

  trial.ready();
  while (state.KeepRunningBatch(calls)) {
    trial.between([&] { context.forget_calls(memories); });
    for (benchmark::IterationCount i = 0; i < calls; ++i) {
      if (first) name = std::make_unique<Name>(Naming::name(context, std::move(*kernel)));
      std::copy(inputs.begin(), inputs.end(), ios.begin());
      context.call_kernel(*name, question.instances, ios);
    }
  }
  if (context.times) add_stages(trial, times);
  trial.done();

  const Kernel<Scalar>& called = context.identity().kernel_of(*name);
  trial.digest(digest_of(context, called, trial.spoiled() ? inputs : ios));
  // The data of large kernels are checked by the tests; here that would double the trial's time.
  if (question.instructions() > 1e5) return;
  std::vector<IoData> data = question.data(0);
  if (trial.spoiled()) ++data[0].values[0];
  const std::string fault = fault_of(called, data);
  if (!fault.empty()) trial.wrong(fault);
}

}  // namespace

std::vector<cliffbench::Measure> repeat_call_measures() {
  std::vector<std::string> patches = names_of(Namings<Bn254Config>());
  for (const std::string& name : names_of(Evaluations<Bn254Config>())) patches.push_back(name);
  std::vector<Measure> measures;
  for (const bool sln : {false, true}) {
    const auto measure = [sln](benchmark::State& state, Trial& trial) {
      const Question asked = question(sln, trial.params);
      with_field(trial, [&]<typename Config>() {
        with_seams<Config>(trial, [&]<typename Naming, typename Evaluation>() {
          measure_calls<Naming, Evaluation>(state, trial, asked);
        });
      });
    };
    measures.push_back({.name = sln ? "pre_attn_sln" : "freivalds",
                        .function = measure,
                        .patches = patches,
                        .once = can_be_called_once});
  }
  return measures;
}

}  // namespace zk
