#pragma once

#include <Halide.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "harness/patch.hpp"

namespace patches::halide {

inline const cliffbench::Patch kEmbeddedBufferWarning{
    .name = "embedded_buffer_warning",
    .before =
        "Nothing tells a user that a Buffer used in a pipeline becomes part of its code, and what "
        "that will cost.",
    .after =
        "Each compilation to the viewer names the embedded buffers of 1 MB and more, the bytes of "
        "listing that each makes, and what to write instead.",
    .cost = "A few lines on stderr.",
    .source =
        "halide/Halide #8717: \"there is the question of how to steer users away from this "
        "performance cliff\".",
    .left_out = "It changes no time."};

inline constexpr size_t kLargeBuffer = 1'000'000;  ///< bytes

/// About how many characters of assembly these bytes make: as LLVM writes them in a string
/// directive, from at most 65,536 of them, evenly spaced.
inline double listed_bytes(const uint8_t* data, size_t size) {
  constexpr size_t kSampled = 65536;
  if (size == 0) return 0;
  const size_t step = std::max<size_t>(1, size / kSampled);
  double characters = 0, sampled = 0;
  for (size_t i = 0; i < size; i += step, ++sampled) {
    const uint8_t byte = data[i];
    if (std::string_view("\"\\\b\f\n\r\t").find(static_cast<char>(byte)) != std::string_view::npos)
      characters += 2;
    else
      characters += byte >= 0x20 && byte < 0x7f ? 1 : 4;
  }
  return characters / sampled * static_cast<double>(size);
}

/// "25.2 MB"
inline std::string megabytes(double bytes) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), bytes < 1e9 ? "%.3g MB" : "%.3g GB",
                bytes / (bytes < 1e9 ? 1e6 : 1e9));
  return text.data();
}

/// One sentence for each embedded buffer of at least kLargeBuffer bytes.
inline std::vector<std::string> warnings_of(const Halide::Module& module) {
  std::vector<std::string> sentences;
  for (const Halide::Buffer<>& buffer : module.buffers()) {
    if (buffer.size_in_bytes() < kLargeBuffer) continue;
    std::string shape;
    for (int i = 0; i < buffer.dimensions(); ++i) {
      shape += (i ? "x" : "") + std::to_string(buffer.dim(i).extent());
    }
    const auto bytes = static_cast<double>(buffer.size_in_bytes());
    sentences.push_back(
        "the Buffer '" + buffer.name() + "' (" + shape + ", " + megabytes(bytes) +
        ") is embedded in the code of '" + module.name() + "' and makes about " +
        megabytes(
            listed_bytes(static_cast<const uint8_t*>(buffer.data()), buffer.size_in_bytes())) +
        " of assembly; make it an ImageParam of the same type and set() the Buffer before "
        "realize().");
  }
  return sentences;
}

/// Writes them to stderr, each on a line of its own.
inline void warn_of_embedded_buffers(const Halide::Module& module) {
  for (const std::string& sentence : warnings_of(module)) {
    std::fprintf(stderr, "halide-patched: warning: %s\n", sentence.c_str());
  }
}

}  // namespace patches::halide
