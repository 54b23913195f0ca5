// A made-up Google Benchmark program for the tests of the gate: no clock decides anything. It is
// the interpreter of a script whose second line is its settings, in JSON
// (harness/tests/made_gate.py writes it), so that its start, which is most of a test's time, costs
// little. It takes
// --benchmark_list_tests, --benchmark_filter, --benchmark_min_time,
// --benchmark_repetitions and --benchmark_out as the library does. The settings:
//
// clang-format off
//     names     list of benchmarks; "one" unless given
//     ms        made-up time of an iteration; 1.0
//     batches   factors of the time, of each repetition; unless given the first is 1, each later one 1 % more
//     noise     relative noise, which the number of the run gives; 0.005
//     slow      numbers of the runs (from 1, listing apart) that take 10 % longer
//     slower    name of one that takes 20 % longer
//     hangs     name of one that hangs when it is run
//     counts    whether it takes --benchmark_min_time=<N>x; true
//     unheard   a main of its own with library 1.7: it complains of a count and runs the library's default instead
//     own       arguments of its own, which must stand first
//     here      [working folder, value of $MINE, value of $LC_ALL] that it asks for
//     beside    end of the name of a file beside it that it needs
//     sleep_s   how long a run really takes; 0
//     busy_s    how long it keeps a processor busy; 0
//     at        {number of a run: "crash" | "hang" | "interrupt" | "error" | "nan" | "zero" | "empty" | "replace" |
//               "fill" | "eat"}, "*" for every run
//     regex     takes the filter of a run as an expression; else it must be ^NAME$, or several with | between
//     moody     lists other names each time
//     says      lines that it prints before the names; %d is a number that is never the same
//     start_s   how long it takes to start
//     label     the label of each benchmark
//     counters  counters of each benchmark
//     daemon    leaves a process of its own session behind, which holds its streams
//     late      what it does at its very end, when it has listed or measured: "crash" | "hang" | "unlisted" (crash, but not in a list)
//     flood     bytes that it writes to standard output, in a run and when it lists
// clang-format on
#include <fcntl.h>
#include <fmt/format.h>
#include <regex.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Names = std::vector<std::string>;

[[noreturn]] void give_up(const std::string& why, int code = 1) {
  std::cerr << why << '\n';
  std::exit(code);
}

