#include "harness/core/host/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <utility>

#include "harness/core/host/file.hpp"
#include "harness/core/host/machine.hpp"
#include "harness/core/host/stopping.hpp"
#include "harness/core/text/text.hpp"

extern char** environ;

namespace cliffbench {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Where the child writes and we read, closed on exec, and what came through it.
struct Stream {
  OpenFile ours, childs;
  size_t keep;  ///< keeps at least this many of the last bytes, at most twice as many
  std::string text;

  explicit Stream(size_t bytes, std::optional<Output> kind = Output::pipe) : keep(bytes) {
    std::array<int, 2> ends{};
    if (!kind) return;
    if (!(kind == Output::terminal && open_terminal(ends)) && pipe(ends.data()) != 0) return;
    for (const int end : ends) fcntl(end, F_SETFD, FD_CLOEXEC);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    ours = OpenFile(ends[0]);
    childs = OpenFile(ends[1]);
  }
  [[nodiscard]] bool is_open() const { return ours.fd() >= 0; }

  /// Reads what is there, but only so much at a time that a writer that never stops cannot block
  /// us. Closes the stream at its end.
  void drain() {
    constexpr int kMostReads = 64;
    std::array<char, 65536> buffer;
    for (int reads = 0; is_open() && reads < kMostReads; ++reads) {
      const ssize_t size = read(ours.fd(), buffer.data(), buffer.size());
      if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
      if (size <= 0) {
        ours = OpenFile();
        return;
      }
      text.append(buffer.data(), static_cast<size_t>(size));
      if (text.size() > 2 * keep) text.erase(0, text.size() - keep);
    }
  }
};

/// A child's standard error, its word on how far it is, and its standard output.
struct Streams {
  Stream err{4096}, ready{16}, out;
  explicit Streams(std::optional<Output> output) : out(size_t{1} << 28, output) {}
  [[nodiscard]] std::array<Stream*, 3> all() { return {&err, &ready, &out}; }
};

/// Everything that the child needs, made before fork: after it only async-signal-safe calls are
/// allowed.
struct Launch {
  std::vector<std::string> words;
  std::vector<char*> argv;
  std::vector<std::string> settings;
  std::vector<char*> envp;
  pid_t parent = getpid();

