#pragma once

#include <type_traits>

#include "cases/call_kernel/circuit/scatter.hpp"
#include "cases/call_kernel/field/m31.hpp"

namespace zk {

/// The layouts of the two kernels, from dumps of the operand blocks' addresses in upstream's
/// process: freivalds and pre_attn_sln, bn254 at default and m31 at small size. Within a class
/// every order of magnitude is as likely. `bytes_a_block` is ours: the dumps do not say over how
/// much of the heap the blocks are spread.
template <typename Scalar>
[[nodiscard]] const HeapLayout& heap_layout(bool sln) {
  constexpr double kK = 1024, kM = 1024 * kK;
  static const HeapLayout freivalds_bn254{
      {{1.00, 3, 3}},
      {{.64, 32, kK}, {.22, kK, 4 * kK}, {.11, 4 * kK, 64 * kK}, {.03, 64 * kK, 32 * kM}},
      300};
  static const HeapLayout sln_bn254{{{.13, 1, 1}, {.25, 4, 4}, {.62, 1024, 8191}},
                                    {{.07, 32, kK},
                                     {.11, kK, 4 * kK},
                                     {.13, 4 * kK, 64 * kK},
                                     {.04, 64 * kK, 64 * kM},
                                     {.65, HeapLayout::kFar, HeapLayout::kFar}},
                                    150};
  static const HeapLayout freivalds_m31{{{.02, 1, 8}, {.04, 64, 1023}, {.94, 1024, 8191}},
                                        {{.07, 32, kK},
                                         {.07, kK, 4 * kK},
                                         {.36, 4 * kK, 64 * kK},
                                         {.21, 64 * kK, 64 * kM},
                                         {.29, HeapLayout::kFar, HeapLayout::kFar}},
                                        150};
  static const HeapLayout sln_m31{{{.18, 1, 1}, {.03, 2, 63}, {.18, 64, 1023}, {.61, 1024, 4096}},
                                  {{.14, 32, kK},
                                   {.27, kK, 4 * kK},
                                   {.18, 4 * kK, 64 * kK},
                                   {.14, 64 * kK, kM},
                                   {.27, kM, 64 * kM}},
                                  150};
  if constexpr (std::is_same_v<Scalar, M31>) return sln ? sln_m31 : freivalds_m31;
  return sln ? sln_bn254 : freivalds_bn254;
}

}  // namespace zk
