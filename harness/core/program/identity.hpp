#pragma once

/// Identifies the build of a program by the content of its file and of the libraries that it
/// loads.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace cliffbench {

/// Content hashes of a program (under "") and of the libraries that it loads (by file name).
using Identity = std::map<std::string, std::string>;

/// Hash of a file's content (XXH3, 128 bits, hexadecimal). Throws CannotMeasure when it cannot be
/// read.
[[nodiscard]] std::string file_identity(const std::filesystem::path& path);

/// The same for many files; each is read once.
class FileIdentities {
 public:
  [[nodiscard]] const std::string& of(const std::filesystem::path& path);

 private:
  std::map<std::filesystem::path, std::string> known_;
};

/// Throws CannotMeasure when the program cannot be read.
[[nodiscard]] Identity identity_of(const std::filesystem::path& program,
                                   const std::vector<std::string>& libraries);

/// The difference between two identities, in one sentence that starts with the program's name and
/// goes on "since ..."; "" when they are the same.
[[nodiscard]] std::string difference(const std::string& program, const Identity& was,
                                     const Identity& is);

}  // namespace cliffbench
