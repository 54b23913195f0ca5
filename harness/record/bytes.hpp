#pragma once

/// The bytes of a file, unpacked where gzip packed it. Everything that fails here throws
/// CannotMeasure with one sentence that names the file.

#include <cstddef>
#include <filesystem>
#include <memory>

namespace cliffbench {

/// bytes_zlib.cpp; without zlib, as in a tool for gates alone, bytes_plain.cpp, which refuses what
/// is packed.
class Bytes {
 public:
  explicit Bytes(const std::filesystem::path& path);
  ~Bytes();
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;
  /// How many there are, at most `size`; 0 at the end.
  [[nodiscard]] size_t read(char* to, size_t size);

 private:
  struct File;
  std::unique_ptr<File> file_;
};

}  // namespace cliffbench
