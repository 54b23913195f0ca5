// What LLVM does with a huge constant on the way to a listing: the copy of the module and the text
// of the constant, on the LLVM of the system and the bitcode that Halide writes.
#include <llvm/Config/llvm-config.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "cases/conceptual_stmt/listing.hpp"
#include "cases/conceptual_stmt/pipeline.hpp"
#include "cases/conceptual_stmt/scratch.hpp"
#include "cases/emit_listing/emit.hpp"
#include "harness/case.hpp"
#include "patches/halide/contents.hpp"
#include "patches/llvm/clone_avoidance.hpp"
#include "patches/llvm/incbin.hpp"
#include "patches/llvm/tail_columns.hpp"

namespace {

using namespace cliffbench;
using emit_listing::Copy;
using emit_listing::How;

const std::string kFull = "3072x2048";
const std::string kHalf = "1536x1024";

How how_of(const std::string& variant) {
  How how;
  if (variant == "clone_module") how.copy = Copy::clone;
  if (variant == "no_copy" || variant == "all") how.copy = Copy::none;
  how.tail_columns = variant == "tail_columns" || variant == "all";
  how.incbin = variant == "incbin";
  how.verbose = variant != "no_comments";
  how.discard = variant == "no_file";
  return how;
}

Halide::Target target_of(const Params& params) {
  Halide::Target target = target_named(params.at("target"));
  if (params.at("runtime") == "without") target.set_feature(Halide::Target::NoRuntime);
  return target;
}

/// What is wrong with a listing on its own, "" when nothing is.
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

/// The listing without the name of the scratch folder, in which it includes a file.
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
  const How how = how_of(trial.variant);
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
  const std::string text = patches::halide::contents_of(listing);
  trial.digest(digest_of(without_folder(text, listing)));
  const auto bytes = static_cast<size_t>(buffers) * static_cast<size_t>(size.width) *
                     static_cast<size_t>(size.height) * sizeof(float);
  const std::string fault =
      fault_of(text, how, static_cast<size_t>(buffers), bytes, listing + ".data");
  if (!fault.empty()) trial.wrong(fault);
}

/// From runs on a 2-core x86-64 machine; for the estimate before a run only.
Cost expected_cost(const Params& params, const std::string& variant) {
  const Size size = parse_size(params.at("size"));
  const double megabytes = 4e-6 * size.width * size.height * std::stod(params.at("buffers"));
  const bool copied = variant == "baseline" || variant == "control" || variant == "tail_columns" ||
                      variant == "incbin" || variant.starts_with("no_comments");
  const double runtime_s = params.at("runtime") == "with" ? 1.3 : 0;
  return {0.3 + runtime_s + megabytes * (0.07 + (copied ? 0.035 : 0)), 150 + 14 * megabytes,
          5 + 4 * megabytes};
}

std::vector<Claim> claims() {
  const Params full = {{"buffers", "1"}, {"size", kFull}, {"runtime", "without"}};
  const Params half = {{"buffers", "1"}, {"size", kHalf}, {"runtime", "without"}};
  const std::string issue = "halide/Halide #8717";
  const std::string before = "ours, after the first measurements here";
  const auto faster = [&](std::string id, std::string text, std::string variant, std::string stage,
                          Params where, double by) {
    return Claim{.id = std::move(id),
                 .text = std::move(text),
                 .variant = std::move(variant),
                 .of = std::move(stage),
                 .where = std::move(where),
                 .range = {by},
                 .source = before};
  };
  std::vector<Claim> all = {
      faster("copy_full", "CloneModule makes the copy 20x faster", "clone_module", "copy", full,
             20),
      faster("copy", "CloneModule makes the copy 20x faster", "clone_module", "copy", half, 20),
      faster("columns_full", "counting columns is more than half of the data's text",
             "tail_columns", "data", full, 2),
      faster("incbin", "as a file of its own the data costs a tenth", "incbin", "data", full, 10),
      faster("all", "without copy and columns the listing is 2x faster", "all", "", half, 2)};
  all.push_back({.id = "comments",
                 .text = "leaving the comments out does not help with the data",
                 .variant = "no_comments",
                 .of = "data",
                 .where = full,
                 .range = {0.8, 1.25},
                 .source = before});
  all.push_back({.id = "data_grows",
                 .text = "the data's text grows as the bytes",
                 .quantity = Quantity::exponent,
                 .variant = "baseline",
                 .of = "data",
                 .axis = "size",
                 .where = {{"runtime", "without"}},
                 .range = {0.85, 1.15},
                 .origin = Origin::theirs,
                 .source = issue + ": \"LLVM itself is impacted by the size of the buffers\""});
  all.push_back({.id = "passes_do_not",
                 .text = "the passes and the code's text do not",
                 .quantity = Quantity::exponent,
                 .variant = "baseline",
                 .of = "code",
                 .axis = "size",
                 .where = {{"runtime", "without"}},
                 .range = {-0.1, 0.1},
                 .origin = Origin::theirs,
                 .source = issue + ": the pass timers show no slowdown"});
  all.push_back({.id = "control_same",
                 .text = "control takes as long as the baseline",
                 .variant = "control",
                 .where = full,
                 .range = {0.9, 1.1},
                 .control = true,
                 .source = "control"});
  return all;
}

