// What the generalized material and fluids answer in an implicit step (docs/solvers/admm-generalized.md).
#pragma once
#include "solvers/mpm/admm_local.h"
#include "solvers/mpm/generalized.h"

namespace knead {
inline namespace KNEAD_ISA {

// Kirchhoff stress and its derivative of a branch for which the deformation at the beginning of the step is admissible.
template <class S, class Response> struct AtStart {
  const Response& response;
  FlowState<S> state;
  Moduli moduli;
  KNEAD_INLINE Vec3<S> kirchhoff(const Vec3<S>& sigma) const { return response.elastic_stress(logarithms_of(sigma), state); }
  KNEAD_INLINE Mat3<S> kirchhoff_derivative(const Vec3<S>& sigma) const { return response.elastic_tangent(logarithms_of(sigma), state); }
};

// d (exp(2 dev eps) - mean)_i / d eps_j: with b_i = exp(2 dev eps_i) and d = dev b, 2 b_i delta_ij - 2/3 (b_i + d_j).
template <class S> KNEAD_INLINE Mat3<S> shape_derivative(const Vec3<S>& b, const Vec3<S>& d) {
  Mat3<S> D;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) D(i, j) = (i == j ? S(2) * b[i] : S(0)) - S(2.0 / 3.0) * (b[i] + d[j]);
  return D;
}
template <class S> KNEAD_INLINE Vec3<S> isochoric_squares(const Vec3<S>& eps) {
  const S mean = sum(eps) * S(1.0 / 3.0);
  return {exp(S(2) * (eps.x - mean)), exp(S(2) * (eps.y - mean)), exp(S(2) * (eps.z - mean))};
}
template <class S> KNEAD_INLINE Vec3<S> deviator(const Vec3<S>& b) {
  const S mean = sum(b) * S(1.0 / 3.0);
  return {b.x - mean, b.y - mean, b.z - mean};
}

// The elastic branch within its limits, and the pressure of the flowing one, which follows the whole volume J_P J_e.
struct GeneralizedElastic {
  Generalized law;
  Snow limits;
  KNEAD_INLINE explicit GeneralizedElastic(const Generalized& given) : law(given), limits(given.limits()) {}
  template <class S> KNEAD_INLINE AtStart<S, GeneralizedElastic> at_start(const FlowState<S>& state) const {
    return {*this, state, Moduli::from_bulk(law.shear_modulus_i, law.bulk_modulus_i + law.bulk_modulus_d)};
  }

  template <class S> KNEAD_INLINE Vec3<S> stress(const Vec3<S>& eps, const Vec3<S>&, FlowState<S> state) const {
    return elastic_stress(law.is_limited() ? limits.return_map({}, eps, state) : eps, state);
  }
  // With H the strain that is left and theta_j = 1 where a limit holds it: (1 - theta_j) d/dH_j, and what packing does where theta_j = 1.
  template <class S> KNEAD_INLINE Mat3<S> tangent(const Vec3<S>& eps, const Vec3<S>&, FlowState<S> state) const {
    if (!law.is_limited()) return elastic_tangent(eps, state);
    const Mat3<S> free = limits.return_map_derivative({}, eps, state);
    const Vec3<S> H = limits.return_map({}, eps, state);
    const S J = volume(H, state), pressure = S(law.bulk_modulus_d) * J * J, slope = limits.stiffness_slope(state);
    const Vec3<S> branch = elastic_stress(H, state) - Vec3<S>{S(1), S(1), S(1)} * Generalized::volume_stress(S(law.bulk_modulus_d), J);
    Mat3<S> D = elastic_tangent(H, state);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) D(i, j) = pressure + free(j, j) * (D(i, j) - pressure) + (S(1) - free(j, j)) * slope * branch[i];
    return D;
  }

