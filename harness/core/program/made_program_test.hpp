#pragma once

/// For tests: a Google Benchmark program that is a shell script, and which trials it ran.

#include <fstream>
#include <string>
#include <vector>

#include "harness/core/host/made_folder_test.hpp"

namespace cliffbench {

/// It has the benchmarks `names`; each takes $ms, but that there is no result of $without.
/// `before` the results it may set these, or define each(), which is given a benchmark's name and
/// sets its own $ms; `after` them it may end badly. Both have the names that were asked for as $@.
inline std::string made_program(const std::string& before = "", const std::string& after = "",
                                const std::string& names = "one") {
  return R"sh(
iterations=1
repetitions=1
for word; do
  case $word in
    --benchmark_list_tests*) lists=yes ;;
    --benchmark_out=*) out=${word#*=} ;;
    --benchmark_filter=*) filter=${word#*=} ;;
    --benchmark_min_time=*x) iterations=${word#*=}; iterations=${iterations%x} ;;
    --benchmark_repetitions=*) repetitions=${word#*=} ;;
    *interleaving*) shuffled=yes ;;
  esac
done
if [ "$lists" ]; then
  [ "$filter" != '^$' ] || echo "Failed to match any benchmarks against regex: $filter" >&2
  [ "$filter" = '^$' ] || printf '%s\n' )sh" +
         names + R"sh(
  exit
fi
IFS='|()^$'; set -f; set -- $filter; unset IFS
set -- $*
echo "$*" >> "$0.asked"
ms=1
each() { :; }
)sh" + before +
         R"sh(
echo '{"benchmarks": [' > "$out"
for name; do
  [ "$name" != "$without" ] || continue
  each "$name"
  left=$repetitions
  while [ "$left" -gt 0 ]; do
    echo "$comma {\"name\": \"$name\", \"run_name\": \"$name\", \"run_type\": \"iteration\"," \
         "\"iterations\": $iterations, \"real_time\": $ms, \"cpu_time\": $ms," \
         "\"time_unit\": \"ms\"}" >> "$out"
    comma=,
    left=$((left - 1))
  done
done
echo ']}' >> "$out"
)sh" + after;
}

/// Of such a script: says that its set-up is over, and hangs.
inline const std::string kHangs = "printf r > /dev/fd/$CLIFFBENCH_READY_FD; sleep 9\n";

/// The names that each process of a made program was asked for, in the order of the processes.
inline std::vector<std::string> asked_of(const std::filesystem::path& program) {
  std::ifstream file(program.string() + ".asked");
  std::vector<std::string> asked;
  for (std::string line; std::getline(file, line);) asked.push_back(line);
  return asked;
}

}  // namespace cliffbench
