#include "harness/core/record/workplace.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <csignal>

#include "harness/core/host/machine.hpp"
#include "harness/core/host/stopping.hpp"
#include "harness/core/text/text.hpp"

namespace cliffbench {

namespace fs = std::filesystem;

bool has_begun(const fs::path& folder, const FolderKind& kind, bool resume) {
  if (!resume) require_no_link(folder);
  const bool begun = is_there(folder / kind.plan);
  if (begun && !resume) {
    throw UserError(fmt::format(
        "{0} already holds a {1}; continue it with --resume {0}, or choose another folder",
        folder.string(), kind.noun));
  }
  if (!begun && resume) {
    throw UserError(fmt::format("{} holds no {} to resume (it has no {})", folder.string(),
                                kind.noun, kind.plan));
  }
  std::error_code missing;
  const auto rows = fs::file_size(folder / "rows.jsonl", missing);
  if (!begun && !missing && rows > 0) {
    throw UserError(
        fmt::format("{} holds rows without a plan; choose another folder", folder.string()));
  }
  for (const std::string& name : kind.ours) {
    if (begun || !missing || !is_there(folder / name)) continue;
    throw UserError(fmt::format("{} holds {}, which does not belong to a {}; choose another folder",
                                folder.string(), name, kind.noun));
  }
  return begun;
}

namespace {

RowWriter locked(const fs::path& folder) {
  stop_on_signals();
  std::signal(SIGPIPE, SIG_IGN);  // writing to a closed pipe fails like any other writing
  if (describe_machine().emulated) {
    throw CannotMeasure("this program is emulated: times under emulation are not recorded");
  }
  make_folder(folder);
  return RowWriter(folder / "rows.jsonl");
}

/// Tells at little cost that a file was replaced or written to.
std::string mark_of(const std::string& path) {
  struct stat file{};
  if (stat(path.c_str(), &file) != 0) return "gone";
#ifdef __APPLE__
  const timespec& changed = file.st_mtimespec;
#else
  const timespec& changed = file.st_mtim;
#endif
  return fmt::format("{} {} {} {}", file.st_size, file.st_ino, changed.tv_sec, changed.tv_nsec);
}

/// Throws CannotMeasure when there is no room for a result: a trial that could not write one must
/// not be blamed for it.
void require_room_for_results(const fs::path& scratch) {
  if (!fs::exists(scratch)) return;  // the whole folder is gone: the next row says so
  const fs::path probe = scratch / "probe";
  constexpr size_t kSize = 64 << 10;  // more than a result takes
  write_file(probe, std::string(kSize, 'x'));
  std::error_code ignored;
  fs::remove(probe, ignored);
}

}  // namespace

Workplace::Workplace(const fs::path& folder, const FolderKind& kind,
                     std::int64_t memory_limit_bytes)
    : folder_(folder),
      scratch_(fs::weakly_canonical(fs::absolute(folder)) / "scratch"),
      kind_(kind),
      memory_limit_bytes_(memory_limit_bytes ? memory_limit_bytes
                                             : available_memory_bytes() / 10 * 9),
      rows_(locked(folder)) {}

Workplace::~Workplace() {
  std::error_code ignored;
  for (const std::string& name : kind_.ours) {
    fs::remove_all(scratch_.parent_path() / name, ignored);
  }
  const fs::path rows = folder_ / "rows.jsonl";
  if (fs::file_size(rows, ignored) == 0) fs::remove(rows, ignored);
}

void Workplace::clear_scratch() {
  end_leftovers(scratch_);
  std::error_code ignored;
  fs::remove_all(scratch_, ignored);
  make_subfolder(scratch_.parent_path(), "scratch");
}

void Workplace::watch(const std::vector<fs::path>& files) {
  for (const fs::path& file : files) watched_[file] = mark_of(file);
}

void Workplace::begin_session(SessionRecord begun) {
  run_ = begun.run;
  session_ = std::make_unique<Session>(folder_, std::move(begun));
}

void Workplace::keep(Row& row) {
  check(is_failure(row.status));
  row.run = run_;
  row.session = session_->number();
  rows_.append(row);
}

void Workplace::check(bool failed) const {
  if (failed) require_room_for_results(scratch_);
  for (const auto& [file, mark] : watched_) {
    if (mark_of(file) == mark) continue;
    throw CannotMeasure(
        fmt::format("{} was changed while it was measured; start a new {}", file, kind_.noun));
  }
}

}  // namespace cliffbench
