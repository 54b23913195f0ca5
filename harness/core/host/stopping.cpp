#include "harness/core/host/stopping.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>
#ifdef __linux__
#include <sys/prctl.h>
#endif

namespace cliffbench {

static std::atomic<bool> stop_flag = false;

void stop_on_signals() {
  struct sigaction action{};
  action.sa_handler = [](int) { stop_flag = true; };
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaction(signal, &action, nullptr);
}

bool stop_requested() { return stop_flag; }

bool asked_to_end(int signal) {
  constexpr std::array kAsking = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGKILL};
  if (std::find(kAsking.begin(), kAsking.end(), signal) == kAsking.end()) return false;
  constexpr int kPatience_ms = 200;
  for (int waited = 0; waited < kPatience_ms && !stop_requested(); ++waited) usleep(1000);
  return stop_requested();
}

#ifdef __linux__
namespace {

std::vector<pid_t> children() {
  std::vector<pid_t> pids;
  std::ifstream file(fmt::format("/proc/{0}/task/{0}/children", getpid()));
  for (pid_t child = 0; file >> child;) pids.push_back(child);
  return pids;
}

/// Children that this process had before the first call; they are not ours to end.
const std::vector<pid_t>& strangers() {
  static const std::vector<pid_t> before_us = children();
  return before_us;
}

}  // namespace

void adopt_orphans() {
  (void)strangers();
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

void end_orphans() {
  for (bool any = true; any;) {  // orphans of a child that we end become our children in turn
    any = false;
    for (const pid_t child : children()) {
      if (std::find(strangers().begin(), strangers().end(), child) != strangers().end()) continue;
      any = true;
      kill(child, SIGKILL);
      while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
      }
    }
  }
}

void end_leftovers(const std::filesystem::path& scratch) {
  const std::string wanted = "TMPDIR=" + scratch.string();
  const auto ours = [&](const std::filesystem::path& process) {
    std::ifstream file(process / "environ", std::ios::binary);
    for (std::string setting; std::getline(file, setting, '\0');) {
      if (setting == wanted || setting.starts_with(wanted + "/")) return true;
    }
    return false;
  };
  constexpr int kMostLooks = 10;  // a process that was just forking is found by the next look
  bool any = true;
  for (int looks = 0; any && looks < kMostLooks; ++looks) {
    any = false;
    std::error_code gone;
    for (const auto& process : std::filesystem::directory_iterator("/proc", gone)) {
      const pid_t pid = std::atoi(process.path().filename().c_str());
      if (pid <= 0 || pid == getpid() || !ours(process.path())) continue;
      any = true;
      kill(pid, SIGKILL);
    }
  }
}
#else
void adopt_orphans() {}
void end_orphans() {}
void end_leftovers(const std::filesystem::path&) {}
#endif

}  // namespace cliffbench
