#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__AVX512VBMI2__) || defined(SIPHASH_PACKED)
#define ZK_PACKED 1
#include <immintrin.h>
#endif

namespace zk {

static_assert(std::endian::native == std::endian::little);

/// SipHash-1-3 as a stream of writes (Aumasson and Bernstein, "SipHash: a fast short-input PRF",
/// 2012, with one compression and three finalisation rounds). The digest depends on the
/// concatenation only; each write pays for the partly filled word.
///
/// Its time must be that of upstream's hasher, whatever compiles it here. rustc 1.95 makes one
/// function of all writes of that one, and calls it; between two calls the state lies in memory.
/// Whole words keep the state in registers. A word that an earlier write began is packed into
/// vectors where there is AVX-512 VBMI2 (Ice Lake, Zen 4 and later), and nowhere else. The compiler
/// here is kept from choosing (siphash_test.py, which asks for SIPHASH_PACKED).
class SipHasher {
 public:
  explicit SipHasher(std::uint64_t key0 = 0, std::uint64_t key1 = 0)
      : state_{key0 ^ 0x736f6d6570736575, key0 ^ 0x6c7967656e657261, key1 ^ 0x646f72616e646f6d,
               key1 ^ 0x7465646279746573} {}

  void u8(std::uint8_t value) { bytes(&value, sizeof value); }
  void u32(std::uint32_t value) { bytes(&value, sizeof value); }
  void u64(std::uint64_t value) { bytes(&value, sizeof value); }
  [[gnu::noinline]] void bytes(const void* data, size_t size) {
    const char* at = static_cast<const char*>(data);
    length_ += size;
    if (filled_) {
      const size_t missing = 8 - filled_;
      tail_ |= load(at, std::min(size, missing)) << 8 * filled_;
      if (size < missing) {
        filled_ += size;
        return;
      }
      finish_word();
      at += missing;
      size -= missing;
    }
    const char* const end = at + size / 8 * 8;
    if (at != end) {
      Rounds rounds = loaded();
      for (; at != end; at += 8) rounds.add(load(at));
      store(rounds);
    }
    filled_ = size % 8;
    tail_ = load(end, filled_);
  }

  [[nodiscard]] std::uint64_t finish() const {
    Rounds last = loaded();
    last.add(tail_ | length_ << 56);
    last.v2 ^= 0xff;
    for (int i = 0; i < 3; ++i) last.round();
    return last.v0 ^ last.v1 ^ last.v2 ^ last.v3;
  }

 private:
  /// The state in registers.
  struct Rounds {
    std::uint64_t v0, v1, v2, v3;

    void add(std::uint64_t word) {
      v3 ^= word;
      round();
      v0 ^= word;
    }
    void round() {
      v0 += v1;
      v1 = std::rotl(v1, 13) ^ v0;
      v0 = std::rotl(v0, 32);
      v2 += v3;
      v3 = std::rotl(v3, 16) ^ v2;
      v0 += v3;
      v3 = std::rotl(v3, 21) ^ v0;
      v2 += v1;
      v1 = std::rotl(v1, 17) ^ v2;
      v2 = std::rotl(v2, 32);
      asm("" : "+r"(v0), "+r"(v1), "+r"(v2), "+r"(v3));  // one register each: not packed
    }
  };

  static std::uint64_t load(const char* at) {
    std::uint64_t word;
    std::memcpy(&word, at, 8);
    return word;
  }
  /// The first `size` bytes, fewer than 8.
  static std::uint64_t load(const char* at, size_t size) {
    std::uint64_t value = 0;
    size_t read = 0;
    const auto part = [&]<typename Part>(Part narrow) {
      if (!(size & sizeof narrow)) return;
      std::memcpy(&narrow, at + read, sizeof narrow);
      value |= std::uint64_t{narrow} << 8 * read;
      read += sizeof narrow;
    };
    part(std::uint32_t());
    part(std::uint16_t());
    part(std::uint8_t());
    return value;
  }

  /// Volatile, so that a word is stored and loaded by itself and never packed with its neighbours.
  volatile std::uint64_t& word(size_t i) { return state_[i]; }
  [[nodiscard]] const volatile std::uint64_t& word(size_t i) const { return state_[i]; }
  [[nodiscard]] Rounds loaded() const { return {word(0), word(2), word(1), word(3)}; }
  void store(const Rounds& rounds) {
    word(0) = rounds.v0;
    word(1) = rounds.v2;
    word(2) = rounds.v1;
    word(3) = rounds.v3;
  }

#ifdef ZK_PACKED
  static __m128i rotated(__m128i value, long long high, long long low) {
#ifdef __AVX512VL__
    return _mm_rolv_epi64(value, _mm_set_epi64x(high, low));
#else
    return _mm_or_si128(_mm_sllv_epi64(value, _mm_set_epi64x(high, low)),
                        _mm_srlv_epi64(value, _mm_set_epi64x(64 - high, 64 - low)));
#endif
  }
  void finish_word() {
    auto* const v02 = reinterpret_cast<__m128i*>(state_);
    auto* const v13 = v02 + 1;
    __m128i odd = _mm_loadu_si128(v13);
    odd = _mm_insert_epi64(odd, static_cast<long long>(word(3) ^ tail_), 1);
    __m128i even = _mm_add_epi64(odd, _mm_loadu_si128(v02));
    odd = _mm_xor_si128(rotated(odd, 16, 13), even);
    const std::uint64_t v0 = std::rotl(static_cast<std::uint64_t>(_mm_cvtsi128_si64(even)), 32);
    even = _mm_insert_epi64(_mm_shuffle_epi32(even, 0xee), static_cast<long long>(v0), 1);
    even = _mm_add_epi64(even, odd);  // now v2, v0
    _mm_storeu_si128(v13, _mm_xor_si128(rotated(odd, 21, 17), even));
    word(1) = std::rotl(static_cast<std::uint64_t>(_mm_cvtsi128_si64(even)), 32);
    word(0) = static_cast<std::uint64_t>(_mm_extract_epi64(even, 1)) ^ tail_;
    asm("" : "+m"(state_));  // the next word loads it again
  }
#else
  void finish_word() {
    Rounds rounds = loaded();
    rounds.add(tail_);
    store(rounds);
  }
#endif

  std::uint64_t state_[4];  // v0, v2, v1, v3: the order in which LLVM packs them
  std::uint64_t tail_ = 0;  // the bytes of a word that is not full yet
  size_t filled_ = 0;       // how many
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
