// The pipeline of conceptual_stmt opened between Halide and LLVM: Halide lowers and writes bitcode,
// the system's LLVM copies and emits, Halide's viewer searches. So clone_avoidance, which cannot
// reach into the library, can be compared end to end with regex_filter.
#include <string>
#include <vector>

#include "cases/conceptual_stmt/page_check.hpp"
#include "cases/conceptual_stmt/pipeline.hpp"
#include "cases/conceptual_stmt/scratch.hpp"
#include "cases/emit_listing/emit.hpp"
#include "harness/case.hpp"
#include "patches/halide/conceptual_stmt.hpp"
#include "patches/llvm/clone_avoidance.hpp"
#include "patches/llvm/tail_columns.hpp"

namespace {

using namespace cliffbench;

const std::string kFull = "3072x2048";

struct Opened {
  emit_listing::How emit;
  patches::halide::Choice viewer;
};

Opened opened_of(const std::string& variant) {
  Opened opened;
  const bool both = variant == "both" || variant == "all";
  if (both || variant == "clone_avoidance") opened.emit.copy = emit_listing::Copy::clone;
  opened.emit.tail_columns = variant == "all";
  opened.viewer.regex_filter = both || variant == "regex_filter";
  opened.viewer.marker_lines = variant == "all";
  return opened;
}

void measure(benchmark::State& state, Trial& trial) {
  const int buffers = std::stoi(trial.params.at("buffers"));
  const Size size = parse_size(trial.params.at("size"));
  Pipeline pipeline = make_pipeline(buffers, size.width, size.height, Weights::embedded);
  const Halide::Target target = Halide::get_host_target();
  const Scratch scratch;
  const std::string page = scratch / "conceptual.stmt.html";
  const std::string bitcode = scratch / "pipeline.bc";
  const std::string listing = scratch / "listing.s";
  const Opened opened = opened_of(trial.variant);
  emit_listing::initialise_llvm();

  const auto run_opened = [&] {
    llvm::LLVMContext context;
    std::unique_ptr<llvm::Module> module;
    std::optional<Halide::Module> lowered;
    {
      const auto timer = trial.stage("lower");
      lowered = pipeline.output.compile_to_module(pipeline.arguments, "", target);
    }
    {
      const auto timer = trial.stage("code generation, bitcode");
      lowered->compile({{Halide::OutputFileType::bitcode, bitcode}});
    }
    {
      const auto timer = trial.stage("hand-over");
      module = emit_listing::parse_bitcode(bitcode, context);
    }
    const auto stages = emit_listing::emit(*module, listing, opened.emit);
    trial.add_to_stage("copy", stages.copy);
    trial.add_to_stage("emission", stages.code + stages.data + stages.file);
    const auto timer = trial.stage("viewer");
    patches::halide::write_page(page, *lowered, patches::halide::Viewer::conceptual_stmt, listing,
                                opened.viewer);
  };

  trial.ready();
  for (auto _ : state) {
    if (trial.variant == "baseline") {
      pipeline.output.compile_to_conceptual_stmt(page, pipeline.arguments, Halide::HTML, target);
    } else {
      run_opened();
    }
  }
  trial.done();

  check_page(trial, patches::halide::contents_of(page), pipeline, buffers);
}

/// From runs on a 2-core x86-64 machine; for the estimate before a run only.
Cost expected_cost(const Params& params, const std::string& variant) {
  const Size size = parse_size(params.at("size"));
  const double n = std::stod(params.at("buffers"));
  const double megabytes = 4e-6 * n * size.width * size.height;
  const bool searched = !opened_of(variant).viewer.regex_filter;
  const double search_s = searched ? (0.12 + 0.1 * n) * megabytes : 0;
  return {1.8 + 0.12 * megabytes + search_s, 200 + 20 * megabytes, 5 + 4 * megabytes};
}

std::vector<Claim> claims() {
  const std::string issue = "halide/Halide #8717";
  const Params one = {{"buffers", "1"}, {"size", kFull}};
  const auto share = [&](std::string id, std::string text, std::string of, Bounds range) {
    return Claim{.id = std::move(id),
                 .text = std::move(text),
                 .quantity = Quantity::share,
                 .variant = "opened",
                 .of = std::move(of),
                 .where = one,
                 .range = range,
                 .origin = Origin::theirs,
                 .source = issue + ": \"two other downstream performance bottlenecks\""};
  };
  std::vector<Claim> all = {
      share("copy_second", "the copy comes after the search: 5 to 25 % of the opened baseline",
            "copy", {0.05, 0.25}),
      share("emission_second", "so does the emission: 10 to 35 %", "emission", {0.1, 0.35})};
  const auto faster = [&](std::string id, std::string text, std::string variant, double by) {
    return Claim{.id = std::move(id),
                 .text = std::move(text),
                 .variant = std::move(variant),
                 .against = "opened",
                 .where = one,
                 .range = {by},
                 .source = issue + ", the figures are ours"};
  };
  all.push_back(
      faster("clone_avoidance", "clone_avoidance alone helps by 1.05x", "clone_avoidance", 1.05));
  all.push_back(faster("regex_filter", "regex_filter alone helps by 1.5x", "regex_filter", 1.5));
  Claim both =
      faster("both", "both of the issue's patches: 1.1x more than regex_filter alone", "both", 1.1);
  both.against = "regex_filter";
  all.push_back(both);
  all.push_back({.id = "opened_same",
                 .text = "opened takes as long as the baseline, but for the hand-over",
                 .variant = "opened",
                 .where = one,
                 .range = {0.75, 1.1},
                 .control = true,
                 .source = "control"});
  return all;
}

std::vector<Profile> profiles() {
  const std::vector<std::string> every = {"baseline",        "opened", "regex_filter",
                                          "clone_avoidance", "both",   "all"};
  return {
      {"verify", "every variant once at the smallest size", {{{{"size", {"96x64"}}}, every, 1}}},
      {"full",
       "one and two 3072x2048 buffers",
       {{{{"size", {kFull}}}, every},
        {{{"size", {kFull}}, {"buffers", {"2"}}}, {"baseline", "opened", "all"}}}}};
}

Case declare() {
  return {
      .name = "conceptual_stmt",
      .why =
          "The same compilation, opened between Halide and LLVM: where its time goes, and "
          "what the patch of the copy would save.",
      .readme = CASE_README,
      .subject = {OPENED_SUBJECT, OPENED_SUBJECT, HALIDE_SHA256},
      .axes = {{"buffers", "embedded matrices", {"1", "2", "4", "8"}},
               {"size", "float32 values each", {kFull, "1536x1024", "96x64"}}},
      .variants = {{"baseline", Role::baseline, "Func::compile_to_conceptual_stmt, unmodified"},
                   {"opened", Role::control, "Halide, the system's LLVM, Halide's viewer"},
                   {"regex_filter", Role::patch, "opened, long lines are cut", {"regex_filter"}},
                   {"clone_avoidance",
                    Role::patch,
                    "opened, copied by llvm::CloneModule",
                    {"clone_avoidance"}},
                   {"both", Role::patch, "opened, both", {"regex_filter", "clone_avoidance"}},
                   {"all",
                    Role::patch,
                    "opened, both, and the better ones that keep the whole listing",
                    {"regex_filter", "clone_avoidance", "tail_columns", "marker_lines"}}},
      .stages_from = "opened",
      .patches = {patches::halide::kRegexFilter, patches::halide::kMarkerLines,
                  patches::llvm::kCloneAvoidance, patches::llvm::kTailColumns},
      .claims = claims(),
      .profiles = profiles(),
      .limit_s = 600,
      .cost = expected_cost};
}

}  // namespace

int main(int argc, char** argv) { return case_main({{declare(), measure}}, argc, argv); }
