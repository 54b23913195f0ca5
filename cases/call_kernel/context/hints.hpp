#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <unordered_map>

#include "cases/call_kernel/context/errors.hpp"

namespace zk {

constexpr std::uint64_t kDivisionHint = 0xccc000000001;  ///< x / y, and 0 for y = 0

/// The functions that hints name: division, and those registered. (Upstream's numbers are the
/// beginnings of hashes of names; here they are any.)
template <typename Scalar>
class HintCaller {
 public:
  /// Reads all inputs, writes all outputs, for one lane.
  using Function = std::function<void(std::span<const Scalar> inputs, std::span<Scalar> outputs)>;

  void add(std::uint64_t id, Function function) { functions_[id] = std::move(function); }
  /// Throws UserError when no function has this id.
  void call(std::uint64_t id, std::span<const Scalar> inputs, std::span<Scalar> outputs) const {
    if (id == kDivisionHint) {
      outputs[0] = inputs[0] * inputs[1].inverse();
      return;
    }
    const auto found = functions_.find(id);
    if (found == functions_.end()) {
      throw UserError("hint with id " + std::to_string(id) + " not found");
    }
    found->second(inputs, outputs);
  }

 private:
  std::unordered_map<std::uint64_t, Function> functions_;
};

}  // namespace zk
