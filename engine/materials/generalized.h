// One law from water to snow: an elastic branch (i) whose stretches can be limited, and beside it a branch (d) that flows by its rate.
#pragma once
#include <cmath>
#include <optional>

#include "base/parameters.h"
#include "materials/flow.h"
#include "materials/moduli.h"
#include "materials/rate_flow.h"
#include "materials/snow.h"
#include "math/vec.h"

namespace knead {

// exp(X) F by the Taylor polynomial of degree 4, in Horner's form: an error of |X|^5/120, 8e-8 for a step that strains by a tenth.
// Unlike I + X it keeps the volume of what only turns or shears, and cannot turn matter inside out.
template <class S> KNEAD_INLINE Mat3<S> exponential_times(const Mat3<S>& X, const Mat3<S>& F) {
  Mat3<S> sum = F + (X * F) * S(0.25);
  sum = F + (X * sum) * S(1.0 / 3.0);
  sum = F + (X * sum) * S(0.5);
  return F + X * sum;
}

struct Generalized {
  static constexpr double smallest_ratio = 1e-4;               // volume ratios are held above this, in the state too
  double bulk_modulus_i = 0, shear_modulus_i = 0;              // of the elastic branch [Pa]
  double bulk_modulus_d = 0, shear_modulus_d = 0;              // of the flowing branch [Pa]
  double yield_stress = 0;                                     // of the flowing branch, uniaxial [Pa]
  double consistency = 0;                                      // k [Pa s^n]
  double power = 1;                                            // n [-]
  double hardening = 0;                                        // of the elastic branch with its compaction [-]
  std::optional<double> stretch_limit{}, compression_limit{};  // of the elastic branch [-]
  bool changes = false;  // some parameter is animated: what a branch that is off would need is kept ready

  template <class Visitor> void describe(Visitor& visit) {
    auto modulus = [&](const char* key, double& value, const char* words) {
      visit(key, value, {.unit = "Pa", .minimum = 0, .animatable = true, .text = words});
    };
    modulus("bulk_modulus_i", bulk_modulus_i, "Bulk modulus of the elastic branch.");
    modulus("shear_modulus_i", shear_modulus_i, "Shear modulus of the elastic branch: rubber, snow.");
    modulus("bulk_modulus_d", bulk_modulus_d, "Bulk modulus of the flowing branch: fluids.");
    modulus("shear_modulus_d", shear_modulus_d, "Shear modulus of the flowing branch: paste, mud.");
    modulus("yield_stress", yield_stress, "Stress in uniaxial tension at which the flowing branch yields.");
    visit("consistency", consistency,
          {.unit = "Pa s^n", .minimum = 0, .animatable = true, .text = "k of tau = yield_stress / sqrt(3) + k rate^n in simple shear."});
    visit("power", power,
          {.minimum = 0.05,
           .maximum = 4,
           .animatable = true,
           .text = "n of the same law; below 1 it thins with the rate, above it thickens."});
    visit(
        "hardening", hardening,
        {.minimum = 0, .animatable = true, .text = "Growth of the elastic moduli with packing: exp(hardening (1 - J_P)), at most exp(4)."});
    visit("stretch_limit", stretch_limit,
          {.minimum = 1, .animatable = true, .text = "Largest elastic stretch; beyond it the material breaks. None when absent."});
    visit("compression_limit", compression_limit,
          {.minimum = 0.01,
           .maximum = 1,
           .animatable = true,
           .text = "Smallest elastic stretch; beyond it the material packs. None when absent."});
  }

  // What a particle has to remember: F of the elastic branch, else J alone; b of the flowing branch.
  KNEAD_INLINE bool is_limited() const { return stretch_limit || compression_limit; }
  KNEAD_INLINE bool keeps_shape() const { return shear_modulus_i > 0 || is_limited(); }
  KNEAD_INLINE bool flows() const { return shear_modulus_d > 0; }

  // The limits and the hardening are those of snow.
  KNEAD_INLINE Snow limits() const {
    return {.critical_compression = 1 - compression_limit.value_or(smallest_ratio),
            .critical_stretch = stretch_limit.value_or(1e4) - 1,
            .hardening = hardening};
  }

