// Stress and update of deformation for a run of particles of one material, many particles per instruction.
#pragma once
#include "materials/material.h"
#include "math/spectrum.h"
#include "math/vec.h"
#include "math/wide.h"
#include "solvers/mpm/kernels.h"

namespace knead {
inline namespace KNEAD_ISA {

template <class S, int N, class T> KNEAD_INLINE void load_components(S (&out)[N], T* const (&column)[N], std::uint32_t i) {
  for (int k = 0; k < N; ++k) out[k] = S::load(column[k] + i);
}

template <class S> struct Principal {
  Spectrum<S> spectrum;  // of b = F F^T
  Vec3<S> sigma;         // signed principal stretches, descending
  // The smallest stretch comes from J: that is more accurate than its square in b, and carries the sign.
  KNEAD_INLINE Principal(const Mat3<S>& F, const S& J) : spectrum(left_cauchy_green(F)) {
    const Vec3<S> squared = spectrum.values();
    sigma.x = sqrt(max(squared.x, S(1e-30)));
    sigma.y = sqrt(max(squared.y, S(1e-30)));
    sigma.z = J / (sigma.x * sigma.y);
  }
};

template <class S, class T> KNEAD_INLINE FlowState<S> load_flow(const ParticleView<T>& p, std::uint32_t i) {
  FlowState<S> state;
  if (p.plastic_strain) state.plastic_strain = S::load(p.plastic_strain + i);
  if (p.plastic_volume) state.plastic_volume = S::load(p.plastic_volume + i);
  return state;
}

template <class T, class Elastic, class Flow>
T stress_kernel(const MpmContext<T>& context, const GroupLaw<T>& group, std::uint32_t first, int count, T* tau_out) {
  using S = Wide<T>;
  const Elastic law = *static_cast<const Elastic*>(group.elasticity);
  const Flow flow = *static_cast<const Flow*>(group.plasticity);
  const ParticleView<T> p = context.particles;
  S largest(0.0);
  for (int k = 0; k < count; k += S::lanes) {
    const std::uint32_t i = first + static_cast<std::uint32_t>(k);
    Sym3<S> tau;
    S J, modulus;
    if constexpr (Elastic::is_fluid) {
      J = S::load(p.J + i);
      tau = isotropic(law.kirchhoff(J));
      modulus = law.wave_modulus(J);
    } else {
      Mat3<S> F;
      load_components(F.m, p.F, i);
      J = determinant(F);
      if constexpr (std::is_same_v<Flow, NoFlow> && requires { law.kirchhoff(F); }) {
        tau = law.kirchhoff(F);
        modulus = law.wave_modulus(F);
      } else {
        const Principal<S> principal(F, J);
        const S stiffness = flow.stiffness(load_flow<S>(p, i));
        tau = principal.spectrum.compose(law.kirchhoff(principal.sigma)) * stiffness;
        modulus = law.wave_modulus(principal.sigma) * stiffness;
      }
    }
    if (group.viscosity > 0) {
      Mat3<S> C;
      load_components(C.m, p.C, i);
      S volume_ratio = max(J, S(0.0));
      if constexpr (Flow::uses_plastic_volume) volume_ratio = volume_ratio * exp(load_flow<S>(p, i).plastic_volume);
      tau = tau + deviator(symmetric_part(C)) * (volume_ratio * S(2 * group.viscosity));
    }
    // Lanes past the end belong to other particles, whose column may hold nothing sensible for this law.
    if (k + S::lanes <= count) largest = max(largest, modulus);
    else
      for (int lane = 0; lane < count - k; ++lane) largest = max(largest, S(modulus[lane]));
    T* out = tau_out + k;
    tau.xx.store(out), tau.yy.store(out + chunk_particles), tau.zz.store(out + 2 * chunk_particles);
    tau.xy.store(out + 3 * chunk_particles), tau.yz.store(out + 4 * chunk_particles), tau.zx.store(out + 5 * chunk_particles);
  }
  T result = 0;
  for (int lane = 0; lane < S::lanes; ++lane) result = largest[lane] > result ? largest[lane] : result;
  return result;
}

// Brings the elastic stretches of a trial F to what the flow law admits, and those below the smallest that a law knows up to it.
template <class S, class Elastic, class Flow>
KNEAD_INLINE void return_to_admissible(const Elastic& law, const Flow& flow, FlowState<S>& state, Mat3<S>& F, const S& J) {
  const Principal<S> principal(F, J);
  const Vec3<S> eps = Hencky::strain(principal.sigma);
  const Vec3<S> H = flow.return_map(law.moduli, eps, state);
  const Vec3<S> change = H - eps;
  const auto collapsed = principal.sigma.z < S(Hencky::smallest_stretch);
  const auto moved = dot(change, change) > S(0.0) || collapsed;
  if (!any(moved)) return;
  Vec3<S> ratio{exp(change.x), exp(change.y), exp(change.z)};
  if (any(collapsed)) [[unlikely]] {  // the strain of such a stretch is that of the smallest: the ratio must come from the stretch itself
    const S floor(1e-12);
    const S smallest = select(principal.sigma.z < S(0.0), min(principal.sigma.z, -floor), max(principal.sigma.z, floor));
    ratio = {exp(H.x) / max(principal.sigma.x, floor), exp(H.y) / max(principal.sigma.y, floor), exp(H.z) / smallest};
  }
  const Mat3<S> returned = to_matrix(principal.spectrum.compose(ratio)) * F;
  for (int c = 0; c < 9; ++c) F.m[c] = select(moved, returned.m[c], F.m[c]);
}

template <class T, class Elastic, class Flow>
void update_kernel(const MpmContext<T>& context, const GroupLaw<T>& group, std::uint32_t first, int count) {
  using S = Wide<T>;
  const Elastic law = *static_cast<const Elastic*>(group.elasticity);
  const Flow flow = *static_cast<const Flow*>(group.plasticity);
  const ParticleView<T> p = context.particles;
  const S dt(context.dt);
  for (int k = 0; k < count; k += S::lanes) {
    const std::uint32_t i = first + static_cast<std::uint32_t>(k);
    const int rest = count - k;
    Mat3<S> C;
    load_components(C.m, p.C, i);
    if constexpr (Elastic::is_fluid) {
      const S J = S::load(p.J + i) * (S(1.0) + dt * trace(C));
      max(J, S(Elastic::smallest_ratio)).store(p.J + i, rest);
    } else {
      Mat3<S> F;
      load_components(F.m, p.F, i);
      F = F + (C * F) * dt;
      if constexpr (!std::is_same_v<Flow, NoFlow>) {
        FlowState<S> state = load_flow<S>(p, i);
        return_to_admissible(law, flow, state, F, determinant(F));
        state.plastic_strain.store(p.plastic_strain + i, rest);
        if constexpr (Flow::uses_plastic_volume) state.plastic_volume.store(p.plastic_volume + i, rest);
      } else if constexpr (std::is_same_v<Elastic, Hencky>) {
        const S J = determinant(F);
        FlowState<S> none;
        if (any(J < S(1e-3))) return_to_admissible(law, flow, none, F, J);
      }
      for (int c = 0; c < 9; ++c) F.m[c].store(p.F[c] + i, rest);
    }
  }
}

}  // namespace KNEAD_ISA
}  // namespace knead
