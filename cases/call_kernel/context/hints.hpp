#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "cases/call_kernel/builder/keccak.hpp"
#include "cases/call_kernel/builder/program.hpp"
#include "cases/call_kernel/context/errors.hpp"

namespace zk {

/// The functions that hints name: division, and those registered.
template <typename Scalar>
class HintCaller {
 public:
  /// Reads all inputs, writes all outputs, for one lane.
  using Function = std::function<void(std::span<const Scalar> inputs, std::span<Scalar> outputs)>;

  void add(std::string_view key, Function function) {
    functions_[keccak_id(key)] = std::move(function);
  }
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
