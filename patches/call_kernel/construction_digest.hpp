#pragma once

#include <sodium.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/suite/case/patch.hpp"

namespace patches::call_kernel {

inline const cliffbench::Patch kConstructionDigest{
    .name = "construction_digest",
    .before = "Every call hashes and compares the whole kernel.",
    .after =
        "A finished kernel is sealed: it can no longer change, and carries a keyed 128-bit digest "
        "(BLAKE2b) of the bytes that were hashed before. Copies and moves carry it along, a "
        "rebuilt "
        "kernel gets the same one; calls look the kernel up by it.",
    .cost =
        "One pass over the kernel when it is built. Two different kernels get one number with the "
        "probability n^2 / 2^129 for n kernels of a process (below 2^-100 for ten thousand); the "
        "key is drawn per process, so nobody can prepare such a pair. A debug mode compares deeply "
        "and aborts.",
    .source = "Ours.",
    .left_out = "The first call of a kernel records its outputs' shapes as before."};

/// Collects the byte stream of a kernel into a keyed BLAKE2b of 128 bits.
class DigestSink {
 public:
  using Digest = std::array<unsigned char, 16>;

  DigestSink() {
    if (sodium_init() < 0) throw std::runtime_error("libsodium cannot find a source of randomness");
    static const std::array<unsigned char, 32> key = [] {
      std::array<unsigned char, 32> drawn;
      randombytes_buf(drawn.data(), drawn.size());
      return drawn;
    }();
    crypto_generichash_blake2b_init(&state_, key.data(), key.size(), sizeof(Digest));
  }
  void u8(unsigned char value) { add(&value, sizeof value); }
  void u32(std::uint32_t value) { add(&value, sizeof value); }
  void u64(std::uint64_t value) { add(&value, sizeof value); }
  void bytes(const void* data, std::size_t size) {
    if (size <= buffer_.size()) {
      if (size) add(data, size);
      return;
    }
    flush();
    crypto_generichash_blake2b_update(&state_, static_cast<const unsigned char*>(data), size);
  }
  [[nodiscard]] Digest finish() {
    flush();
    Digest digest;
    crypto_generichash_blake2b_final(&state_, digest.data(), digest.size());
    return digest;
  }

 private:
  void add(const void* data, std::size_t size) {
    if (used_ + size > buffer_.size()) flush();
    std::memcpy(buffer_.data() + used_, data, size);
    used_ += size;
  }
  void flush() {
    crypto_generichash_blake2b_update(&state_, buffer_.data(), used_);
    used_ = 0;
  }

  crypto_generichash_blake2b_state state_;
  std::array<unsigned char, 4096> buffer_;
  std::size_t used_ = 0;
};

/// A kernel that can no longer change, with its digest. Copies share it.
template <typename Kernel>
class Sealed {
 public:
  explicit Sealed(Kernel kernel) : kernel_(std::make_shared<const Kernel>(std::move(kernel))) {
    DigestSink sink;
    kernel_->write_to(sink);
    digest_ = sink.finish();
  }

  // A move is a copy of the pointer: no object is left without its kernel.
  Sealed(const Sealed&) = default;
  Sealed& operator=(const Sealed&) = default;

  [[nodiscard]] const Kernel& operator*() const { return *kernel_; }
  [[nodiscard]] const DigestSink::Digest& digest() const { return digest_; }

 private:
  std::shared_ptr<const Kernel> kernel_;
  DigestSink::Digest digest_;
};

/// Seam one: a kernel is named by its digest.
template <typename Kernel>
class ConstructionDigest {
 public:
  /// Compare deeply at every call, and abort the process when two kernels share a digest.
  bool compare_deeply = false;

  [[nodiscard]] std::size_t id_of(const Sealed<Kernel>& kernel) {
    const auto [found, added] = ids_.try_emplace(kernel.digest(), kernels_.size());
    if (added) {
      kernels_.push_back(kernel);
    } else if (compare_deeply && *kernels_[found->second] != *kernel) {
      std::fputs("two different kernels have the same digest\n", stderr);
      std::abort();
    }
    return found->second;
  }
  [[nodiscard]] static const Kernel& kernel_of(const Sealed<Kernel>& kernel) { return *kernel; }
  [[nodiscard]] std::size_t size() const { return kernels_.size(); }

 private:
  struct Hash {
    std::size_t operator()(const DigestSink::Digest& digest) const {
      std::size_t low;  // the digest is well mixed
      std::memcpy(&low, digest.data(), sizeof low);
      return low;
    }
  };

  std::vector<Sealed<Kernel>> kernels_;
  std::unordered_map<DigestSink::Digest, std::size_t, Hash> ids_;
};

}  // namespace patches::call_kernel