  // Of an admissible strain.
  template <class S> KNEAD_INLINE Vec3<S> elastic_stress(const Vec3<S>& H, const FlowState<S>& state) const {
    const S h = hardened(state), J_e = exp(sum(H));
    const S pressure =
        h * Generalized::volume_stress(S(law.bulk_modulus_i), J_e) + Generalized::volume_stress(S(law.bulk_modulus_d), volume(H, state));
    const Vec3<S> d = deviator(isochoric_squares(H)) * (h * S(law.shear_modulus_i));
    return {d.x + pressure, d.y + pressure, d.z + pressure};
  }
  template <class S> KNEAD_INLINE Mat3<S> elastic_tangent(const Vec3<S>& H, const FlowState<S>& state) const {
    const S h = hardened(state), J_e = exp(sum(H)), J = volume(H, state);
    const S volumetric = h * S(law.bulk_modulus_i) * J_e * J_e + S(law.bulk_modulus_d) * J * J;
    const Vec3<S> b = isochoric_squares(H);
    Mat3<S> D = shape_derivative(b, deviator(b)) * (h * S(law.shear_modulus_i));
    for (S& entry : D.m) entry = entry + volumetric;
    return D;
  }

 private:
  template <class S> KNEAD_INLINE S hardened(const FlowState<S>& state) const { return law.is_limited() ? limits.stiffness(state) : S(1); }
  template <class S> KNEAD_INLINE S volume(const Vec3<S>& H, const FlowState<S>& state) const {
    return law.is_limited() ? exp(sum(H) + state.plastic_volume) : exp(sum(H));
  }
};

// The shape of the flowing branch: any F with F F^T = b, and no stress from its volume.
struct GeneralizedFlowing {
  Generalized law;
  template <class S> KNEAD_INLINE AtStart<S, GeneralizedFlowing> at_start(const FlowState<S>& state) const {
    return {*this, state, Moduli::from_bulk(law.shear_modulus_d, 0)};
  }

  template <class S> KNEAD_INLINE Vec3<S> stress(const Vec3<S>& eps, const Vec3<S>&, const FlowState<S>& state) const {
    const Trial<S> trial(law, eps, state);
    return trial.d * (S(law.shear_modulus_d) * trial.keep);
  }
  // tau = mu (1 - y/n) d, y the part of n = |d| that flows. With x + c x^p = 1 of RateFlow differentiated implicitly and
  // D = x + p (1 - x):  dy = y p (1 - x) / D dt/t + x / D dn,  t = tr b / 3.
  template <class S> KNEAD_INLINE Mat3<S> tangent(const Vec3<S>& eps, const Vec3<S>&, const FlowState<S>& state) const {
    const Trial<S> trial(law, eps, state);
    const Mat3<S> dd = shape_derivative(trial.b, trial.d);
    const S x = trial.part, rest = S(law.power) * (S(1) - x), inverse = S(1) / max(x + rest, S(1e-20));
    const S flown = S(1) - trial.keep, y = flown * trial.n;
    const Vec3<S> N = trial.d * (S(1) / max(trial.n, S(1e-30)));
    Mat3<S> D;
    for (int j = 0; j < 3; ++j) {
      const S dn = N.x * dd(0, j) + N.y * dd(1, j) + N.z * dd(2, j), dt_over_t = S(2.0 / 3.0) * trial.d[j] / trial.t;
      const S dy = select(trial.over > S(0), y * rest * inverse * dt_over_t + (x * inverse - flown) * dn, S(0));
      for (int i = 0; i < 3; ++i) D(i, j) = S(law.shear_modulus_d) * (trial.keep * dd(i, j) - N[i] * dy);
    }
    return D;
  }

  // Of what has relaxed already.
  template <class S> KNEAD_INLINE Vec3<S> elastic_stress(const Vec3<S>& eps, const FlowState<S>&) const {
    return deviator(isochoric_squares(eps)) * S(law.shear_modulus_d);
  }
  template <class S> KNEAD_INLINE Mat3<S> elastic_tangent(const Vec3<S>& eps, const FlowState<S>&) const {
    const Vec3<S> b = isochoric_squares(eps);
    return shape_derivative(b, deviator(b)) * S(law.shear_modulus_d);
  }