const std::vector<std::string> kEvery = {"baseline", "control",      "clone_module",
                                         "no_copy",  "tail_columns", "incbin",
                                         "all",      "no_comments",  "no_file"};

std::vector<Profile> profiles() {
  const std::vector<std::string> sizes = {kFull, kHalf, "768x512", "384x256"};
  const std::vector<std::string> both = {"host", "arm-64-osx"};
  return {
      {"quick",
       "the copy at one 1536x1024 buffer, for this CPU",
       {{{{"size", {kHalf}}}, {"baseline", "clone_module"}}}},
      {"demo", "the smallest size", {{{{"size", {"96x64"}}}, {"baseline", "all"}, 2}}},
      {"gate",
       "both ends of the case, for cliffbench gate",
       {{{{"size", {"96x64"}}}, {"baseline", "all"}}}},
      {"verify",
       "every variant once at the smallest size",
       {{{{"size", {"96x64"}}, {"target", both}, {"runtime", {"without", "with"}}}, kEvery, 1}}},
      {"full",
       "up to 8 buffers, both CPUs, with and without the runtime",
       {{{{"size", {kFull}}}, kEvery},
        {{{"size", {kFull}}, {"target", both}}, {"baseline", "clone_module", "all"}},
        {{{"size", {kFull}}, {"runtime", {"with"}}}, {"baseline", "clone_module", "all"}},
        {{{"size", sizes}, {"target", both}}, {"baseline", "all"}},
        {{{"size", {kHalf}}}, kEvery},
        {{{"size", {kFull}}, {"buffers", {"1", "2", "4", "8"}}}, {"baseline", "all"}}}}};
}

Case declare() {
  return {.name = "emit_listing",
          .why =
              "Before it emits a listing Halide copies the LLVM module through bitcode, and LLVM "
              "counts the display columns of each embedded buffer's text, character by character.",
          .readme = CASE_README,
          .subject = {"llvm-" LLVM_VERSION_STRING, LLVM_VERSION_STRING, LLVM_SHA256},
          .axes = {{"buffers", "embedded matrices", {"1", "2", "4", "8"}},
                   {"size", "float32 values each", {kFull, kHalf, "768x512", "384x256", "96x64"}},
                   {"target", kTargetWords, {"host", "arm-64-osx"}},
                   {"runtime", "", {"without", "with"}}},
          .variants =
              {{"baseline", Role::baseline, "copied by bitcode and emitted, as Halide does"},
               {"control", Role::control, "the same again"},
               {"clone_module", Role::patch, "copied by llvm::CloneModule", {"clone_avoidance"}},
               {"no_copy", Role::patch, "not copied", {"clone_avoidance"}},
               {"tail_columns",
                Role::patch,
                "columns counted from the last line end",
                {"tail_columns"}},
               {"incbin", Role::patch, "the data in a file of its own", {"incbin"}, ""},
               {"all",
                Role::patch,
                "not copied, columns counted from the last line end",
                {"clone_avoidance", "tail_columns"}},
               {"no_comments", Role::reference, "verbose-asm off: no loop markers either", {}, ""},
               {"no_file", Role::reference, "the text is thrown away", {}, ""}},
          .patches = {patches::llvm::kCloneAvoidance, patches::llvm::kTailColumns,
                      patches::llvm::kIncbin},
          .claims = claims(),
          .profiles = profiles(),
          .limit_s = 120,
          .cost = expected_cost};
}

/// LLVM's own table for one 3072x2048 buffer, beside our stages: what the passes' timers miss.
int print_pass_timers(const std::vector<std::string>&) {
  const Size size = parse_size(kFull);
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
  return case_main({{declare(), measure}}, argc, argv, {{"--pass-timers", print_pass_timers}});
}
