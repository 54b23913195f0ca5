#include "harness/core/host/layout.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <random>

namespace cliffbench {

Layout draw_layout(std::uint64_t seed) {
  constexpr std::uint64_t kMostPath = 128, kMostParentheses = 16, kPage = 4096;
  if (seed == 0) return {};
  std::mt19937_64 random(seed);  // % and not a distribution: the same on every platform
  Layout layout;
  layout.result = "result-" + std::string(random() % kMostPath, 'x') + ".json";
  layout.parentheses = static_cast<int>(random() % kMostParentheses);
  layout.environment = fmt::format("{:016x}", random()) + std::string(random() % kPage, 'x');
  return layout;
}

std::uint64_t layout_seed(std::uint64_t run, std::uint64_t process) {
  std::seed_seq sequence{run >> 32, run & 0xffffffff, process >> 32, process & 0xffffffff};
  std::uint32_t parts[2];
  sequence.generate(parts, parts + 2);
  return (std::uint64_t{parts[0]} << 32 | parts[1]) | 1;
}

std::vector<std::unique_ptr<char[]>> blocks_of_layout(const char* value) {
  constexpr size_t kDigits = 16, kMostBlocks = 64, kLeast = 16, kMost = 1024;
  std::vector<std::unique_ptr<char[]>> blocks;
  if (!value || std::strlen(value) < kDigits) return blocks;
  std::uint64_t seed = 0;
  if (std::from_chars(value, value + kDigits, seed, 16).ptr != value + kDigits) return blocks;
  std::mt19937_64 random(seed);
  blocks.resize(random() % kMostBlocks);
  for (auto& block : blocks) block.reset(new char[kLeast + random() % (kMost - kLeast)]);
  return blocks;
}

}  // namespace cliffbench
