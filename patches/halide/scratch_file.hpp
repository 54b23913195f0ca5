#pragma once

#include <fcntl.h>
#ifdef __linux__
#include <sys/mman.h>
#endif
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace patches::halide {

/// Thrown when a scratch file cannot be made, written or read.
struct NoRoom : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Descriptors that making a page may need at once: three scratch files, and those that the viewer
/// or LLVM open.
inline constexpr int kDescriptors = 6;

/// Throws NoRoom unless so many are free, because the viewer is silent when it cannot open a file.
inline void need_descriptors(int count = kDescriptors) {
  std::vector<int> held;
  for (int i = 0; i < count; ++i) {
    const int file = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (file >= 0) held.push_back(file);
  }
  for (const int file : held) close(file);
  if (held.size() < static_cast<size_t>(count)) throw NoRoom("too few file descriptors are free");
}

/// An empty file that no other process sees. On Linux it is in memory and has no name, so neither a
/// full disk nor $TMPDIR matters, and nothing is left behind whatever ends the process. Elsewhere
/// it is in the folder for temporary files ($TMPDIR, or /tmp) and removed with the object.
class ScratchFile {
 public:
  /// Throws NoRoom.
  ScratchFile() {
#ifdef __linux__
    file_ = memfd_create("halide-patched", MFD_CLOEXEC);
    if (file_ < 0) throw NoRoom("cannot make a file in memory");
    path_ = "/proc/self/fd/" + std::to_string(file_);
    try {
      need_path();
    } catch (const NoRoom&) {
      close(file_);
      throw;
    }
#else
    const char* folder = std::getenv("TMPDIR");
    path_ = std::string(folder && *folder ? folder : "/tmp") + "/listing.XXXXXX";
    file_ = mkostemp(path_.data(), O_CLOEXEC);
    if (file_ < 0) throw NoRoom("cannot make a temporary file " + path_);
#endif
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  ~ScratchFile() {
    close(file_);
#ifndef __linux__
    unlink(path_.c_str());
#endif
  }

  /// Opens it like any other file, as long as the object lives, and /proc is there.
  [[nodiscard]] const std::string& path() const { return path_; }

  /// Throws NoRoom unless the path can be opened now: others say less clearly that it cannot.
  void need_path() const {
    const int file = open(path_.c_str(), O_RDWR | O_CLOEXEC);
    if (file < 0) throw NoRoom("a scratch file cannot be opened (is there no /proc?)");
    close(file);
  }

  /// All bytes of it. Throws NoRoom.
  [[nodiscard]] std::string contents() const {
    std::string text(static_cast<size_t>(std::max<off_t>(lseek(file_, 0, SEEK_END), 0)), '\0');
    for (size_t done = 0; done < text.size();) {
      const ssize_t read =
          pread(file_, text.data() + done, text.size() - done, static_cast<off_t>(done));
      if (read <= 0) throw NoRoom("cannot read a scratch file");
      done += static_cast<size_t>(read);
    }
    return text;
  }

  /// Appends `text`. Throws NoRoom.
  void append(std::string_view text) {
    lseek(file_, 0, SEEK_END);
    while (!text.empty()) {
      const ssize_t written = write(file_, text.data(), text.size());
      if (written <= 0) throw NoRoom("no room in a scratch file");
      text.remove_prefix(static_cast<size_t>(written));
    }
  }

 private:
  int file_ = -1;
  std::string path_;
};

}  // namespace patches::halide
