#pragma once

/// Decides whether a page gets a listing of its own, by the outputs of its call and the time saved.

#include <Halide.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <string>

#include "patches/halide/patches.hpp"
#include "patches/halide/viewer_names.hpp"

namespace patches::halide {

using Outputs = std::map<Halide::OutputFileType, std::string>;

/// Whether Halide writes this output without generating code. A page beside only such outputs needs
/// code once, with the patches or without.
inline bool needs_no_code(Halide::OutputFileType type) {
  using Halide::OutputFileType;
  constexpr OutputFileType kWithoutCode[] = {OutputFileType::c_header,
                                             OutputFileType::c_source,
                                             OutputFileType::cpp_stub,
                                             OutputFileType::featurization,
                                             OutputFileType::hlpipe,
                                             OutputFileType::function_info_header,
                                             OutputFileType::python_extension,
                                             OutputFileType::pytorch_wrapper,
                                             OutputFileType::registration,
                                             OutputFileType::schedule,
                                             OutputFileType::stmt,
                                             OutputFileType::conceptual_stmt};
  return std::find(std::begin(kWithoutCode), std::end(kWithoutCode), type) !=
         std::end(kWithoutCode);
}

/// About how many operations of the machine the statements are, counted up to `most`: the time to
/// generate code grows with them. A node is one for each of the machine's vectors in its type, a
/// pure call several, and what vectors cannot do is one for each lane.
class Operations : public Halide::Internal::IRMutator {
 public:
  Operations(const Halide::Module& module, size_t most)
      : vector_bits_(module.target().has_feature(Halide::Target::AVX) ? 256 : 128), most_(most) {
    for (const Halide::Internal::LoweredFunc& function : module.functions()) mutate(function.body);
  }

  using Halide::Internal::IRMutator::mutate;
  Halide::Expr mutate(const Halide::Expr& expression) override {
    if (!expression.defined() || count_ > most_) return expression;
    const auto lanes = static_cast<size_t>(expression.type().lanes());
    const size_t bits = lanes * static_cast<size_t>(expression.type().bits());
    size_t operations = std::max<size_t>(1, bits / vector_bits_);
    if (lane_by_lane(expression)) operations = std::max(operations, lanes);
    const auto* call = expression.as<Halide::Internal::Call>();
    if (call && call->is_pure()) operations *= kInCall;
    count_ += operations;
    return IRMutator::mutate(expression);
  }
  Halide::Internal::Stmt mutate(const Halide::Internal::Stmt& statement) override {
    if (!statement.defined() || count_ > most_) return statement;
    const auto* store = statement.as<Halide::Internal::Store>();
    count_ += store && !dense(store->index) ? static_cast<size_t>(store->index.type().lanes()) : 1;
    return IRMutator::mutate(statement);
  }

  [[nodiscard]] size_t count() const { return count_; }

 private:
  static bool dense(const Halide::Expr& index) {
    const auto* ramp = index.as<Halide::Internal::Ramp>();
    return ramp && Halide::Internal::is_const_one(ramp->stride);
  }
  static bool lane_by_lane(const Halide::Expr& expression) {
    using namespace Halide::Internal;
    if (const auto* load = expression.as<Load>()) return !dense(load->index);
    const Halide::Type type = expression.type();
    return expression.as<Shuffle>() || (type.is_float() && type.bits() == 16) ||
           (!type.is_float() && (expression.as<Div>() || expression.as<Mod>()));
  }

  static constexpr size_t kInCall = 8;  // a guess: sqrt is one or two, exp and pow are dozens
  size_t vector_bits_, most_, count_ = 0;
};

/// Finds floats of 16 bits; Halide warns of them whenever it generates code.
class SmallFloats : public Halide::Internal::IRMutator {
 public:
  using Halide::Internal::IRMutator::mutate;
  Halide::Expr mutate(const Halide::Expr& expression) override {
    if (!expression.defined() || found) return expression;
    const Halide::Type type = expression.type();
    found = (type.is_float() || type.is_bfloat()) && type.bits() == 16;
    return IRMutator::mutate(expression);
  }

