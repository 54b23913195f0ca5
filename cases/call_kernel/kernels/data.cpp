#include "cases/call_kernel/kernels/data.hpp"

#include <Eigen/Dense>
#include <cmath>
#include <random>

namespace zk {
namespace {

using Matrix = Eigen::Matrix<std::int64_t, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Matrix drawn(std::mt19937_64& random, std::uint64_t rows, std::uint64_t columns,
             std::int64_t limit) {
  Matrix matrix(rows, columns);
  const auto span = static_cast<std::uint64_t>(2 * limit + 1);
  for (std::int64_t& value : matrix.reshaped<Eigen::RowMajor>()) {
    value = static_cast<std::int64_t>(random() % span) - limit;
  }
  return matrix;
}

IoData io(Shape shape, const Matrix& matrix) {
  return {std::move(shape), {matrix.data(), matrix.data() + matrix.size()}};
}

constexpr std::uint64_t kSeed = 8717;

}  // namespace

std::vector<IoData> freivalds_data(const FreivaldsDims& d, std::uint64_t lane) {
  std::mt19937_64 random(kSeed);
  // Z = X W is linear in X, so scaled lanes satisfy the checks too.
  const Matrix x = drawn(random, d.m, d.k, 100) * static_cast<std::int64_t>(lane + 1);
  std::vector<IoData> weights, products, left, right;
  left.push_back(io({d.m}, drawn(random, d.m, 1, 1 << 20)));
  for (const std::uint64_t n : {d.n_q, d.n_kv, d.n_kv}) {
    const Matrix w = drawn(random, d.k, n, 100);
    weights.push_back(io({d.k, n}, w));
    products.push_back(io({d.m, n}, x * w));
    right.push_back(io({n}, drawn(random, n, 1, 1 << 20)));
  }
  std::vector<IoData> all = {io({d.m, d.k}, x)};
  for (const auto& part : {weights, products, left, right})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

std::vector<IoData> pre_attn_sln_data(const SlnDims& d, std::uint64_t lane) {
  constexpr std::int64_t kOne = 1 << 20;  // of the squared norm
  constexpr std::int64_t kUnit = 1 << 12;
  std::mt19937_64 random(kSeed);
  const Matrix first = drawn(random, d.tokens, d.hidden, 8);
  Matrix x(first.rows(), first.cols());  // lanes take the tokens in another order
  for (Eigen::Index i = 0; i < x.rows(); ++i) {
    x.row(i) = first.row((i + static_cast<Eigen::Index>(lane)) % x.rows());
  }
  // Remainders below 2^12 need as many bits in their limbs; else they must be 0.
  Matrix gamma = drawn(random, d.hidden, 1, 1000);
  if (d.limbs * d.bits < 12) gamma *= kUnit;
  const Matrix squares = x.rowwise().squaredNorm();
  const Matrix r = squares.unaryExpr([](std::int64_t s) {
    return std::max<std::int64_t>(
        1, std::llround(std::sqrt(double(kOne) / double(std::max<std::int64_t>(s, 1)))));
  });
  const Matrix slack = (r.array() * r.array() * squares.array() - kOne).matrix();
  const Matrix numerators =
      ((x.array().colwise() * r.col(0).array()).rowwise() * gamma.col(0).transpose().array())
          .matrix();
  const Matrix quotients = numerators.unaryExpr([](std::int64_t n) { return n >> 12; });
  const Matrix remainders = numerators - quotients * kUnit;
  Matrix limbs(remainders.size(), static_cast<Eigen::Index>(d.limbs));
  Matrix count = Matrix::Zero(Eigen::Index{1} << d.bits, 1);
  const std::int64_t mask = (std::int64_t{1} << d.bits) - 1;
  for (Eigen::Index i = 0; i < limbs.rows(); ++i) {
    for (Eigen::Index l = 0; l < limbs.cols(); ++l) {
      limbs(i, l) = remainders.data()[i] >> (static_cast<Eigen::Index>(d.bits) * l) & mask;
      ++count(limbs(i, l), 0);
    }
  }
  return {io({d.tokens, d.hidden}, x),
          io({d.hidden}, gamma),
          io({d.tokens}, r),
          io({d.tokens, d.hidden}, quotients),
          io({d.tokens, d.hidden, d.limbs}, limbs),
          io({d.tokens}, slack),
          io({std::uint64_t{1} << d.bits}, count)};
}

std::vector<IoData> mul_line_data(std::uint64_t m, std::uint64_t k, std::uint64_t instances,
                                  std::uint64_t lane) {
  std::mt19937_64 random(kSeed);
  const Matrix a = drawn(random, instances, m, 1000) * static_cast<std::int64_t>(lane + 1);
  const Matrix b = drawn(random, m, k, 1000);
  return {io({instances, m}, a), io({m, k}, b), io({instances, k}, a * b)};
}

}  // namespace zk
