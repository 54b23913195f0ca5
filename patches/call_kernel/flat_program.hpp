#pragma once

/// A circuit as a flat list of runs, for the patch flat_call.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace patches::call_kernel {

/// One circuit as runs of equal operations over numbered blocks of values: block i < ios is the
/// input of io i, the last one holds the computed values.
template <typename Scalar, typename Packed>
class FlatProgram {
 public:
  /// The place of a value.
  struct Place {
    std::uint32_t block = 0, index = 0;
    friend bool operator==(const Place&, const Place&) = default;
  };

  /// Translates a circuit, which may have only linear combinations and products; see `translates`.
  template <typename Kernel>
  explicit FlatProgram(const Kernel& kernel) {
    const auto& circuit = kernel.ir_for_calling.root();
    const std::size_t ios = kernel.io_specs.size();
    computed_ = static_cast<std::uint32_t>(ios);
    Translation<std::remove_cvref_t<decltype(circuit)>> translation{*this, circuit};
    std::vector<Place>& places = translation.places;
    for (std::size_t io = 0; io < ios; ++io) {
      for (std::uint64_t i = kernel.ir_input_offsets[io]; i < kernel.ir_input_offsets[io + 1];
           ++i) {
        places[i + 1] = {static_cast<std::uint32_t>(io),
                         static_cast<std::uint32_t>(i - kernel.ir_input_offsets[io])};
      }
    }
    std::uint64_t variable = circuit.num_inputs;
    for (const auto& instruction : circuit.instructions) {
      translation.translate(++variable, instruction);
    }
    for (std::size_t io = 0; io < ios; ++io) {
      for (std::uint64_t i = kernel.ir_output_offsets[io]; i < kernel.ir_output_offsets[io + 1];
           ++i) {
        outputs_.push_back(places[circuit.outputs[i]]);
      }
    }
  }

  template <typename Kernel>
  [[nodiscard]] static bool translates(const Kernel& kernel) {
    const auto& circuit = kernel.ir_for_calling.root();
    using Kind = decltype(circuit.instructions[0].kind());
    return std::all_of(circuit.instructions.begin(), circuit.instructions.end(),
                       [](const auto& instruction) {
                         if (instruction.kind() == Kind::mul)
                           return instruction.inputs().size() > 0;
                         return instruction.kind() == Kind::lin_comb;
                       });
  }

  [[nodiscard]] std::size_t num_computed() const { return next_value_; }
  /// All outputs in order, one for each element of each output io.
  [[nodiscard]] const std::vector<Place>& outputs() const { return outputs_; }

  /// `blocks`: each io's values of one instance; `computed`: num_computed() values, overwritten.
  void run(const std::vector<const Packed*>& blocks, Packed* computed) const {
    for (const Run& run : runs_) {
      Packed* to = computed + run.to.index;
      switch (run.op) {
        case Op::set: {
          const Packed value = coefficients_[run.coefficient];
          std::fill(to, to + run.count, value);
          break;
        }
        case Op::multiply_add:
          if (run.to_step == 0) {
            *to = *to + dot(run, block(blocks, computed, run.x), block(blocks, computed, run.y));
            break;
          }
          each(run, to, block(blocks, computed, run.x), block(blocks, computed, run.y),
               [](const Packed& old, const Packed& x, const Packed& y) { return old + x * y; });
          break;
        case Op::multiply:
          each(run, to, block(blocks, computed, run.x), block(blocks, computed, run.y),
               [](const Packed&, const Packed& x, const Packed& y) { return x * y; });
          break;
        case Op::add:
          each(run, to, block(blocks, computed, run.x), to,
               [](const Packed& old, const Packed& x, const Packed&) { return old + x; });
          break;
        case Op::subtract:
          each(run, to, block(blocks, computed, run.x), to,
               [](const Packed& old, const Packed& x, const Packed&) { return old - x; });
          break;
        case Op::scale_add: {
          const Packed factor = coefficients_[run.coefficient];
          each(run, to, block(blocks, computed, run.x), to,
               [&](const Packed& old, const Packed& x, const Packed&) { return old + x * factor; });
          break;
        }
      }
    }
  }
  [[nodiscard]] const Packed& value(const std::vector<const Packed*>& blocks,
                                    const Packed* computed, Place place) const {
    return *block(blocks, computed, place);
  }

 private:
  enum class Op : std::uint8_t { set, multiply_add, multiply, add, subtract, scale_add };

  struct Step {
    Op op;
    Place to, x, y;
    std::uint32_t coefficient;
  };
  /// `count` steps whose places move on by `to_step`, `x_step` and `y_step` elements (0 or 1).
  struct Run : Step {
    std::uint32_t count = 1;
    std::uint8_t to_step = 0, x_step = 0, y_step = 0;
  };

  /// What is known while one circuit is translated into `program`.
  template <typename Circuit>
  struct Translation {
    FlatProgram& program;
    const Circuit& circuit;
    std::vector<std::uint32_t> sums = sums_of_products(circuit);
    std::vector<Place> places = std::vector<Place>(sums.size());  ///< of each variable
    std::vector<bool> begun = std::vector<bool>(sums.size());     ///< sums that have their constant

    void begin_sum(std::uint64_t variable) {
      if (begun[variable]) return;
      begun[variable] = true;
      places[variable] = program.new_value();
      const auto& constant = circuit.instructions[variable - circuit.num_inputs - 1].constant();
      program.add({Op::set, places[variable], {}, {}, program.coefficient(constant)});
    }

