// A viscoelastic branch beside the elastic one: a Hencky spring in series with a dashpot, F = F_N F_V. Its stress relaxes.
#pragma once
#include "base/parameters.h"
#include "materials/hencky.h"
#include "materials/moduli.h"
#include "math/vec.h"

namespace knead {

struct Viscoelasticity {
  Moduli moduli;                    // of the spring
  double viscosity_deviatoric = 0;  // nu_d [Pa s]
  double viscosity_volumetric = 0;  // nu_v [Pa s]

  template <class Visitor> void describe(Visitor& visit) {
    visit.moduli(moduli);
    visit("viscosity_deviatoric", viscosity_deviatoric,
          {.unit = "Pa s",
           .above = 0,
           .required = true,
           .animatable = true,
           .text = "The deviatoric relaxation time is this over twice the shear modulus of the branch."});
    visit("viscosity_volumetric", viscosity_volumetric,
          {.unit = "Pa s",
           .above = 0,
           .required = true,
           .animatable = true,
           .text = "The relaxation time of the pressure is this over twice the bulk modulus of the branch."});
  }

  KNEAD_INLINE Hencky spring() const { return {moduli}; }

  // Backward Euler of D eps / Dt = -d Phi / d tau with Phi = |dev tau|^2 / (2 nu_d) + (tr tau)^2 / (9 nu_v), in closed form: the deviator
  // shrinks by 1 / (1 + 2 mu dt / nu_d), the trace by 1 / (1 + 2 K dt / nu_v). Stable for every dt.
  KNEAD_INLINE double keep_deviator(double dt) const { return viscosity_deviatoric / (viscosity_deviatoric + 2 * moduli.mu * dt); }
  KNEAD_INLINE double keep_trace(double dt) const { return viscosity_volumetric / (viscosity_volumetric + 2 * moduli.bulk() * dt); }
  template <class S> KNEAD_INLINE Vec3<S> relax(const Vec3<S>& eps, double dt) const {
    const S keep(keep_deviator(dt)), mean = sum(eps) * S((keep_trace(dt) - keep_deviator(dt)) / 3);
    return {keep * eps.x + mean, keep * eps.y + mean, keep * eps.z + mean};
  }
  // d relax_i / d eps_j
  template <class S> KNEAD_INLINE Mat3<S> relax_derivative(double dt) const {
    const double keep = keep_deviator(dt), mean = (keep_trace(dt) - keep) / 3;
    Mat3<S> D;
    for (int i = 0; i < 9; ++i) D.m[i] = S(mean + (i % 4 == 0 ? keep : 0));
    return D;
  }
};

}  // namespace knead
