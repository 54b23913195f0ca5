#pragma once

/// A file of lines (bytes.hpp), in little memory. Everything that fails here throws CannotMeasure
/// with one sentence that names the file.

#include <array>
#include <filesystem>
#include <string>

#include "harness/record/bytes.hpp"

namespace cliffbench {

class LineReader {
 public:
  explicit LineReader(const std::filesystem::path& path) : path_(path), bytes_(path) {}
  /// False at the end. A line of more than 256 MB throws.
  bool next(std::string& line);
  [[nodiscard]] bool finished() const { return finished_; }  ///< whether the last line had its end

 private:
  bool fill();

  std::filesystem::path path_;
  Bytes bytes_;
  std::array<char, 1 << 16> buffer_;
  size_t at_ = 0;
  size_t size_ = 0;
  bool finished_ = true;
};

}  // namespace cliffbench