 private:
  template <class S> struct Trial {
    Vec3<S> b, d;
    S t, n, over, part, keep;
    KNEAD_INLINE Trial(const Generalized& law, const Vec3<S>& eps, const FlowState<S>& state) {
      b = isochoric_squares(eps), d = deviator(b), t = sum(b) * S(1.0 / 3.0), n = sqrt(dot(d, d));
      over = max(n - S(law.yield_size()), S(0));
      part = RateFlow{law.consistency, law.power}.relaxed_part(over / (t + t), S(law.shear_modulus_d) * t, state.dt);
      keep = S(1) - part * over / max(n, S(1e-30));
    }
  };
};

// L with L L^T = b, lower triangular: isotropic functions of it are those of every other root.
template <class S> KNEAD_INLINE Mat3<S> root(const Sym3<S>& b) {
  const S least(1e-12);
  const S x = sqrt(max(b.xx, least)), yx = b.xy / x, zx = b.zx / x, y = sqrt(max(b.yy - yx * yx, least)), zy = (b.yz - zx * yx) / y;
  return {{x, S(0), S(0), yx, y, S(0), zx, zy, sqrt(max(b.zz - zx * zx - zy * zy, least))}};
}

// log det(I + X) - tr X: what straight lines add to the volume of matter that turns, and take from what is strained. Held where the
// gradient is one of noise.
template <class S> KNEAD_INLINE S volume_of_lines(const Mat3<S>& X) {
  const S most(0.05);
  return min(max(log(max(determinant(Mat3<S>::identity() + X), S(0.1))) - trace(X), -most), most);
}

// A fluid: its volume is one number, so that there is nothing to split. log J = log J_n + q + dt tr C, with the q of volume_of_lines from
// the C at the beginning, makes the energy a convex function of the velocities. The grid meets the pressure itself, and its stiffness in
// the coupled part of the matrix: the tangent, or that at rest where tension has softened it.
template <class T, class Pressure>
KNEAD_INLINE void implicit_fluid(const MpmContext<T>& context, const AdmmContext<T>& admm, const Pressure& pressure, std::uint32_t first,
                                 int count, const T* C, T* Q) {
  using S = Wide<T>;
  const S at_rest = pressure.tangent(S(1.0)), dt(context.dt);
  T *const stiffness = admm.elastic.weight, *const before = admm.elastic.strain[0], *const after = admm.elastic.z[0];
  for (int k = 0; k < count; k += S::lanes) {
    const std::uint32_t i = first + static_cast<std::uint32_t>(k);
    const int rest = count - k;
    const S volume = S::load(context.particles.volume + i, rest, T(1));
    if (is_local(admm.pass)) {
      Mat3<S> X;
      load_matrix(X, context.particles.C, i, rest, T(0));
      const S J = S::load(context.particles.J + i, rest, T(1));
      (log(J) + volume_of_lines(X * dt)).store(before + i, rest);
      (volume * max(pressure.tangent(J), at_rest)).store(stiffness + i, rest);
      continue;
    }
    const auto rate = [&](int c) KNEAD_INLINE_LAMBDA { return S::load(C + c * chunk_particles + k, rest, T(0)); };
    const S growth = (rate(0) + rate(4) + rate(8)) * dt;
    S moment;
    if (admm.pass == AdmmPass::multiply) {
      moment = S::load(stiffness + i, rest, T(0)) * growth;
    } else {
      const S J = max(exp(S::load(before + i, rest, T(0)) + growth), S(Generalized::smallest_ratio));
      moment = -(volume * pressure.stress(J));
      (volume * max(pressure.tangent(J), at_rest)).store(stiffness + i, rest);
      J.store(after + i, rest);
    }
    for (int c = 0; c < 9; c += 4) (S::load(Q + c * chunk_particles + k) + moment).store(Q + c * chunk_particles + k);
  }
}

struct EosPressure {
  Eos law;
  template <class S> KNEAD_INLINE S stress(const S& J) const { return law.kirchhoff(J); }
  template <class S> KNEAD_INLINE S tangent(const S& J) const { return law.kirchhoff_derivative(J); }
};
struct GeneralizedPressure {
  double K;
  template <class S> KNEAD_INLINE S stress(const S& J) const { return Generalized::volume_stress(S(K), J); }
  template <class S> KNEAD_INLINE S tangent(const S& J) const { return S(K) * J * J; }
};

