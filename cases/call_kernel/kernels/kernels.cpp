#include "cases/call_kernel/kernels/kernels.hpp"

#include <algorithm>
#include <iterator>

#include "cases/call_kernel/circuit/listing.hpp"
#include "cases/call_kernel/field/bn254.hpp"
#include "cases/call_kernel/field/m31.hpp"
#include "cases/call_kernel/kernels/emit.hpp"

namespace zk {
namespace {

using enum Direction;

/// s = 0, then s = s + x_j. A sum of one is a copy, and its zero is dropped.
template <typename Scalar>
Kernel<Scalar> sum(std::uint64_t count) {
  return emitted<Scalar>({{{count}, input}, {{}, output}}, 2, [&](Emitter<Scalar>& e) {
    if (count == 1) return std::vector{e.copy(1)};
    Terms<Scalar> terms = {{e.constant(Scalar(0)), Scalar(1)}};
    for (Id x = 1; x <= count; ++x) terms.push_back({x, Scalar(1)});
    return std::vector{e.lin_comb(terms)};
  });
}

/// x_0 + x_1 without a zero; the sum as above for any other number.
template <typename Scalar>
Kernel<Scalar> add(std::uint64_t count) {
  if (count != 2) return sum<Scalar>(count);
  return emitted<Scalar>({{{2}, input}, {{}, output}}, 1, [](Emitter<Scalar>& e) {
    return std::vector{e.lin_comb({{1, Scalar(1)}, {2, Scalar(1)}})};
  });
}

/// The row a times the matrix b: c_j = 0 for all j, then c_j = c_j + a_i b_ij for each i and j. A
/// column's sum stands behind its last product; a sum of one product is a copy without its zero.
template <typename Scalar>
std::vector<Id> emit_mul_line(Emitter<Scalar>& e, std::uint64_t rows, std::uint64_t columns) {
  const Id a = 1, b = a + rows;
  std::vector<Id> products, sums;
  products.reserve(rows * columns);
  sums.reserve(columns);
  Terms<Scalar> terms;
  terms.reserve(rows + 1);
  if (rows == 1) {
    for (std::uint64_t j = 0; j < columns; ++j) sums.push_back(e.copy(e.mul({a, b + j})));
    return sums;
  }
  for (std::uint64_t j = 0; j < columns; ++j) sums.push_back(e.constant(Scalar(0)));
  for (std::uint64_t i = 0; i < rows; ++i) {
    for (std::uint64_t j = 0; j < columns; ++j) {
      products.push_back(e.mul({a + i, b + i * columns + j}));
      if (i + 1 < rows) continue;
      terms.assign(1, {sums[j], Scalar(1)});
      for (size_t p = j; p < products.size(); p += columns) {
        terms.push_back({products[p], Scalar(1)});
      }
      sums[j] = e.lin_comb(terms);
    }
  }
  return sums;
}

template <typename Scalar>
Kernel<Scalar> mul_line(std::uint64_t rows, std::uint64_t columns) {
  return emitted<Scalar>({{{rows}, input}, {{rows, columns}, input}, {{columns}, output}},
                         rows * columns + 2 * columns,
                         [&](Emitter<Scalar>& e) { return emit_mul_line(e, rows, columns); });
}

template <typename Scalar>
struct Named {
  KernelName name;
  Kernel<Scalar> (*kernel)(const std::vector<std::uint64_t>& dims);
};

template <typename Scalar>
const std::vector<Named<Scalar>>& table() {
  using Dims = std::vector<std::uint64_t>;
  static const std::vector<Named<Scalar>> all = {
      {{"freivalds", "m,k,n_q,n_kv"},
       [](const Dims& d) { return freivalds<Scalar>({d[0], d[1], d[2], d[3]}); }},
      {{"pre_attn_sln", "T,D,nl,b"},
       [](const Dims& d) { return pre_attn_sln<Scalar>({d[0], d[1], d[2], d[3]}); }},
      {{"add", "N"}, [](const Dims& d) { return add<Scalar>(d[0]); }},
      {{"sum", "N"}, [](const Dims& d) { return sum<Scalar>(d[0]); }},
      {{"mul_line", "M,K"}, [](const Dims& d) { return mul_line<Scalar>(d[0], d[1]); }},
  };
  return all;
}

}  // namespace

const std::vector<KernelName>& kernel_names() {
  static const std::vector<KernelName> names = [] {
    std::vector<KernelName> all;
    for (const auto& entry : table<M31>()) all.push_back(entry.name);
    return all;
  }();
  return names;
}

template <typename Scalar>
Kernel<Scalar> kernel_of(const std::string& name, const std::vector<std::uint64_t>& dims) {
  std::string known;
  for (const auto& entry : table<Scalar>()) {
    if (name != entry.name.name) {
      known += (known.empty() ? "" : ", ") + entry.name.name;
      continue;
    }
    const auto wanted = 1 + std::ranges::count(entry.name.dims, ',');
    const bool positive = std::ranges::all_of(dims, [](auto d) { return d > 0; });
    if (std::ssize(dims) != wanted || !positive) {
      throw KernelError(name + " has the dims " + entry.name.dims + ", positive integers");
    }
    return entry.kernel(dims);
  }
  throw KernelError("there is no kernel '" + name + "'; it is one of " + known);
}

template <typename Scalar>
Sizes kernel_sizes(const std::string& name, const std::vector<std::uint64_t>& dims) {
  return sizes_of(kernel_of<Scalar>(name, dims));
}
template <typename Scalar>
std::string kernel_listing(const std::string& name, const std::vector<std::uint64_t>& dims) {
  return listing(kernel_of<Scalar>(name, dims));
}

template Kernel<M31> kernel_of(const std::string&, const std::vector<std::uint64_t>&);
template Kernel<Bn254> kernel_of(const std::string&, const std::vector<std::uint64_t>&);
template Sizes kernel_sizes<M31>(const std::string&, const std::vector<std::uint64_t>&);
template Sizes kernel_sizes<Bn254>(const std::string&, const std::vector<std::uint64_t>&);
template std::string kernel_listing<M31>(const std::string&, const std::vector<std::uint64_t>&);
template std::string kernel_listing<Bn254>(const std::string&, const std::vector<std::uint64_t>&);

}  // namespace zk
