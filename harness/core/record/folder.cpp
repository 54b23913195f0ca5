#include "harness/core/record/folder.hpp"

#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef CLIFFBENCH_ZLIB
#include <zlib.h>
#endif

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "harness/core/host/exact.hpp"
#include "harness/core/record/record.hpp"
#include "harness/core/text/text.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;

/// Calls `visit(block)` for each block of a file, which is unpacked if gzip packed it.
template <typename Visit>
void for_each_unpacked_block(const fs::path& path, const Visit& visit) {
#ifdef CLIFFBENCH_ZLIB
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzdopen(open_to_read(path).release(), "rb"),
                                                        gzclose);
  if (!file) throw CannotMeasure("there is not enough memory to read " + path.string());
  std::array<char, 1 << 16> buffer;
  for (int got = 1; got > 0;) {
    got = gzread(file.get(), buffer.data(), buffer.size());
    int error = Z_OK;
    const char* words = gzerror(file.get(), &error);
    if (error == Z_BUF_ERROR) words = "its compressed data ends too early";
    if (error == Z_ERRNO) words = std::strerror(errno);
    if (error != Z_OK && error != Z_STREAM_END) throw cannot("read", path, words);
    visit(std::string_view(buffer.data(), static_cast<size_t>(got)));
  }
#else  // a tool for gates alone: their rows are never compressed
  bool begun = false;
  for_each_block(path, Links::refused, [&](std::string_view block) {
    if (!std::exchange(begun, true) && block.starts_with("\x1f\x8b")) {
      throw cannot("read", path,
                   "it is compressed, and this program was built without zlib; gunzip it first");
    }
    visit(block);
  });
#endif
}

/// Calls `visit(line)` for every line, without its line end. Returns the text after the last one.
template <typename Visit>
std::string for_each_line(const fs::path& path, const Visit& visit) {
  constexpr size_t kLongest = 256 << 20;
  std::string line;
  for_each_unpacked_block(path, [&](std::string_view block) {
    for (size_t end = 0; (end = block.find('\n')) != block.npos; block.remove_prefix(end + 1)) {
      visit(line.append(block, 0, end));
      line.clear();
    }
    line += block;
    if (line.size() > kLongest) throw cannot("read", path, "it has a line of more than 256 MB");
  });
  return line;
}

}  // namespace

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
  size_t number = 0;
  const auto leave_out = [&](const std::string& why) {
    left_out.push_back({number, fmt::format("{} line {} is {}", path.string(), number, why)});
  };
  const std::string unfinished = for_each_line(path, [&](const std::string& line) {
    ++number;
    Row row;
    try {
      row = parse_row(line);
    } catch (const DamagedRow& error) {
      leave_out(fmt::format("damaged and was left out: it {}", error.what()));
      return;
    } catch (const CannotMeasure& error) {
      throw CannotMeasure(fmt::format("{} line {} {}", path.string(), number, error.what()));
    }
    visit(std::move(row), line);
  });
  ++number;
  if (!unfinished.empty()) leave_out("unfinished and was left out");
}

std::vector<Row> read_rows(const fs::path& file, std::vector<LeftOut>& left_out) {
  std::vector<Row> rows;
  for_each_row(file, left_out,
               [&](Row row, const std::string&) { rows.push_back(std::move(row)); });
  return rows;
}

void refuse_row(const fs::path& file, const char* what, const Row& row) {
  throw CannotMeasure(fmt::format("{} holds {} (run {}, {}, round {})", file.string(), what,
                                  row.run, row.name, row.round));
}

void TrialsSeen::take(const Row& row) {
  std::vector<bool>& rounds =
      rounds_[fmt::format("{}\n{}\n{}\n{}", row.run, row.program, row.name, row.variant)];
  const auto round = static_cast<size_t>(row.round);
  if (rounds.size() <= round) rounds.resize(round + 1);
  if (rounds[round]) refuse_row(file_, "two rows of one trial", row);
  rounds[round] = true;
}

bool in_use(const fs::path& file) {
  return is_there(file) && flock(open_to_read(file).fd(), LOCK_SH | LOCK_NB) != 0;
}

namespace {

/// Whether the open file is the one at the path: it may have been moved or removed.
bool is_at(int fd, const fs::path& path) {
  struct stat open_file{};
  struct stat at_path{};
  return fstat(fd, &open_file) == 0 && stat(path.c_str(), &at_path) == 0 &&
         open_file.st_ino == at_path.st_ino && open_file.st_dev == at_path.st_dev;
}

/// Where the last whole line ends.
off_t end_of_lines(int fd, off_t size, const fs::path& file) {
  for (char last = 0; size > 0; --size) {
    if (pread(fd, &last, 1, size - 1) != 1) throw system_error("read", file);
    if (last == '\n') break;
  }
  return size;
}

}  // namespace

RowWriter::RowWriter(const fs::path& file) : file_(file) {
  if (const fs::path packed = file.string() + ".gz"; is_there(packed)) {
    throw CannotMeasure(
        fmt::format("{0} holds the rows of a published run, which is never extended; to continue a "
                    "copy of it: gunzip {0}",
                    packed.string()));
  }
  // `in_use` and the child of a killed runner hold the lock for a moment.
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
    usleep(kWait_us);  // the lock is taken, or the file was removed since it was opened
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
    throw CannotMeasure(fmt::format("a trial of {} is discarded: it {}", row.name, what));
  }
  const std::string line = row_line(row) + "\n";
  const off_t start = lseek(open_.fd(), 0, SEEK_END);
  const ssize_t written = write(open_.fd(), line.data(), line.size());
  if (written == static_cast<ssize_t>(line.size())) return;
  if (written >= 0) errno = ENOSPC;  // a short write to a file means that the disk is full
  const CannotMeasure error = system_error("append to", file_);
  [[maybe_unused]] const int cut =
      ftruncate(open_.fd(), start);  // if this fails, the next start cuts it off
  throw error;
}

}  // namespace cliffbench
