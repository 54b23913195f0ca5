#include "harness/orphans.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <string>
#ifdef __linux__
#include <sys/prctl.h>
#endif

namespace cliffbench {

void adopt_orphans() {
#ifdef __linux__
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
#endif
}

int end_orphans() {
  int ended = 0;
#ifdef __linux__
  const std::string file = fmt::format("/proc/{0}/task/{0}/children", getpid());
  for (;;) {  // whatever a child of ours leaves behind becomes our child in turn
    std::ifstream children(file);
    bool any = false;
    for (pid_t child = 0; children >> child;) {
      any = true;
      kill(child, SIGKILL);
      while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
      }
      ++ended;
    }
    if (!any) break;
  }
#endif
  return ended;
}

}  // namespace cliffbench
