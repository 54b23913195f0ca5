#pragma once

/// Decides whether a page gets a listing of its own, by the outputs of its call and the time saved.

#include <Halide.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>

#include "patches/halide/patches.hpp"

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

/// The number of nodes in the statements, with which the time to generate code grows.
inline size_t nodes_of(const Halide::Module& module) {
  struct Count : Halide::Internal::IRMutator {
    using Halide::Internal::IRMutator::mutate;
    Halide::Expr mutate(const Halide::Expr& expression) override {
      ++nodes;
      return IRMutator::mutate(expression);
    }
    Halide::Internal::Stmt mutate(const Halide::Internal::Stmt& statement) override {
      ++nodes;
      return IRMutator::mutate(statement);
    }
    size_t nodes = 0;
  } count;
  for (const Halide::Internal::LoweredFunc& function : module.functions())
    count.mutate(function.body);
  return count.nodes;
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
/// megabyte on our machine, and costs about 0.1 ms per node. Both are guesses, so it must save
/// twice its cost.
inline bool saves_more_than_it_costs(const Halide::Module& module) {
  constexpr double kSavedPerByte = 0.05e-6, kPerNode = 0.2e-3;  // seconds
  const size_t bytes = stubbed_bytes(module);
  return bytes >= kLargeBuffer && static_cast<double>(bytes) * kSavedPerByte >
                                      static_cast<double>(nodes_of(module)) * kPerNode;
}

struct Decision {
  bool own_listing = false;  ///< else Halide's own, from the code that the other outputs need too
  std::string why;           ///< for -v, as the end of "page.html: ..."
};

inline std::string paths_of(const Outputs& outputs) {
  std::string paths;
  for (const auto& [type, path] : outputs) paths += (paths.empty() ? "" : ", ") + path;
  return paths;
}

/// `code` holds the call's outputs beside its pages that need code. `names_seen`: Halide's names
/// pass through our library, so generating code once more need not move their numbers.
inline Decision decide(const Halide::Module& module, const Outputs& code, const Choice& choice,
                       bool names_seen) {
  if (acts_of(choice, &Stages::listed).empty())
    return {false, "made from Halide's own listing, as requested"};
  const bool logged = Halide::Internal::get_compiler_logger() != nullptr;
  if (code.empty() && !logged)
    return {true, "made from a listing of its own, without the parts that nobody reads"};
  const std::string shared = "made from the listing of the code that " + paths_of(code) +
                             " needs too, with the search in it patched: ";
  if (logged) return {false, shared + "a compiler log counts what is generated"};
  if (code.contains(Halide::OutputFileType::assembly))
    return {false, shared + "it is written anyway"};
  if (!names_seen) return {false, shared + "generating it again would rename what comes after"};
  if (!choice.buffer_stub || !saves_more_than_it_costs(module))
    return {false, shared + "a listing of its own would take longer"};
  return {true,
          "made from a listing of its own, by generating the code once more, under the same "
          "names: that costs less than the " +
              megabytes(static_cast<double>(stubbed_bytes(module))) +
              " of data in Halide's listing"};
}

}  // namespace patches::halide
