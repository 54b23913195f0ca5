#include "harness/impact/trace.hpp"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <unordered_map>

#include "harness/host/file.hpp"
#include "harness/host/stopping.hpp"
#include "harness/impact/code.hpp"

namespace cliffbench {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr char kBreak = '\xcc';  // int3

[[noreturn]] void become(const std::vector<std::string>& command,
                         const std::map<std::string, std::string>& environment, double limit_s) {
  setpgid(0, 0);
  alarm(static_cast<unsigned>(limit_s) + 1);
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  const int nowhere = open("/dev/null", O_RDWR);
  for (const int stream : {0, 1, 2}) dup2(nowhere, stream);
  personality(ADDR_NO_RANDOMIZE);  // without it the library would start itself once more
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0) execv(words[0], words.data());
  _exit(127);
}

/// Whether one of the spans, which are in order, has a byte of these.
bool holds_any(const std::vector<Span>& spans, std::uint64_t start, std::uint64_t end) {
  const auto after = std::ranges::upper_bound(spans, start, {}, &Span::end);
  return after != spans.end() && after->start < end;
}

class Tracer {
 public:
  Tracer(const std::vector<TracedFile>& files, const Stops& stops) : files_(files), stops_(stops) {}
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;
  ~Tracer() {
    if (pid_ <= 0) return;
    kill(-pid_, SIGKILL);
    kill(pid_, SIGKILL);
    while (waitpid(-pid_, nullptr, __WALL) > 0) {
    }
  }

  Trace run(const std::vector<std::string>& command,
            const std::map<std::string, std::string>& environment, double limit_s) {
    pid_ = fork();
    if (pid_ == 0) become(command, environment, limit_s);
    int status = 0;
    if (pid_ < 0 || waitpid(pid_, &status, 0) != pid_ || !WIFSTOPPED(status))
      throw NotComparable("this system lets no process be traced (ptrace)");
    ptrace(PTRACE_SETOPTIONS, pid_, nullptr,
           PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
               PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC);
    memory_ = OpenFile(open(fmt::format("/proc/{}/mem", pid_).c_str(), O_RDWR | O_CLOEXEC));
    load();
    for (size_t i = 0; i < files_.size(); ++i) watch(i);
    for (const auto& [path, function] : stops_.unwinds)
      set_break(start_of(path) + function, "it unwinds its stack (exceptions)");
    follow();
    return std::move(trace_);
  }

 private:
  struct Place {
    std::string what;  ///< that touches; "": the entry of a function of both sides,
    std::pair<size_t, size_t> function;
    char byte = 0;  ///< that the breakpoint stands for
  };

  [[nodiscard]] std::string read(std::uint64_t address, size_t size) const {
    std::string bytes(size, '\0');
    const auto count = pread(memory_.fd(), bytes.data(), size, static_cast<off_t>(address));
    bytes.resize(static_cast<size_t>(std::max<ssize_t>(count, 0)));
    return bytes;
  }

  void write(std::uint64_t address, std::string_view bytes) const {
    const auto count =
        pwrite(memory_.fd(), bytes.data(), bytes.size(), static_cast<off_t>(address));
    if (count != static_cast<ssize_t>(bytes.size()))
      throw NotComparable("this system lets no process's memory be written");
  }

  [[nodiscard]] static user_regs_struct registers(pid_t thread) {
    user_regs_struct found{};
    ptrace(PTRACE_GETREGS, thread, nullptr, &found);
    return found;
  }

  /// Where a file is loaded. Throws NotComparable when it is not.
  [[nodiscard]] std::uint64_t start_of(const std::string& path) const {
    std::ifstream maps(fmt::format("/proc/{}/maps", pid_));
    for (std::string line; std::getline(maps, line);) {
      if (line.ends_with(" " + path)) return std::stoull(line, nullptr, 16);
    }
    throw NotComparable(path + " is not loaded");
  }

  void set_break(std::uint64_t address, const std::string& what) {
    places_[address] = {what, {}, read(address, 1)[0]};
    write(address, std::string_view(&kBreak, 1));
  }

  /// Waits for a thread to stop or end. 0: all have ended, or the user has stopped us.
  static pid_t wait(int& status) {
    pid_t thread = -1;
    do thread = waitpid(-1, &status, __WALL);
    while (thread < 0 && errno == EINTR && !stop_requested());
    return std::max(thread, 0);
  }

