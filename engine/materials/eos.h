// Weakly compressible fluid: an equation of state for the pressure.
#pragma once
#include "base/parameters.h"
#include "math/vec.h"

namespace knead {

struct Eos {
  static constexpr const char* name = "eos";
  static constexpr const char* text = "Weakly compressible fluid: the pressure follows from the density alone.";
  static constexpr bool is_fluid = true;
  static constexpr double smallest_ratio = 1e-4;  // volume ratios are clamped here, in the state too
  double bulk_modulus = 0;                        // K, at rest density [Pa]
  double gamma = 7;                               // exponent [-]

  template <class Visitor> void describe(Visitor& visit) {
    visit("bulk_modulus", bulk_modulus,
          {.unit = "Pa",
           .minimum = 0,
           .required = true,
           .animatable = true,
           .text = "Stiffness against compression at rest density: density times sound speed squared."});
    visit("gamma", gamma,
          {.minimum = 1, .maximum = 20, .animatable = true, .text = "Exponent of the density in the pressure; 7 for water."});
  }

  // p = K/gamma (J^-gamma - 1) [Pa], positive in compression. J^-gamma stops at 10^4 and J at 1000: the pressure stays what it is there.
  template <class S> KNEAD_INLINE S pressure(const S& J) const {
    return S(bulk_modulus / gamma) * (exp(S(-gamma) * limited(logarithm(J))) - S(1));
  }
  // tau = kirchhoff * identity = -p J [Pa]
  template <class S> KNEAD_INLINE S kirchhoff(const S& J) const { return -(pressure(J) * max(J, S(smallest_ratio))); }
  // J d(-p J)/dJ [Pa]
  template <class S> KNEAD_INLINE S kirchhoff_derivative(const S& J) const {
    const S log_J = logarithm(J);
    const S not_below = select(log_J < S(-largest_exponent / gamma), S(0), S(1)), inside = select(log_J > S(largest_log), S(0), not_below);
    return inside * wave_modulus(J) + kirchhoff(J);
  }
  // Psi with dPsi/dJ = -p and Psi(1) = 0 [Pa]: K/gamma ((J^(1-gamma) - 1)/(gamma - 1) + J - 1), and its limit for gamma = 1.
  template <class S> KNEAD_INLINE S energy(const S& J) const {
    const S log_J = limited(logarithm(J)), inside = min(max(J, exp(S(-largest_exponent / gamma))), S(1000));
    const S gas = gamma - 1 < 1e-6 ? -log_J : (exp(S(1 - gamma) * log_J) - S(1)) * S(1 / (gamma - 1));
    return S(bulk_modulus / gamma) * (gas + inside - S(1)) - pressure(J) * (J - inside);
  }
  // rho0 c^2 = K J^(1-gamma) [Pa]
  template <class S> KNEAD_INLINE S wave_modulus(const S& J) const { return S(bulk_modulus) * exp(S(1 - gamma) * limited(logarithm(J))); }

 private:
  static constexpr double largest_log = 6.9077552789821368;       // log 1000
  static constexpr double largest_exponent = 9.2103403719761836;  // log 10^4

  template <class S> static KNEAD_INLINE S logarithm(const S& J) { return log(max(J, S(smallest_ratio))); }
  template <class S> KNEAD_INLINE S limited(const S& log_J) const { return min(max(log_J, S(-largest_exponent / gamma)), S(largest_log)); }
};

}  // namespace knead
