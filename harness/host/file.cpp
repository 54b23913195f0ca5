#include "harness/host/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "harness/text/text.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMost = 256 << 20;  // bytes of a file or a line; a plan of 10^5 cells takes 40 MB

CannotMeasure cannot(const char* what, const fs::path& path, const std::string& why) {
  return CannotMeasure(fmt::format("cannot {} {}: {}", what, path.string(), why));
}
CannotMeasure system_error(const char* what, const fs::path& path) {
  return cannot(what, path, std::strerror(errno));
}

/// Why something of this kind is not used; nullptr for a regular file.
const char* no_file(mode_t mode) {
  if (S_ISREG(mode)) return nullptr;
  if (S_ISLNK(mode)) return "it is a link; put the file itself there";
  if (S_ISDIR(mode)) return "it is a folder";
  if (S_ISFIFO(mode)) return "it is a pipe, not a file";
  if (S_ISSOCK(mode)) return "it is a socket, not a file";
  return "it is a device, not a file";
}

/// Opens what is a regular file. Looked at first, for to open a device may do something already;
/// nothing here waits, not for the other end of a pipe either.
OpenFile opened(const char* what, const fs::path& path, int flags) {
  struct stat found {};
  const bool there = (flags & O_NOFOLLOW ? lstat : stat)(path.c_str(), &found) == 0;
  if (there && no_file(found.st_mode)) throw cannot(what, path, no_file(found.st_mode));
  OpenFile file(open(path.c_str(), flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0666));
  if (file.fd() < 0 || fstat(file.fd(), &found) != 0) throw system_error(what, path);
  if (const char* other = no_file(found.st_mode)) throw cannot(what, path, other);
  return file;
}

bool is_link(const fs::path& path) {
  std::error_code missing;
  return fs::is_symlink(fs::symlink_status(path, missing));
}

/// read(2) until something came. 0 at the end.
size_t read_some(int fd, char* to, size_t size, const fs::path& path) {
  for (;;) {
    const ssize_t got = read(fd, to, size);
    if (got >= 0) return static_cast<size_t>(got);
    if (errno != EINTR) throw system_error("read", path);
  }
}

/// A file under way: beside the one that it will replace, removed unless it has taken its place.
class NewFile {
 public:
  explicit NewFile(const fs::path& path)
      : path_(path), fresh_(fmt::format("{}.{}.new", path.string(), getpid())) {
    struct stat there {};
    if (lstat(path.c_str(), &there) == 0 && no_file(there.st_mode)) {
      throw cannot("write", path, no_file(there.st_mode));
    }
    unlink(fresh_.c_str());  // of a process of our number that was killed
    file_ = OpenFile(open(fresh_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (file_.fd() < 0) throw system_error("write", path);
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile() {
    if (!fresh_.empty()) unlink(fresh_.c_str());
  }

  void add(std::string_view text) {
    constexpr size_t kEnough = 1 << 16;
    kept_ += text;
    if (kept_.size() >= kEnough) flush();
  }

  void replace() {
    flush();
    if (close(file_.release()) != 0) throw system_error("write", path_);
    if (rename(fresh_.c_str(), path_.c_str()) != 0) throw system_error("write", path_);
    fresh_.clear();
  }

 private:
  void flush() {
    std::string_view rest = kept_;
    while (!rest.empty()) {
      const ssize_t written = write(file_.fd(), rest.data(), rest.size());
      if (written < 0 && errno == EINTR) continue;
      if (written == 0) errno = ENOSPC;
      if (written <= 0) throw system_error("write", path_);
      rest.remove_prefix(static_cast<size_t>(written));
    }
    kept_.clear();
  }

  fs::path path_;
  std::string fresh_;
  OpenFile file_;
  std::string kept_;
};

}  // namespace

OpenFile& OpenFile::operator=(OpenFile&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

OpenFile::~OpenFile() {
  if (fd_ >= 0) close(fd_);
}

int OpenFile::release() { return std::exchange(fd_, -1); }

bool is_there(const fs::path& path) {
  std::error_code missing;
  return fs::exists(fs::symlink_status(path, missing));
}

std::string unused(const std::string& path) {
  std::string name = path;
  for (int number = 2; is_there(name); ++number) name = path + "-" + std::to_string(number);
  return name;
}

OpenFile open_to_read(const fs::path& path, Links links) {
  return opened("read", path, O_RDONLY | (links == Links::refused ? O_NOFOLLOW : 0));
}

OpenFile open_to_append(const fs::path& path) {
  OpenFile file = opened("write", path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW);
  struct stat found {};
  if (fstat(file.fd(), &found) == 0 && found.st_nlink > 1) {
    throw cannot("write", path, "it has a second name (a hard link), which would grow with it");
  }
  return file;
}

void for_each_block(const fs::path& path, Links links,
                    const std::function<void(std::string_view)>& visit) {
  const OpenFile file = open_to_read(path, links);
  std::array<char, 1 << 16> buffer;
  while (const size_t got = read_some(file.fd(), buffer.data(), buffer.size(), path)) {
    visit({buffer.data(), got});
  }
}

std::string read_file(const fs::path& path, Links links) {
  std::string text;
  for_each_block(path, links, [&](std::string_view block) {
    text += block;
    if (text.size() > kMost) throw cannot("read", path, "it is larger than 256 MB");
  });
  return text;
}

void write_file(const fs::path& path, std::string_view text) {
  NewFile file(path);
  file.add(text);
  file.replace();
}

void write_lines(const fs::path& path, size_t count,
                 const std::function<std::string(size_t)>& line) {
  NewFile file(path);
  for (size_t i = 0; i < count; ++i) file.add(line(i) + "\n");
  file.replace();
}

bool is_standard_output(const fs::path& path) {
  return path == "-" || path == "/dev/stdout" || path == "/dev/fd/1" || path == "/proc/self/fd/1";
}

void make_folder(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) throw cannot("make the folder", path, error.message());
}

void require_no_link(const fs::path& folder) {
  const bool dot = !folder.has_filename();  // "link/" is what it leads to
  if (!is_link(dot ? folder.parent_path() : folder)) return;
  throw UserError(folder.string() + " is a link; name the folder itself");
}

fs::path make_subfolder(const fs::path& folder, std::string_view name) {
  const fs::path path = folder / name;
  if (is_link(path)) throw cannot("write into", path, "it is a link");
  make_folder(path);
  return path;
}

std::vector<fs::directory_entry> entries_of(const fs::path& folder) {
  if (is_link(folder)) throw cannot("read", folder, "it is a link; put the folder there");
  std::vector<fs::directory_entry> entries;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    entries.push_back(*at);
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    throw cannot("read", folder, error.message());
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

}  // namespace cliffbench
