#pragma once

/// Says a sentence on standard error without changing the program: nothing when that was closed at
/// the start or is another file now, and never so that it blocks or raises a signal. One sentence a
/// process on a terminal; every sentence with -v. Without the C++ library: see preload.cpp.

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "patches/halide_patched/preload.hpp"

/// Standard error as it was at the start.
struct StandardError {
  struct stat file = {};
  bool open = false;

  void remember() { open = fstat(STDERR_FILENO, &file) == 0; }
  [[nodiscard]] bool is_same() const {
    struct stat now;
    return open && fstat(STDERR_FILENO, &now) == 0 && now.st_dev == file.st_dev &&
           now.st_ino == file.st_ino;
  }
};

inline constinit StandardError standard_error;

/// A write that ends at once. Pipes and terminals are opened anew, because O_NONBLOCK counts for
/// all who share what was opened.
inline void write_at_once(const char* words, size_t size, mode_t mode) {
  if (S_ISSOCK(mode)) {
    (void)send(STDERR_FILENO, words, size, MSG_DONTWAIT | MSG_NOSIGNAL);
  } else if (S_ISREG(mode)) {
    (void)!write(STDERR_FILENO, words, size);
  } else {
    const int again = open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (again < 0) return;
    (void)!write(again, words, size);
    close(again);
  }
}

/// The same where each signal that a write can raise for this thread is taken back.
inline void write_in_silence(const char* words, size_t size, mode_t mode) {
  const int signals[] = {SIGPIPE, SIGXFSZ, SIGTTOU};
  sigset_t of_writes, before, pending;
  sigemptyset(&of_writes);
  for (const int signal : signals) sigaddset(&of_writes, signal);
  sigpending(&pending);
  for (const int signal : signals) {
    if (sigismember(&pending, signal) == 1) return;  // it would not be known whose it is
  }
  sigprocmask(SIG_BLOCK, &of_writes, &before);
  write_at_once(words, size, mode);
  const timespec none = {};
  while (sigtimedwait(&of_writes, nullptr, &none) > 0) {
  }
  sigprocmask(SIG_SETMASK, &before, nullptr);
}

inline bool is_verbose() { return getenv(kVerboseVariable); }

/// Says a sentence of at most some ten thousand letters.
[[gnu::format(printf, 1, 2)]] inline void say(const char* format, ...) {
  static constinit std::atomic<bool> said = false;
  if (!standard_error.is_same()) return;
  const int error = errno;
  if (is_verbose() || (isatty(STDERR_FILENO) && !said.exchange(true))) {
    char line[3 * PATH_MAX] = "halide-patched: ";
    constexpr size_t kBegun = sizeof "halide-patched: " - 1, kMost = sizeof line - 1;
    va_list words;
    va_start(words, format);
    const int letters = vsnprintf(line + kBegun, kMost - kBegun, format, words);
    va_end(words);
    size_t size = kBegun + static_cast<size_t>(letters < 0 ? 0 : letters);
    if (size > kMost - 1) size = kMost - 1;
    line[size++] = '\n';
    write_in_silence(line, size, standard_error.file.st_mode);
  }
  errno = error;
}
