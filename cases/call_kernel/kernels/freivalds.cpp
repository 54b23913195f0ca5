#include <algorithm>
#include <utility>
#include <vector>

#include "cases/call_kernel/field/bn254.hpp"
#include "cases/call_kernel/field/m31.hpp"
#include "cases/call_kernel/kernels/emit.hpp"
#include "cases/call_kernel/kernels/kernels.hpp"

namespace zk {
namespace {

using Factors = std::pair<Id, Id>;

/// Where the inputs begin.
struct Inputs {
  explicit Inputs(const FreivaldsDims& d)
      : w(x + d.m * d.k), z(w + d.k * d.columns()), ru(z + d.m * d.columns()), rv(ru + d.m) {}
  Id x = 1, w, z, ru, rv;
};

template <typename Scalar>
class Body {
 public:
  Body(const FreivaldsDims& dims, Emitter<Scalar>& e) : d_(dims), in_(dims), e_(e) {
    const std::uint64_t longest = std::max({d_.m, d_.k, d_.n_q, d_.n_kv}) + 1;
    sum_.reserve(longest);
    left_.reserve(2 * longest);
    right_.reserve(2 * longest);
    rx_.reserve(d_.k);
    ry_.reserve(d_.k);
    rz_.reserve(std::max(d_.n_q, d_.n_kv));
  }

  void emit() {
    for (std::uint64_t i = 0; i < d_.k; ++i) {
      rx_.push_back(emit_sum(e_, sum_, d_.m, [&](std::uint64_t j) {
        return Factors(in_.ru + j, in_.x + j * d_.k + i);
      }));
    }
    std::uint64_t before = 0;
    for (const std::uint64_t n : {d_.n_q, d_.n_kv, d_.n_kv}) {
      check(n, in_.w + d_.k * before, in_.z + d_.m * before, in_.rv + before);
      before += n;
    }
  }

 private:
  /// rv^T Z^T ru = (W rv)^T (ru^T X) for the n columns of one product.
  void check(std::uint64_t n, Id w, Id z, Id rv) {
    ry_.clear();
    rz_.clear();
    for (std::uint64_t i = 0; i < d_.k; ++i) {
      ry_.push_back(
          emit_sum(e_, sum_, n, [&](std::uint64_t j) { return Factors(rv + j, w + i * n + j); }));
    }
    emit_products(e_, right_, -Scalar(1), d_.k,
                  [&](std::uint64_t i) { return Factors(ry_[i], rx_[i]); });
    for (std::uint64_t i = 0; i < n; ++i) {
      rz_.push_back(emit_sum(e_, sum_, d_.m,
                             [&](std::uint64_t j) { return Factors(in_.ru + j, z + j * n + i); }));
    }
    emit_products(e_, left_, Scalar(1), n,
                  [&](std::uint64_t i) { return Factors(rv + i, rz_[i]); });
    // The difference absorbs both sums, the longer one in front.
    if (right_.size() > left_.size()) left_.swap(right_);
    left_.insert(left_.end(), right_.begin(), right_.end());
    e_.assert_zero(e_.lin_comb(left_));
  }

  const FreivaldsDims d_;
  const Inputs in_;
  Emitter<Scalar>& e_;
  Terms<Scalar> sum_, left_, right_;
  std::vector<Id> rx_, ry_, rz_;
};

}  // namespace

template <typename Scalar>
Kernel<Scalar> freivalds(const FreivaldsDims& d) {
  const auto [m, k, n_q, n_kv] = d;
  const std::uint64_t n = d.columns();
  const size_t products = m * k + k * n + 3 * k + m * n + n, sums = 2 * (4 * k + n) + 9;
  return emitted<Scalar>({{{m, k}},
                          {{k, n_q}},
                          {{k, n_kv}},
                          {{k, n_kv}},
                          {{m, n_q}},
                          {{m, n_kv}},
                          {{m, n_kv}},
                          {{m}},
                          {{n_q}},
                          {{n_kv}},
                          {{n_kv}}},
                         products + sums, [&](Emitter<Scalar>& e) {
                           Body<Scalar>(d, e).emit();
                           return std::vector<Id>();
                         });
}

template Kernel<M31> freivalds(const FreivaldsDims&);
template Kernel<Bn254> freivalds(const FreivaldsDims&);

}  // namespace zk
