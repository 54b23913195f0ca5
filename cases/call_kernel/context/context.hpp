#pragma once

#include <concepts>
#include <span>
#include <utility>
#include <vector>

#include "cases/call_kernel/context/call.hpp"

namespace zk {

/// The elements of nested vectors, row-major, and their shape. Throws Panic when the rows differ in
/// shape or when a vector is empty.
template <typename T>
struct Flat {
  std::vector<T> values;
  Shape shape;
};
template <typename T>
[[nodiscard]] Flat<T> flatten(const T& value) {
  return {{value}, {}};
}
template <typename T, typename Nested>
[[nodiscard]] Flat<T> flatten(const std::vector<Nested>& nested) {
  if (nested.empty()) throw Panic("Empty vector is not allowed for flatten");
  Flat<T> result;
  for (const Nested& part : nested) {
    Flat<T> flat = flatten<T>(part);
    if (result.values.empty()) result.shape = flat.shape;
    if (flat.shape != result.shape) throw Panic("Shape mismatch in flatten");
    result.values.insert(result.values.end(), flat.values.begin(), flat.values.end());
  }
  result.shape.insert(result.shape.begin(), nested.size());
  return result;
}

/// Where kernels are called: device memories, registered kernels, the recorded calls. The graph's
/// compilation and the proof that follow upstream are no part of this model.
///
/// `Identity` and `Evaluation` are the two seams (call.hpp). One thread at a time.
template <typename ConfigType,
          typename IdentityType = IdentityByContent<Kernel<typename ConfigType::Scalar>>,
          typename EvaluationType = EvaluateInstances<ConfigType>>
class Context {
 public:
  using Config = ConfigType;
  using Scalar = typename Config::Scalar;
  using Packed = typename Config::Packed;
  enum class State { graph_not_done, graph_done, witness_done };

  explicit Context(size_t threads = 1) : threads_(threads) {}
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  HintCaller<Scalar> hints;
  StageTimes* times = nullptr;

  [[nodiscard]] IdentityType& identity() { return identity_; }
  [[nodiscard]] EvaluationType& evaluation() { return evaluation_; }

  /// Nested vectors of scalars; each is the same in all lanes.
  template <typename Nested>
  [[nodiscard]] DeviceMemoryHandle copy_to_device(const Nested& nested) {
    Flat<Scalar> flat = flatten<Scalar>(nested);
    std::vector<Packed> values;
    values.reserve(flat.values.size());
    for (const Scalar& value : flat.values) values.push_back(Packed(value));
    return new_memory(std::move(values), std::move(flat.shape));
  }
  /// The outermost dimension is the lanes.
  template <typename Nested>
  [[nodiscard]] DeviceMemoryHandle copy_to_device_and_pack_simd(const std::vector<Nested>& nested) {
    if (nested.size() != Packed::kLanes) {
      throw Panic("The outermost dimension must be the pack size, expected " +
                  std::to_string(Packed::kLanes) + ", got " + std::to_string(nested.size()));
    }
    Flat<Scalar> flat = flatten<Scalar>(nested);
    const size_t count = flat.values.size() / Packed::kLanes;
    std::vector<Packed> values(count);
    for (size_t i = 0; i < flat.values.size(); ++i) {
      values[i % count].set_lane(i / count, flat.values[i]);
    }
    flat.shape.erase(flat.shape.begin());
    return new_memory(std::move(values), std::move(flat.shape));
  }
  template <typename Nested>
  [[nodiscard]] DeviceMemoryHandle copy_simd_to_device(const Nested& nested) {
    Flat<Packed> flat = flatten<Packed>(nested);
    return new_memory(std::move(flat.values), std::move(flat.shape));
  }
  /// Row-major values of a shape that has as many elements.
  [[nodiscard]] DeviceMemoryHandle new_memory(std::vector<Packed> values, Shape shape) {
    if (elements(shape) != values.size()) throw Panic("Shape mismatch in flatten");
    memories_.push_back({std::move(values), whole_memory(elements(shape))});
    return {memories_.size() - 1, std::make_shared<const ShapeHistory>(std::move(shape))};
  }
  /// In the handle's order.
  [[nodiscard]] std::vector<Packed> copy_simd_to_host(const DeviceMemoryHandle& handle) const {
    std::vector<Packed> values;
    for (const std::uint64_t place : history(handle).places()) {
      values.push_back(memories_[handle.id].values[place]);
    }
    return values;
  }
  [[nodiscard]] static DeviceMemoryHandle reshape(const DeviceMemoryHandle& handle,
                                                  const Shape& shape) {
    return {handle.id, std::make_shared<const ShapeHistory>(history(handle).reshape(shape))};
  }
  [[nodiscard]] static DeviceMemoryHandle transpose(const DeviceMemoryHandle& handle,
                                                    const std::vector<size_t>& axes) {
    return {handle.id, std::make_shared<const ShapeHistory>(history(handle).transpose(axes))};
  }
  [[nodiscard]] static const Shape& shape(const DeviceMemoryHandle& handle) {
    return history(handle).shape();
  }

