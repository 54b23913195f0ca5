#include "cases/call_kernel/kernels/kernels.hpp"

#include "cases/call_kernel/field/bn254.hpp"
#include "cases/call_kernel/field/m31.hpp"

namespace zk {
namespace {

using enum Direction;

/// Row-major view of an io.
struct Matrix {
  const std::vector<Variable>& elements;
  std::uint64_t columns;
  Variable operator()(std::uint64_t row, std::uint64_t column) const {
    return elements[row * columns + column];
  }
};

/// s = 0, then s = product(i) + s for each i.
template <typename Scalar, typename Product>
Variable sum_of_products(Builder<Scalar>& b, std::uint64_t count, const Product& product) {
  Variable sum = b.constant(0);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto [x, y] = product(i);
    sum = b.add(b.mul(x, y), sum);
  }
  return sum;
}

using Factors = std::pair<Variable, Variable>;

/// A sum of fractions n/d.
struct Fraction {
  Variable numerator, denominator;
};

/// By halving: entry i is added to entry i + floor(n/2); an odd last one is kept.
template <typename Scalar>
Fraction sum_of_fractions(Builder<Scalar>& b, std::vector<Fraction> leaves) {
  while (leaves.size() > 1) {
    const size_t half = leaves.size() / 2;
    for (size_t i = 0; i < half; ++i) {
      const Fraction x = leaves[i], y = leaves[i + half];
      const Variable left = b.mul(x.numerator, y.denominator);
      const Variable right = b.mul(x.denominator, y.numerator);
      leaves[i].numerator = b.add(left, right);
      leaves[i].denominator = b.mul(x.denominator, y.denominator);
    }
    if (leaves.size() % 2) leaves[half] = leaves.back();
    leaves.resize(half + leaves.size() % 2);
  }
  return leaves[0];
}

template <typename Scalar>
void sum_all(Builder<Scalar>& b, typename Source<Scalar>::Ios& io) {
  Variable sum = b.constant(0);
  for (const Variable x : io[0]) sum = b.add(sum, x);
  io[1][0] = sum;
}

/// A kernel that tests every rule of the builder: pseudo-random operations, a sum of all, repeated
/// and zero expressions asserted.
template <typename Scalar>
void random_program(Builder<Scalar>& b, typename Source<Scalar>::Ios& io, std::uint64_t m,
                    std::uint64_t seed) {
  std::uint64_t z = seed * 2862933555777941757u + 3037000493u;
  const auto next = [&](std::uint64_t below) {
    z = z * 2862933555777941757u + 3037000493u;
    return (z >> 33) % below;
  };
  std::vector<Variable> w = io[0];
  const size_t n = w.size();
  for (std::uint64_t i = 0; i < m; ++i) {
    const std::uint64_t op = next(5), x = next(w.size()), y = next(w.size());
    switch (op) {
      case 0:
        w.push_back(b.add(w[x], w[y]));
        break;
      case 1:
        w.push_back(b.sub(w[x], w[y]));
        break;
      case 2:
        w.push_back(b.mul(w[x], w[y]));
        break;
      case 3:
        w.push_back(b.mul(w[x], b.constant(y % 7)));
        break;
      default:
        w.push_back(b.neg(b.add(w[x], b.constant(y % 5))));
        break;
    }
  }
  Variable sum = b.constant(0);
  for (std::uint64_t j = 0; j < m; ++j) sum = b.add(sum, w[n + j]);
  for (std::uint64_t j = 0; j < m / 4; ++j) {
    const std::uint64_t q = next(w.size());
    const Variable t = b.mul(w[n + j], w[q]);
    const Variable u = b.mul(w[q], w[n + j]);
    b.assert_is_equal(t, u);
    b.assert_is_zero(b.sub(w[n + j], w[q]));
  }
  io[1][0] = sum;
}

template <typename Scalar>
struct Named {
  const char* name;
  const char* dims;
  Source<Scalar> (*source)(const std::vector<std::uint64_t>& dims);
};

template <typename Scalar>
using IoVectors = typename Source<Scalar>::Ios;

/// A kernel of one operation on x and y, or on x alone.
template <typename Scalar, size_t kInputs, bool kResult = true, typename Operation>
Source<Scalar> operation(Operation) {
  std::vector<IoDeclaration> ios = {{{kInputs}, input}};
  if (kResult) ios.push_back({{}, output});
  return {ios, [](Builder<Scalar>& b, IoVectors<Scalar>& io) { Operation()(b, io); }};
}

template <typename Scalar>
const std::vector<Named<Scalar>>& table() {
  using B = Builder<Scalar>;
  using Ios = IoVectors<Scalar>;
  using Dims = std::vector<std::uint64_t>;
  static const std::vector<Named<Scalar>> all = {
      {"freivalds", "m,k,n_q,n_kv",
       [](const Dims& d) {
         return freivalds<Scalar>({d[0], d[1], d[2], d[3]});
       }},
      {"pre_attn_sln", "T,D,nl,b",
       [](const Dims& d) {
         return pre_attn_sln<Scalar>({d[0], d[1], d[2], d[3]});
       }},
      {"add", "N",
       [](const Dims& d) -> Source<Scalar> {
         if (d[0] != 2) return {{{{d[0]}, input}, {{}, output}}, sum_all<Scalar>};
         return {{{{2}, input}, {{}, output}},
                 [](B& b, Ios& io) { io[1][0] = b.add(io[0][0], io[0][1]); }};
       }},
      {"sum", "N",
       [](const Dims& d) -> Source<Scalar> {
         return {{{{d[0]}, input}, {{}, output}}, sum_all<Scalar>};
       }},
      {"mul_line", "M,K",
       [](const Dims& d) -> Source<Scalar> {
         const std::uint64_t rows = d[0], columns = d[1];
         return {{{{rows}, input}, {{rows, columns}, input}, {{columns}, output}},
                 [=](B& b, Ios& io) {
                   const Matrix matrix{io[1], columns};
                   for (Variable& c : io[2]) c = b.constant(0);
                   for (std::uint64_t i = 0; i < rows; ++i) {
                     for (std::uint64_t j = 0; j < columns; ++j) {
                       io[2][j] = b.add(io[2][j], b.mul(io[0][i], matrix(i, j)));
                     }
                   }
                 }};
       }},
      {"identity", "N",
       [](const Dims& d) -> Source<Scalar> {
         return {{{d[0] == 1 ? Shape{} : Shape{d[0]}, input_output}}, [](B&, Ios&) {}};
       }},
      {"compare7", "N",
       [](const Dims& d) -> Source<Scalar> {
         return {{{{d[0]}, input}}, [](B& b, Ios& io) {
                   const Variable seven = b.constant(7);
                   for (const Variable x : io[0]) b.assert_is_equal(seven, x);
                 }};
       }},
      {"macro_kernel_2", "",
       [](const Dims&) -> Source<Scalar> {
         return {{{{}, input}, {{}, output}, {{}, input_output}}, [](B& b, Ios& io) {
                   io[1][0] = b.add(io[0][0], io[2][0]);
                   io[2][0] = b.add(io[2][0], io[1][0]);
                 }};
       }},
      {"assertion", "",
       [](const Dims&) -> Source<Scalar> {
         return {{{{}, input}, {{}, input}},
                 [](B& b, Ios& io) { b.assert_is_equal(io[0][0], io[1][0]); }};
       }},
      {"cse", "",
       [](const Dims&) -> Source<Scalar> {
         return {{{{2}, input}, {{4}, output}}, [](B& b, Ios& io) {
                   const Variable x = io[0][0], y = io[0][1];
                   io[1] = {b.mul(x, y), b.mul(y, x), b.mul(x, b.constant(3)), b.sub(x, x)};
                 }};
       }},
      {"program", "N,M,SEED",
       [](const Dims& d) -> Source<Scalar> {
         return {{{{d[0]}, input}, {{}, output}},
                 [m = d[1], seed = d[2]](B& b, Ios& io) { random_program(b, io, m, seed); }};
       }},
      {"op_div", "",
       [](const Dims&) {
         return operation<Scalar, 2>(
             [](B& b, Ios& io) { io[1][0] = b.div(io[0][0], io[0][1], true); });
       }},
      {"op_div_unchecked", "",
       [](const Dims&) {
         return operation<Scalar, 2>(
             [](B& b, Ios& io) { io[1][0] = b.div(io[0][0], io[0][1], false); });
       }},
      {"op_xor", "",
       [](const Dims&) {
         return operation<Scalar, 2>(
             [](B& b, Ios& io) { io[1][0] = b.bool_xor(io[0][0], io[0][1]); });
       }},
      {"op_or", "",
       [](const Dims&) {
         return operation<Scalar, 2>(
             [](B& b, Ios& io) { io[1][0] = b.bool_or(io[0][0], io[0][1]); });
       }},
      {"op_and", "",
       [](const Dims&) {
         return operation<Scalar, 2>(
             [](B& b, Ios& io) { io[1][0] = b.bool_and(io[0][0], io[0][1]); });
       }},
      {"op_is_zero", "",
       [](const Dims&) {
         return operation<Scalar, 1>([](B& b, Ios& io) { io[1][0] = b.is_zero(io[0][0]); });
       }},
      {"op_nonzero", "",
       [](const Dims&) {
         return operation<Scalar, 1, false>([](B& b, Ios& io) { b.assert_is_nonzero(io[0][0]); });
       }},
      {"op_bool", "",
       [](const Dims&) {
         return operation<Scalar, 1, false>([](B& b, Ios& io) { b.assert_is_bool(io[0][0]); });
       }},
  };
  return all;
}

size_t words_in(const std::string& dims) {
  return dims.empty() ? 0 : 1 + std::count(dims.begin(), dims.end(), ',');
}

}  // namespace

