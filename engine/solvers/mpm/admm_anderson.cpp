#include "solvers/mpm/admm_anderson.h"

#include <algorithm>
#include <cmath>

#include "base/threads.h"

namespace knead {

namespace {

constexpr std::size_t range = 4096;  // values per partial sum

template <class Body> void each_range(std::size_t count, Body&& body) {
  parallel_for((count + range - 1) / range, 4, [&](std::size_t first, std::size_t last) {
    for (std::size_t r = first; r < last; ++r) body(r, r * range, std::min(count, (r + 1) * range));
  });
}

// Gaussian elimination with pivots of a small symmetric system; false when it is singular to working precision.
bool solve(std::vector<double> A, std::vector<double>& b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::abs(A[i * n + k]) > std::abs(A[pivot * n + k])) pivot = i;
    if (!(std::abs(A[pivot * n + k]) > 0)) return false;
    for (std::size_t j = 0; j < n; ++j) std::swap(A[k * n + j], A[pivot * n + j]);
    std::swap(b[k], b[pivot]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = A[i * n + k] / A[k * n + k];
      for (std::size_t j = k; j < n; ++j) A[i * n + j] -= factor * A[k * n + j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= A[k * n + j] * b[j];
    b[k] /= A[k * n + k];
  }
  return true;
}

}  // namespace

template <class T> void Anderson<T>::begin(std::vector<Field> fields, int history) {
  fields_ = std::move(fields);
  history_ = static_cast<std::size_t>(history);
  vectors_.resize(fields_.size());
  for (std::size_t n = 0; n < fields_.size(); ++n) {
    const std::size_t count = fields_[n].stride * fields_[n].components;
    Vectors& v = vectors_[n];
    v.steps.resize(history_), v.changes.resize(history_);
    for (Scratch<T>* scratch : {&v.start, &v.change, &v.last, &v.last_change}) scratch->reserve(count);
    for (std::size_t k = 0; k < history_; ++k) v.steps[k].reserve(count), v.changes[k].reserve(count);
  }
  gram_.assign(history_ * history_, 0.0);
  reset();
}

template <class T> void Anderson<T>::reset() { used_ = next_ = 0, has_last_ = false; }

template <class T> void Anderson<T>::remember() {
  for (std::size_t n = 0; n < fields_.size(); ++n) {
    if (!fields_[n].weight) continue;
    each_range(fields_[n].stride * fields_[n].components, [&](std::size_t, std::size_t first, std::size_t last) {
      std::copy(fields_[n].values + first, fields_[n].values + last, vectors_[n].start.data() + first);
    });
  }
}

template <class T> double Anderson<T>::dot(const Vectors&, std::size_t n, const T* a, const T* b) {
  const Field& field = fields_[n];
  const std::size_t count = field.stride * field.components;
  parts_.assign((count + range - 1) / range, 0.0);
  each_range(count, [&](std::size_t r, std::size_t first, std::size_t last) {
    double total = 0;
    std::size_t particle = first % field.stride;
    for (std::size_t i = first; i < last;) {
      const std::size_t end = std::min(last, i + field.stride - particle);
      T sum = 0;
      for (; i < end; ++i, ++particle) sum += field.weight[particle] * a[i] * b[i];
      total += double(sum);
      particle = 0;
    }
    parts_[r] = total;
  });
  double total = 0;
  for (double part : parts_) total += part;
  return total;
}

template <class T> void Anderson<T>::accelerate() {
  double size = 0;
  const std::size_t slot = next_;
  for (std::size_t n = 0; n < fields_.size(); ++n) {
    Vectors& v = vectors_[n];
    const Field& field = fields_[n];
    T *const f = v.change.data(), *const last_f = v.last_change.data(), *const last_g = v.last.data(), *const z = v.start.data();
    T *const df = v.changes[slot].data(), *const dg = v.steps[slot].data();
    each_range(field.stride * field.components, [&](std::size_t, std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        if (field.weight) {
          f[i] = field.values[i] - z[i];
          df[i] = f[i] - last_f[i];
          last_f[i] = f[i];
        }
        dg[i] = field.values[i] - last_g[i];
        last_g[i] = field.values[i];
      }
    });
    if (field.weight) size += dot(v, n, f, f);
  }
  // A step that grew is not to be extrapolated from.
  const bool grew = has_last_ && size > 4 * last_size_;
  last_size_ = size;
  if (grew) {
    used_ = next_ = 0;
    return;
  }
  if (!has_last_) {
    has_last_ = true;
    return;
  }
  used_ = std::min(used_ + 1, history_);
  next_ = (next_ + 1) % history_;
  std::vector<double> gamma(used_, 0.0), A(used_ * used_);
  for (std::size_t n = 0; n < fields_.size(); ++n) {
    if (!fields_[n].weight) continue;
    Vectors& v = vectors_[n];
    for (std::size_t k = 0; k < used_; ++k) {
      if (n == 0) gram_[slot * history_ + k] = 0;
      gram_[slot * history_ + k] += dot(v, n, v.changes[slot].data(), v.changes[k].data());
      gamma[k] += dot(v, n, v.changes[k].data(), v.change.data());
    }
  }
  for (std::size_t k = 0; k < used_; ++k) gram_[k * history_ + slot] = gram_[slot * history_ + k];
  double trace = 0;
  for (std::size_t k = 0; k < used_; ++k) trace += gram_[k * history_ + k];
  for (std::size_t i = 0; i < used_; ++i)
    for (std::size_t j = 0; j < used_; ++j) A[i * used_ + j] = gram_[i * history_ + j] + (i == j ? 1e-6 * trace : 0.0);
  if (!solve(A, gamma)) return;
  double largest = 0;
  for (double g : gamma) largest = std::max(largest, std::abs(g));
  if (!(largest < 10)) return;
  for (std::size_t n = 0; n < fields_.size(); ++n)
    each_range(fields_[n].stride * fields_[n].components, [&](std::size_t, std::size_t first, std::size_t last) {
      for (std::size_t k = 0; k < used_; ++k) {
        const T factor = static_cast<T>(gamma[k]);
        const T* const dg = vectors_[n].steps[k].data();
        for (std::size_t i = first; i < last; ++i) fields_[n].values[i] -= factor * dg[i];
      }
    });
}

template class Anderson<float>;
template class Anderson<double>;

}  // namespace knead
