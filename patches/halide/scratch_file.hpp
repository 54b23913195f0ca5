#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace patches::halide {

/// A scratch file cannot be made or written.
struct NoRoom : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// An empty file in the folder for temporary files ($TMPDIR, or /tmp). On Linux it has no name
/// from the start, so nothing is left behind whatever ends the process; elsewhere it is removed
/// with the object.
class ScratchFile {
 public:
  /// Throws NoRoom.
  ScratchFile() {
    const char* folder = std::getenv("TMPDIR");
    std::string name = std::string(folder && *folder ? folder : "/tmp") + "/listing.XXXXXX";
    file_ = mkostemp(name.data(), O_CLOEXEC);
    if (file_ < 0) throw NoRoom("cannot make a temporary file " + name);
    path_ = name;
#ifdef __linux__
    unlink(name.c_str());
    path_ = "/proc/self/fd/" + std::to_string(file_);
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

  /// Opens it like any other file, as long as the object lives.
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  int file_ = -1;
  std::string path_;
};

}  // namespace patches::halide
