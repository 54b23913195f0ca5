// Both fields against GMP: edge values in all pairs, then random pairs. Compiled once for each
// instruction set that the compiler can target.

#include <gmp.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "cases/call_kernel/field/config.hpp"

namespace zk {
namespace {

#ifdef NDEBUG
constexpr int kPairs = 2'000'000;
#else
constexpr int kPairs = 20'000;  // under sanitizers
#endif

TEST(M31x16, AgreesWithGmpLaneByLane) {
  std::printf("M31x16 on %s\n", M31x16::target());
  const std::vector<std::uint32_t> edges = {
      0,       1,          2,          3,          0x7fff,     0x8000,     0xffff,
      0x10000, 0x3fffffff, 0x40000000, 0x7ffffffc, 0x7ffffffd, 0x7ffffffe, 0x7fffffff};
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (const auto a : edges) {
    for (const auto b : edges) pairs.emplace_back(a, b);
  }
  std::mt19937_64 random(1);
  while (pairs.size() < kPairs || pairs.size() % 16) {
    pairs.emplace_back(random() % (std::uint64_t{M31::kModulus} + 1),
                       random() % (std::uint64_t{M31::kModulus} + 1));
  }
  mpz_t x, y, modulus, z;
  mpz_inits(x, y, modulus, z, nullptr);
  mpz_set_ui(modulus, M31::kModulus);
  const auto reduced = [&] {
    mpz_mod(z, z, modulus);
    return static_cast<std::uint32_t>(mpz_get_ui(z));
  };
  int wrong = 0;
  for (size_t i = 0; i < pairs.size(); i += 16) {
    std::array<std::uint32_t, 16> a{}, b{};
    for (size_t lane = 0; lane < 16; ++lane) std::tie(a[lane], b[lane]) = pairs[i + lane];
    const M31x16 p = M31x16::from_raw(a), q = M31x16::from_raw(b);
    const M31x16 sum = p + q, difference = p - q, product = p * q, negative = -p;
    for (size_t lane = 0; lane < 16; ++lane) {
      mpz_set_ui(x, a[lane]);
      mpz_set_ui(y, b[lane]);
      const M31 s = M31::from_raw(a[lane]), t = M31::from_raw(b[lane]);
      mpz_add(z, x, y);
      const std::uint32_t wanted_sum = reduced();
      mpz_sub(z, x, y);
      const std::uint32_t wanted_difference = reduced();
      mpz_mul(z, x, y);
      const std::uint32_t wanted_product = reduced();
      mpz_neg(z, x);
      const std::uint32_t wanted_negative = reduced();
      wrong += sum.lane(lane).canonical() != wanted_sum || (s + t).canonical() != wanted_sum;
      wrong += difference.lane(lane).canonical() != wanted_difference ||
               (s - t).canonical() != wanted_difference;
      wrong +=
          product.lane(lane).canonical() != wanted_product || (s * t).canonical() != wanted_product;
      wrong +=
          negative.lane(lane).canonical() != wanted_negative || (-s).canonical() != wanted_negative;
      wrong += std::max({sum.lane(lane).raw(), difference.lane(lane).raw(),
                         product.lane(lane).raw(), negative.lane(lane).raw()}) > M31::kModulus;
    }
  }
  mpz_clears(x, y, modulus, z, nullptr);
  EXPECT_EQ(wrong, 0);
}

TEST(M31x16, PIsASecondZero) {
  EXPECT_EQ(M31x16(M31::from_raw(M31::kModulus)), M31x16(M31(0)));
  EXPECT_TRUE(M31::from_raw(M31::kModulus).is_zero());
  M31x16 packed(M31(7));
  packed.set_lane(15, M31(8));
  EXPECT_FALSE(packed == M31x16(M31(7)));
  EXPECT_EQ(packed.lane(15), M31(8));
  EXPECT_EQ(packed.lane(14), M31(7));
}

TEST(M31, InvertsEverythingButZero) {
  EXPECT_TRUE(M31(0).inverse().is_zero());
  std::mt19937_64 random(2);
  for (int i = 0; i < 1000; ++i) {
    const M31 x(random() % (M31::kModulus - 1) + 1);
    EXPECT_EQ(x * x.inverse(), M31(1));
  }
}

#ifdef TEST_BN254
using Limbs = Bn254::Limbs;

Limbs random_element(std::mt19937_64& random) {
  Limbs limbs;
  do {
    for (auto& limb : limbs) limb = random();
    limbs[3] &= 0x3fffffffffffffff;
  } while (mpn_cmp(limbs.data(), Bn254::kModulus.data(), 4) >= 0);
  return limbs;
}

TEST(Bn254, AgreesWithGmp) {
  std::vector<Limbs> edges = {{0}, {1}, {2}, {~std::uint64_t{0}}, {0, 1}, {0, 0, 1}, {0, 0, 0, 1}};
  for (const std::uint64_t below : {1, 2, 3}) {
    Limbs limbs = Bn254::kModulus;
    limbs[0] -= below;
    edges.push_back(limbs);
  }
  Limbs half;
  mpn_rshift(half.data(), Bn254::kModulus.data(), 4, 1);
  edges.push_back(half);
  std::mt19937_64 random(3);
  int wrong = 0;
  const auto check = [&](const Limbs& a, const Limbs& b) {
    const Bn254 x = Bn254::from_limbs(a), y = Bn254::from_limbs(b);
    mp_limb_t product[8], quotient[5];
    Limbs wanted;
    mpn_mul_n(product, a.data(), b.data(), 4);
    mpn_tdiv_qr(quotient, wanted.data(), 0, product, 8, Bn254::kModulus.data(), 4);
    wrong += (x * y).limbs() != wanted;
    mp_limb_t sum[5];
    sum[4] = mpn_add_n(sum, a.data(), b.data(), 4);
    mpn_tdiv_qr(quotient, wanted.data(), 0, sum, 5, Bn254::kModulus.data(), 4);
    wrong += (x + y).limbs() != wanted;
    if (mpn_sub_n(wanted.data(), a.data(), b.data(), 4)) {
      mpn_add_n(wanted.data(), wanted.data(), Bn254::kModulus.data(), 4);
    }
    wrong += (x - y).limbs() != wanted;
    wrong += -(x - y) != y - x || x.limbs() != a;
  };
  for (const Limbs& a : edges) {
    for (const Limbs& b : edges) check(a, b);
  }
  for (int i = 0; i < kPairs; ++i) check(random_element(random), random_element(random));
  EXPECT_EQ(wrong, 0);
}

TEST(Bn254, InvertsEverythingButZero) {
  EXPECT_TRUE(Bn254(0).inverse().is_zero());
  std::mt19937_64 random(4);
  for (int i = 0; i < 1000; ++i) {
    const Bn254 x = i < 3 ? Bn254(i + 1) : Bn254::from_limbs(random_element(random));
    EXPECT_EQ(x * x.inverse(), Bn254(1));
    EXPECT_EQ((-x) * (-x).inverse(), Bn254(1));
  }
}

static_assert((Bn254(7) * Bn254(9)).limbs() == Limbs{63});
static_assert(M31(7) * M31(7).inverse() == M31(1));
#endif

}  // namespace
}  // namespace zk
