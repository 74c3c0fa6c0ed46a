// Smoothing kernels of SPH in three dimensions. H is the support radius: everything is zero from there on. q = r / H.
#pragma once
#include <array>
#include <cstdint>
#include <numbers>

#include "math/vec.h"

namespace knead {

enum class SmoothingType : std::uint8_t { wendland_c2, cubic_spline };
inline constexpr std::array<const char*, 2> enum_names(SmoothingType) { return {"wendland_c2", "cubic_spline"}; }

// A kernel is W = value(q) / H^3, and its gradient is x gradient(q) / H^5 for the vector x = x_i - x_j of length r:
// gradient(q) = value'(q) / q, which stays finite at 0.
struct WendlandC2 {
  static constexpr double constant = 21 / (2 * std::numbers::pi);
  template <class S> static KNEAD_INLINE S value(S q) {
    const S m = S(1) - min(q, S(1)), m2 = m * m;
    return S(constant) * (m2 * m2) * (S(4) * q + S(1));
  }
  template <class S> static KNEAD_INLINE S gradient(S q) {
    const S m = S(1) - min(q, S(1));
    return S(-20 * constant) * (m * m * m);
  }
};

struct CubicSpline {
  static constexpr double constant = 8 / std::numbers::pi;
  template <class S> static KNEAD_INLINE S value(S q) {
    const S m = S(1) - min(q, S(1));
    return S(constant) * select(q <= S(0.5), S(1) - S(6) * (q * q) * m, S(2) * (m * m * m));
  }
  template <class S> static KNEAD_INLINE S gradient(S q) {
    const S m = S(1) - min(q, S(1));
    return S(6 * constant) * select(q <= S(0.5), S(3) * q - S(2), -(m * m) / max(q, S(0.5)));
  }
};

// A kernel with its support radius.
template <class Kernel, class T> struct Smoothing {
  T H, inverse_H, value_scale, gradient_scale;
  KNEAD_INLINE explicit Smoothing(double support)
      : H(static_cast<T>(support)),
        inverse_H(static_cast<T>(1 / support)),
        value_scale(static_cast<T>(1 / (support * support * support))),
        gradient_scale(static_cast<T>(1 / (support * support * support * support * support))) {}
  template <class S> KNEAD_INLINE S W(S r) const { return S(value_scale) * Kernel::value(r * S(inverse_H)); }  // [1/m^3]
  template <class S> KNEAD_INLINE S gradient(S r) const {
    return S(gradient_scale) * Kernel::gradient(r * S(inverse_H));
  }  // W'(r) / r [1/m^5]
};

// Calls f with a Smoothing of the type that is asked for.
template <class T, class Function> decltype(auto) with_smoothing(SmoothingType type, double support, Function&& f) {
  if (type == SmoothingType::cubic_spline) return f(Smoothing<CubicSpline, T>(support));
  return f(Smoothing<WendlandC2, T>(support));
}

// Cohesion of Akinci et al. 2013, times H^3: repels below r = 0.273 H, attracts above. The constant 1/64 is inside the prefactor.
template <class S> KNEAD_INLINE S cohesion(S q) {
  const S p = q * (S(1) - min(q, S(1))), p3 = p * p * p;
  return S(32 / std::numbers::pi) * select(q > S(0.5), p3, S(2) * p3 - S(1.0 / 64));
}

// Adhesion of Akinci et al. 2013, times H^3: between H/2 and H, largest at 3/4 H.
template <class S> KNEAD_INLINE S adhesion(S q) { return S(0.007) * sqrt(sqrt(max(S(0), S(6) * q - S(4) * (q * q) - S(2)))); }

}  // namespace knead
