#include "cases/call_kernel/context/pool.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace zk