  // |dev b| of the flowing branch at which it yields
  KNEAD_INLINE double yield_size() const { return min(std::sqrt(2.0 / 3.0) * yield_stress / shear_modulus_d, 1e12); }

  // Volume: Psi = K/2 ((J^2 - 1)/2 - log J), tau = K/2 (J^2 - 1), rho0 c^2 = K/2 (J^2 + 1) [Pa]
  template <class S> static KNEAD_INLINE S volume_energy(const S& K, const S& J) {
    return S(0.5) * K * (S(0.5) * (J * J - S(1)) - log(max(J, S(smallest_ratio))));
  }
  template <class S> static KNEAD_INLINE S volume_stress(const S& K, const S& J) { return S(0.5) * K * (J * J - S(1)); }
  template <class S> static KNEAD_INLINE S volume_modulus(const S& K, const S& J) { return S(0.5) * K * (J * J + S(1)); }

  // Shape: Psi = mu/2 (tr b - 3), tau = mu dev b, with b = J^(-2/3) F F^T of determinant 1.
  template <class S> static KNEAD_INLINE Sym3<S> isochoric(const Mat3<S>& F, const S& J) {
    return left_cauchy_green(F) * exp(S(-2.0 / 3.0) * log(max(J, S(smallest_ratio))));
  }
  // A bound on rho0 c^2 of waves along a principal axis, mu (5/9 tr b - 1/3 b_min), exact at rest: 4/3 mu; and on that of transverse ones,
  // mu b_max. With t = tr b / 3 and r = sqrt(2/3) |dev b|, b_min >= t - r and b_max <= t + r.
  template <class S> struct ShapeModulus {
    S along, across;
    KNEAD_INLINE ShapeModulus(const S& mu, const Sym3<S>& b) {
      const S t = trace(b) * S(1.0 / 3.0), r = S(0.81649658092772603) * sqrt(norm_squared(deviator(b)));
      along = mu * (S(4.0 / 3.0) * t + S(1.0 / 3.0) * r);
      across = mu * (t + r);
    }
  };

  // b of the flowing branch after a step: carried along by exp(dt dev L), its determinant brought back to 1, and the part of it that is
  // beyond yield relaxed. X is dt L.
  template <class S> KNEAD_INLINE Sym3<S> flow(const Sym3<S>& before, Mat3<S> X, FlowState<S>& state) const {
    const S mean_rate = trace(X) * S(1.0 / 3.0);
    for (int i = 0; i < 9; i += 4) X.m[i] = X.m[i] - mean_rate;
    return relaxed(carried(before, exponential_times(X, Mat3<S>::identity())), state);
  }
  // E b E^T, of determinant 1.
  template <class S> static KNEAD_INLINE Sym3<S> carried(const Sym3<S>& before, const Mat3<S>& E) {
    const Mat3<S> Eb = E * to_matrix(before);
    auto entry = [&](int i, int j) KNEAD_INLINE_LAMBDA { return Eb(i, 0) * E(j, 0) + Eb(i, 1) * E(j, 1) + Eb(i, 2) * E(j, 2); };
    const Sym3<S> b{entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(1, 2), entry(2, 0)};
    return b * exp(S(-1.0 / 3.0) * log(max(determinant(to_matrix(b)), S(1e-12))));
  }
  // RateFlow with a modulus of mu tr b / 3 instead of mu, since the flow rule keeps tr b.
  template <class S> KNEAD_INLINE Sym3<S> relaxed(const Sym3<S>& b, FlowState<S>& state) const {
    const S t = trace(b) * S(1.0 / 3.0);
    const Sym3<S> dev = deviator(b);
    const S n = sqrt(norm_squared(dev)), over = max(n - S(yield_size()), S(0));
    const S excess = over / (t + t), part = RateFlow{consistency, power}.relaxed_part(excess, S(shear_modulus_d) * t, state.dt);
    state.plastic_strain = state.plastic_strain + S(std::sqrt(2.0 / 3.0)) * part * excess;
    return dev * (S(1) - part * over / max(n, S(1e-30))) + isotropic(t);
  }
};

}  // namespace knead