template <class T>
double implicit_eos(const MpmContext<T>& context, const AdmmContext<T>& admm, const GroupLaw<T>& group, std::uint32_t first, int count,
                    const T* C, T* Q) {
  implicit_fluid(context, admm, EosPressure{*static_cast<const Eos*>(group.elasticity)}, first, count, C, Q);
  return 0;
}

template <class T>
double implicit_generalized(const MpmContext<T>& context, const AdmmContext<T>& admm, const GroupLaw<T>& group, std::uint32_t first,
                            int count, const T* C, T* Q) {
  using S = Wide<T>;
  const Generalized law = *static_cast<const Generalized*>(group.elasticity);
  const ParticleView<T>& p = context.particles;
  const bool bounding = admm.pass == AdmmPass::stiffen;
  double gap = 0;
  if (!law.keeps_shape()) {
    implicit_fluid(context, admm, GeneralizedPressure{law.bulk_modulus_i + law.bulk_modulus_d}, first, count, C, Q);
  } else if (admm.pass != AdmmPass::multiply) {
    const double bulk = law.bulk_modulus_i + law.bulk_modulus_d;
    const double automatic = bounding           ? bounding_stiffness(Moduli::from_bulk(law.shear_modulus_i, bulk))
                             : law.is_limited() ? automatic_stiffness<Snow>(context, group, bulk)
                                                : automatic_stiffness<NoFlow>(context, group, bulk);
    const auto load = [&](Mat3<S>& F, std::uint32_t i, int rest) KNEAD_INLINE_LAMBDA { load_matrix(F, p.F, i, rest, T(1)); };
    gap += implicit_chunk(context, admm, admm.elastic, load, GeneralizedElastic(law), automatic, first, count, C, Q);
  }
  if (law.flows() && admm.pass != AdmmPass::multiply) {
    const double mu = law.shear_modulus_d;
    const double automatic = bounding ? bounding_stiffness(Moduli::from_bulk(mu, 0)) : automatic_stiffness<VonMises>(context, group, mu);
    const auto load = [&](Mat3<S>& F, std::uint32_t i, int rest) KNEAD_INLINE_LAMBDA { F = root(load_symmetric<S>(p.b, i, rest)); };
    gap += implicit_chunk(context, admm, admm.viscous, load, GeneralizedFlowing{law}, automatic, first, count, C, Q);
  }
  return gap;
}

// Newton's viscosity: -V J 2 eta dev sym C, with J as it was; linear in the velocities, so that it is the matrix itself.
template <class T>
KNEAD_INLINE void implicit_viscosity(const MpmContext<T>& context, const AdmmContext<T>& admm, const GroupLaw<T>& group,
                                     std::uint32_t first, int count, const T* C, T* Q) {
  using S = Wide<T>;
  const ParticleView<T>& p = context.particles;
  const S sign(admm.pass == AdmmPass::multiply ? 1 : -1);
  for (int k = 0; k < count; k += S::lanes) {
    const std::uint32_t i = first + static_cast<std::uint32_t>(k);
    const int rest = count - k;
    if (admm.pass == AdmmPass::start) {
      S J;
      if (group.is_fluid) {
        J = S::load(p.J + i, rest, T(1));
      } else {
        Mat3<S> F;
        load_matrix(F, p.F, i, rest, T(1));
        J = determinant(F);
        if (p.plastic_volume) J = J * exp(S::load(p.plastic_volume + i, rest, T(0)));
      }
      (S::load(p.volume + i, rest, T(1)) * max(J, S(0)) * S(2 * group.viscosity)).store(admm.damping + i, rest);
      continue;
    }
    if (is_local(admm.pass)) return;
    Mat3<S> L;
    for (int c = 0; c < 9; ++c) L.m[c] = S::load(C + c * chunk_particles + k, rest, T(0));
    const Mat3<S> moment = to_matrix(deviator(symmetric_part(L))) * (sign * S::load(admm.damping + i, rest, T(0)));
    for (int c = 0; c < 9; ++c) (S::load(Q + c * chunk_particles + k) + moment.m[c]).store(Q + c * chunk_particles + k);
  }
}

}  // namespace KNEAD_ISA
}  // namespace knead
