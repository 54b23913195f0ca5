#include "cases/call_kernel/context/pool.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "cases/call_kernel/context/growing_array.hpp"
#include "cases/call_kernel/field/m31.hpp"
#include "cases/call_kernel/kernels/kernels.hpp"

namespace zk {
namespace {

Kernel<M31> sum(std::uint64_t count) { return kernel_of<M31>("sum", {count}); }

TEST(Pool, CountsAsUpstreamsTable) {
  Pool<Kernel<M31>> pool;
  std::vector<Kernel<M31>> kernels;
  for (std::uint64_t n = 2; n < 12; ++n) kernels.push_back(sum(n));
  EXPECT_EQ(pool.add(kernels[0]), 0u);
  EXPECT_EQ(pool.work().hashes, 1u);  // an empty table is not asked
  EXPECT_EQ(pool.add(sum(2)), 0u);
  EXPECT_EQ(pool.work().hashes, 2u);
  EXPECT_EQ(pool.work().comparisons, 1u);
  std::uint64_t hashes = pool.work().hashes;
  for (size_t i = 1; i < kernels.size(); ++i) {
    EXPECT_EQ(pool.add(kernels[i]), i);
    const std::uint64_t rehashed = i == 3 ? 3 : i == 7 ? 7 : 0;  // the 4th and the 8th make it grow
    EXPECT_EQ(pool.work().hashes, hashes + 2 + rehashed) << i;
    hashes = pool.work().hashes;
  }
  for (size_t i = 0; i < kernels.size(); ++i) EXPECT_EQ(pool.index_of(kernels[i]), i);
  EXPECT_EQ(pool.get(4), kernels[4]);
  EXPECT_THROW((void)pool.get(99), Panic);
}

TEST(GrowingArray, DoublesAndKeepsItsValues) {
  struct alignas(64) Wide {  // realloc cannot align it, so each growth is another place
    size_t value;
  };
  GrowingArray<Wide> one_by_one;
  std::vector<size_t> moved;  // the sizes at which it did
  for (size_t i = 0; i < 40; ++i) {
    const Wide* const before = one_by_one.data();
    one_by_one.push_back(i == 4 ? one_by_one[3] : Wide{i});  // an element of its own, as it grows
    if (one_by_one.data() != before) moved.push_back(i);
  }
  EXPECT_EQ(moved, (std::vector<size_t>{0, 4, 8, 16, 32}));
  EXPECT_EQ(one_by_one[4].value, 3u);
  for (size_t i = 5; i < 40; ++i) EXPECT_EQ(one_by_one[i].value, i);

  GrowingArray<Wide> at_once;
  at_once.append({one_by_one.data(), 5});  // more than twice what there is
  const Wide* const before = at_once.data();
  at_once.append({});
  EXPECT_EQ(at_once.data(), before);
  at_once.push_back({9});
  EXPECT_NE(at_once.data(), before);
  EXPECT_EQ(at_once.size(), 6u);
  EXPECT_EQ(at_once[5].value, 9u);
}

}  // namespace
}  // namespace zk
