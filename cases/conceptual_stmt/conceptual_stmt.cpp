// How long Halide takes to compile a pipeline with large embedded buffers to conceptual stmt
// (halide/Halide #8717), as it is and with each patch.

#include "patches/halide/conceptual_stmt.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "case_toml.hpp"
#include "cases/conceptual_stmt/page_check.hpp"
#include "cases/conceptual_stmt/pipeline.hpp"
#include "cases/conceptual_stmt/scratch.hpp"
#include "cases/conceptual_stmt/whole_program.hpp"

namespace {

using namespace cliffbench;

/// Writes the parts of a page, the statement as text and the pipeline's own assembly, but no page.
void write_text_and_code(const Halide::Module& module, const std::string& text,
                         const std::string& assembly, patches::halide::Choice patches) {
  module.compile({{Halide::OutputFileType::conceptual_stmt, text}});
  patches::halide::write_listing(module, assembly, patches);
}

/// Checks the compiled code on a few rows, against sums in double that are computed here.
std::string fault_of_jit(Pipeline& pipeline, Size size, bool spoiled) {
  constexpr int kRows = 2;
  Halide::Buffer<float> input(std::max(size.width, size.height), kRows);
  for (int y = 0; y < kRows; ++y) {
    for (int x = 0; x < input.width(); ++x) input(x, y) = static_cast<float>((x * 7 + y) % 13) - 6;
  }
  pipeline.input.set(input);
  bind_weights(pipeline, size.width, size.height);
  Halide::Buffer<float> output = pipeline.output.realize({size.width, kRows});
  if (spoiled) output(0, 1) += 1;
  std::vector<double> row(input.width()), next(size.width);
  for (int x = 0; x < input.width(); ++x) row[x] = input(x, 1);
  for (const auto& weights : pipeline.weights) {
    for (int x = 0; x < size.width; ++x) {
      next[x] = 0;
      for (int r = 0; r < size.height; ++r) next[x] += row[r] * weights(x, r);
    }
    row = next;
  }
  for (int x = 0; x < size.width; ++x) {
    const double expected = std::max(row[x], 0.0);
    if (std::fabs(output(x, 1) - expected) > 1e-3 * (1 + std::fabs(expected))) {
      return "the compiled pipeline computed " + std::to_string(output(x, 1)) + " instead of " +
             std::to_string(expected);
    }
  }
  return "";
}

void measure(benchmark::State& state, Trial& trial) {
  const int buffers = std::stoi(trial.params.at("buffers"));
  const Size size = parse_size(trial.params.at("size"));
  const bool html = trial.params.at("format") == "HTML";
  const bool parameters = trial.variant.starts_with("image_param");
  const bool jit = trial.variant.ends_with("jit");
  const bool text_and_code = trial.variant == "text_and_code";
  if (jit && !html) throw Skipped("compiling for the JIT writes no conceptual stmt");
  if (jit && trial.params.at("target") != "host") {
    throw Skipped("the JIT compiles only for this machine");
  }
  const auto format = html ? Halide::HTML : Halide::Text;
  const Halide::Target target = target_named(trial.params.at("target"));
  const bool one_func = trial.variant.starts_with("one_func");
  const int stages = one_func ? 1 : buffers;
  Pipeline pipeline = one_func
                          ? make_one_func(buffers, size.width, size.height)
                          : make_pipeline(buffers, size.width, size.height,
                                          parameters ? Weights::parameters : Weights::embedded);
  const auto patches = patches::halide::choice_with(trial.patches());
  const Scratch scratch;
  const std::string page = scratch / "conceptual.stmt.html";
  const bool one_call = trial.variant == "baseline" || trial.variant == "control" ||
                        trial.variant == "image_param" || trial.variant == "one_func";
  const auto stage = [&](const char* name, const std::function<void()>& body) {
    const auto timer = trial.stage(name);
    body();
  };

  trial.ready();
  for (auto _ : state) {
    if (one_call) {
      pipeline.output.compile_to_conceptual_stmt(page, pipeline.arguments, format, target);
    } else if (jit) {
      pipeline.output.compile_jit(target);
    } else if (text_and_code) {
      write_text_and_code(pipeline.output.compile_to_module(pipeline.arguments, "", target), page,
                          scratch / "listing.s", patches);
    } else {
      patches::halide::compile_to_conceptual_stmt(pipeline.output, page, pipeline.arguments, format,
                                                  target, patches, stage);
    }
  }
  trial.done();

  if (jit) {
    const std::string fault = fault_of_jit(pipeline, size, trial.spoiled());
    if (!fault.empty()) trial.wrong(fault);
    return;
  }
  const std::string written = patches::halide::contents_of(page);
  if (!html || text_and_code) {
    return check_text(trial, written, pipeline.output.name(), stages);
  }
  check_page(trial, read_page(written), pipeline.output.name(), stages);
}

}  // namespace

int main(int argc, char** argv) {
  const auto measure_any = [&](benchmark::State& state, Trial& trial) {
    const bool whole = is_whole_program(trial.variant);
    whole ? measure_whole_program(argv[0], state, trial) : measure(state, trial);
  };
  const Measure compilation{
      .name = "conceptual_stmt",
      .function = measure_any,
      .variants = {"staged", "image_param", "image_param_lean", "text_and_code", "one_func",
                   "one_func_all", "jit", "image_param_jit", "launcher_baseline", "launcher",
                   "import_baseline", "import"},
      .once = [](const Params&, const std::string& variant) {
        return variant.ends_with("jit");  // the pipeline keeps the code
      }};
  return case_main(this_case(patches::halide::cards()), {compilation}, argc, argv,
                   {{"--write-page", write_page}});
}
