// The worked example of CONTRIBUTING.md: a small case with a cliff that everybody has met.
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/case.hpp"
#include "patches/strings/append_in_place.hpp"
#include "patches/strings/reserve_first.hpp"

namespace {

using namespace cliffbench;

/// The subject: what people write first.
std::string added(std::span<const std::string> lines) {
  std::string text;
  // NOLINTNEXTLINE(performance-inefficient-string-concatenation): it is what is measured
  for (const std::string& line : lines) text = text + line;
  return text;
}

using Build = std::string (*)(std::span<const std::string>);

Build build_of(const std::string& variant) {
  if (variant == "append_in_place") return patches::strings::appended;
  if (variant == "reserve_first") return patches::strings::reserved;
  if (variant == "baseline" || variant == "control") return added;
  throw std::invalid_argument("no code runs the variant " + variant);
}

void measure(benchmark::State& state, Trial& trial) {
  const std::vector<std::string> lines(std::stoul(trial.params.at("lines")),
                                       std::string(63, 'x') + '\n');
  const Build build = build_of(trial.variant);
  std::string text;

  trial.ready();
  for (auto _ : state) {
    text = build(lines);
    benchmark::DoNotOptimize(text.data());
  }
  trial.done();

  const std::string digest = std::to_string(std::hash<std::string>()(text));
  trial.digest(digest);
  bool right = text.size() == 64 * lines.size();
  for (size_t end = 63; right && end < text.size(); end += 64) right = text[end] == '\n';
  if (!right) trial.wrong("the text does not have the lines that it was built of");
}

const std::vector<std::string> kLines = {"1000", "2000", "4000", "8000"};

Case declare() {
  const Params most = {{"lines", "8000"}};
  return {
      .name = "string_building",
      .why = "A text is built of lines by text = text + line, which copies all of it each time.",
      .readme = CASE_README,
      .subject = {"std-string", "of this build's compiler", ""},
      .axes = {{"lines", "lines of 64 bytes", kLines}},
      .variants = {{"baseline", Role::baseline, "text = text + line"},
                   {"control", Role::control, "the same again"},
                   {"append_in_place", Role::patch, "text += line", {"append_in_place"}},
                   {"reserve_first",
                    Role::patch,
                    "text += line, with room",
                    {"append_in_place", "reserve_first"}}},
      .patches = {patches::strings::kAppendInPlace, patches::strings::kReserveFirst},
      .claims = {{.id = "quadratic",
                  .text = "the time grows much faster than the lines",
                  .quantity = Quantity::exponent,
                  .variant = "baseline",
                  .axis = "lines",
                  .range = {1.5, 3},
                  .source = "n lines copy about n / 2 times the text"},
                 {.id = "append_helps",
                  .text = "appending is at least 20x faster",
                  .variant = "append_in_place",
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
      .profiles =
          {{"demo",
            "all sizes",
            {{{{"lines", kLines}}, {"baseline", "control", "append_in_place", "reserve_first"}}}},
           {"gate", "the largest size", {{{{"lines", {"8000"}}}, {"baseline", "append_in_place"}}}},
           {"verify",
            "every variant once",
            {{{{"lines", {"1000"}}}, {"baseline", "append_in_place", "reserve_first"}, 1}}}},
      .limit_s = 10,
      .cost = [](const Params& params, const std::string&) {
        return Cost{params.at("lines") == "8000" ? 0.2 : 0.05, 20, 0};
      }};
}

}  // namespace

int main(int argc, char** argv) { return case_main({{declare(), measure}}, argc, argv); }
