#pragma once

#include <Halide.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/suite/case/patch.hpp"

namespace patches::halide {

inline const cliffbench::Patch kEmbeddedBufferWarning{
    .name = "embedded_buffer_warning",
    .before =
        "Nothing tells a user that a Buffer used in a pipeline becomes part of its code, and what "
        "that will cost.",
    .after =
        "A compilation to the viewer names the embedded buffers of 1 MB and more, each once, the "
        "bytes of listing that it makes, and what to write instead.",
    .cost = "A few lines on stderr.",
    .source =
        "halide/Halide #8717: \"there is the question of how to steer users away from this "
        "performance cliff\".",
    .left_out = "The time: it only warns."};

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

/// A buffer as its user knows it.
struct Described {
  std::string name, shape;
};

/// "'weights'", "3072x2048"
inline Described as_in_cxx(const Halide::Buffer<>& buffer) {
  std::string shape;
  for (int i = 0; i < buffer.dimensions(); ++i) {
    shape += (i ? "x" : "") + std::to_string(buffer.dim(i).extent());
  }
  return {"'" + buffer.name() + "'", shape};
}

using Describe = std::function<Described(const Halide::Buffer<>&)>;

/// Whether to warn of a buffer: it has at least kLargeBuffer bytes in the host's memory.
inline bool is_large(const Halide::Buffer<>& buffer) {
  return buffer.size_in_bytes() >= kLargeBuffer && buffer.data();
}

/// The warning about a large embedded buffer, and what to do instead.
inline std::string warning_of(const Halide::Buffer<>& buffer, const Halide::Module& module,
                              const Describe& describe = as_in_cxx) {
  const auto [name, shape] = describe(buffer);
  const size_t size = buffer.size_in_bytes();
  const double listed = listed_bytes(static_cast<const uint8_t*>(buffer.data()), size);
  return "the Buffer " + name + " (" + shape + ", " + megabytes(static_cast<double>(size)) +
         ") is embedded in the code of '" + module.name() + "' and makes about " +
         megabytes(listed) +
         " of assembly; make it an ImageParam of the same type, add that to the arguments, and "
         "set() the Buffer before realize()" +
         (module.target().has_feature(Halide::Target::NoBoundsQuery)
              ? ". With no_bounds_query its bytes stay in the page's listing, so the patches "
                "hardly "
                "help"
              : "");
}

/// One sentence for each large embedded buffer.
inline std::vector<std::string> warnings_of(const Halide::Module& module) {
  std::vector<std::string> sentences;
  for (const Halide::Buffer<>& buffer : module.buffers()) {
    if (is_large(buffer)) sentences.push_back(warning_of(buffer, module));
  }
  return sentences;
}

/// Takes one sentence.
using Warn = std::function<void(const std::string&)>;

inline void warn_on_stderr(const std::string& sentence) {
  std::fprintf(stderr, "halide-patched: warning: %s\n", sentence.c_str());
}

/// Warns once of each large buffer in a process.
inline void warn_of_embedded_buffers(const Halide::Module& module,
                                     const Describe& describe = as_in_cxx,
                                     const Warn& warn = warn_on_stderr) {
  static std::mutex mutex;
  static std::set<std::pair<std::string, const void*>> named;
  for (const Halide::Buffer<>& buffer : module.buffers()) {
    if (!is_large(buffer)) continue;
    {
      const std::lock_guard lock(mutex);
      if (!named.emplace(buffer.name(), buffer.data()).second) continue;
    }
    warn(warning_of(buffer, module, describe) + ".");
  }
}

}  // namespace patches::halide
