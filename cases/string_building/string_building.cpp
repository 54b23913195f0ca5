// The worked example of CONTRIBUTING.md: a small case with a cliff that everybody has met.
#include <span>
#include <string>
#include <vector>

#include "harness/case.hpp"
#include "patches/strings/append.hpp"
#include "patches/strings/reserve.hpp"

namespace {

using namespace cliffbench;

/// The subject: what people write first.
std::string added(std::span<const std::string> lines) {
  std::string text;
  // NOLINTNEXTLINE(performance-inefficient-string-concatenation): it is what is measured
  for (const std::string& line : lines) text = text + line;
  return text;
}

std::string build(const std::string& variant, std::span<const std::string> lines) {
  if (variant == "append") return patches::strings::appended(lines);
  if (variant == "reserve") return patches::strings::reserved(lines);
  return added(lines);  // the baseline and its control
}

void measure(benchmark::State& state, Trial& trial) {
  const std::vector<std::string> lines(std::stoul(trial.params.at("lines")),
                                       std::string(63, 'x') + '\n');
  std::string text;

  trial.ready();
  for (auto _ : state) {
    text = build(trial.variant, lines);
    benchmark::DoNotOptimize(text.data());
  }
  trial.done();

  const std::string digest = std::to_string(std::hash<std::string>()(text));
  trial.digest(digest);
  if (text.size() != 64 * lines.size()) trial.wrong("the text has another length than its lines");
}

const std::vector<std::string> kLines = {"1000", "2000", "4000", "8000"};

Case declare() {
  const Params most = {{"lines", "8000"}};
  return {.name = "string_building",
          .why = "A text is built of lines by text = text + line, which copies all of it each time.",
          .readme = CASE_README,
          .subject = {"std-string", "of this build's compiler", ""},
          .axes = {{"lines", "lines of 64 bytes", kLines}},
          .variants = {{"baseline", Role::baseline, "text = text + line"},
                       {"control", Role::control, "the same again"},
                       {"append", Role::patch, "text += line", {"append"}},
                       {"reserve", Role::patch, "text += line, with room", {"append", "reserve"}}},
          .patches = {patches::strings::kAppend, patches::strings::kReserve},
          .claims = {{.id = "quadratic",
                      .text = "the time grows much faster than the lines",
                      .quantity = Quantity::exponent,
                      .variant = "baseline",
                      .axis = "lines",
                      .range = {1.5, 3},
                      .source = "n lines copy about n / 2 times the text"},
                     {.id = "append_helps",
                      .text = "appending is at least 20x faster",
                      .variant = "append",
                      .where = most,
                      .range = {20},
                      .source = "8000 lines copy 4000 times as many bytes"},
                     {.id = "control_same",
                      .text = "control takes as long as the baseline",
                      .variant = "control",
                      .where = most,
                      .range = {0.8, 1.25},
                      .control = true,
                      .source = "control"}},
          .profiles = {{"demo",
                        "all sizes",
                        {{{{"lines", kLines}}, {"baseline", "control", "append", "reserve"}}}},
                       {"gate", "the largest size", {{{{"lines", {"8000"}}}, {"baseline", "append"}}}},
                       {"verify",
                        "every variant once",
                        {{{{"lines", {"1000"}}}, {"baseline", "append", "reserve"}, 1}}}},
          .limit_s = 10,
          .cost = [](const Params&, const std::string&) { return Cost{0.2, 20, 0}; }};
}

}  // namespace

int main(int argc, char** argv) { return case_main({{declare(), measure}}, argc, argv); }