template <typename Scalar>
Source<Scalar> freivalds(const FreivaldsDims& d) {
  const auto [m, k, n_q, n_kv] = d;
  const std::vector<IoDeclaration> ios = {{{m, k}, input},    {{k, n_q}, input}, {{k, n_kv}, input},
                                          {{k, n_kv}, input}, {{m, n_q}, input}, {{m, n_kv}, input},
                                          {{m, n_kv}, input}, {{m}, input},      {{n_q}, input},
                                          {{n_kv}, input},    {{n_kv}, input}};
  return {ios, [=](Builder<Scalar>& b, IoVectors<Scalar>& io) {
            const Matrix x{io[0], k};
            const auto& ru = io[7];
            std::vector<Variable> rx;
            for (std::uint64_t i = 0; i < k; ++i) {
              rx.push_back(
                  sum_of_products(b, m, [&](std::uint64_t j) { return Factors(ru[j], x(j, i)); }));
            }
            for (const size_t which : {0, 1, 2}) {
              const std::uint64_t n = which == 0 ? n_q : n_kv;
              const Matrix w{io[1 + which], n}, z{io[4 + which], n};
              const auto& rv = io[8 + which];
              std::vector<Variable> ry, rz;
              for (std::uint64_t i = 0; i < k; ++i) {
                ry.push_back(sum_of_products(
                    b, n, [&](std::uint64_t j) { return Factors(rv[j], w(i, j)); }));
              }
              const Variable rxy =
                  sum_of_products(b, k, [&](std::uint64_t i) { return Factors(ry[i], rx[i]); });
              for (std::uint64_t i = 0; i < n; ++i) {
                rz.push_back(sum_of_products(
                    b, m, [&](std::uint64_t j) { return Factors(ru[j], z(j, i)); }));
              }
              const Variable rrz =
                  sum_of_products(b, n, [&](std::uint64_t i) { return Factors(rv[i], rz[i]); });
              b.assert_is_equal(rrz, rxy);
            }
          }};
}

