// The pipeline of conceptual_stmt opened between Halide and LLVM: Halide lowers and writes bitcode,
// the system's LLVM copies and emits, Halide's viewer searches. So clone_avoidance, which cannot
// reach into the library, can be compared end to end with regex_filter.
#include <string>
#include <vector>

#include "case_toml.hpp"
#include "cases/conceptual_stmt/page_check.hpp"
#include "cases/conceptual_stmt/pipeline.hpp"
#include "cases/conceptual_stmt/scratch.hpp"
#include "cases/emit_listing/patches.hpp"
#include "patches/halide/conceptual_stmt.hpp"

namespace {

using namespace cliffbench;

void measure(benchmark::State& state, Trial& trial) {
  const int buffers = std::stoi(trial.params.at("buffers"));
  const Size size = parse_size(trial.params.at("size"));
  Pipeline pipeline = make_pipeline(buffers, size.width, size.height, Weights::embedded);
  const Halide::Target target = Halide::get_host_target();
  const Scratch scratch;
  const std::string page = scratch / "conceptual.stmt.html";
  const std::string bitcode = scratch / "pipeline.bc";
  const std::string listing = scratch / "listing.s";
  const emit_listing::How how = emit_listing::how_with(trial.patches());
  const auto viewer = patches::halide::choice_with(trial.patches());
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
    const auto stages = emit_listing::emit(*module, listing, how);
    trial.add_to_stage("copy", stages.copy);
    trial.add_to_stage("emission", stages.code + stages.data + stages.file);
    const auto timer = trial.stage("viewer");
    patches::halide::write_page(page, *lowered, patches::halide::Viewer::conceptual_stmt, listing,
                                viewer);
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

  check_page(trial, read_page(patches::halide::contents_of(page)), pipeline.output.name(), buffers);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<Patch> cards = patches::halide::cards();
  for (const Patch& card : emit_listing::cards()) cards.push_back(card);
  return case_main(this_case(cards), {{"conceptual_stmt", measure, {"opened"}}}, argc, argv);
}
