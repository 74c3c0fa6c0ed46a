// Elastic moduli of an isotropic solid, however they are given.
#pragma once
#include <cmath>
#include <string>

#include "base/inline.h"

namespace knead {

// Lame parameters [Pa]. In a scene any complete pair is accepted: youngs_modulus + poisson_ratio, shear_modulus + bulk_modulus,
// mu + lambda. A law's describe() calls visit.moduli(moduli), or visit.moduli(moduli, true) if all may be zero; every visitor knows the
// three pairs.
struct Moduli {
  double mu = 0;
  double lambda = 0;
  static Moduli from_young(double E, double nu) { return {E / (2 * (1 + nu)), E * nu / ((1 + nu) * (1 - 2 * nu))}; }
  static Moduli from_bulk(double shear, double bulk) { return {shear, bulk - 2 * shear / 3}; }
  KNEAD_INLINE double bulk() const { return lambda + 2 * mu / 3; }
  KNEAD_INLINE double p_wave() const { return lambda + 2 * mu; }
  double young() const { return mu * (3 * lambda + 2 * mu) / (lambda + mu); }
  double poisson() const { return lambda / (2 * (lambda + mu)); }
};

}  // namespace knead