template <typename Scalar>
Source<Scalar> pre_attn_sln(const SlnDims& d) {
  const auto [tokens, hidden, limbs, bits] = d;
  if (bits > 31 || limbs > 63 / bits) {
    throw BuildError("pre_attn_sln has limbs of at most 31 bits, 63 bits together");
  }
  const std::uint64_t entries = std::uint64_t{1} << bits;
  const std::vector<IoDeclaration> ios = {{{tokens, hidden}, input},
                                          {{hidden}, input},
                                          {{tokens}, input},
                                          {{tokens, hidden}, input},
                                          {{tokens, hidden, limbs}, input},
                                          {{tokens}, input},
                                          {{entries}, input}};
  return {ios, [=](Builder<Scalar>& b, IoVectors<Scalar>& io) {
            const Matrix x{io[0], hidden}, y{io[3], hidden}, limb{io[4], limbs};
            const auto &gamma = io[1], &r = io[2], &slack = io[5], &count = io[6];
            for (std::uint64_t i = 0; i < tokens; ++i) {
              const Variable squares = sum_of_products(
                  b, hidden, [&](std::uint64_t j) { return Factors(x(i, j), x(i, j)); });
              const Variable scaled = b.mul(b.mul(r[i], r[i]), squares);
              const Variable rest = b.sub(scaled, slack[i]);
              b.assert_is_equal(rest, b.constant(1 << 20));
              for (std::uint64_t j = 0; j < hidden; ++j) {
                const Variable numerator = b.mul(b.mul(x(i, j), r[i]), gamma[j]);
                Variable remainder = b.constant(0);
                for (std::uint64_t l = 0; l < limbs; ++l) {
                  const Variable weight = b.constant(std::uint64_t{1} << (bits * l));
                  remainder = b.add(remainder, b.mul(limb(i * hidden + j, l), weight));
                }
                const Variable quotient = b.mul(y(i, j), b.constant(1 << 12));
                b.assert_is_equal(numerator, b.add(quotient, remainder));
              }
            }
            const Variable alpha = b.random_value();
            std::vector<Fraction> table, queries;
            for (std::uint64_t i = 0; i < entries; ++i) {
              table.push_back({count[i], b.sub(alpha, b.constant(i))});
            }
            const Fraction in_table = sum_of_fractions(b, std::move(table));
            const Variable one = b.constant(1);
            for (const Variable query : io[4]) queries.push_back({one, b.sub(alpha, query)});
            const Fraction asked = sum_of_fractions(b, std::move(queries));
            const Variable left = b.mul(in_table.numerator, asked.denominator);
            b.assert_is_equal(left, b.mul(in_table.denominator, asked.numerator));
          }};
}

