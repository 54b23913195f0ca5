#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

namespace zk {

using Id = std::uint64_t;  ///< a variable: 1..inputs, then every produced one; 0 is none

template <typename Scalar>
struct Term {
  Id variable = 0;
  Scalar coefficient;

  friend bool operator==(const Term&, const Term&) = default;
};

/// In the order of their tags in the hashed stream.
enum class Kind : std::uint64_t {
  lin_comb,
  mul,
  hint,
  constant_like,
  sub_circuit_call,
  custom_gate
};

/// The kinds of constant-like instructions, in the order of their tags.
enum class Coefficient : std::uint64_t { constant, random, public_input };

/// One instruction, 48 bytes for M31 and 56 for BN254, with its operands in a heap block of its
/// own, as upstream lays them out: hashing, comparing, copying and freeing chase one pointer each.
template <typename Scalar>
class Instruction {
 public:
  using TermType = Term<Scalar>;

  static Instruction lin_comb(std::span<const TermType> terms, const Scalar& constant) {
    Instruction made(Kind::lin_comb, terms.data(), terms.size());
    made.constant_ = constant;
    return made;
  }
  static Instruction mul(std::span<const Id> inputs) {
    return Instruction(Kind::mul, inputs.data(), inputs.size());
  }
  static Instruction hint(std::uint64_t id, std::span<const Id> inputs, std::uint64_t outputs) {
    Instruction made(Kind::hint, inputs.data(), inputs.size());
    made.call_ = {id, outputs};
    return made;
  }
  static Instruction sub_circuit_call(std::uint64_t id, std::span<const Id> inputs,
                                      std::uint64_t outputs) {
    Instruction made(Kind::sub_circuit_call, inputs.data(), inputs.size());
    made.call_ = {id, outputs};
    return made;
  }
  static Instruction custom_gate(std::uint64_t type, std::span<const Id> inputs) {
    Instruction made(Kind::custom_gate, inputs.data(), inputs.size());
    made.call_ = {type, 1};
    return made;
  }
  static Instruction random() {
    Instruction made(Kind::constant_like);
    made.size_ = static_cast<std::uint64_t>(Coefficient::random);
    return made;
  }
  static Instruction public_input(std::uint64_t index) {
    Instruction made(Kind::constant_like);
    made.size_ = static_cast<std::uint64_t>(Coefficient::public_input);
    made.call_ = {index, 1};
    return made;
  }

  Instruction(const Instruction& other) : size_(other.size_), kind_(other.kind_) {
    std::memcpy(&rest_, &other.rest_, sizeof rest_);
    block_ = copy_block(other.block_, block_bytes());
  }
  Instruction(Instruction&& other) noexcept
      : block_(std::exchange(other.block_, nullptr)), size_(other.size_), kind_(other.kind_) {
    std::memcpy(&rest_, &other.rest_, sizeof rest_);
    if (kind_ != Kind::constant_like) other.size_ = 0;
  }
  Instruction& operator=(Instruction other) noexcept {
    std::swap(block_, other.block_);
    std::swap(size_, other.size_);
    std::swap(kind_, other.kind_);
    std::swap(rest_, other.rest_);
    return *this;
  }
  ~Instruction() { ::operator delete(block_); }

  [[nodiscard]] Kind kind() const { return kind_; }
  /// A linear combination's.
  [[nodiscard]] std::span<const TermType> terms() const {
    return {static_cast<const TermType*>(block_), size_};
  }
  [[nodiscard]] const Scalar& constant() const { return constant_; }
  /// The inputs of any instruction except linear combinations and constant-like ones.
  [[nodiscard]] std::span<const Id> inputs() const {
    return {static_cast<const Id*>(block_), size_};
  }
  /// The id of the hint, the sub-circuit or the gate type.
  [[nodiscard]] std::uint64_t id() const { return call_.id; }
  [[nodiscard]] Coefficient coefficient() const { return static_cast<Coefficient>(size_); }
  [[nodiscard]] std::uint64_t outputs() const {
    return kind_ == Kind::hint || kind_ == Kind::sub_circuit_call ? call_.outputs : 1;
  }

