// How far a viscoplastic excess relaxes in a step: the law of Herschel and Bulkley, backward in time.
#pragma once
#include <cmath>
#include <type_traits>

#include "math/vec.h"

namespace knead {

// In steady simple shear tau = yield_stress / sqrt(3) + consistency rate^power.
struct RateFlow {
  double consistency = 0;  // k [Pa s^n]
  double power = 1;        // n

  // The part x of the excess strain e (deviator beyond yield, over twice the shear modulus) that becomes plastic in a step. The plastic
  // rate is g = x e / dt, the stress that is left beyond yield eta g^n with eta = k 2^((n+1)/2), since g = rate / sqrt(2) and
  // |dev tau| = sqrt(2) tau in simple shear. Hence x + c x^n = 1 with c = k / (mu dt) (sqrt(2) e / dt)^(n-1).
  template <class S> KNEAD_INLINE S relaxed_part(const S& excess, const S& shear_modulus, double dt) const {
    if (dt <= 0) return S(0);
    if (consistency <= 0) return S(1);
    const S c0 = S(consistency / dt) / max(shear_modulus, S(1e-20));
    if (power == 1) return S(1) / (S(1) + c0);
    const S rate = max(excess * S(std::sqrt(2.0) / dt), S(1e-20));
    if (power == 2) return S(2) / (S(1) + sqrt(S(1) + S(4) * min(c0 * rate, S(1e30))));
    if (power == 0.5) {
      const S c = c0 * rsqrt(rate), y = S(2) / (c + sqrt(min(c * c, S(1e30)) + S(4)));  // the root of x
      return y * y;
    }
    return root(min(max(log(max(c0, S(1e-30))) + S(power - 1) * log(rate), S(-60)), S(60)));
  }

 private:
  // x + c x^n = 1 by Newton's method, for any n. In y = x, or y = x^n when n < 1, this is A y + B y^p = 1 with p = max(n, 1/n) >= 1:
  // convex and growing, so that Newton's iterates come down from any upper bound without ever passing the root. With y = y0 z and
  // y0 = min(1/A, B^(-1/p)) the root z is in [1/2, 1], one coefficient is 1 and the other less.
  template <class S> KNEAD_INLINE S root(const S& log_c) const {
    constexpr bool single = std::is_same_v<S, float> || requires { requires std::is_same_v<typename S::Scalar, float>; };
    const double p = power > 1 ? power : 1 / power;
    const S high = min(log_c, S(0)), low = min(-log_c, S(0));
    const S a = power > 1 ? exp(low * S(1 / p)) : exp(high), b = power > 1 ? exp(high) : exp(low * S(p));
    S z(1);
    for (int iteration = 0; iteration < (single ? 5 : 7); ++iteration) {
      const S w = b * exp(S(p - 1) * log(z));
      z = (S(1) + S(p - 1) * w * z) / (a + S(p) * w);
    }
    return power > 1 ? a * z : b * exp(S(p) * log(z));
  }
};

}  // namespace knead