const std::vector<KernelName>& kernel_names() {
  static const std::vector<KernelName> names = [] {
    std::vector<KernelName> all;
    for (const auto& entry : table<M31>()) all.push_back({entry.name, entry.dims});
    return all;
  }();
  return names;
}

template <typename Scalar>
Source<Scalar> source_of(const std::string& name, const std::vector<std::uint64_t>& dims) {
  std::string known;
  for (const auto& entry : table<Scalar>()) {
    if (name != entry.name) {
      known += known.empty() ? entry.name : std::string(", ") + entry.name;
      continue;
    }
    const bool positive =
        name == "program" || std::all_of(dims.begin(), dims.end(), [](auto d) { return d > 0; });
    if (dims.size() != words_in(entry.dims) || !positive) {
      throw BuildError(
          name + (*entry.dims ? std::string(" has the dims ") + entry.dims + ", positive integers"
                              : std::string(" has no dims")));
    }
    return entry.source(dims);
  }
  throw BuildError("there is no kernel '" + name + "'; it is one of " + known);
}

template Source<M31> freivalds(const FreivaldsDims&);
template Source<Bn254> freivalds(const FreivaldsDims&);
template Source<M31> pre_attn_sln(const SlnDims&);
template Source<Bn254> pre_attn_sln(const SlnDims&);
template Source<M31> source_of(const std::string&, const std::vector<std::uint64_t>&);
template Source<Bn254> source_of(const std::string&, const std::vector<std::uint64_t>&);

}  // namespace zk
