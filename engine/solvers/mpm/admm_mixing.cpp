#include "solvers/mpm/admm_mixing.h"

#include <algorithm>
#include <cmath>

#include "base/threads.h"

namespace knead {

namespace {

constexpr std::size_t block_values = block_nodes * 4;

// A x = b with a symmetric positive A, in place of b; false when A is singular to working precision.
bool solve_cholesky(std::vector<double> A, std::vector<double>& b) {
  const std::size_t n = b.size();
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t k = 0; k < j; ++k)
      for (std::size_t i = j; i < n; ++i) A[i * n + j] -= A[i * n + k] * A[j * n + k];
    if (!(A[j * n + j] > 0)) return false;
    const double root = std::sqrt(A[j * n + j]);
    for (std::size_t i = j; i < n; ++i) A[i * n + j] /= root;
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= A[i * n + k] * b[k];
    b[i] /= A[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) b[i] -= A[k * n + i] * b[k];
    b[i] /= A[i * n + i];
  }
  return true;
}

}  // namespace

template <class T> template <class Body> double Mixing<T>::sum(Body&& body) {
  parts_.resize(active_.size());
  parallel_for(active_.size(), 8, [&](std::size_t first, std::size_t last) {
    for (std::size_t n = first; n < last; ++n)
      parts_[n] = double(body(active_[n] * block_values, (active_[n] + std::size_t(1)) * block_values));
  });
  double total = 0;
  for (double part : parts_) total += part;
  return total;
}

template <class T> double Mixing<T>::dot(const T* a, const T* b) {
  const T* const weight = inverse_mass_.data();
  return sum([&](std::size_t first, std::size_t end) {
    T total = 0;
    for (std::size_t k = first; k < end; ++k) total += weight[k / 4] * a[k] * b[k];
    return total;
  });
}

template <class T> void Mixing<T>::begin(const std::vector<std::uint32_t>& active, const T* start, std::size_t values, int history) {
  active_ = active;
  inverse_mass_.reserve(values / 4);
  sum([&](std::size_t first, std::size_t end) {
    for (std::size_t k = first; k < end; k += 4) inverse_mass_.data()[k / 4] = start[k + 3] > T(1e-30) ? 1 / start[k + 3] : T(0);
    return 0;
  });
  changes_.resize(static_cast<std::size_t>(history));
  for (Pair& pair : changes_) pair.velocity.reserve(values), pair.residual.reserve(values);
  last_.velocity.reserve(values), last_.residual.reserve(values);
  forget();
}

template <class T> std::vector<double> Mixing<T>::best_combination(const T* residual) {
  std::vector<double> A(used_ * used_), share(used_);
  double trace = 0;
  for (std::size_t i = 0; i < used_; ++i) {
    share[i] = dot(changes_[i].residual.data(), residual);
    for (std::size_t j = 0; j <= i; ++j)
      A[i * used_ + j] = A[j * used_ + i] = dot(changes_[i].residual.data(), changes_[j].residual.data());
    trace += A[i * used_ + i];
  }
  for (std::size_t i = 0; i < used_; ++i) A[i * used_ + i] += (std::is_same_v<T, float> ? 1e-6 : 1e-10) * trace;
  if (!solve_cholesky(A, share)) share.assign(used_, 0.0);
  return share;
}

template <class T> void Mixing<T>::mix(T* velocity, T* residual) {
  if (changes_.empty()) return;
  Pair& now = changes_[next_];
  T *const dv = now.velocity.data(), *const dr = now.residual.data(), *const v = last_.velocity.data(), *const r = last_.residual.data();
  sum([&](std::size_t first, std::size_t end) {
    for (std::size_t k = first; k < end; ++k) {
      dv[k] = velocity[k] - v[k], dr[k] = residual[k] - r[k];
      v[k] = velocity[k], r[k] = residual[k];
    }
    return 0;
  });
  if (!has_last_) {
    has_last_ = true;
    return;
  }
  next_ = (next_ + 1) % changes_.size();
  used_ = std::min(used_ + 1, changes_.size());
  const std::vector<double> share = best_combination(residual);
  sum([&](std::size_t first, std::size_t end) {
    for (std::size_t n = 0; n < used_; ++n) {
      const T factor = static_cast<T>(share[n]);
      const T *const change_v = changes_[n].velocity.data(), *const change_r = changes_[n].residual.data();
      for (std::size_t k = first; k < end; ++k) velocity[k] -= factor * change_v[k], residual[k] -= factor * change_r[k];
    }
    return 0;
  });
}

template class Mixing<float>;
template class Mixing<double>;

}  // namespace knead
