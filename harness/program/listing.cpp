#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>
#include <unordered_set>

#include "harness/case/declaration.hpp"
#include "harness/host/exact.hpp"
#include "harness/host/process.hpp"
#include "harness/host/stopping.hpp"
#include "harness/program/program.hpp"
#include "harness/text/text.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// Nothing is measured there, but a cold library may take seconds to load.
constexpr double kDescribe_s = 60;

/// Throws StoppedByUser.
Process ask(const fs::path& program, const std::vector<std::string>& words) {
  Process answer = read_output(words, kDescribe_s);
  if (!stop_requested()) return answer;
  throw StoppedByUser("stopped while " + program.string() + " was asked for its benchmarks");
}

std::string before_at(const std::string& name) { return name.substr(0, name.find('@')); }

/// Whether the word is a name, "<case>@<subject>", or what stands before its @.
bool means(const std::string& word, const std::string& name) {
  return name == word || before_at(name) == word;
}

UserError no_such_case(const std::string& word, const std::vector<std::string>& names) {
  std::vector<std::string> short_names = names;
  for (const std::string& name : names) short_names.push_back(before_at(name));
  const std::string meant = nearest(word, short_names);
  if (!meant.empty()) return UserError(no_such("case", word, {meant}));
  return UserError(no_such("case", word, names) + ", or the path of a program");
}

/// The last line that says something of the program: newer libraries complain of a flag that we
/// give without a suffix, as older ones refuse the suffix.
std::string last_line(const std::string& words) {
  constexpr std::string_view kOfOurFlag = "--benchmark_min_time should have a suffix";
  std::string last;
  std::istringstream stream(words);
  for (std::string line; std::getline(stream, line);) {
    if (line.find(kOfOurFlag) != std::string::npos) continue;
    if (line.find_first_not_of(" \t\r") != std::string::npos) last = line;
  }
  return last.substr(0, 300);
}

/// A program's answer when it is asked to list its benchmarks.
struct Listing {
  Process answer;
  bool takes_counts = false;
};

Listing ask_for_list(const fs::path& program, const std::vector<std::string>& arguments,
                     const std::string& filter) {
  const auto list = [&](const std::string& min_time) {
    std::vector<std::string> words = {program.string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    words.insert(words.end(), {"--benchmark_list_tests=true", "--benchmark_filter=" + filter,
                               "--benchmark_min_time=" + min_time});
    return ask(program, words);
  };
  // Libraries before 1.8 want a number and no count. They say so, but a program that does not ask
  // for what it has not understood goes on, and would run for the library's own time.
  constexpr std::string_view kNoCount = "expected to be a double";
  Listing listing{.answer = list("1x")};
  listing.takes_counts = listing.answer.exit_code == 0 &&
                         listing.answer.last_words.find(kNoCount) == std::string::npos;
  if (listing.answer.exit_code) listing.answer = list("0");
  return listing;
}

/// Throws CannotMeasure when the answer is no list of benchmarks.
Benchmarks read_list(const fs::path& program, const Listing& listing) {
  const auto broken = [&](const std::string& what) {
    return CannotMeasure(
        fmt::format("{} {}; give a Google Benchmark program, one that knows --benchmark_list_tests",
                    program.string(), what));
  };
  const Process& answer = listing.answer;
  if (answer.exit_code) {
    const std::string words = last_line(answer.last_words);
    throw broken(fmt::format("{} when asked for its benchmarks{}", bad_end(answer),
                             words.empty() ? "" : " (it said: " + words + ")"));
  }
  constexpr size_t kLongest = 10000;
  Benchmarks benchmarks{.takes_counts = listing.takes_counts};
  std::unordered_set<std::string> listed;
  std::istringstream lines(answer.output);
  for (std::string name; std::getline(lines, name);) {
    if (name.find("--benchmark_") != std::string::npos || name.size() > kLongest) {
      throw broken("does not list benchmarks but prints something else");
    }
    if (name.empty()) continue;
    const bool first = listed.insert(name).second;
    (first ? benchmarks.names : benchmarks.duplicates).push_back(std::move(name));
  }
  return benchmarks;
}

/// Whether the library says that the filter is no regular expression; it ends well all the same.
bool refuses_filter(const Process& answer) {
  return answer.exit_code || answer.last_words.find("ould not compile") != std::string::npos;
}

}  // namespace

std::string with_last_words(const std::string& reason, const std::string& words) {
  const std::string last = last_line(words);
  return last.empty() ? reason : reason + "; it said: " + last;
}

