#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "harness/host/file.hpp"
#include "harness/record/bytes.hpp"
#include "harness/text/text.hpp"

namespace cliffbench {

struct Bytes::File {
  std::string name;
  OpenFile open;
  bool begun = false;
};

Bytes::Bytes(const std::filesystem::path& path)
    : file_(new File{path.string(), open_to_read(path)}) {}

Bytes::~Bytes() = default;

size_t Bytes::read(char* to, size_t size) {
  ssize_t got = 0;
  do {
    got = ::read(file_->open.fd(), to, size);
  } while (got < 0 && errno == EINTR);
  const auto cannot = [&](const char* why) {
    return CannotMeasure(fmt::format("cannot read {}: {}", file_->name, why));
  };
  if (got < 0) throw cannot(std::strerror(errno));
  constexpr std::string_view kPacked = "\x1f\x8b";
  const auto bytes = static_cast<size_t>(got);
  if (!std::exchange(file_->begun, true) && std::string_view(to, bytes).starts_with(kPacked)) {
    throw cannot("it is compressed, and this program was built without zlib; gunzip it first");
  }
  return bytes;
}

}  // namespace cliffbench
