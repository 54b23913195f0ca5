#pragma once

/// The parts of a call, and the two seams of `call_kernel` as upstream has them. A patch is
/// another class with the same members (patches/call_kernel/).

#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "cases/call_kernel/context/evaluate.hpp"
#include "cases/call_kernel/context/pool.hpp"
#include "cases/call_kernel/context/shape.hpp"

namespace zk {

/// A device memory, or a view of it; empty: none.
struct DeviceMemoryHandle {
  size_t id = 0;
  std::shared_ptr<const ShapeHistory> history;

  explicit operator bool() const { return history != nullptr; }
};

template <typename Packed>
struct DeviceMemory {
  std::vector<Packed> values;
  SplitList required_shape_products;
};

/// The graph's record of one call.
struct KernelCall {
  struct Io {
    DeviceMemoryHandle input, output;
    bool is_broadcast = false;
  };
  size_t kernel_id = 0;
  std::uint64_t num_parallel = 0;
  std::vector<Io> ios;
};

/// Seconds spent in the parts of calls, summed; a null pointer to it measures nothing.
struct StageTimes {
  double add = 0, inputs = 0, evaluate = 0, record = 0;
};

class StageTimer {
 public:
  StageTimer(StageTimes* times, double StageTimes::*stage)
      : into_(times ? &(times->*stage) : nullptr) {
    if (into_) start_ = std::chrono::steady_clock::now();
  }
  StageTimer(const StageTimer&) = delete;
  StageTimer& operator=(const StageTimer&) = delete;
  ~StageTimer() {
    if (!into_) return;
    *into_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  double* into_;
  std::chrono::steady_clock::time_point start_;
};

/// Calls work(i) for i < count on so many threads; the first exception by i is thrown.
template <typename Work>
void in_parallel(size_t count, size_t threads, const Work& work) {
  if (threads <= 1 || count <= 1) {
    for (size_t i = 0; i < count; ++i) work(i);
    return;
  }
  std::atomic<size_t> next = 0;
  std::vector<std::exception_ptr> errors(count);
  const auto loop = [&] {
    for (size_t i; (i = next.fetch_add(1)) < count;) {
      try {
        work(i);
      } catch (...) {
        errors[i] = std::current_exception();
      }
    }
  };
  std::vector<std::thread> others;
  for (size_t i = 1; i < std::min(threads, count); ++i) others.emplace_back(loop);
  loop();
  for (std::thread& other : others) other.join();
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

/// A call as its evaluation sees it: every input is there and fits.
template <typename Config>
struct Call {
  using Packed = typename Config::Packed;

  const Kernel<typename Config::Scalar>& kernel;
  const KernelCall& record;  ///< kernel_id, num_parallel, the inputs and which are broadcast
  std::span<const DeviceMemoryHandle> ios;
  const std::vector<DeviceMemory<Packed>>& memories;
  const HintCaller<typename Config::Scalar>& hints;
  size_t threads;
  StageTimes* times;

  [[nodiscard]] StageTimer time_inputs() const { return {times, &StageTimes::inputs}; }
  [[nodiscard]] StageTimer time_evaluation() const { return {times, &StageTimes::evaluate}; }
  /// Calls work(instance) for each, on the context's number of threads.
  template <typename Work>
  void in_parallel(size_t count, const Work& work) const {
    zk::in_parallel(count, threads, work);
  }

  /// The io's whole memory in the handle's order, in a new vector.
  [[nodiscard]] std::vector<Packed> permuted(size_t io) const {
    const std::vector<Packed>& values = memories[ios[io].id].values;
    if (ios[io].history->is_identity()) return values;
    std::vector<Packed> result;
    result.reserve(values.size());
    for (const std::uint64_t place : ios[io].history->places()) result.push_back(values[place]);
    return result;
  }
};

/// Seam one, which number does this kernel have: by its content.
template <typename Kernel>
class IdentityByContent {
 public:
  [[nodiscard]] size_t id_of(const Kernel& kernel) { return pool_.add(kernel); }
  [[nodiscard]] static const Kernel& kernel_of(const Kernel& kernel) { return kernel; }
  [[nodiscard]] const Pool<Kernel>& pool() const { return pool_; }

 private:
  Pool<Kernel> pool_;
};

/// Seam two, the values of the outputs: copies everything, evaluates every instance.
template <typename Config>
class EvaluateInstances {
 public:
  using Packed = typename Config::Packed;

  /// For each io: its output values, layout [P, shape...]; empty for other ios.
  [[nodiscard]] std::vector<std::vector<Packed>> outputs(const Call<Config>& call) const {
    const auto& kernel = call.kernel;
    const size_t num_ios = kernel.io_specs.size();
    const std::uint64_t instances = call.record.num_parallel;
    std::vector<std::vector<Packed>> outputs(num_ios);
    std::vector<std::vector<Packed>> inputs_by_instance;
    {
      const StageTimer timer = call.time_inputs();
      std::vector<std::vector<Packed>> inputs(num_ios);
      std::vector<size_t> chunk_sizes(num_ios);
      for (size_t i = 0; i < num_ios; ++i) {
        if (!call.ios[i]) continue;
        inputs[i] = call.permuted(i);
        if (!call.record.ios[i].is_broadcast) chunk_sizes[i] = inputs[i].size() / instances;
      }
      for (std::uint64_t p = 0; p < instances; ++p) {
        std::vector<Packed> instance(kernel.ir_for_calling.root().num_inputs);
        for (size_t i = 0; i < num_ios; ++i) {
          if (!kernel.io_specs[i].is_input) continue;
          const auto into =
              instance.begin() + static_cast<std::ptrdiff_t>(kernel.ir_input_offsets[i]);
          if (call.record.ios[i].is_broadcast) {
            std::copy(inputs[i].begin(), inputs[i].end(), into);
          } else {
            std::copy_n(inputs[i].begin() + static_cast<std::ptrdiff_t>(p * chunk_sizes[i]),
                        chunk_sizes[i], into);
          }
        }
        inputs_by_instance.push_back(std::move(instance));
      }
    }
    const StageTimer timer = call.time_evaluation();
    std::vector<GrowingArray<Packed>> results(instances);
    call.in_parallel(instances, [&](size_t p) {
      results[p] = eval_safe_simd(kernel.ir_for_calling, inputs_by_instance[p], call.hints);
      inputs_by_instance[p] = {};
    });
    for (const GrowingArray<Packed>& result : results) {
      for (size_t i = 0; i < num_ios; ++i) {
        if (!kernel.io_specs[i].is_output) continue;
        const Packed* begin = result.begin();
        outputs[i].insert(outputs[i].end(), begin + kernel.ir_output_offsets[i],
                          begin + kernel.ir_output_offsets[i + 1]);
      }
    }
    return outputs;
  }
};

}  // namespace zk
