#include "harness/core/host/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "harness/core/text/text.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMost = 256 << 20;  // bytes of a file or a line; a plan of 10^5 cells takes 40 MB

void require_regular(const char* what, const fs::path& path, mode_t mode) {
  if (S_ISREG(mode)) return;
  const char* why = "it is a device, not a file";
  if (S_ISLNK(mode)) why = "it is a link; put the file itself there";
  if (S_ISDIR(mode)) why = "it is a folder";
  if (S_ISFIFO(mode)) why = "it is a pipe, not a file";
  if (S_ISSOCK(mode)) why = "it is a socket, not a file";
  throw cannot(what, path, why);
}

/// Opens a regular file. Checks the path first, because merely opening a device can have effects.
/// Nothing here blocks, not even on a pipe without a writer.
OpenFile opened(const char* what, const fs::path& path, int flags) {
  struct stat info{};
  const bool there = (flags & O_NOFOLLOW ? lstat : stat)(path.c_str(), &info) == 0;
  if (there) require_regular(what, path, info.st_mode);
  OpenFile file(open(path.c_str(), flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0666));
  if (file.fd() < 0 || fstat(file.fd(), &info) != 0) throw system_error(what, path);
  require_regular(what, path, info.st_mode);
  return file;
}

bool is_link(const fs::path& path) {
  std::error_code missing;
  return fs::is_symlink(fs::symlink_status(path, missing));
}

/// Calls write(2) until all is written. Returns false with errno set when that fails.
bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written == 0) errno = ENOSPC;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

}  // namespace

CannotMeasure cannot(const char* what, const fs::path& path, const std::string& why) {
  return CannotMeasure(fmt::format("cannot {} {}: {}", what, path.string(), why));
}

CannotMeasure system_error(const char* what, const fs::path& path) {
  return cannot(what, path, std::strerror(errno));
}

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
  struct stat info{};
  if (fstat(file.fd(), &info) == 0 && info.st_nlink > 1) {
    throw cannot("write", path, "it has a hard link, which would change with it");
  }
  return file;
}

void for_each_block(const fs::path& path, Links links,
                    const std::function<void(std::string_view)>& visit) {
  const OpenFile file = open_to_read(path, links);
  std::array<char, 1 << 16> buffer;
  for (;;) {
    const ssize_t size = read(file.fd(), buffer.data(), buffer.size());
    if (size == 0) return;
    if (size < 0 && errno != EINTR) throw system_error("read", path);
    if (size > 0) visit({buffer.data(), static_cast<size_t>(size)});
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

void write_file(const fs::path& path, std::string_view text) { write_file(path, {&text, 1}); }

void write_file(const fs::path& path, std::span<const std::string_view> parts) {
  constexpr size_t kEnough = 1 << 16;  // bytes of small parts that are written together
  struct stat old{};
  if (lstat(path.c_str(), &old) == 0) require_regular("write", path, old.st_mode);
  const std::string fresh = fmt::format("{}.{}.new", path.string(), getpid());
  unlink(fresh.c_str());  // left by a killed process that had our process id
  OpenFile file(open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (file.fd() < 0) throw system_error("write", path);
  bool written = true;
  std::string together;
  for (size_t i = 0; written && i < parts.size(); ++i) {
    together += parts[i];
    if (together.size() < kEnough && i + 1 < parts.size()) continue;
    written = write_all(file.fd(), together);
    together.clear();
  }
  if (!written || close(file.release()) != 0 || rename(fresh.c_str(), path.c_str()) != 0) {
    const CannotMeasure error = system_error("write", path);
    unlink(fresh.c_str());
    throw error;
  }
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
  const bool dot = !folder.has_filename();  // "link/" names the folder that the link leads to
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