  /// Lets the only thread go on until it stops at a breakpoint, or after one instruction.
  void go(__ptrace_request request) const {
    int status = 0;
    ptrace(request, pid_, nullptr, nullptr);
    if (wait(status) != pid_ || !WIFSTOPPED(status) || status >> 8 != SIGTRAP)
      throw NotComparable("its traced run failed");
  }

  /// Runs until all libraries are loaded and linked, before the first of their functions: the
  /// loader then calls its debuggers' function for the second time.
  void load() {
    const std::uint64_t stop = start_of(stops_.loader_path) + stops_.loaded;
    const std::string byte = read(stop, 1);
    for (int call = 0; call < 2; ++call) {
      write(stop, std::string_view(&kBreak, 1));
      go(PTRACE_CONT);
      write(stop, byte);
      user_regs_struct at = registers(pid_);
      at.rip = stop;
      ptrace(PTRACE_SETREGS, pid_, nullptr, &at);
      if (call == 0) go(PTRACE_SINGLESTEP);
    }
  }

  /// Breakpoints on each function of a file, and on all of its code that differs; its pages with
  /// data that differ can no longer be used.
  void watch(size_t index) {
    const auto& [file, changes] = files_[index];
    const std::uint64_t start = start_of(file->path.string());
    std::string image = file->image;
    for (const auto& [entry, number] : changes->entries) {
      places_[start + entry] = {"", {index, number}, image[entry]};
      image[entry] = kBreak;
    }
    for (const Span& span : changes->code) {
      for (std::uint64_t at = span.start; at < span.end; ++at) image[at] = kBreak;
      differing_.push_back({start + span.start, start + span.end});
      what_[start + span.start] = file->name_at(span.start);
    }
    for (const Section& section : file->sections) {
      if (section.is_code)
        write(start + section.start,
              std::string_view(image).substr(section.start, section.end - section.start));
    }
    for (const Span& span : changes->data) {
      data_.push_back({start + span.start, start + span.end});
      for (std::uint64_t page = data_.back().start / kPage; page <= (data_.back().end - 1) / kPage;
           ++page) {
        if (watched_.insert(page).second) protect(page, PROT_NONE);
      }
    }
  }

  /// Has the process make a system call of ours, where it stands.
  void protect(std::uint64_t page, int protection) const {
    const user_regs_struct saved = registers(pid_);
    user_regs_struct call = saved;
    call.rax = SYS_mprotect;
    call.orig_rax = static_cast<unsigned long long>(-1);
    call.rdi = page * kPage;
    call.rsi = kPage;
    call.rdx = static_cast<unsigned long long>(protection);
    const std::string code = read(saved.rip, 2);
    write(saved.rip, "\x0f\x05");  // syscall
    ptrace(PTRACE_SETREGS, pid_, nullptr, &call);
    go(PTRACE_SINGLESTEP);
    if (registers(pid_).rax != 0) throw NotComparable("a page of data cannot be watched");
    write(saved.rip, code);
    ptrace(PTRACE_SETREGS, pid_, nullptr, &saved);
  }

  void follow() {
    ptrace(PTRACE_SYSCALL, pid_, nullptr, nullptr);
    int status = 0;
    threads_.insert(pid_);
    while (const pid_t thread = wait(status)) {
      if (WIFSTOPPED(status)) {
        const int signal = stopped(thread, WSTOPSIG(status), status >> 16);
        if (!trace_.touched.empty()) return;
        ptrace(PTRACE_SYSCALL, thread, nullptr, signal);
        continue;
      }
      threads_.erase(thread);
      if (thread != pid_) continue;
      if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        throw NotComparable("its traced run takes too long");
      if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
      break;
    }
    throw NotComparable("its traced run failed");
  }

  /// The signal that the thread gets then.
  int stopped(pid_t thread, int signal, int event) {
    if (threads_.insert(thread).second && signal == SIGSTOP) return 0;
    if (event == PTRACE_EVENT_CLONE) return 0;
    if (event != 0) throw NotComparable("it starts other programs");
    if (signal == (SIGTRAP | 0x80)) return system_call(thread), 0;
    const bool is_ours =
        (signal == SIGTRAP && entered(thread)) || (signal == SIGSEGV && used_page(thread));
    return is_ours ? 0 : signal;
  }

