// Drucker-Prager plasticity in Hencky strain: sand and soil, with cohesion and volume correction.
#pragma once
#include <array>
#include <cmath>

#include "base/parameters.h"
#include "materials/flow.h"
#include "materials/hoisted.h"
#include "materials/moduli.h"
#include "math/vec.h"

namespace knead {

// The state in which the cone meets Mohr-Coulomb.
enum class ConeMatch { compression, plane_strain, extension };
inline constexpr std::array<const char*, 3> enum_names(ConeMatch) { return {"compression", "plane_strain", "extension"}; }

struct DruckerPrager {
  static constexpr const char* name = "drucker_prager";
  static constexpr const char* text =
      "Sand and soil: shear strength grows with pressure; grains separate freely in tension unless they cohere.";
  static constexpr bool needs_hencky = true;
  static constexpr bool uses_plastic_strain = true;
  static constexpr bool uses_plastic_volume = true;  // expansion still to be paid back before there is pressure again
  double friction_angle = 0;                         // phi [deg]
  double cohesion = 0;                               // c [Pa]
  ConeMatch cone = ConeMatch::compression;

  template <class Visitor> void describe(Visitor& visit) {
    visit("friction_angle", friction_angle,
          {.unit = "deg", .minimum = 0, .below = 90, .required = true, .animatable = true, .text = "Angle of internal friction."});
    visit("cohesion", cohesion,
          {.unit = "Pa", .minimum = 0, .animatable = true, .text = "Shear strength without pressure, as in Mohr-Coulomb."});
    visit("cone", cone, {.text = "State in which the cone meets Mohr-Coulomb."});
  }

  // |dev tau| <= k - alpha tr tau, the Mohr-Coulomb strength c cos(phi) + p sin(phi) in the state that `cone` names.
  KNEAD_INLINE double alpha() const { return opening() * sine(); }                                         // [-]
  KNEAD_INLINE double strength() const { return 3 * opening() * cohesion * cosine(); }                     // k [Pa]
  KNEAD_INLINE double tension_limit() const { return cohesion > 0 ? cohesion * cosine() / sine() : 0.0; }  // -p at the tip [Pa]

  // With t = tr eps + v_c, v_c the expansion that is still open: the returned strain has the trace min(t, T), T the tip, and a deviator
  // cut at (k - 3 alpha K t) / 2 mu, or at 0 beyond the tip; v_c becomes t - tr H. The flow keeps the volume, except at the tip.
  template <class S> KNEAD_INLINE Vec3<S> return_map(const Moduli& moduli, const Vec3<S>& eps, FlowState<S>& state) const {
    const S tr = sum(eps), old_mean = tr * S(1.0 / 3.0);
    const Vec3<S> dev{eps.x - old_mean, eps.y - old_mean, eps.z - old_mean};
    const RadialReturn<S> back = radial_return(moduli, tr, sqrt(dot(dev, dev)), state);
    const S mean = back.trace * S(1.0 / 3.0);
    return {mean + dev.x * back.keep, mean + dev.y * back.keep, mean + dev.z * back.keep};
  }
  // The same from the trace of the strain and the norm n of its deviator.
  template <class S> KNEAD_INLINE RadialReturn<S> radial_return(const Moduli& moduli, const S& tr, const S& n, FlowState<S>& state) const {
    const Trial<S> trial(surface(moduli), tr, n, state);
    state.plastic_strain = state.plastic_strain + S(std::sqrt(2.0 / 3.0)) * max(n - trial.limit, S(0));
    state.plastic_volume = trial.t - trial.returned_t;
    return {trial.returned_t, trial.keep};
  }
  // Elastic: identity. Tip: zero. Cone: 1 1^T/3 - kappa N 1^T + limit/n (I - 1 1^T/3 - N N^T), not symmetric.
  template <class S> KNEAD_INLINE Mat3<S> return_map_derivative(const Moduli& moduli, const Vec3<S>& eps, const FlowState<S>& state) const {
    const Surface cone_now = surface(moduli);
    const S third(1.0 / 3.0), tr = sum(eps), mean = tr * third;
    const Vec3<S> dev{eps.x - mean, eps.y - mean, eps.z - mean};
    const S n = sqrt(dot(dev, dev));
    const Trial<S> trial(cone_now, tr, n, state);
    const S closed = select(trial.t < S(cone_now.tip), S(1), S(0));
    const Vec3<S> N = dev * (trial.yielding / max(n, S(1e-30)));
    Mat3<S> D;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        D(i, j) = trial.keep * (S(i == j ? 1 : 0) - third - N[i] * N[j]) + closed * (third - S(cone_now.kappa) * N[i]);
    return D;
  }
  template <class S> KNEAD_INLINE S stiffness(const FlowState<S>&) const { return S(1); }

 private:
  // The cone in log strain. The bounds stand for infinity: without shear modulus nothing yields, without friction there is no tip.
  struct Surface {
    double kappa;   // 3 alpha K / 2 mu
    double offset;  // k / 2 mu
    double tip;     // T = tension_limit / K
  };
  KNEAD_INLINE Surface surface(const Moduli& moduli) const {
    const double two_mu = max(2 * moduli.mu, 1e-300), K = max(moduli.bulk(), 1e-300);
    return {min(3 * alpha() * moduli.bulk() / two_mu, 1e12), min(strength() / two_mu, 1e12), min(tension_limit() / K, 1e3)};
  }
  template <class S> struct Trial {
    S t, returned_t, limit, yielding, keep;
    KNEAD_INLINE Trial(const Surface& cone_now, const S& tr, const S& n, const FlowState<S>& state) {
      const S tip(cone_now.tip);
      t = tr + state.plastic_volume;
      returned_t = min(t, tip);
      limit = select(t < tip, max(S(cone_now.offset) - S(cone_now.kappa) * t, S(0)), S(0));
      yielding = select(n < limit, S(0), S(1));
      keep = select(n < limit, S(1), limit / max(n, S(1e-30)));
    }
  };

  KNEAD_INLINE double sine() const { return sine_of_degrees(friction_angle); }
  KNEAD_INLINE double cosine() const { return sine_of_degrees(90 - friction_angle); }
  // alpha / sin(phi): uniaxial compression and extension, and the isochoric plane flow, where tau_max / p = 3 alpha / sqrt(2) = sin(phi).
  KNEAD_INLINE double opening() const {
    if (cone == ConeMatch::plane_strain) return std::sqrt(2.0) / 3;
    return std::sqrt(2.0 / 3.0) * 2 / (cone == ConeMatch::compression ? 3 - sine() : 3 + sine());
  }
};

}  // namespace knead
