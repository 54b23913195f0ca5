// The cost of a huge constant on LLVM's way to a listing: the copy of the module and the text of
// the constant, on the system's LLVM and the bitcode that Halide writes.
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "case_toml.hpp"
#include "cases/conceptual_stmt/listing.hpp"
#include "cases/conceptual_stmt/pipeline.hpp"
#include "cases/conceptual_stmt/scratch.hpp"
#include "cases/emit_listing/patches.hpp"
#include "patches/halide/contents.hpp"

namespace {

using namespace cliffbench;
using emit_listing::Copy;
using emit_listing::How;

How how_of(const Trial& trial) {
  How how = emit_listing::how_with(trial.patches());
  if (trial.variant == "no_copy" || trial.variant == "all") how.copy = Copy::none;
  how.verbose = trial.variant != "no_comments";
  how.discard = trial.variant == "no_file";
  return how;
}

Halide::Target target_of(const Params& params) {
  Halide::Target target = target_named(params.at("target"));
  if (params.at("runtime") == "without") target.set_feature(Halide::Target::NoRuntime);
  return target;
}

/// Checks a listing on its own and returns what is wrong, or "".
std::string fault_of(const std::string& listing, const How& how, size_t markers_wanted,
                     size_t data_bytes, const std::string& data_path) {
  size_t markers = 0;
  for (size_t at = 0; (at = listing.find("%\"", at)) != std::string::npos; ++at) ++markers;
  if (how.verbose && markers < markers_wanted) {
    return "only " + std::to_string(markers) + " loop markers in the listing";
  }
  if (!how.incbin) return listing.size() > data_bytes ? "" : "the data is not in the listing";
  if (std::filesystem::file_size(data_path) != data_bytes) return "the data file is incomplete";
  return listing.find(".incbin") == std::string::npos ? "nothing includes the data file" : "";
}

/// The listing without the path of the scratch folder, from which it includes a file.
std::string without_folder(std::string text, const std::string& listing) {
  for (size_t at; (at = text.find(listing)) != std::string::npos;) text.erase(at, listing.size());
  return text;
}

/// The bitcode of a pipeline, the same for all repetitions: Halide names a second one otherwise.
std::string bitcode_of(const Params& params, Pipeline& pipeline) {
  static const Scratch scratch;
  static std::map<Params, std::string> made;
  const std::string file = scratch / std::to_string(made.size()).c_str();
  const auto [known, first] = made.try_emplace(params, file);
  if (first) {
    pipeline.output.compile_to_bitcode(known->second, pipeline.arguments, target_of(params));
  }
  return known->second;
}

void measure(benchmark::State& state, Trial& trial) {
  const int buffers = std::stoi(trial.params.at("buffers"));
  const Size size = parse_size(trial.params.at("size"));
  const How how = how_of(trial);
  Pipeline pipeline = make_pipeline(buffers, size.width, size.height, Weights::embedded);
  const Scratch scratch;
  const std::string listing = scratch / "listing.s";
  const std::string bitcode = bitcode_of(trial.params, pipeline);
  emit_listing::initialise_llvm();
  llvm::LLVMContext context;
  auto module = emit_listing::parse_bitcode(bitcode, context);
  const bool used_up = how.copy == emit_listing::Copy::none;

  trial.ready();
  for (auto _ : state) {
    trial.between([&] {
      if (used_up) module = emit_listing::parse_bitcode(bitcode, context);
    });
    const emit_listing::Stages stages = emit_listing::emit(*module, listing, how);
    trial.add_to_stage("copy", stages.copy);
    trial.add_to_stage("code", stages.code);
    trial.add_to_stage("data", stages.data);
    trial.add_to_stage("file", stages.file);
  }
  trial.done();

  if (how.discard) return;
  const std::string text = trial.spoiled() ? "" : patches::halide::contents_of(listing);
  trial.digest(digest_of(without_folder(text, listing)));
  const auto bytes = static_cast<size_t>(buffers) * static_cast<size_t>(size.width) *
                     static_cast<size_t>(size.height) * sizeof(float);
  const std::string fault =
      fault_of(text, how, static_cast<size_t>(buffers), bytes, listing + ".data");
  if (!fault.empty()) trial.wrong(fault);
}

/// LLVM's own table for one 3072x2048 buffer, beside our stages: what the passes' timers miss.
int print_pass_timers(const std::vector<std::string>&) {
  const Size size = parse_size("3072x2048");
  Pipeline pipeline = make_pipeline(1, size.width, size.height, Weights::embedded);
  const Scratch scratch;
  const std::string bitcode = scratch / "pipeline.bc";
  pipeline.output.compile_to_bitcode(
      bitcode, pipeline.arguments,
      Halide::get_host_target().with_feature(Halide::Target::NoRuntime));
  emit_listing::initialise_llvm();
  llvm::LLVMContext context;
  const auto module = emit_listing::parse_bitcode(bitcode, context);
  const auto stages = emit_listing::emit(*module, scratch / "listing.s", {});
  std::fputs(emit_listing::pass_timers(*module, scratch / "listing.s").c_str(), stdout);
  std::printf("\nseconds of the same emission: copy %.3f, code %.3f, data %.3f, file %.3f\n",
              stages.copy, stages.code, stages.data, stages.file);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return case_main(this_case(emit_listing::cards()),
                   {{"emit_listing", measure, {"no_comments", "no_file"}}}, argc, argv,
                   {{"--pass-timers", print_pass_timers}});
}
