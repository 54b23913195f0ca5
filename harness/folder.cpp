#include "harness/folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "harness/text.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

CannotMeasure system_error(const char* what, const fs::path& path) {
  return CannotMeasure(fmt::format("cannot {} {}: {}", what, path.string(), std::strerror(errno)));
}

/// Writes lines to a file of this process's own beside `path`.
fs::path write_beside(const fs::path& path, const std::function<void(std::ostream&)>& write) {
  fs::path fresh = fmt::format("{}.{}.new", path.string(), getpid());
  std::ofstream file(fresh, std::ios::binary);
  write(file);
  file.close();
  if (file) return fresh;
  const CannotMeasure error = system_error("write", path);
  unlink(fresh.c_str());
  throw error;
}

/// Writes a file beside `path`, then puts it in its place.
void replace_file(const fs::path& path, const std::function<void(std::ostream&)>& write) {
  const fs::path fresh = write_beside(path, write);
  std::error_code error;
  fs::rename(fresh, path, error);
  if (!error) return;
  unlink(fresh.c_str());
  throw CannotMeasure(fmt::format("cannot write {}: {}", path.string(), error.message()));
}

std::ifstream opened(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const char* other = fs::is_directory(path)        ? "it is a folder"
                      : fs::is_character_file(path) ? "it is a device, no file"
                                                    : nullptr;
  if (!file || other) {
    throw CannotMeasure(
        fmt::format("cannot read {}: {}", path.string(), other ? other : std::strerror(errno)));
  }
  return file;
}

/// Calls `visit(stem, json)` for every .json file of a folder, in the order of their names.
template <typename Visit>
void for_each_json(const fs::path& folder, const Visit& visit) {
  std::map<std::string, fs::path> files;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(folder, missing)) {
    if (entry.path().extension() == ".json") files[entry.path().stem().string()] = entry.path();
  }
  for (const auto& [stem, path] : files) visit(stem, path);
}

}  // namespace

void write_file(const fs::path& path, std::string_view text) {
  replace_file(path, [&](std::ostream& file) { file << text; });
}

void write_lines(const fs::path& path, size_t count,
                 const std::function<std::string(size_t)>& line) {
  replace_file(path, [&](std::ostream& file) {
    for (size_t i = 0; i < count; ++i) file << line(i) << '\n';
  });
}

bool write_new_file(const fs::path& path, std::string_view text) {
  const fs::path fresh = write_beside(path, [&](std::ostream& file) { file << text; });
  const bool written = link(fresh.c_str(), path.c_str()) == 0;
  const int error = errno;
  unlink(fresh.c_str());
  errno = error;
  if (!written && error != EEXIST) throw system_error("write", path);
  return written;
}

std::string read_file(const fs::path& path) {
  std::ifstream file = opened(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

Json read_json(const fs::path& path) {
  Json json = Json::parse(read_file(path), nullptr, false);
  if (json.is_discarded()) throw CannotMeasure(path.string() + " is not valid JSON");
  return json;
}

void make_folder(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) {
    throw CannotMeasure(
        fmt::format("cannot make the folder {}: {}", path.string(), error.message()));
  }
}

void for_each_row(const fs::path& path, std::vector<LeftOut>& left_out,
                  const std::function<void(Row, const std::string&)>& visit) {
  std::ifstream file = opened(path);
  size_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (file.eof()) {
      left_out.push_back({number, fmt::format("{} line {} is unfinished and was left out",
                                              path.string(), number)});
      break;
    }
    Row row;
    try {
      row = parse_row(line);
    } catch (const DamagedRow& error) {
      left_out.push_back({number, fmt::format("{} line {} is damaged and was left out: it {}",
                                              path.string(), number, error.what())});
      continue;
    } catch (const CannotMeasure& error) {
      throw CannotMeasure(fmt::format("{} line {} {}", path.string(), number, error.what()));
    }
    visit(std::move(row), line);
  }
  if (file.bad()) throw system_error("read", path);
}

std::vector<Row> read_rows(const fs::path& file, std::vector<LeftOut>& left_out) {
  std::vector<Row> rows;
  for_each_row(file, left_out,
               [&](Row row, const std::string&) { rows.push_back(std::move(row)); });
  return rows;
}

