// Stress and update of the generalized material for a run of particles. A branch that is off costs nothing: water carries J alone.
#pragma once
#include <type_traits>

#include "solvers/mpm/constitutive.h"

namespace knead {
inline namespace KNEAD_ISA {

// J of the whole particle: that of the elastic branch times what its limits took away.
template <class S, class T>
KNEAD_INLINE S total_ratio(const Generalized& law, const ParticleView<T>& p, std::uint32_t i, int rest, const S& elastic) {
  return law.is_limited() ? elastic * exp(S::load(p.plastic_volume + i, rest, T(0))) : elastic;
}

template <class T>
KNEAD_INLINE T generalized_fluid_stress(const ParticleView<T>& p, const Generalized& law, std::uint32_t first, int count, T* tau) {
  using S = Wide<T>;
  const S K(law.bulk_modulus_i + law.bulk_modulus_d);
  S largest(0.0);
  for (int k = 0; k < count; k += S::lanes) {
    const S J = S::load(p.J + first + static_cast<std::uint32_t>(k), count - k, T(1));
    largest = max(largest, Generalized::volume_modulus(K, J));
    store_stress(isotropic(Generalized::volume_stress(K, J)), tau + k);
  }
  return largest_lane(largest);
}

// Elastic branch, and the pressure of the flowing one.
template <class T>
KNEAD_INLINE T generalized_elastic_stress(const ParticleView<T>& p, const Generalized& law, std::uint32_t first, int count, T* tau) {
  using S = Wide<T>;
  const Snow limits = law.limits();
  const S K_i(law.bulk_modulus_i), K_d(law.bulk_modulus_d), mu(law.shear_modulus_i);
  S largest(0.0);
  for (int k = 0; k < count; k += S::lanes) {
    const std::uint32_t i = first + static_cast<std::uint32_t>(k);
    const int rest = count - k;
    Mat3<S> F;
    load_matrix(F, p.F, i, rest, T(1));
    const S J_e = determinant(F);
    S J = J_e, stiffness(1.0);
    if (law.is_limited()) {
      FlowState<S> state;
      state.plastic_volume = S::load(p.plastic_volume + i, rest, T(0));
      stiffness = limits.stiffness(state);
      J = J_e * exp(state.plastic_volume);
    }
    const Sym3<S> b = Generalized::isochoric(F, J_e);
    const Generalized::ShapeModulus<S> shape(mu, b);
    const S volume = Generalized::volume_modulus(K_d, J);
    largest = max(largest, volume + stiffness * max(Generalized::volume_modulus(K_i, J_e) + shape.along, shape.across));
    const S pressure = Generalized::volume_stress(K_d, J) + stiffness * Generalized::volume_stress(K_i, J_e);
    store_stress(deviator(b) * (mu * stiffness) + isotropic(pressure), tau + k);
  }
  return largest_lane(largest);
}

template <class S, class T> KNEAD_INLINE Sym3<S> load_symmetric(T* const (&column)[6], std::uint32_t i, int rest) {
  return {S::load(column[0] + i, rest, T(1)), S::load(column[1] + i, rest, T(1)), S::load(column[2] + i, rest, T(1)),
          S::load(column[3] + i, rest, T(0)), S::load(column[4] + i, rest, T(0)), S::load(column[5] + i, rest, T(0))};
}
template <class S, class T> KNEAD_INLINE void store_symmetric(const Sym3<S>& b, T* const (&column)[6], std::uint32_t i, int rest) {
  const S parts[6] = {b.xx, b.yy, b.zz, b.xy, b.yz, b.zx};
  for (int c = 0; c < 6; ++c) parts[c].store(column[c] + i, rest);
}

template <class T> T generalized_stress(const MpmContext<T>& context, const GroupLaw<T>& group, std::uint32_t first, int count, T* tau) {
  using S = Wide<T>;
  const Generalized law = *static_cast<const Generalized*>(group.elasticity);
  const ParticleView<T> p = context.particles;
  T modulus =
      law.keeps_shape() ? generalized_elastic_stress(p, law, first, count, tau) : generalized_fluid_stress(p, law, first, count, tau);
  if (law.flows()) {
    S largest(0.0);
    for (int k = 0; k < count; k += S::lanes) {
      const Sym3<S> b = load_symmetric<S>(p.b, first + static_cast<std::uint32_t>(k), count - k);
      const Generalized::ShapeModulus<S> shape(S(law.shear_modulus_d), b);
      largest = max(largest, max(shape.along, shape.across));
      add_stress(deviator(b) * S(law.shear_modulus_d), tau + k);
    }
    modulus += largest_lane(largest);
  }
  if (group.viscosity > 0)
    add_viscosity(p, group.viscosity, first, count, tau, [&](std::uint32_t i, int rest) KNEAD_INLINE_LAMBDA {
      if (!law.keeps_shape()) return S::load(p.J + i, rest, T(1));
      Mat3<S> F;
      load_matrix(F, p.F, i, rest, T(1));
      return total_ratio(law, p, i, rest, S(determinant(F)));
    });
  return modulus;
}

// The elastic branch: F <- exp(dt L) F, and back within its limits.
template <class T> KNEAD_INLINE void update_elastic(const MpmContext<T>& context, const Generalized& law, std::uint32_t first, int count) {
  using S = Wide<T>;
  const ParticleView<T>& p = context.particles;
  const Snow limits = law.limits();
  const Hencky none{};
  for (int k = 0; k < count; k += S::lanes) {
    const std::uint32_t i = first + static_cast<std::uint32_t>(k);
    const int rest = count - k;
    Mat3<S> C, F;
    load_matrix(C, p.C, i, rest, T(0));
    load_matrix(F, p.F, i, rest, T(1));
    const Mat3<S> X = C * S(context.dt);
    F = context.momentum_only ? F + X * F : exponential_times(X, F);
    if (law.is_limited()) {
      FlowState<S> state = load_flow<S>(p, i, rest);
      const Principal<S> principal(F);
      Return<S>(principal, none, limits, state).apply(principal, F);
      state.plastic_strain.store(p.plastic_strain + i, rest);
      state.plastic_volume.store(p.plastic_volume + i, rest);
    }
    if (!(law.shear_modulus_i > 0)) {  // limits alone: it has a volume, but no shape to return to
      const S stretch = exp(S(1.0 / 3.0) * log(max(S(determinant(F)), S(Generalized::smallest_ratio))));
      F = Mat3<S>::diagonal({stretch, stretch, stretch});
    }
    for (int c = 0; c < 9; ++c) F.m[c].store(p.F[c] + i, rest);
    if (law.changes && p.J) max(S(determinant(F)), S(Generalized::smallest_ratio)).store(p.J + i, rest);
  }
}

// No shape to remember: J <- J exp(dt tr L).
template <class T> KNEAD_INLINE void update_fluid(const MpmContext<T>& context, const Generalized& law, std::uint32_t first, int count) {
  using S = Wide<T>;
  const ParticleView<T>& p = context.particles;
  const S dt(context.dt), third(1.0 / 3.0);
  for (int k = 0; k < count; k += S::lanes) {
    const std::uint32_t i = first + static_cast<std::uint32_t>(k);
    const int rest = count - k;
    const S rate = S::load(p.C[0] + i, rest, T(0)) + S::load(p.C[4] + i, rest, T(0)) + S::load(p.C[8] + i, rest, T(0));
    const S ratio = context.J_after ? S::load(context.J_after + i, rest, T(1)) : S::load(p.J + i, rest, T(1)) * exp(dt * rate);
    const S J = max(ratio, S(Generalized::smallest_ratio));
    J.store(p.J + i, rest);
    if (law.changes && p.F[0]) {  // when it sets, it sets in the shape that it has then
      const S stretch = exp(third * log(J));
      for (int c = 0; c < 9; ++c) (c % 4 == 0 ? stretch : S(0.0)).store(p.F[c] + i, rest);
    }
  }
}

template <class T> void generalized_update(const MpmContext<T>& context, const GroupLaw<T>& group, std::uint32_t first, int count) {
  using S = Wide<T>;
  const Generalized law = *static_cast<const Generalized*>(group.elasticity);
  const ParticleView<T> p = context.particles;
  if (law.keeps_shape()) update_elastic(context, law, first, count);
  else update_fluid(context, law, first, count);
  if (!law.flows() && !(law.changes && p.b[0])) return;
  for (int k = 0; k < count; k += S::lanes) {
    const std::uint32_t i = first + static_cast<std::uint32_t>(k);
    const int rest = count - k;
    Sym3<S> b = isotropic(S(1.0));
    if (law.flows()) {
      Mat3<S> C;
      load_matrix(C, p.C, i, rest, T(0));
      FlowState<S> state;
      state.plastic_strain = S::load(p.plastic_strain + i, rest, T(0));
      state.dt = double(context.dt);
      const Sym3<S> before = load_symmetric<S>(p.b, i, rest);
      const Mat3<S> X = C * S(context.dt);
      b = context.momentum_only ? law.relaxed(Generalized::carried(before, Mat3<S>::identity() + X), state) : law.flow(before, X, state);
      state.plastic_strain.store(p.plastic_strain + i, rest);
    }
    store_symmetric(b, p.b, i, rest);
  }
}

}  // namespace KNEAD_ISA
}  // namespace knead
