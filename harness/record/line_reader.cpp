#include "harness/record/line_reader.hpp"

#include <fmt/format.h>

#include <cstring>

#include "harness/text/text.hpp"

namespace cliffbench {

bool LineReader::fill() {
  at_ = 0;
  size_ = bytes_.read(buffer_.data(), buffer_.size());
  return size_ > 0;
}

bool LineReader::next(std::string& line) {
  constexpr size_t kMost = 256 << 20;
  line.clear();
  while (at_ < size_ || fill()) {
    const char* const start = buffer_.data() + at_;
    const void* const end = std::memchr(start, '\n', size_ - at_);
    const size_t length =
        end ? static_cast<size_t>(static_cast<const char*>(end) - start) : size_ - at_;
    line.append(start, length);
    at_ += length + (end ? 1 : 0);
    if (end) return true;
    if (line.size() > kMost) {
      throw CannotMeasure(
          fmt::format("cannot read {}: it has a line of more than 256 MB", path_.string()));
    }
  }
  finished_ = line.empty();
  return !line.empty();
}

}  // namespace cliffbench
