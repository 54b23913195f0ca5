#include "harness/host/orphans.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>
#ifdef __linux__
#include <sys/prctl.h>
#endif

namespace cliffbench {

#ifdef __linux__
namespace {

std::vector<pid_t> children() {
  std::vector<pid_t> found;
  std::ifstream file(fmt::format("/proc/{0}/task/{0}/children", getpid()));
  for (pid_t child = 0; file >> child;) found.push_back(child);
  return found;
}

/// Those that were there before us.
const std::vector<pid_t>& strangers() {
  static const std::vector<pid_t> found = children();
  return found;
}

}  // namespace
#endif

void adopt_orphans() {
#ifdef __linux__
  (void)strangers();
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
#endif
}

void end_leftovers(const std::filesystem::path& scratch) {
#ifdef __linux__
  const std::string wanted = "TMPDIR=" + scratch.string();
  const auto ours = [&](const std::filesystem::path& process) {
    std::ifstream file(process / "environ", std::ios::binary);
    for (std::string setting; std::getline(file, setting, '\0');) {
      if (setting == wanted || setting.starts_with(wanted + "/")) return true;
    }
    return false;
  };
  constexpr int kMostLooks = 10;  // one that was just forking is found by the next look
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
#else
  (void)scratch;
#endif
}

int end_orphans() {
  int ended = 0;
#ifdef __linux__
  for (bool any = true; any;) {  // whatever a child of ours leaves behind becomes our child in turn
    any = false;
    for (const pid_t child : children()) {
      if (std::find(strangers().begin(), strangers().end(), child) != strangers().end()) continue;
      any = true;
      kill(child, SIGKILL);
      while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
      }
      ++ended;
    }
  }
#endif
  return ended;
}

}  // namespace cliffbench