  bool found = false;
};

inline bool has_small_floats(const Halide::Module& module) {
  SmallFloats floats;
  for (const Halide::Internal::LoweredFunc& function : module.functions())
    floats.mutate(function.body);
  return floats.found;
}

/// Bytes that stubs keep out of a listing.
inline size_t stubbed_bytes(const Halide::Module& module) {
  size_t bytes = 0;
  for (const Halide::Buffer<>& buffer : module.buffers()) {
    if (can_be_stub(module, buffer)) bytes += buffer.size_in_bytes();
  }
  return bytes;
}

/// Generating the code once more saves copying the module and emitting the data, 50 to 80 ms per
/// megabyte on our machine, and costs about 0.1 ms per operation; of thousands in one function each
/// costs more. All are guesses, so it must save twice its cost.
inline bool saves_more_than_it_costs(const Halide::Module& module) {
  constexpr double kSavedPerByte = 0.05e-6, kPerOperation = 0.2e-3;  // seconds
  constexpr double kTwiceAsMuch = 8000;  // operations: then each costs twice as much
  const size_t bytes = stubbed_bytes(module);
  const double saved = static_cast<double>(bytes) * kSavedPerByte;
  const auto most = static_cast<size_t>(saved / kPerOperation);
  if (bytes < kLargeBuffer) return false;
  const auto count = static_cast<double>(Operations(module, most).count());
  return kPerOperation * count * (1 + count / kTwiceAsMuch) <= saved;
}

enum class Way {
  halide_alone,
  shared_listing,  ///< from the code that the other outputs need too
  own_listing
};

struct Decision {
  Way way = Way::halide_alone;
  std::string why;  ///< for -v, as the end of "page.html: ..."
};

inline std::string paths_of(const Outputs& outputs) {
  std::string paths;
  for (const auto& [type, path] : outputs) paths += (paths.empty() ? "" : ", ") + path;
  return paths;
}

/// Why a page is not patched; "" when it can be.
inline std::string left_to_halide(const Halide::Module& module, const std::string& path) {
  constexpr size_t kMostLetters = 255 - 16;  // Halide's file for the listing has a longer name
  if (const std::string name = name_with_operator(module); !name.empty())
    return "its search reads the name '" + name + "' as an expression";
  if (path.size() - (path.rfind('/') + 1) > kMostLetters) return "its name is too long";
  const char* debug = std::getenv("HL_DEBUG_CODEGEN");
  if (debug && *debug && std::string(debug) != "0") return "HL_DEBUG_CODEGEN is set";
  return "";
}

/// `code` holds the call's outputs beside its pages that need code. `names_seen`: Halide's names
/// pass through our library, so generating code once more need not move their numbers.
inline Decision decide(const Halide::Module& module, const Outputs& pages, const Outputs& code,
                       const Choice& choice, bool names_seen) {
  for (const auto& [type, path] : pages) {
    if (const std::string why = left_to_halide(module, path); !why.empty())
      return {Way::halide_alone, "made by Halide alone: " + why};
  }
  if (acts_of(choice, &Stages::listed).empty())
    return {Way::shared_listing, "made from Halide's own listing, as requested"};
  const bool logged = Halide::Internal::get_compiler_logger() != nullptr;
  if (code.empty() && !logged)
    return {Way::own_listing,
            "made from a separate listing, without the parts that the viewer does not need"};
  const std::string shared = "made from the listing of the code that " + paths_of(code) +
                             " needs too, with the search in it patched: ";
  if (logged) return {Way::shared_listing, shared + "a compiler log counts what is generated"};
  if (code.contains(Halide::OutputFileType::assembly))
    return {Way::shared_listing, shared + "it is written anyway"};
  if (has_small_floats(module))
    return {Way::shared_listing, shared + "Halide would warn twice of emulated float16"};
  if (!names_seen)
    return {Way::shared_listing, shared + "generating it again would rename what comes after"};
  if (!choice.buffer_stub || !saves_more_than_it_costs(module))
    return {Way::shared_listing, shared + "a separate listing would take longer"};
  return {Way::own_listing,
          "made from a separate listing, by generating the code once more, under the same "
          "names: that costs less than the " +
              megabytes(static_cast<double>(stubbed_bytes(module))) +
              " of data in Halide's listing"};
}

}  // namespace patches::halide