  /// A breakpoint: code that differs, or a function is entered for the first time.
  bool entered(pid_t thread) {
    user_regs_struct at = registers(thread);
    --at.rip;
    const auto code =
        std::ranges::find_if(differing_, [&](auto& span) { return span.holds(at.rip); });
    const auto place = places_.find(at.rip);
    if (code != differing_.end()) {
      trace_.touched = what_[code->start];
    } else if (place == places_.end()) {
      return false;
    } else if (!place->second.what.empty()) {
      trace_.touched = place->second.what;
    } else {
      write(at.rip, std::string_view(&place->second.byte, 1));
      trace_.executed.insert(place->second.function);
      ptrace(PTRACE_SETREGS, thread, nullptr, &at);
    }
    return true;
  }

  /// A page with data that differ: is it those, or others?
  bool used_page(pid_t thread) {
    constexpr int kMostFaults = 5000;  // 0.1 s
    siginfo_t info{};
    ptrace(PTRACE_GETSIGINFO, thread, nullptr, &info);
    const auto address = reinterpret_cast<std::uint64_t>(info.si_addr);
    if (info.si_code != SEGV_ACCERR || !watched_.contains(address / kPage)) return false;
    const unsigned size = bytes_accessed(read(registers(thread).rip, 15));
    if (size == 0 || address % kPage + size > kPage || holds_any(data_, address, address + size)) {
      trace_.touched = "data that differ";
    } else if (threads_.size() > 1 || ++faults_ > kMostFaults) {
      trace_.touched = "data on one page with data that differ";
    } else {
      protect(address / kPage, PROT_READ | PROT_WRITE);
      go(PTRACE_SINGLESTEP);
      protect(address / kPage, PROT_NONE);
    }
    return true;
  }

  void system_call(pid_t thread) {
    __ptrace_syscall_info info{};
    ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof info, &info);
    if (info.op == PTRACE_SYSCALL_INFO_EXIT && info.exit.rval == -EFAULT)
      trace_.touched = "data on one page with data that differ";
    if (info.op != PTRACE_SYSCALL_INFO_ENTRY) return;
    const std::uint64_t number = info.entry.nr;
    const auto& args = info.entry.args;
    const bool is_code =
        (number == SYS_mmap || number == SYS_mprotect || number == SYS_pkey_mprotect) &&
        (args[2] & PROT_EXEC);
    if (is_code && (number != SYS_mmap || args[3] & MAP_ANONYMOUS))
      throw NotComparable("it makes code while it runs");
    std::error_code error;
    if (is_code) {
      const auto link = fmt::format("/proc/{}/fd/{}", pid_, args[4]);
      trace_.opened.insert(std::filesystem::read_symlink(link, error).string());
    } else if (number == SYS_open || number == SYS_openat || number == SYS_readlink ||
               number == SYS_readlinkat) {
      const bool first = number == SYS_open || number == SYS_readlink;
      const std::string path = read_text(args[first ? 0 : 1]);
      trace_.opened.insert(path);
      const auto is_own = [&](const TracedFile& one) {
        return std::filesystem::equivalent(path, one.file->path, error);
      };
      if (path == "/proc/self/exe" || std::ranges::any_of(files_, is_own))
        throw NotComparable("it reads its own file");
    }
  }

  /// Up to its zero, page by page: the next one need not be there.
  [[nodiscard]] std::string read_text(std::uint64_t address) const {
    std::string text;
    while (text.size() < kPage) {
      const std::string part = read(address + text.size(), kPage - (address + text.size()) % kPage);
      text += part.substr(0, part.find('\0'));
      if (part.empty() || part.find('\0') != std::string::npos) break;
    }
    return text;
  }

  const std::vector<TracedFile>& files_;
  const Stops& stops_;
  pid_t pid_ = -1;
  OpenFile memory_;
  Trace trace_;
  std::unordered_map<std::uint64_t, Place> places_;
  std::vector<Span> differing_, data_;                   ///< code, data
  std::unordered_map<std::uint64_t, std::string> what_;  ///< the code is, by its begin
  std::set<std::uint64_t> watched_;                      ///< pages
  std::set<pid_t> threads_;
  int faults_ = 0;
};

}  // namespace

Trace trace(const std::vector<std::string>& command,
            const std::map<std::string, std::string>& environment,
            const std::vector<TracedFile>& files, const Stops& stops, double limit_s) {
  try {
    return Tracer(files, stops).run(command, environment, limit_s);
  } catch (const NotComparable& error) {
    return {.touched = error.what(), .executed = {}, .opened = {}};
  }
}

}  // namespace cliffbench