  /// Calls the kernel P = `num_parallel` times. `named` is whatever names a kernel in the identity
  /// seam: the kernel itself, upstream. Each input of `ios` has the kernel's shape (broadcast)
  /// or [P] + that (one part for each instance); the slots of outputs become handles of new
  /// memories, the others empty. Throws Panic on wrong shapes or a wrong state, UserError or
  /// InternalError when the evaluation fails; then no call is recorded, but the kernel stays
  /// registered.
  template <typename Named>
  void call_kernel(const Named& named, std::uint64_t num_parallel,
                   std::span<DeviceMemoryHandle> ios) {
    if (state_ != State::graph_not_done) throw Panic("The computation graph is done already");
    const auto& kernel = identity_.kernel_of(named);
    KernelCall record{.num_parallel = num_parallel};
    record.ios = checked(kernel, num_parallel, ios);
    {
      const StageTimer timer(times, &StageTimes::add);
      record.kernel_id = identity_.id_of(named);
    }
    auto outputs =
        evaluation_.outputs(Call<Config>{kernel, record, ios, memories_, hints, threads_, times});
    const StageTimer timer(times, &StageTimes::record);
    for (size_t i = 0; i < ios.size(); ++i) {
      if (!kernel.io_specs[i].is_output) {
        ios[i] = {};
        continue;
      }
      Shape shape = {num_parallel};
      shape.insert(shape.end(), kernel.io_shapes[i].begin(), kernel.io_shapes[i].end());
      ios[i] = new_memory(std::move(outputs[i]), std::move(shape));
      require_split(ios[i], true);
      record.ios[i].output = ios[i];
    }
    calls_.push_back(std::move(record));
  }

  /// No more calls after this one.
  void finish_graph() { state_ = State::graph_done; }

  [[nodiscard]] size_t num_memories() const { return memories_.size(); }
  /// Forgets the calls and all but the first `memories` memories: many calls would fill the memory.
  void forget_calls(size_t memories) {
    calls_.clear();
    memories_.resize(memories);
  }
  /// Forgets kernels, memories and calls; handles and ids from before are stale.
  void reset() {
    identity_ = {};
    memories_.clear();
    calls_.clear();
    state_ = State::graph_not_done;
  }

  [[nodiscard]] const std::vector<KernelCall>& calls() const { return calls_; }
  [[nodiscard]] const SplitList& required_shape_products(const DeviceMemoryHandle& handle) const {
    return memories_[handle.id].required_shape_products;
  }

 private:
  static const ShapeHistory& history(const DeviceMemoryHandle& handle) {
    if (!handle) throw Panic("Empty DeviceMemoryHandle");
    return *handle.history;
  }

  /// The shapes of all inputs are checked and become requirements of their memories.
  std::vector<KernelCall::Io> checked(const Kernel<Scalar>& kernel, std::uint64_t num_parallel,
                                      std::span<const DeviceMemoryHandle> ios) {
    if (ios.size() != kernel.io_shapes.size()) throw Panic("Invalid number of inputs/outputs");
    if (num_parallel == 0) throw Panic("num_parallel must be at least 1");
    std::vector<KernelCall::Io> checked(ios.size());
    for (size_t i = 0; i < ios.size(); ++i) {
      const IoSpec& spec = kernel.io_specs[i];
      if (!spec.is_input) {
        if (ios[i])
          throw Panic("An output that is no input must be given empty, at index " +
                      std::to_string(i));
        continue;
      }
      if (!ios[i]) throw Panic("Missing input at index " + std::to_string(i));
      checked[i].is_broadcast = is_broadcast(shape(ios[i]), kernel.io_shapes[i], num_parallel);
      if (checked[i].is_broadcast && spec.is_output) {
        throw Panic("Output is broadcasted, but it shouldn't be");
      }
      require_split(ios[i], !checked[i].is_broadcast);
      checked[i].input = ios[i];
    }
    return checked;
  }

  static bool is_broadcast(const Shape& shape, const Shape& wanted, std::uint64_t num_parallel) {
    if (shape == wanted) return true;
    if (shape.size() == wanted.size() + 1 && shape[0] == num_parallel &&
        std::equal(wanted.begin(), wanted.end(), shape.begin() + 1)) {
      return false;
    }
    Shape parts = {num_parallel};
    parts.insert(parts.end(), wanted.begin(), wanted.end());
    throw Panic("Incompatible shapes: want " + text(wanted) + ", got " + text(shape) +
                ", num_parallel=" + std::to_string(num_parallel) +
                " (Hint: if you want to broadcast, use " + text(wanted) + ", otherwise use " +
                text(parts) + ")");
  }

  void require_split(const DeviceMemoryHandle& handle, bool split_first) {
    if (handle.id >= memories_.size()) throw Panic("A handle of another context");
    const SplitList* list = handle.history->split_list(split_first);
    if (!list || !merge(memories_[handle.id].required_shape_products, *list)) {
      throw Panic("Detected illegal shape operation");
    }
  }

  State state_ = State::graph_not_done;
  size_t threads_;
  IdentityType identity_;
  EvaluationType evaluation_;
  std::vector<DeviceMemory<Packed>> memories_;
  std::vector<KernelCall> calls_;
};

}  // namespace zk
