#include "harness/impact/trace.hpp"

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
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <unordered_map>

#include "harness/host/file.hpp"
#include "harness/host/stopping.hpp"

namespace cliffbench {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr char kBreak = '\xcc';  // int3
constexpr const char* kNearData = "data on one page with data that differ";

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

class Tracer {
 public:
  Tracer(const ElfFile& program, const Changes& changes) : program_(program), changes_(changes) {}
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
    read_maps();
    run_to(start_ + program_.entry);
    read_maps();
    watch_unwinding();
    watch();
    follow();
    return std::move(trace_);
  }

 private:
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

  [[nodiscard]] user_regs_struct registers() const {
    user_regs_struct found{};
    ptrace(PTRACE_GETREGS, pid_, nullptr, &found);
    return found;
  }

  /// Which files are loaded, and where the program is.
  void read_maps() {
    std::ifstream maps(fmt::format("/proc/{}/maps", pid_));
    for (std::string line; std::getline(maps, line);) {
      const std::string file = line.substr(std::min(line.find('/'), line.size()));
      if (file != program_.path.string())
        trace_.libraries.insert(file);
      else if (start_ == 0)
        start_ = std::stoull(line, nullptr, 16);
    }
    if (start_ == 0) throw NotComparable("it is not where it was loaded");
  }

  /// Waits until it stops or ends. False: the user has stopped us. Each stop is looked at, as the
  /// debug register's can come with that after one instruction.
  bool wait(int& status) const {
    while (waitpid(pid_, &status, __WALL) != pid_)
      if (errno != EINTR || stop_requested()) return false;
    if (WIFSTOPPED(status) && ptrace(PTRACE_PEEKUSER, pid_, offsetof(user, u_debugreg[6]), 0) & 1)
      throw NotComparable("it throws exceptions");
    return true;
  }

  /// Lets it go on until it stops at a breakpoint, or after one instruction.
  void go(__ptrace_request request) const {
    int status = 0;
    ptrace(request, pid_, nullptr, nullptr);
    if (!wait(status) || !WIFSTOPPED(status) || status >> 8 != SIGTRAP)
      throw NotComparable("its traced run failed");
  }

  /// Until all libraries are loaded and linked, and have been initialised.
  void run_to(std::uint64_t place) const {
    const std::string byte = read(place, 1);
    write(place, std::string_view(&kBreak, 1));
    go(PTRACE_CONT);
    write(place, byte);
    user_regs_struct at = registers();
    at.rip = place;
    ptrace(PTRACE_SETREGS, pid_, nullptr, &at);
  }

  /// By a debug register: who unwinds reads the head of the tables of exceptions first.
  void watch_unwinding() const {
    constexpr long kReadOrWritten4 = 0xf0001;
    const auto head = std::ranges::find(program_.sections, ".eh_frame_hdr", &Section::name);
    if (head == program_.sections.end() ||
        ptrace(PTRACE_POKEUSER, pid_, offsetof(user, u_debugreg[0]), start_ + head->start) != 0 ||
        ptrace(PTRACE_POKEUSER, pid_, offsetof(user, u_debugreg[7]), kReadOrWritten4) != 0)
      throw NotComparable("no debug register can watch its tables of exceptions");
  }

  /// Breakpoints on functions and on code that differs; no page with data that differ can be used.
  void watch() {
    std::string image = program_.image;
    for (const auto& [entry, number] : changes_.entries) {
      entries_[start_ + entry] = {number, image[entry]};
      image[entry] = kBreak;
    }
    for (const Span& span : changes_.code)
      std::fill(&image[span.start], &image[span.start] + (span.end - span.start), kBreak);
    for (const Section& section : program_.sections) {
      if (section.is_code)
        write(start_ + section.start,
              std::string_view(image).substr(section.start, section.end - section.start));
    }
    for (const Span& span : changes_.data) {
      for (std::uint64_t page = span.start / kPage; page <= (span.end - 1) / kPage; ++page) {
        if (watched_.insert(start_ / kPage + page).second)
          protect(start_ / kPage + page, PROT_NONE);
      }
    }
  }

  /// Has the process make a system call of ours, where it stands.
  void protect(std::uint64_t page, int protection) const {
    const user_regs_struct saved = registers();
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
    if (registers().rax != 0) throw NotComparable("a page of data cannot be watched");
    write(saved.rip, code);
    ptrace(PTRACE_SETREGS, pid_, nullptr, &saved);
  }

