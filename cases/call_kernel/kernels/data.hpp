#pragma once

#include <cstdint>
#include <vector>

#include "cases/call_kernel/circuit/kernel.hpp"
#include "cases/call_kernel/kernels/kernels.hpp"

namespace zk {

/// One io's values: integers, row-major, for one lane. Negative ones stand for p - |value|.
struct IoData {
  Shape shape;
  std::vector<std::int64_t> values;
};

/// Inputs that satisfy the kernels' constraints, in the order of the ios. Deterministic; lanes
/// differ.
[[nodiscard]] std::vector<IoData> freivalds_data(const FreivaldsDims& dims, std::uint64_t lane);
[[nodiscard]] std::vector<IoData> pre_attn_sln_data(const SlnDims& dims, std::uint64_t lane);

/// For P instances of mul_line(m, k): a [P, m], b [m, k] (broadcast), and the product [P, k].
[[nodiscard]] std::vector<IoData> mul_line_data(std::uint64_t m, std::uint64_t k,
                                                std::uint64_t instances, std::uint64_t lane);

template <typename Scalar>
[[nodiscard]] Scalar to_field(std::int64_t value) {
  return value < 0 ? -Scalar(static_cast<std::uint64_t>(-value))
                   : Scalar(static_cast<std::uint64_t>(value));
}

/// All lanes of one io as packed values: `lanes[l]` is lane l's.
template <typename Config>
[[nodiscard]] std::vector<typename Config::Packed> packed(const std::vector<IoData>& lanes) {
  std::vector<typename Config::Packed> values(lanes.at(0).values.size());
  for (size_t lane = 0; lane < lanes.size(); ++lane) {
    for (size_t i = 0; i < values.size(); ++i) {
      values[i].set_lane(lane, to_field<typename Config::Scalar>(lanes[lane].values[i]));
    }
  }
  return values;
}

}  // namespace zk
