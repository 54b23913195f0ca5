#include "harness/host/stopping.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>

namespace cliffbench {

static std::atomic<bool> stop_flag = false;

void request_stop() { stop_flag = true; }

void stop_on_signals() {
  struct sigaction action {};
  action.sa_handler = [](int) { request_stop(); };
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

}  // namespace cliffbench