  void follow() {
    int status = 0, signal = 0;
    while (trace_.touched.empty()) {
      ptrace(PTRACE_SYSCALL, pid_, nullptr, signal);
      if (!wait(status)) break;
      if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
      if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        throw NotComparable("its traced run takes too long");
      if (!WIFSTOPPED(status)) break;
      signal = stopped(WSTOPSIG(status), status >> 16);
    }
    if (trace_.touched.empty()) throw NotComparable("its traced run failed");
  }

  /// The signal that it gets then.
  int stopped(int signal, int event) {
    if (event != 0) throw NotComparable("it starts threads or other programs");
    if (signal == (SIGTRAP | 0x80)) return system_call(), 0;
    const bool is_ours = (signal == SIGTRAP && entered()) || (signal == SIGSEGV && used_page());
    return is_ours ? 0 : signal;
  }

  /// A breakpoint: code that differs, or a function is entered for the first time.
  bool entered() {
    user_regs_struct at = registers();
    const std::uint64_t place = --at.rip - start_;
    if (std::ranges::any_of(changes_.code, [&](const Span& span) { return span.holds(place); })) {
      trace_.touched = program_.name_at(place);
      return true;
    }
    const auto entry = entries_.find(at.rip);
    if (entry == entries_.end()) return false;
    write(at.rip, std::string_view(&entry->second.second, 1));
    trace_.executed.insert(entry->second.first);
    ptrace(PTRACE_SETREGS, pid_, nullptr, &at);
    return true;
  }

  /// A page with data that differ: is it those, or others?
  bool used_page() {
    constexpr int kMostFaults = 5000;  // 0.1 to 0.8 s
    siginfo_t info{};
    ptrace(PTRACE_GETSIGINFO, pid_, nullptr, &info);
    const auto address = reinterpret_cast<std::uint64_t>(info.si_addr);
    if (info.si_code != SEGV_ACCERR || !watched_.contains(address / kPage)) return false;
    const unsigned size = bytes_accessed(read(registers().rip, 15));
    const auto uses = [&](const Span& span) {
      return start_ + span.start < address + size && address < start_ + span.end;
    };
    if (size == 0 || address % kPage + size > kPage || std::ranges::any_of(changes_.data, uses)) {
      trace_.touched = "data that differ";
    } else if (++faults_ > kMostFaults) {
      trace_.touched = kNearData;
    } else {
      protect(address / kPage, PROT_READ | PROT_WRITE);
      go(PTRACE_SINGLESTEP);
      protect(address / kPage, PROT_NONE);
    }
    return true;
  }

  void system_call() {
    __ptrace_syscall_info info{};
    ptrace(PTRACE_GET_SYSCALL_INFO, pid_, sizeof info, &info);
    if (info.op == PTRACE_SYSCALL_INFO_EXIT && info.exit.rval == -EFAULT)
      trace_.touched = kNearData;
    if (info.op != PTRACE_SYSCALL_INFO_ENTRY) return;
    const std::uint64_t number = info.entry.nr;
    const auto& args = info.entry.args;
    const bool maps = number == SYS_mmap || number == SYS_mprotect || number == SYS_pkey_mprotect;
    if (maps && args[2] & PROT_EXEC) throw NotComparable("it makes or loads code while it runs");
    const bool second = number == SYS_openat || number == SYS_readlinkat;
    if (!second && number != SYS_open && number != SYS_readlink) return;
    const std::string text = read(args[second ? 1 : 0], kPage);  // or less, if no more is there
    const std::string path = text.substr(0, text.find('\0'));
    std::error_code error;
    if (path.size() == text.size() || path.starts_with("/proc/self/") ||
        std::filesystem::equivalent(path, program_.path, error))
      throw NotComparable("it may read its own file (" + path + ")");
  }

  const ElfFile& program_;
  const Changes& changes_;
  pid_t pid_ = -1;
  std::uint64_t start_ = 0;
  OpenFile memory_;
  Trace trace_;
  std::unordered_map<std::uint64_t, std::pair<size_t, char>> entries_;  ///< number, own byte
  std::set<std::uint64_t> watched_;                                     ///< pages
  int faults_ = 0;
};

}  // namespace

Trace trace(const std::vector<std::string>& command,
            const std::map<std::string, std::string>& environment, const ElfFile& program,
            const Changes& changes, double limit_s) {
  return Tracer(program, changes).run(command, environment, limit_s);
}

}  // namespace cliffbench