void sleep_for(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

/// An extended POSIX expression, as the library's.
class Expression {
 public:
  explicit Expression(const std::string& text) {
    if (const int code = regcomp(&compiled_, text.c_str(), REG_EXTENDED | REG_NOSUB)) {
      char why[200];
      regerror(code, &compiled_, why, sizeof why);
      give_up(fmt::format("Could not compile benchmark re: {}", why),
              0);  // it lists nothing and ends well
    }
  }
  ~Expression() { regfree(&compiled_); }
  Expression(const Expression&) = delete;
  Expression& operator=(const Expression&) = delete;

  [[nodiscard]] bool finds(const std::string& name) const {
    return regexec(&compiled_, name.c_str(), 0, nullptr, 0) == 0;
  }

 private:
  regex_t compiled_{};
};

class Program {
 public:
  explicit Program(const char* script) : path_(script), here_(fs::canonical(script)) {
    std::ifstream file(here_);
    std::string line;
    std::getline(file, line);
    std::getline(file, line);
    settings_ = json::parse(line);
  }

  int run(Names words) {
    sleep_for(get("start_s", 0.0));
    if (const auto beside = get<std::string>("beside", "");
        !beside.empty() && !fs::exists(path_ + beside)) {
      give_up("no " + path_ + beside);
    }
    parse(std::move(words));
    const long iterations = count_of(flag("min_time", "0.5"));
    for (long left = get("flood", 0L) >> 20; left > 0; --left) {
      static const std::string block(1 << 20, 'y');
      if (write(1, block.data(), block.size()) < 0) return 1;
    }
    const bool lists = flags_.contains("list_tests");
    if (lists) list();
    if (!lists) measure(iterations);
    const auto late = get<std::string>("late", "");
    if (late == "unlisted" && !lists) misbehave("crash");
    misbehave(late);
    return 0;
  }

 private:
  template <typename T>
  [[nodiscard]] T get(const char* name, const T& otherwise) const {
    return settings_.value(name, otherwise);
  }
  [[nodiscard]] Names names() const { return get("names", Names{"one"}); }
  [[nodiscard]] std::string flag(const std::string& name, const std::string& otherwise) const {
    const auto found = flags_.find(name);
    return found == flags_.end() ? otherwise : found->second;
  }

  void parse(Names words) {
    const auto own = get("own", Names{});
    if (words.size() < own.size() || !std::equal(own.begin(), own.end(), words.begin()))
      give_up("wants its own words");
    const Names here{fs::current_path().string(), variable("MINE"), variable("LC_ALL")};
    if (get("here", here) != here) give_up("not here");
    for (std::size_t i = own.size(); i < words.size(); ++i) {
      constexpr std::string_view kPrefix = "--benchmark_";
      if (!words[i].starts_with(kPrefix)) give_up("unknown flag: " + words[i]);
      const std::string word = words[i].substr(kPrefix.size());
      const std::size_t end = std::min(word.find('='), word.size());
      flags_[word.substr(0, end)] = word.substr(std::min(end + 1, word.size()));
    }
  }

  /// The run's number among those of a kind, counted in a file beside the program. Written whole or
  /// not at all: a test may kill this program at any moment.
  [[nodiscard]] int next(const std::string& kind) const {
    const std::string file = here_.string() + "." + kind;
    int number = 0;
    std::ifstream(file) >> number;
    std::ofstream(file + ".new") << ++number;
    fs::rename(file + ".new", file);
    return number;
  }

  /// Iterations of --benchmark_min_time: of 7x exactly 7; of 0.05 what takes 0.05 s.
  [[nodiscard]] long count_of(const std::string& min_time) const {
    if (!min_time.ends_with('x')) {
      return std::max(1L,
                      std::lround(std::strtod(min_time.c_str(), nullptr) * 1000 / get("ms", 1.0)));
    }
    const std::string complaint = fmt::format(
        "The value of flag --benchmark_min_time is expected to be a double, but actually has value "
        "\"{}\".",
        min_time);
    if (!get("counts", true)) give_up(complaint);
    if (!get("unheard", false)) return std::stol(min_time);
    std::cerr << complaint << '\n';
    return 500;
  }

  /// As the library does it: a leading - excludes.
  void list() {
    const int mood = next("listed");
    const std::string filter = flag("filter", "");
    const bool excludes = filter.starts_with('-');
    const Expression expression(filter.substr(excludes ? 1 : 0));
    Names found;
    for (std::string name : names()) {
      if (get("moody", false)) name += std::to_string(mood);
      if (expression.finds(name) != excludes) found.push_back(name);
    }
    for (std::string line : get("says", Names{})) {
      const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
      if (const std::size_t at = line.find("%d"); at != line.npos)
        line.replace(at, 2, std::to_string(now));
      std::cout << line << '\n';
    }
    for (const std::string& name : found) std::cout << name << '\n';
    if (found.empty())
      std::cerr << "Failed to match any benchmarks against regex: " << filter << '\n';
  }

  /// Whether the filter of a run is this name's. Pairs of parentheses around it mean nothing.
  [[nodiscard]] bool is_asked_for(const std::string& name) const {
    const std::string filter = flag("filter", "");
    if (get("regex", false)) return Expression(filter).finds(name);
    const std::size_t around = std::min(filter.find_first_not_of('(', 1), filter.size()) - 1;
    const std::string wanted =
        "^" + std::string(around, '(') + name + std::string(around, ')') + "$";
    return ("|" + filter + "|").find("|" + wanted + "|") != std::string::npos;
  }

  void misbehave(const std::string& deed) const {
    if (deed == "crash") kill(getpid(), SIGABRT);
    if (deed == "hang") {
      std::signal(SIGTERM, SIG_IGN);
      sleep_for(600);
    }
    if (deed == "fill") fill();
    if (deed == "eat") std::cerr << std::vector<char>(400'000'000).front();
    if (deed == "replace") {  // as a linker does it: a new file under the old name
      const fs::path built = here_.string() + ".new";
      fs::copy_file(here_, built);
      std::ofstream(built, std::ios::app) << "# built anew\n";
      fs::rename(built, here_);
    }
    if (deed == "interrupt") {
      kill(getppid(), SIGINT);
      sleep_for(600);
    }
  }

  /// Fills the disk that its temporary files are on.
  static void fill() {
    const std::string block(1000, 'x');
    const int file = open((variable("TMPDIR") + "/../filling").c_str(), O_WRONLY | O_CREAT, 0600);
    while (file >= 0 && write(file, block.data(), block.size()) > 0) continue;
    std::exit(3);
  }

  [[nodiscard]] std::string result(const std::string& name, int number, long iterations,
                                   const std::string& deed, std::size_t repetition) const {
    if (deed == "error") {
      return fmt::format(
          R"({{"name": "{}", "error_occurred": true, "error_message": "no such file"}})", name);
    }
    const double noise = get("noise", 0.005) * (number * 7919 % 1000 / 500.0 - 1);  // -1 to 1
    double ms = get("ms", 1.0) * (1 + noise);
    if (std::ranges::count(get("slow", std::vector<int>{}), number)) ms *= 1.1;
    if (name == get<std::string>("slower", "")) ms *= 1.2;
    const auto batches = get("batches", std::vector<double>{});
    ms *= batches.empty() ? 1 + static_cast<double>(repetition) / 100 : batches.at(repetition);
    if (deed == "zero") ms = 0;
    std::string more;
    const auto counters = get("counters", json::object());
    for (const auto& [counter, value] : counters.items()) {
      more += fmt::format(R"("{}": {}, )", counter, value.dump());
    }
    if (settings_.contains("label"))
      more += fmt::format(R"("label": "{}", )", get<std::string>("label", ""));
    return fmt::format(
        R"({{"name": "{0}", "run_name": "{0}", "run_type": "iteration", "iterations": {1}, "real_time": {2}, )"
        R"("cpu_time": {3}, {4}"time_unit": "ms"}})",
        name, iterations, deed == "nan" ? "nan" : fmt::format("{}", ms), ms, more);
  }

  void measure(long iterations) const {
    const int number = next("runs");
    if (get("daemon", false) && fork() == 0) {
      setsid();
      sleep_for(5);
      _exit(0);
    }
    const auto deeds = get("at", std::map<std::string, std::string>{});
    auto deed = deeds.find(std::to_string(number));
    if (deed == deeds.end()) deed = deeds.find("*");
    const std::string what = deed == deeds.end() ? "" : deed->second;
    misbehave(what);
    if (const auto name = get<std::string>("hangs", ""); !name.empty() && is_asked_for(name))
      sleep_for(100);
    sleep_for(get("sleep_s", 0.0));
    while (static_cast<double>(std::clock()) / CLOCKS_PER_SEC < get("busy_s", 0.0)) continue;
    std::string found;
    for (const std::string& name : names()) {
      if (!is_asked_for(name)) continue;
      for (std::size_t i = 0; i < std::stoul(flag("repetitions", "1")); ++i) {
        found += (found.empty() ? "" : ", ") + result(name, number, iterations, what, i);
      }
    }
    std::ofstream(flag("out", "")) << (what == "empty" ? "" : "{\"benchmarks\": [" + found + "]}");
  }

  std::string path_;  ///< as it was started
  fs::path here_;
  json settings_;
  std::map<std::string, std::string> flags_;
};

}  // namespace

int main(int argc, char** argv) { return Program(argv[1]).run(Names(argv + 2, argv + argc)); }
