// Real work with a known part of it done twice: the gate must find the slowdown (make validate).
// EXTRA_PERMILLE of the blocks are worked on once more.
#include <algorithm>
#include <cstdlib>
#include <random>
#include <unordered_map>

#include "harness/suite/kit/kit.hpp"

namespace {

using namespace cliffbench;

constexpr int kBlocks = 1000;
constexpr std::ptrdiff_t kPerBlock = 64;

std::vector<std::string> words() {
  std::mt19937_64 random(1);
  std::vector<std::string> made;
  for (int i = 0; i < kBlocks * kPerBlock; ++i) made.push_back(std::to_string(random() % 1000000));
  return made;
}

/// The three jobs, each of one block: they strain branches, arithmetic, and memory.
double sort_block(std::vector<std::string>& texts, int block) {
  std::vector<std::string> copy(texts.begin() + block * kPerBlock,
                                texts.begin() + (block + 1) * kPerBlock);
  std::sort(copy.begin(), copy.end());
  return static_cast<double>(copy[kPerBlock / 2].size());
}
double parse_block(std::vector<std::string>& texts, int block) {
  double sum = 0;
  for (int i = 0; i < kPerBlock; ++i)
    sum += std::strtod(texts[block * kPerBlock + i].c_str(), nullptr);
  return sum;
}
double count_block(std::vector<std::string>& texts, int block) {
  std::unordered_map<std::string, int> seen;
  for (int i = 0; i < kPerBlock; ++i) ++seen[texts[block * kPerBlock + i].substr(0, 2)];
  return static_cast<double>(seen.size());
}

void measure(benchmark::State& state, Trial& trial) {
  const std::string job = trial.params.at("job");
  const auto work = job == "sort" ? sort_block : job == "parse" ? parse_block : count_block;
  std::vector<std::string> texts = words();
  double sum = 0;
  trial.ready();
  for (auto _ : state) {
    sum = 0;
    for (int block = 0; block < kBlocks; ++block) sum += work(texts, block);
    for (int block = 0; block < kBlocks * EXTRA_PERMILLE / 1000; ++block) {
      double again = work(texts, block);
      benchmark::DoNotOptimize(again);
    }
  }
  trial.done();
  trial.digest(std::to_string(sum));
}

}  // namespace

int main(int argc, char** argv) {
  const Case declared{
      .name = "work",
      .why = "A known part of real work is done twice.",
      .subject = {"itself", "1", ""},
      .axes = {{"job", "", {"sort", "parse", "count"}}},
      .variants = {{"baseline", Role::baseline, "the work"}},
      .profiles = {{"gate", "all jobs", {{{{"job", {"sort", "parse", "count"}}}, {"baseline"}}}}},
      .limit_s = 60};
  return case_main({{declared, measure}}, argc, argv);
}