  [[nodiscard]] const void* block() const { return block_; }
  /// The operands' bytes.
  [[nodiscard]] size_t block_bytes() const {
    if (kind_ == Kind::constant_like) return 0;
    return size_ * (kind_ == Kind::lin_comb ? sizeof(TermType) : sizeof(Id));
  }
  /// Moves the operands to a new heap block with so many unused bytes behind them, and hands the
  /// old one to the caller, who frees it by ::operator delete; nullptr when there is none.
  [[nodiscard]] void* renew_block(size_t unused) {
    return std::exchange(block_, copy_block(block_, block_bytes(), unused));
  }

  friend bool operator==(const Instruction& a, const Instruction& b) {
    if (a.kind_ != b.kind_) return false;
    switch (a.kind_) {
      case Kind::lin_comb:
        return std::ranges::equal(a.terms(), b.terms()) && a.constant_ == b.constant_;
      case Kind::mul:
        return same_inputs(a, b);
      case Kind::constant_like:
        if (a.size_ != b.size_) return false;
        if (a.coefficient() == Coefficient::constant) return a.constant_ == b.constant_;
        return a.coefficient() == Coefficient::random || a.call_.id == b.call_.id;
      case Kind::hint:
      case Kind::sub_circuit_call:
      case Kind::custom_gate:
        return a.call_.id == b.call_.id && same_inputs(a, b) && a.call_.outputs == b.call_.outputs;
    }
    return false;
  }

  /// The derived hash, write by write.
  template <typename Sink>
  void write_to(Sink& sink) const {
    sink.u64(static_cast<std::uint64_t>(kind_));
    switch (kind_) {
      case Kind::lin_comb:
        sink.u64(size_);
        for (const TermType& term : terms()) {
          sink.u64(term.variable);
          term.coefficient.write_to(sink);
        }
        constant_.write_to(sink);
        return;
      case Kind::mul:
        write_inputs(sink);
        return;
      case Kind::hint:
      case Kind::sub_circuit_call:
        sink.u64(call_.id);
        write_inputs(sink);
        sink.u64(call_.outputs);
        return;
      case Kind::constant_like:
        sink.u64(size_);
        if (coefficient() == Coefficient::constant) constant_.write_to(sink);
        if (coefficient() == Coefficient::public_input) sink.u64(call_.id);
        return;
      case Kind::custom_gate:
        sink.u64(call_.id);
        write_inputs(sink);
        return;
    }
  }

 private:
  struct Call {
    std::uint64_t id, outputs;
  };

  explicit Instruction(Kind kind) : kind_(kind) {}
  template <typename T>
  Instruction(Kind kind, const T* operands, size_t size) : size_(size), kind_(kind) {
    block_ = copy_block(operands, size * sizeof(T));
  }

  static void* copy_block(const void* block, size_t bytes, size_t unused = 0) {
    if (bytes == 0) return nullptr;
    void* copy = ::operator new(bytes + unused);
    std::memcpy(copy, block, bytes);
    return copy;
  }
  static bool same_inputs(const Instruction& a, const Instruction& b) {
    return a.size_ == b.size_ &&
           (a.size_ == 0 || std::memcmp(a.block_, b.block_, a.size_ * sizeof(Id)) == 0);
  }
  template <typename Sink>
  void write_inputs(Sink& sink) const {
    sink.u64(size_);
    sink.bytes(block_, size_ * sizeof(Id));
  }

  void* block_ = nullptr;   // terms or inputs
  std::uint64_t size_ = 0;  // how many; which Coefficient in a constant-like instruction
  Kind kind_;
  union {
    Scalar constant_;
    Call call_;
    std::byte rest_[sizeof(Scalar) <= 24 ? 24 : 32] = {};  // as many as upstream's enum has
  };
};

}  // namespace zk