std::map<std::string, Description> describe_program(const fs::path& program) {
  const Process answer = ask(program, {program.string(), "--describe"});
  const auto broken = [&](const std::string& what) {
    return CannotMeasure(
        with_last_words(program.string() + " --describe " + what, answer.last_words));
  };
  if (answer.exit_code) throw broken(bad_end(answer));
  std::vector<Description> cases;
  try {
    std::istringstream lines(answer.output);
    for (std::string line; std::getline(lines, line);) {
      cases.push_back(parse_description(Json::parse(line)));
      check_declaration(cases.back().declared);
    }
  } catch (const std::exception& error) {
    throw broken(fmt::format("did not print a case's declaration ({})", what_is_wrong(error)));
  }
  if (cases.empty()) throw broken("did not print a case's declaration (it printed nothing)");
  std::map<std::string, Description> named;
  for (Description& description : cases) {
    const Case& declared = description.declared;
    std::string name = cases.size() == 1 ? program.filename().string()
                                         : declared.name + "@" + declared.subject.name;
    named.emplace(std::move(name), std::move(description));
  }
  return named;
}

CasePrograms wanted_cases(const std::vector<std::string>& words, const fs::path& folder) {
  const auto programs = find_programs(folder);
  if (programs.empty() && words.empty()) {
    throw UserError("there are no case programs in " + folder.string() +
                    "; run in a checkout: make build");
  }
  std::map<fs::path, CasePrograms> asked;  // each program once
  const auto cases_of = [&](const fs::path& path) -> const CasePrograms& {
    CasePrograms& cases = asked[path];
    if (!cases.empty()) return cases;
    for (auto& [name, description] : describe_program(path)) {
      cases.try_emplace(name, path, std::move(description));
    }
    return cases;
  };
  CasePrograms wanted;
  if (words.empty()) {
    for (const auto& [name, path] : programs) wanted.merge(CasePrograms(cases_of(path)));
  }
  for (const std::string& word : words) {
    CasePrograms meant;
    for (const auto& [name, path] : programs) {
      if (means(word, name)) meant.merge(CasePrograms(cases_of(path)));
    }
    if (meant.empty() && word.find('/') != std::string::npos && fs::is_regular_file(word)) {
      meant = cases_of(fs::absolute(word));
    }
    if (!meant.empty()) {
      wanted.merge(meant);
      continue;
    }
    std::vector<std::string> names;  // of all cases; of a program that is broken, its own
    for (const auto& [program, path] : programs) {
      try {
        for (const auto& of_case : cases_of(path)) {
          names.push_back(of_case.first);
          if (means(word, of_case.first)) meant.insert(of_case);
        }
      } catch (const CannotMeasure&) {
        names.push_back(program);
      }
    }
    if (meant.empty()) throw no_such_case(word, names);
    wanted.merge(meant);
  }
  return wanted;
}

std::map<std::string, fs::path> find_programs(const fs::path& folder) {
  std::map<std::string, fs::path> programs;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(folder, missing)) {
    if (!entry.is_regular_file() || access(entry.path().c_str(), X_OK) != 0) continue;
    programs[entry.path().filename().string()] = entry.path();
  }
  return programs;
}

void forget_library_flags() {
  for (const char* flag : {"COLOR", "CONTEXT", "COUNTERS_TABULAR", "DISPLAY_AGGREGATES_ONLY",
                           "DRY_RUN", "ENABLE_RANDOM_INTERLEAVING", "FILTER", "FORMAT",
                           "LIST_TESTS", "MIN_TIME", "MIN_WARMUP_TIME", "OUT", "OUT_FORMAT",
                           "PERF_COUNTERS", "REPETITIONS", "REPORT_AGGREGATES_ONLY", "TIME_UNIT"}) {
    unsetenv((std::string("BENCHMARK_") + flag).c_str());
  }
}

Benchmarks list_benchmarks(const fs::path& program, const std::vector<std::string>& arguments,
                           const std::string& filter) {
  constexpr const char* kAll = "^";  // without a filter listing takes quadratic time
  const Listing chosen = ask_for_list(program, arguments, filter.empty() ? kAll : filter);
  if (filter.empty() || !refuses_filter(chosen.answer)) {
    Benchmarks benchmarks = read_list(program, chosen);
    if (!benchmarks.names.empty()) return benchmarks;
  }
  // A program that lists nothing at all, or cannot be started, is to blame itself.
  const bool blameless =
      !filter.empty() && !read_list(program, ask_for_list(program, arguments, kAll)).names.empty();
  if (!blameless) {
    throw CannotMeasure(program.string() +
                        " lists no benchmark; give a Google Benchmark program, one that knows "
                        "--benchmark_list_tests");
  }
  if (!refuses_filter(chosen.answer)) return {.takes_counts = chosen.takes_counts};
  throw UserError(with_last_words(fmt::format("--filter '{}' is no expression that {} can use",
                                              filter.substr(0, 60), program.filename().string()),
                                  chosen.answer.last_words));
}

}  // namespace cliffbench
