// A case that misbehaves as it is told: every fault must become its own status, and the run must go
// on.
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "harness/suite/kit/kit.hpp"

namespace {

using namespace std::chrono_literals;

[[noreturn]] void hang() {
  std::signal(SIGTERM, SIG_IGN);
  for (;;) std::this_thread::sleep_for(1h);
}

void eat_memory() {
  std::vector<std::vector<char>> eaten;
  for (size_t size = 1 << 24;; size *= 2) eaten.emplace_back(size, 'x');
}

void misbehave(const std::string& deed) {
  if (deed == "crash") std::raise(SIGSEGV);
  if (deed == "exit") std::_Exit(3);
  if (deed == "hang") hang();
  if (deed == "eat_memory") eat_memory();
  if (deed == "throw") throw std::runtime_error("a reason with \"quotes\"");
  if (deed == "fork" && fork() == 0) hang();
  if (deed == "flood") {
    const std::string line(1 << 16, 'y');
    for (int i = 0; i < 200; ++i) std::fwrite(line.data(), 1, line.size(), i % 2 ? stdout : stderr);
  }
}

const cliffbench::Patch kGoodManners{"good_manners", "20 ms", "2 ms", "none", "made up", "nothing"};

void measure(benchmark::State& state, cliffbench::Trial& trial) {
  const std::string deed = trial.params.at("deed");
  const bool patched = trial.has_patch(kGoodManners);
  if (deed == "senseless") throw cliffbench::Skipped("these parameters make no sense");
  if (deed == "slow_setup") hang();
  trial.ready();
  for (auto _ : state) {
    const auto stage = trial.stage("work");
    std::this_thread::sleep_for(patched ? 2ms : 20ms);
    if (deed != "slow_check") misbehave(patched ? "nothing" : deed);
  }
  trial.done();
  trial.digest(deed == "lie" && patched ? "another" : "the same");
  if (deed == "slow_check") hang();
  if (deed == "wrong") trial.wrong("2 and 2 made 5");
  if (deed == "garbage") state.counters["stage:work"] = 0.0 / 0.0;  // "nan": no JSON
}

}  // namespace

int main(int argc, char** argv) {
  using namespace cliffbench;
  const Case declared{
      .name = "faults",
      .why = "It misbehaves as it is told.",
      .subject = {"itself", "1", ""},
      .axes = {{"deed",
                "",
                {"nothing", "crash", "exit", "hang", "eat_memory", "throw", "fork", "flood",
                 "senseless", "slow_setup", "slow_check", "lie", "wrong", "garbage"}},
               {"size", "things", {"1", "2"}}},
      .variants = {{"baseline", Role::baseline, "misbehaves"},
                   {"patched", Role::patch, "is ten times faster", {"good_manners"}}},
      .patches = {kGoodManners},
      .claims = {{.id = "faster",
                  .text = "patched is at least twice as fast",
                  .variant = "patched",
                  .where = {{"size", "1"}},
                  .range = {2},
                  .source = "made up"}},
      .profiles = {{"quick",
                    "six rounds of good behaviour",
                    {{.variants = {"baseline", "patched"}}}}},
      .limit_s = 0.5};
  return case_main({{declared, measure}}, argc, argv);
}