  Launch(const std::vector<std::string>& arguments, const std::map<std::string, std::string>& added)
      : words(arguments) {
    argv = pointers_to(words);
    for (char** entry = environ; *entry; ++entry) {
      const std::string text = *entry;
      if (!added.contains(text.substr(0, text.find('=')))) settings.push_back(text);
    }
    for (const auto& [name, value] : added) settings.push_back(name + "=" + value);
    envp = pointers_to(settings);
  }
};

[[noreturn]] void exec_child(const Launch& launch, const Streams& streams,
                             std::int64_t memory_bytes) {
  setpgid(0, 0);
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // a killed runner leaves no trial running beside the next ones
  if (getppid() != launch.parent) _exit(127);
#endif
  const int nothing = open("/dev/null", O_RDWR);
  if (nothing < 0) _exit(127);
  dup2(nothing, STDIN_FILENO);
  const int out = streams.out.childs.fd();
  dup2(out >= 0 ? out : nothing, STDOUT_FILENO);
  dup2(streams.err.childs.fd(), STDERR_FILENO);
  const int ready = streams.ready.childs.fd();
  if (ready >= 0) fcntl(ready, F_SETFD, 0);
  if (memory_bytes > 0 && !kSanitized) {
    const rlimit limit{static_cast<rlim_t>(memory_bytes), static_cast<rlim_t>(memory_bytes)};
    setrlimit(RLIMIT_DATA, &limit);
  }
  prefer_fast_cores();
  for (const int signal : {SIGINT, SIGTERM, SIGQUIT, SIGPIPE, SIGXFSZ})
    std::signal(signal, SIG_DFL);
  execve(launch.argv[0], launch.argv.data(), launch.envp.data());
  dprintf(STDERR_FILENO, "cannot start %s: %s\n", launch.argv[0], strerror(errno));
  _exit(127);
}

/// Seconds that the main thread of a process, which may have ended, ran or waited for a processor.
std::optional<double> scheduled_s(pid_t pid) {
  constexpr double kNano = 1e-9;
  std::ifstream file("/proc/" + std::to_string(pid) + "/schedstat");  // Linux
  double ran_ns = 0;
  double ready_ns = 0;
  if (!(file >> ran_ns >> ready_ns) || ran_ns <= 0) return std::nullopt;
  return (ran_ns + ready_ns) * kNano;
}

bool has_ended(pid_t pid) {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == pid;
}

/// Ends the whole group, however the child ended. Its zombie keeps the group's id ours until wait4.
void reap(pid_t pid, Process& process) {
  kill(-pid, SIGKILL);
  kill(pid, SIGKILL);  // in case it has not reached setpgid yet
  int status = 0;
  rusage usage{};
  while (wait4(pid, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  process.cpu_s = cpu_seconds(usage);
  process.rss_bytes = peak_rss_bytes(usage);
  if (WIFSIGNALED(status)) process.signal = WTERMSIG(status);
  if (WIFEXITED(status)) process.exit_code = WEXITSTATUS(status);
}

/// Listens to the child until it has ended or must be stopped, and says why. A forked grandchild
/// can hold the streams open and a child can close them, so their end proves nothing: the tick asks
/// for the child itself.
Process::Stopped listen(pid_t pid, Clock::time_point start, const ProcessLimits& limits,
                        Streams& streams) {
  constexpr int kTick_ms = 50;
  int wait_us = 20;  // once all streams are closed: it is most likely ending now
  auto span = Process::Stopped::in_setup;
  Clock::time_point span_start = start;
  std::optional<Clock::time_point> whole_since;
  double next_question_s = limits.asked_after_s;
  while (!has_ended(pid)) {
    if (limits.is_whole && !whole_since && seconds_since(start) >= next_question_s) {
      if (limits.is_whole(streams.out.text, streams.err.text)) whole_since = Clock::now();
      next_question_s = seconds_since(start) + kLinger_s / 4;
    }
    if (whole_since && seconds_since(*whole_since) > kLinger_s) return Process::Stopped::at_its_end;

    const double whole_left_s = limits.whole_s - seconds_since(start);
    const double left_s = std::min(limits.span_s - seconds_since(span_start), whole_left_s);
    if (stop_requested()) return Process::Stopped::by_user;
    if (limits.memory_bytes > 0 && unguarded_memory_bytes(pid) > limits.memory_bytes) {
      return Process::Stopped::over_memory;
    }
    if (left_s <= 0) return whole_left_s <= 0 ? Process::Stopped::over_budget : span;
    std::array<pollfd, 3> polled{};
    int open = 0;
    for (Stream* stream : streams.all()) {
      if (stream->is_open()) polled[open++] = {stream->ours.fd(), POLLIN, 0};
    }
    if (open == 0) {
      usleep(static_cast<useconds_t>(wait_us));
      wait_us = std::min(2 * wait_us, kTick_ms * 1000);
      continue;
    }
    const double left_ms = std::min<double>(kTick_ms, 1 + left_s * 1000);
    poll(polled.data(), static_cast<nfds_t>(open), static_cast<int>(left_ms));
    for (Stream* stream : streams.all()) stream->drain();
    for (const char byte : std::exchange(streams.ready.text, "")) {
      if (byte != 'r' && byte != 'd') continue;
      span = byte == 'r' ? Process::Stopped::in_timed_region : Process::Stopped::afterwards;
      span_start = Clock::now();
    }
  }
  return Process::Stopped::no;
}

Process capture(const std::vector<std::string>& argv, std::map<std::string, std::string> added,
                const ProcessLimits& limits, std::optional<Output> output) {
  adopt_orphans();
  stop_on_signals();
  Streams streams(output);
  added["CLIFFBENCH_READY_FD"] = std::to_string(streams.ready.childs.fd());
  const Launch launch(argv, added);
  Process process;
  const auto start = Clock::now();
  const pid_t pid = fork();
  if (pid < 0) {
    process.exit_code = 127;
    process.last_words = std::string("cannot fork: ") + std::strerror(errno);
    return process;
  }
  if (pid == 0) exec_child(launch, streams, limits.memory_bytes);
  setpgid(pid, pid);
  for (Stream* stream : streams.all()) stream->childs = OpenFile();
  process.stopped = listen(pid, start, limits, streams);
  process.wall_s = seconds_since(start);
  if (const auto scheduled = scheduled_s(pid)) {
    process.blocked_s = std::max(0.0, process.wall_s - *scheduled);
  }
  reap(pid, process);
  end_orphans();
  if (process.stopped == Process::Stopped::no && asked_to_end(process.signal)) {
    process.stopped = Process::Stopped::by_user;
  }
  streams.err.drain();
  streams.out.drain();
  const std::string& words = streams.err.text;
  process.last_words = words.substr(words.size() - std::min(words.size(), streams.err.keep));
  process.output = std::move(streams.out.text);
  return process;
}

}  // namespace

bool open_terminal(std::array<int, 2>& ends) {
  OpenFile ours(posix_openpt(O_RDWR | O_NOCTTY));
  if (ours.fd() < 0 || grantpt(ours.fd()) != 0 || unlockpt(ours.fd()) != 0) return false;
  const char* name = ptsname(ours.fd());
  OpenFile childs(name ? open(name, O_RDWR | O_NOCTTY) : -1);
  termios settings{};
  if (childs.fd() < 0 || tcgetattr(childs.fd(), &settings) != 0) return false;
  cfmakeraw(&settings);
  if (tcsetattr(childs.fd(), TCSANOW, &settings) != 0) return false;
  ends = {ours.release(), childs.release()};
  return true;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

Process run_process(const std::vector<std::string>& argv,
                    const std::map<std::string, std::string>& environment,
                    const ProcessLimits& limits) {
  return capture(argv, environment, limits, std::nullopt);
}

Process read_output(const std::vector<std::string>& argv, const ProcessLimits& limits, Output to) {
  Process process = capture(argv, {}, limits, to);
  if (process.stopped != Process::Stopped::no || process.signal) process.exit_code = 128;
  return process;
}

std::string bad_end(const Process& process) {
  if (process.stopped == Process::Stopped::at_its_end) return "did not end";
  if (process.stopped != Process::Stopped::no) {
    return "was stopped after " + duration(process.wall_s);
  }
  if (process.signal) {
    return fmt::format("ended by signal {} ({})", process.signal, strsignal(process.signal));
  }
  return process.exit_code ? fmt::format("ended with exit code {}", process.exit_code) : "";
}

}  // namespace cliffbench
