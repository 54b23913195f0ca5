#include "cases/call_kernel/circuit/listing.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace zk {
namespace {

/// Limbs, least significant first, in base ten.
std::string decimal(std::array<std::uint64_t, 4> limbs) {
  constexpr std::uint64_t kBase = 1'000'000'000;
  std::string digits;
  while (std::ranges::any_of(limbs, [](std::uint64_t limb) { return limb != 0; })) {
    std::uint64_t remainder = 0;
    for (size_t i = 8; i-- > 0;) {  // by halves of limbs, so that remainder * 2^32 fits
      std::uint64_t& limb = limbs[i / 2];
      const unsigned shift = i % 2 * 32;
      const std::uint64_t part = remainder << 32 | (limb >> shift & 0xffffffff);
      limb = (limb & ~(std::uint64_t{0xffffffff} << shift)) | (part / kBase) << shift;
      remainder = part % kBase;
    }
    digits.insert(0, fmt::format("{:09}", remainder));
  }
  const size_t first = digits.find_first_not_of('0');
  return first == std::string::npos ? "0" : digits.substr(first);
}

template <typename Scalar>
std::string signed_decimal(const Scalar& element) {
  const auto positive = element.limbs(), negative = (-element).limbs();
  const bool shorter = std::lexicographical_compare(negative.rbegin(), negative.rend(),
                                                    positive.rbegin(), positive.rend());
  return shorter ? "-" + decimal(negative) : decimal(positive);
}

std::string variables(std::span<const Id> ids) {
  std::vector<std::string> words;
  for (const Id id : ids) words.push_back(fmt::format("v{}", id));
  return fmt::format("{}", fmt::join(words, ", "));
}

template <typename Scalar>
std::string line(const Instruction<Scalar>& instruction, Id first) {
  const Id last = first + instruction.outputs() - 1;
  switch (instruction.kind()) {
    case Kind::lin_comb: {
      std::string sum;
      for (const auto& [variable, coefficient] : instruction.terms()) {
        sum += fmt::format("{}*v{}, ", text(coefficient), variable);
      }
      return fmt::format("v{} = lin({}{})", first, sum, text(instruction.constant()));
    }
    case Kind::mul:
      return fmt::format("v{} = mul({})", first, variables(instruction.inputs()));
    case Kind::hint:
    case Kind::sub_circuit_call:
      return fmt::format("v{}..v{} = {}({:#x}; {})", first, last,
                         instruction.kind() == Kind::hint ? "hint" : "call", instruction.id(),
                         variables(instruction.inputs()));
    case Kind::custom_gate:
      return fmt::format("v{} = gate({:#x}; {})", first, instruction.id(),
                         variables(instruction.inputs()));
    case Kind::constant_like:
      break;
  }
  switch (instruction.coefficient()) {
    case Coefficient::constant:
      return fmt::format("v{} = {}", first, text(instruction.constant()));
    case Coefficient::random:
      return fmt::format("v{} = random", first);
    case Coefficient::public_input:
      return fmt::format("v{} = public({})", first, instruction.id());
  }
  return {};
}

template <typename Scalar>
void append(std::string& out, const char* name, const RootCircuit<Scalar>& circuits) {
  for (const auto& [id, circuit] : circuits.circuits) {
    out += id == 0 ? fmt::format("{} inputs {}\n", name, circuit.num_inputs)
                   : fmt::format("{} circuit {:#x} inputs {}\n", name, id, circuit.num_inputs);
    Id next = circuit.num_inputs + 1;
    for (const auto& instruction : circuit.instructions) {
      out += "  " + line(instruction, next) + "\n";
      next += instruction.outputs();
    }
    out += fmt::format("  constraints [{}]\n  outputs [{}]\n", fmt::join(circuit.constraints, ", "),
                       fmt::join(circuit.outputs, ", "));
  }
}

}  // namespace

std::string text(const M31& element) { return signed_decimal(element); }
std::string text(const Bn254& element) { return signed_decimal(element); }

template <typename Scalar>
std::string listing(const Kernel<Scalar>& kernel) {
  std::string out;
  append(out, "later", kernel.ir_for_later_compilation);
  append(out, "calling", kernel.ir_for_calling);
  return out;
}

template std::string listing(const Kernel<M31>&);
template std::string listing(const Kernel<Bn254>&);

}  // namespace zk
