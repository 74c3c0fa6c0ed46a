// Random matrices for tests, and arrays of them in the layout of MathArrays.
#pragma once
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "math/instruction_sets/arrays.h"
#include "math/vec.h"

namespace knead {

// Uniform in [low, high), the next one at each call.
struct Random {
  std::uint64_t seed, index = 0;
  double operator()(double low, double high) { return low + (high - low) * random_uniform(seed, 0, index++); }
};

// A rotation by a unit quaternion from the 4-ball.
inline Mat3d random_rotation(Random& random) {
  for (;;) {
    const double w = random(-1, 1), x = random(-1, 1), y = random(-1, 1), z = random(-1, 1), n = w * w + x * x + y * y + z * z;
    if (n > 1 || n < 0.01) continue;
    const double k = 2 / n;
    return {{1 - k * (y * y + z * z), k * (x * y - w * z), k * (x * z + w * y), k * (x * y + w * z), 1 - k * (x * x + z * z),
             k * (y * z - w * x), k * (x * z - w * y), k * (y * z + w * x), 1 - k * (x * x + y * y)}};
  }
}

inline Mat3d with_singular_values(Random& random, const Vec3d& sigma) {
  return random_rotation(random) * Mat3d::diagonal(sigma) * random_rotation(random);
}

// Largest absolute entry.
inline double largest(const Mat3d& a) {
  double r = 0;
  for (double x : a.m) r = std::fmax(r, std::fabs(x));
  return r;
}

// Items with K components each, component after component; padded to a multiple of 16 items by repeating the last.
template <class T, int K> struct Columns {
  std::size_t count;
  std::vector<T> data;

  explicit Columns(std::size_t items) : count((items + 15) / 16 * 16), data(K * count) {}
  T& operator()(std::size_t item, int component) { return data[component * count + item]; }
  double operator()(std::size_t item, int component) const { return data[component * count + item]; }
  Mat3d matrix(std::size_t item) const requires(K == 9) {
    Mat3d r;
    for (int k = 0; k < 9; ++k) r.m[k] = (*this)(item, k);
    return r;
  }
  Sym3<double> symmetric(std::size_t item) const requires(K == 6) {
    const auto& c = *this;
    return {c(item, 0), c(item, 1), c(item, 2), c(item, 3), c(item, 4), c(item, 5)};
  }
};

template <class T> Columns<T, 9> matrix_columns(const std::vector<Mat3d>& matrices) {
  Columns<T, 9> r(matrices.size());
  for (std::size_t i = 0; i < r.count; ++i)
    for (int k = 0; k < 9; ++k) r(i, k) = static_cast<T>(matrices[i < matrices.size() ? i : matrices.size() - 1].m[k]);
  return r;
}
template <class T> Columns<T, 6> symmetric_columns(const std::vector<Sym3<double>>& matrices) {
  Columns<T, 6> r(matrices.size());
  for (std::size_t i = 0; i < r.count; ++i) {
    const auto& a = matrices[i < matrices.size() ? i : matrices.size() - 1];
    const std::array<double, 6> entries{a.xx, a.yy, a.zz, a.xy, a.yz, a.zx};
    for (int k = 0; k < 6; ++k) r(i, k) = static_cast<T>(entries[k]);
  }
  return r;
}

// Calls check(arrays, name) for scalar and wide code, float and double, on every instruction set that this machine has.
template <class Check> void for_each_implementation(Check check) {
  for (const InstructionSet& set : available_math_arrays()) {
    const std::string name = set.name;
    check(set.scalar_float, name + ", scalar float");
    check(set.wide_float, name + ", wide float");
    check(set.scalar_double, name + ", scalar double");
    check(set.wide_double, name + ", wide double");
  }
}

}  // namespace knead