    template <typename Factors>
    void multiply(std::uint64_t variable, const Factors& factors) {
      if (const std::uint32_t sum = sums[variable]) {
        begin_sum(sum);
        program.add({Op::multiply_add, places[sum], places[factors[0]], places[factors[1]], 0});
        return;
      }
      const Place place = places[variable] = program.new_value();
      program.add(
          {Op::multiply, place, places[factors[0]], places[factors[factors.size() > 1]], 0});
      for (std::size_t i = 2; i < factors.size(); ++i) {
        program.add({Op::multiply, place, place, places[factors[i]], 0});
      }
    }

    template <typename Instruction>
    void translate(std::uint64_t variable, const Instruction& instruction) {
      using Kind = decltype(instruction.kind());
      if (instruction.kind() == Kind::mul) {
        return multiply(variable, instruction.inputs());
      }
      begin_sum(variable);
      for (const auto& term : instruction.terms()) {
        if (sums[term.variable] == variable) continue;  // added where it was made
        const Place from = places[term.variable];
        if (term.coefficient == Scalar(1)) {
          program.add({Op::add, places[variable], from, {}, 0});
        } else if (term.coefficient == -Scalar(1)) {
          program.add({Op::subtract, places[variable], from, {}, 0});
        } else {
          program.add(
              {Op::scale_add, places[variable], from, {}, program.coefficient(term.coefficient)});
        }
      }
    }
  };
  /// For each variable that is a product of two and whose one use is in a sum with coefficient 1,
  /// that sum.
  template <typename Circuit>
  static std::vector<std::uint32_t> sums_of_products(const Circuit& circuit) {
    using Kind = decltype(circuit.instructions[0].kind());
    const std::size_t variables = circuit.num_inputs + circuit.instructions.size() + 1;
    std::vector<std::uint8_t> uses(variables);
    std::vector<std::uint32_t> sums(variables);
    const auto use = [&](std::uint64_t variable) {
      uses[variable] = static_cast<std::uint8_t>(std::min(uses[variable] + 1, 2));
    };
    std::uint64_t user = circuit.num_inputs;
    for (const auto& instruction : circuit.instructions) {
      ++user;
      if (instruction.kind() == Kind::mul) {
        for (const auto factor : instruction.inputs()) use(factor);
        continue;
      }
      for (const auto& term : instruction.terms()) {
        use(term.variable);
        if (term.variable <= circuit.num_inputs || term.coefficient != Scalar(1)) continue;
        const auto& made = circuit.instructions[term.variable - circuit.num_inputs - 1];
        if (made.kind() == Kind::mul && made.inputs().size() == 2) {
          sums[term.variable] = static_cast<std::uint32_t>(user);
        }
      }
    }
    for (const auto output : circuit.outputs) use(output);
    for (std::size_t i = 0; i < variables; ++i) {
      if (uses[i] != 1) sums[i] = 0;
    }
    return sums;
  }

  Place new_value() { return {computed_, next_value_++}; }

  std::uint32_t coefficient(const Scalar& value) {
    if (scalars_.empty() || !(scalars_.back() == value)) {
      scalars_.push_back(value);
      coefficients_.push_back(Packed(value));
    }
    return static_cast<std::uint32_t>(scalars_.size() - 1);
  }

  /// Whether `next` is `base` moved on by `count` steps; fixes the step at the second element.
  static bool follows(const Place& base, const Place& next, std::uint32_t count,
                      std::uint8_t& step) {
    if (base.block != next.block) return false;
    if (count == 1) {
      if (next.index != base.index && next.index != base.index + 1) return false;
      step = static_cast<std::uint8_t>(next.index - base.index);
      return true;
    }
    return next.index == base.index + count * step;
  }
  void add(const Step& step) {
    if (!runs_.empty()) {
      Run longer = runs_.back();
      if (longer.op == step.op && longer.coefficient == step.coefficient &&
          follows(longer.to, step.to, longer.count, longer.to_step) &&
          follows(longer.x, step.x, longer.count, longer.x_step) &&
          follows(longer.y, step.y, longer.count, longer.y_step)) {
        ++longer.count;
        runs_.back() = longer;
        return;
      }
    }
    runs_.push_back(Run{step});
  }

  static const Packed* block(const std::vector<const Packed*>& blocks, const Packed* computed,
                             Place place) {
    return (place.block < blocks.size() ? blocks[place.block] : computed) + place.index;
  }
  static Packed dot(const Run& run, const Packed* x, const Packed* y) {
    Packed sum;
    for (std::uint32_t i = 0; i < run.count; ++i) {
      sum = sum + *x * *y;
      x += run.x_step;
      y += run.y_step;
    }
    return sum;
  }
  template <typename Operation>
  static void each(const Run& run, Packed* to, const Packed* x, const Packed* y,
                   const Operation& operation) {
    for (std::uint32_t i = 0; i < run.count; ++i) {
      *to = operation(*to, *x, *y);
      to += run.to_step;
      x += run.x_step;
      y += run.y_step;
    }
  }

  std::vector<Run> runs_;
  std::vector<Place> outputs_;
  std::vector<Scalar> scalars_;
  std::vector<Packed> coefficients_;
  std::uint32_t computed_ = 0;
  std::uint32_t next_value_ = 0;
};

}  // namespace patches::call_kernel