std::map<std::string, Description> read_descriptions(const fs::path& folder) {
  std::map<std::string, Description> descriptions;
  const auto read = [&](const std::string& name, const fs::path& path) {
    try {
      descriptions[name] = parse_description(read_json(path));
    } catch (const CannotMeasure&) {
      throw;
    } catch (const std::exception& error) {
      throw CannotMeasure(fmt::format("{} is no declaration that this program reads: {}",
                                      path.string(), error.what()));
    }
  };
  for_each_json(folder / "programs", read);
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(folder / "programs", missing)) {
    if (!entry.is_directory()) continue;
    const std::string run = entry.path().filename().string();
    for_each_json(entry.path(), [&](const std::string& name, const fs::path& path) {
      read(run + "/" + name, path);
    });
  }
  return descriptions;
}

const Description& description_of(const std::map<std::string, Description>& all, const Row& row) {
  const auto own = all.find(row.run + "/" + row.program);
  if (own != all.end()) return own->second;
  const auto shared = all.find(row.program);
  if (shared != all.end()) return shared->second;
  throw CannotMeasure(
      fmt::format("a row belongs to {0}, but there is no programs/{0}.json", row.program));
}

std::map<std::string, Json> read_sessions(const fs::path& folder) {
  std::map<std::string, Json> sessions;
  for_each_json(folder / "sessions", [&](const std::string& name, const fs::path& path) {
    Json session = read_json(path);
    const auto is_text = [&](const Json::json_pointer& at) {
      return !session.contains(at) || session[at].is_string();
    };
    if (!session.is_object() || !is_text("/machine/id"_json_pointer) ||
        !is_text("/host"_json_pointer)) {
      throw CannotMeasure(path.string() + " is no session that this program reads");
    }
    sessions[name] = std::move(session);
  });
  return sessions;
}

bool in_use(const fs::path& file) {
  const int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool locked = flock(fd, LOCK_SH | LOCK_NB) != 0;
  close(fd);
  return locked;
}

namespace {

/// Whether the open file is the one at the path: it may have been moved or removed.
bool is_at(int fd, const fs::path& path) {
  struct stat open_file {};
  struct stat at_path {};
  return fstat(fd, &open_file) == 0 && stat(path.c_str(), &at_path) == 0 &&
         open_file.st_ino == at_path.st_ino && open_file.st_dev == at_path.st_dev;
}

}  // namespace

RowWriter::RowWriter(const fs::path& file) : file_(file) {
  // `in_use` holds the lock for a moment, and so does the child of a runner that was killed.
  constexpr int kTries = 20;
  constexpr int kWait_us = 10'000;
  for (int tries = 1;; ++tries) {
    fd_ = open(file.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (fd_ < 0) throw system_error("write", file);
    const bool locked = flock(fd_, LOCK_EX | LOCK_NB) == 0;
    if (locked && is_at(fd_, file)) break;
    const bool taken = locked || errno == EWOULDBLOCK;  // or removed since it was opened
    const CannotMeasure cannot = system_error("lock", file);
    close(fd_);
    if (!taken) throw cannot;
    if (tries == kTries) {
      throw CannotMeasure(file.string() + " is in use by another cliffbench run");
    }
    usleep(kWait_us);
  }
  const std::string text = read_file(file);
  const size_t end = text.rfind('\n');
  const size_t whole = end == std::string::npos ? 0 : end + 1;
  cut_ = whole != text.size();
  if (cut_ && ftruncate(fd_, static_cast<off_t>(whole)) != 0) {
    throw system_error("cut the unfinished last line of", file);
  }
}

RowWriter::~RowWriter() { close(fd_); }

void RowWriter::append(const Row& row) {
  if (!is_at(fd_, file_)) {
    throw CannotMeasure(
        fmt::format("{} was moved or removed while it was measured; the rows of before are whole, "
                    "go on with --resume where they are now",
                    file_.parent_path().string()));
  }
  const std::string line = row_line(row) + "\n";
  const off_t start = lseek(fd_, 0, SEEK_END);
  const ssize_t written = write(fd_, line.data(), line.size());
  if (written == static_cast<ssize_t>(line.size())) return;
  if (written >= 0) errno = ENOSPC;  // a short write to a file means that the disk is full
  const CannotMeasure error = system_error("append to", file_);
  if (ftruncate(fd_, start) != 0) throw error;  // an unfinished line is cut off by the next start
  throw error;
}

}  // namespace cliffbench
