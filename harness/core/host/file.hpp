#pragma once

/// The one place where files are opened. Reads only regular files, never through a link unless
/// the user named it; writes a new file next to the old one, then replaces that.
/// Everything that fails here throws CannotMeasure with one sentence that names the file.

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/text/text.hpp"

namespace cliffbench {

/// "cannot WHAT PATH: WHY".
[[nodiscard]] CannotMeasure cannot(const char* what, const std::filesystem::path& path,
                                   const std::string& why);
/// The same; why is what errno says.
[[nodiscard]] CannotMeasure system_error(const char* what, const std::filesystem::path& path);

/// An open file, closed by the destructor.
class OpenFile {
 public:
  explicit OpenFile(int fd = -1) : fd_(fd) {}
  OpenFile(OpenFile&& other) noexcept : fd_(other.release()) {}
  OpenFile& operator=(OpenFile&& other) noexcept;
  ~OpenFile();
  [[nodiscard]] int fd() const { return fd_; }
  int release();

 private:
  int fd_;
};

/// Whether a link is followed: one that the user typed is, one in a run's folder is not.
enum class Links { refused, followed };

/// Whether something is at this path, a link that leads nowhere included.
[[nodiscard]] bool is_there(const std::filesystem::path& path);
/// The path itself when it is free, else with "-2", "-3"... appended.
[[nodiscard]] std::string unused(const std::string& path);

[[nodiscard]] OpenFile open_to_read(const std::filesystem::path& path, Links = Links::refused);
/// Creates the file when it is not there. Refuses a file with a hard link, because
/// rows appended to one would appear in both.
[[nodiscard]] OpenFile open_to_append(const std::filesystem::path& path);

/// Reads the whole file block by block.
void for_each_block(const std::filesystem::path& path, Links links,
                    const std::function<void(std::string_view)>& visit);
/// The whole file; one of more than 256 MB is refused.
[[nodiscard]] std::string read_file(const std::filesystem::path& path, Links = Links::refused);

/// Replaces the file as a whole or not at all. A link, a device or a folder at this path is
/// refused.
void write_file(const std::filesystem::path& path, std::string_view text);
/// The same, for a text in parts.
void write_file(const std::filesystem::path& path, std::span<const std::string_view> parts);

/// Whether the user means standard output by this path: "-", or the system's name for it.
[[nodiscard]] bool is_standard_output(const std::filesystem::path& path);

void make_folder(const std::filesystem::path& path);
/// Throws UserError when a folder that is to be written anew is a link.
void require_no_link(const std::filesystem::path& folder);
/// Creates a folder inside a run's folder when it is not there. A link is refused.
std::filesystem::path make_subfolder(const std::filesystem::path& folder, std::string_view name);
/// The folder's entries, sorted by name; none when the folder is not there. A link is refused.
[[nodiscard]] std::vector<std::filesystem::directory_entry> entries_of(
    const std::filesystem::path& folder);

}  // namespace cliffbench
