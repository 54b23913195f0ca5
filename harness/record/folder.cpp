#include "harness/record/folder.hpp"

#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/case/declaration.hpp"
#include "harness/host/exact.hpp"
#include "harness/record/line_reader.hpp"
#include "harness/record/record.hpp"
#include "harness/text/text.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;

CannotMeasure system_error(const char* what, const fs::path& path) {
  return CannotMeasure(fmt::format("cannot {} {}: {}", what, path.string(), std::strerror(errno)));
}

/// Calls `visit(stem, path)` for every .json file of a folder, in the order of their names.
template <typename Visit>
void for_each_json(const fs::path& folder, const Visit& visit) {
  for (const auto& entry : entries_of(folder)) {
    if (entry.path().extension() == ".json") visit(entry.path().stem().string(), entry.path());
  }
}

}  // namespace

Plan read_plan(const fs::path& file, Links links) {
  const nlohmann::json json = read_record(file, links);
  return parse_file(file, "a plan", [&] { return parse_plan(json); });
}

fs::path rows_file(const fs::path& folder) {
  const fs::path packed = folder / "rows.jsonl.gz";
  const fs::path plain = folder / "rows.jsonl";
  if (!is_there(packed)) return plain;
  if (!is_there(plain)) return packed;
  throw CannotMeasure(
      fmt::format("{} holds rows.jsonl and rows.jsonl.gz; remove one of them", folder.string()));
}

void for_each_row(const fs::path& path, std::vector<LeftOut>& left_out,
                  const std::function<void(Row, const std::string&)>& visit) {
  LineReader file(path);
  size_t number = 0;
  for (std::string line; file.next(line);) {
    ++number;
    if (!file.finished()) {
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
    const nlohmann::json json = read_record(path);
    descriptions[name] = parse_file(path, "a declaration", [&] {
      Description description = parse_description(json);
      check_declaration(description.declared);
      return description;
    });
  };
  for_each_json(folder / "programs", read);
  for (const auto& entry : entries_of(folder / "programs")) {
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

bool in_use(const fs::path& file) {
  return is_there(file) && flock(open_to_read(file).fd(), LOCK_SH | LOCK_NB) != 0;
}

namespace {

/// Whether the open file is the one at the path: it may have been moved or removed.
bool is_at(int fd, const fs::path& path) {
  struct stat open_file {};
  struct stat at_path {};
  return fstat(fd, &open_file) == 0 && stat(path.c_str(), &at_path) == 0 &&
         open_file.st_ino == at_path.st_ino && open_file.st_dev == at_path.st_dev;
}

/// Where the last whole line ends.
off_t end_of_lines(int fd, off_t size, const fs::path& file) {
  std::array<char, 1 << 16> buffer;
  while (size > 0) {
    const off_t start = std::max<off_t>(0, size - static_cast<off_t>(buffer.size()));
    const auto length = static_cast<size_t>(size - start);
    if (pread(fd, buffer.data(), length, start) != static_cast<ssize_t>(length)) {
      throw system_error("read", file);
    }
    const size_t end = std::string_view(buffer.data(), length).rfind('\n');
    if (end != std::string_view::npos) return start + static_cast<off_t>(end) + 1;
    size = start;
  }
  return 0;
}

}  // namespace

RowWriter::RowWriter(const fs::path& file) : file_(file) {
  if (const fs::path packed = file.string() + ".gz"; is_there(packed)) {
    throw CannotMeasure(
        fmt::format("{0} holds the rows of a published run, which is never extended; to continue a "
                    "copy of it: gunzip {0}",
                    packed.string()));
  }
  // `in_use` holds the lock for a moment, and so does the child of a runner that was killed.
  constexpr int kTries = 20;
  constexpr int kWait_us = 10'000;
  for (int tries = 1;; ++tries) {
    open_ = open_to_append(file);
    const bool locked = flock(open_.fd(), LOCK_EX | LOCK_NB) == 0;
    if (locked && is_at(open_.fd(), file)) break;
    if (!locked && errno != EWOULDBLOCK) throw system_error("lock", file);
    if (tries == kTries) {
      throw CannotMeasure(file.string() + " is in use by another cliffbench run");
    }
    usleep(kWait_us);  // or removed since it was opened
  }
  const off_t size = lseek(open_.fd(), 0, SEEK_END);
  const off_t whole = end_of_lines(open_.fd(), size, file);
  cut_ = whole != size;
  if (cut_ && ftruncate(open_.fd(), whole) != 0) {
    throw system_error("cut the unfinished last line of", file);
  }
}

void RowWriter::append(const Row& row) {
  if (!is_at(open_.fd(), file_)) {
    throw CannotMeasure(
        fmt::format("{} was moved or removed during the run; the rows so far are complete, "
                    "continue with --resume where they are now",
                    file_.parent_path().string()));
  }
  if (const std::string what = impossible(row); !what.empty()) {
    throw CannotMeasure(fmt::format("a trial of {} is not kept: it {}", row.name, what));
  }
  const std::string line = row_line(row) + "\n";
  const off_t start = lseek(open_.fd(), 0, SEEK_END);
  const ssize_t written = write(open_.fd(), line.data(), line.size());
  if (written == static_cast<ssize_t>(line.size())) return;
  if (written >= 0) errno = ENOSPC;  // a short write to a file means that the disk is full
  const CannotMeasure error = system_error("append to", file_);
  // What cannot be cut off now is by the next start.
  if (ftruncate(open_.fd(), start) != 0) throw error;
  throw error;
}

}  // namespace cliffbench
