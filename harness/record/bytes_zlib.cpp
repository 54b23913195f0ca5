#include <fmt/format.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "harness/host/file.hpp"
#include "harness/record/bytes.hpp"
#include "harness/text/text.hpp"

namespace cliffbench {

struct Bytes::File {
  std::string name;
  std::unique_ptr<gzFile_s, int (*)(gzFile_s*)> gz;
};

Bytes::Bytes(const std::filesystem::path& path)
    : file_(new File{path.string(), {gzdopen(open_to_read(path).release(), "rb"), gzclose}}) {
  if (!file_->gz) throw CannotMeasure("there is not enough memory to read " + file_->name);
}

Bytes::~Bytes() = default;

/// zlib hands on as it is what is not packed.
size_t Bytes::read(char* to, size_t size) {
  const int got = gzread(file_->gz.get(), to, static_cast<unsigned>(size));
  int error = Z_OK;
  const char* words = gzerror(file_->gz.get(), &error);
  if (error == Z_OK || error == Z_STREAM_END) return static_cast<size_t>(got);
  if (error == Z_BUF_ERROR) words = "its compressed data ends too early";
  if (error == Z_ERRNO) words = std::strerror(errno);
  throw CannotMeasure(fmt::format("cannot read {}: {}", file_->name, words));
}

}  // namespace cliffbench
