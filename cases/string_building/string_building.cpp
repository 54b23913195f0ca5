// The worked example of cases/README.md: a small case with a cliff that everybody has met.
#include <span>
#include <string>
#include <vector>

#include "case_toml.hpp"
#include "patches/strings/append_in_place.hpp"
#include "patches/strings/reserve_first.hpp"

namespace {

using namespace cliffbench;
using namespace patches::strings;

/// The subject: what people write first.
std::string added(std::span<const std::string> lines) {
  std::string text;
  // NOLINTNEXTLINE(performance-inefficient-string-concatenation): it is what is measured
  for (const std::string& line : lines) text = text + line;
  return text;
}

void measure(benchmark::State& state, Trial& trial) {
  const std::vector<std::string> lines(std::stoul(trial.params.at("lines")),
                                       std::string(63, 'x') + '\n');
  auto* build = added;
  if (trial.has_patch(kAppendInPlace)) build = appended;
  if (trial.has_patch(kReserveFirst)) build = reserved;
  std::string text;

  trial.ready();
  for (auto _ : state) {
    text = build(lines);
    benchmark::DoNotOptimize(text.data());
  }
  trial.done();

  if (trial.spoiled()) text[text.size() / 2] = 'y';
  trial.digest(std::to_string(std::hash<std::string>()(text)));
  bool right = text.size() == 64 * lines.size();
  for (size_t i = 0; right && i < lines.size(); ++i)
    right = text.compare(64 * i, 64, lines[i]) == 0;
  if (!right) trial.wrong("the text does not consist of the given lines");
}

}  // namespace

int main(int argc, char** argv) {
  return case_main(this_case({kAppendInPlace, kReserveFirst}), {{"string_building", measure}}, argc,
                   argv);
}
