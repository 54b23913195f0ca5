#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace zk {

static_assert(std::endian::native == std::endian::little);

/// SipHash-1-3 as a stream of writes (Aumasson and Bernstein, "SipHash: a fast short-input PRF",
/// 2012, with one compression and three finalisation rounds). The digest depends on the
/// concatenation only; each write pays for the partly filled word.
class SipHasher {
 public:
  explicit SipHasher(std::uint64_t key0 = 0, std::uint64_t key1 = 0)
      : v0_(key0 ^ 0x736f6d6570736575),
        v1_(key1 ^ 0x646f72616e646f6d),
        v2_(key0 ^ 0x6c7967656e657261),
        v3_(key1 ^ 0x7465646279746573) {}

  void u8(std::uint8_t value) { narrow(value, 1); }
  void u32(std::uint32_t value) { narrow(value, 4); }
  void u64(std::uint64_t value) {
    length_ += 8;
    if (filled_ == 0) {
      compress(value);
      return;
    }
    compress(tail_ | value << 8 * filled_);
    tail_ = value >> (64 - 8 * filled_);
  }
  void bytes(const void* data, size_t size) {
    const char* at = static_cast<const char*>(data);
    for (; size >= 8; at += 8, size -= 8) u64(load(at));
    for (; size; ++at, --size) u8(static_cast<std::uint8_t>(*at));
  }

  [[nodiscard]] std::uint64_t finish() const {
    SipHasher last = *this;
    last.compress(tail_ | length_ << 56);
    last.v2_ ^= 0xff;
    for (int i = 0; i < 3; ++i) last.round();
    return last.v0_ ^ last.v1_ ^ last.v2_ ^ last.v3_;
  }

 private:
  static std::uint64_t load(const char* at) {
    std::uint64_t word;
    std::memcpy(&word, at, 8);
    return word;
  }
  void narrow(std::uint64_t value, unsigned size) {
    length_ += size;
    tail_ |= value << 8 * filled_;
    filled_ += size;
    if (filled_ < 8) return;
    compress(tail_);
    filled_ -= 8;
    tail_ = filled_ ? value >> 8 * (size - filled_) : 0;
  }
  void compress(std::uint64_t word) {
    v3_ ^= word;
    round();
    v0_ ^= word;
  }
  void round() {
    v0_ += v1_;
    v1_ = std::rotl(v1_, 13) ^ v0_;
    v0_ = std::rotl(v0_, 32);
    v2_ += v3_;
    v3_ = std::rotl(v3_, 16) ^ v2_;
    v0_ += v3_;
    v3_ = std::rotl(v3_, 21) ^ v0_;
    v2_ += v1_;
    v1_ = std::rotl(v1_, 17) ^ v2_;
    v2_ = std::rotl(v2_, 32);
  }

  std::uint64_t v0_, v1_, v2_, v3_;
  std::uint64_t tail_ = 0;  // the bytes of a word that is not full yet
  unsigned filled_ = 0;     // how many
  std::uint64_t length_ = 0;
};

/// Counts what a hash would be fed.
struct ByteCounter {
  std::uint64_t written = 0;  ///< bytes
  std::uint64_t writes = 0;

  void u8(std::uint8_t) { add(1); }
  void u32(std::uint32_t) { add(4); }
  void u64(std::uint64_t) { add(8); }
  void bytes(const void*, size_t size) { add(size); }

 private:
  void add(size_t size) {
    written += size;
    ++writes;
  }
};

}  // namespace zk
