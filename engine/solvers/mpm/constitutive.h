// Stress and update of deformation for a run of particles of one material, many particles per instruction.
#pragma once
#include <cstddef>
#include <new>

#include "materials/material.h"
#include "math/near_identity.h"
#include "math/spectrum.h"
#include "math/vec.h"
#include "math/wide.h"
#include "solvers/mpm/kernels.h"

namespace knead {
inline namespace KNEAD_ISA {

// Lanes past the end of a run belong to other particles, which another thread may be changing: they are filled with matter at rest,
// so that no branch on `any` lane depends on them.
template <class S, class T> KNEAD_INLINE void load_matrix(Mat3<S>& out, T* const (&column)[9], std::uint32_t i, int rest, T diagonal) {
  for (int k = 0; k < 9; ++k) out.m[k] = S::load(column[k] + i, rest, k % 4 == 0 ? diagonal : T(0));
}

// A deformation gradient in principal axes. The smallest stretch comes from J: that is more accurate than its square in b = F F^T, and
// carries the sign.
template <class S> struct Principal {
  Spectrum<S> spectrum;  // of b
  S J;
  KNEAD_INLINE explicit Principal(const Mat3<S>& F) : spectrum(left_cauchy_green(F)), J(determinant(F)) {}

  // Stretches, descending, the last one with the sign of J.
  KNEAD_INLINE Vec3<S> stretches() const {
    const Vec3<S> squared = spectrum.values();
    const S x = sqrt(max(squared.x, S(1e-30))), y = sqrt(max(squared.y, S(1e-30)));
    return {x, y, J / (x * y)};
  }
  // Logarithms of the stretches, of the last one before it is held at that of Hencky::smallest_stretch: half of the logarithms of the
  // squares, without roots.
  KNEAD_INLINE Vec3<S> logarithms() const {
    const Vec3<S> squared = spectrum.values();
    const S floor(Hencky::smallest_stretch * Hencky::smallest_stretch);
    const S x = S(0.5) * log(max(squared.x, floor)), y = S(0.5) * log(max(squared.y, floor));
    return {x, y, log(max(J, S(1e-30))) - (x + y)};
  }
};
template <class S> KNEAD_INLINE Vec3<S> held_strain(const Vec3<S>& logarithms) {
  return {logarithms.x, logarithms.y, max(logarithms.z, S(Hencky::smallest_strain))};
}

template <class S, class T> KNEAD_INLINE FlowState<S> load_flow(const ParticleView<T>& p, std::uint32_t i, int rest) {
  FlowState<S> state;
  if (p.plastic_strain) state.plastic_strain = S::load(p.plastic_strain + i, rest, T(0));
  if (p.plastic_volume) state.plastic_volume = S::load(p.plastic_volume + i, rest, T(0));
  return state;
}

// Room for one value per vector of a chunk, without initialising it. A chunk is worked on in short passes over its vectors rather than
// in one long one: the chain from b to the stress is long, and only independent vectors side by side keep the processor busy.
template <class S, class Value> class PerVector {
 public:
  KNEAD_INLINE Value& operator[](int k) {
    return *reinterpret_cast<Value*>(bytes_ + static_cast<std::size_t>(k / S::lanes) * sizeof(Value));
  }
  template <class... Arguments> KNEAD_INLINE Value& make(int k, Arguments&&... arguments) {
    return *new (bytes_ + static_cast<std::size_t>(k / S::lanes) * sizeof(Value)) Value{arguments...};
  }

 private:
  alignas(Value) std::byte bytes_[chunk_particles / S::lanes * sizeof(Value)];
};

template <class S, class T> KNEAD_INLINE void store_stress(const Sym3<S>& tau, T* out) {
  tau.xx.store(out), tau.yy.store(out + chunk_particles), tau.zz.store(out + 2 * chunk_particles);
  tau.xy.store(out + 3 * chunk_particles), tau.yz.store(out + 4 * chunk_particles), tau.zx.store(out + 5 * chunk_particles);
}

template <class S, class T> KNEAD_INLINE void add_stress(const Sym3<S>& tau, T* out) {
  const S parts[6] = {tau.xx, tau.yy, tau.zz, tau.xy, tau.yz, tau.zx};
  for (int c = 0; c < 6; ++c) (S::load(out + c * chunk_particles) + parts[c]).store(out + c * chunk_particles);
}

template <class T> KNEAD_INLINE T largest_lane(const Wide<T>& value) {
  T result = 0;
  for (int lane = 0; lane < Wide<T>::lanes; ++lane) result = value[lane] > result ? value[lane] : result;
  return result;
}

// Stiff matter, such as sand and metal, is strained little: in single precision the strain of Hencky's law is then a polynomial of
// b = F F^T, and radial returns need no spectrum either. A chunk goes this way when all of it is near.
template <class T, class Elastic> inline constexpr bool strains_can_be_near = std::is_same_v<T, float>&& std::is_same_v<Elastic, Hencky>;
template <class S> KNEAD_INLINE bool is_near(const Sym3<S>& X) { return all(norm_squared(X) < S(near_identity * near_identity)); }

// Newton's viscosity on top of the stress of a chunk; volume_ratio(particle, rest) is J.
template <class T, class Ratio>
KNEAD_INLINE void add_viscosity(const ParticleView<T>& p, T viscosity, std::uint32_t first, int count, T* tau, Ratio&& volume_ratio) {
  using S = Wide<T>;
  for (int k = 0; k < count; k += S::lanes) {
    const std::uint32_t i = first + static_cast<std::uint32_t>(k);
    const int rest = count - k;
    Mat3<S> C;
    load_matrix(C, p.C, i, rest, T(0));
    add_stress(deviator(symmetric_part(C)) * (max(volume_ratio(i, rest), S(0.0)) * S(2 * viscosity)), tau + k);
  }
}

template <class T, class Elastic, class Flow>
T stress_kernel(const MpmContext<T>& context, const GroupLaw<T>& group, std::uint32_t first, int count, T* tau) {
  using S = Wide<T>;
  const Elastic law = *static_cast<const Elastic*>(group.elasticity);
  const Flow flow = *static_cast<const Flow*>(group.plasticity);
  const ParticleView<T> p = context.particles;
  S largest(0.0);
  auto each_vector = [&](auto&& body) KNEAD_INLINE_LAMBDA {
    for (int k = 0; k < count; k += S::lanes) body(k, first + static_cast<std::uint32_t>(k), count - k);
  };
  if constexpr (Elastic::is_fluid) {
    each_vector([&](int k, std::uint32_t i, int rest) KNEAD_INLINE_LAMBDA {
      const S J = S::load(p.J + i, rest, T(1));
      largest = max(largest, law.wave_modulus(J));
      store_stress(isotropic(law.kirchhoff(J)), tau + k);
    });
  } else if constexpr (std::is_same_v<Flow, NoFlow> && requires(Mat3<S> F) { law.kirchhoff(F); }) {
    each_vector([&](int k, std::uint32_t i, int rest) KNEAD_INLINE_LAMBDA {
      Mat3<S> F;
      load_matrix(F, p.F, i, rest, T(1));
      largest = max(largest, law.wave_modulus(F));
      store_stress(law.kirchhoff(F), tau + k);
    });
  } else {
    bool near = false;
    if constexpr (strains_can_be_near<T, Elastic>) {
      PerVector<S, Sym3<S>> X;
      near = true;
      each_vector([&](int k, std::uint32_t i, int rest) KNEAD_INLINE_LAMBDA {
        Mat3<S> F;
        load_matrix(F, p.F, i, rest, T(1));
        near = is_near(X.make(k, left_cauchy_green(F) - isotropic(S(1.0)))) && near;
      });
      if (near)
        each_vector([&](int k, std::uint32_t i, int rest) KNEAD_INLINE_LAMBDA {
          const S stiffness = flow.stiffness(load_flow<S>(p, i, rest));
          const Sym3<S> eps = log_of_one_plus(X[k]) * S(0.5);
          largest = max(largest, law.wave_modulus_bound(eps) * stiffness);
          store_stress(law.kirchhoff_of(eps) * stiffness, tau + k);
        });
    }
    if (!near) {
      PerVector<S, Principal<S>> principal;
      each_vector([&](int k, std::uint32_t i, int rest) KNEAD_INLINE_LAMBDA {
        Mat3<S> F;
        load_matrix(F, p.F, i, rest, T(1));
        principal.make(k, F);
      });
      each_vector([&](int k, std::uint32_t i, int rest) KNEAD_INLINE_LAMBDA {
        const S stiffness = flow.stiffness(load_flow<S>(p, i, rest));
        if constexpr (std::is_same_v<Elastic, Hencky>) {
          const Vec3<S> eps = held_strain(principal[k].logarithms());
          largest = max(largest, law.wave_modulus_at(eps) * stiffness);
          store_stress(principal[k].spectrum.compose(law.kirchhoff_at(eps) * stiffness), tau + k);
        } else {
          const Vec3<S> sigma = principal[k].stretches();
          largest = max(largest, law.wave_modulus(sigma) * stiffness);
          store_stress(principal[k].spectrum.compose(law.kirchhoff(sigma) * stiffness), tau + k);
        }
      });
    }
  }
  if (group.viscosity > 0)
    add_viscosity(p, group.viscosity, first, count, tau, [&](std::uint32_t i, int rest) KNEAD_INLINE_LAMBDA {
      if constexpr (Elastic::is_fluid) {
        return S::load(p.J + i, rest, T(1));
      } else {
        Mat3<S> F;
        load_matrix(F, p.F, i, rest, T(1));
        if constexpr (Flow::uses_plastic_volume) return determinant(F) * exp(load_flow<S>(p, i, rest).plastic_volume);
        else return determinant(F);
      }
    });
  return largest_lane(largest);
}

// A return to what the flow law admits: F becomes R F, R with the axes of b. Stretches below the smallest that a law knows come up to it.
template <class S> struct Return {
  Vec3<S> change;  // of the logarithms
  Vec3<S> strain;  // after it
  decltype(S() < S()) moved, collapsed;

  template <class Law, class Flow>
  KNEAD_INLINE Return(const Principal<S>& principal, const Law& law, const Flow& flow, FlowState<S>& state) {
    const Vec3<S> logarithms = principal.logarithms(), eps = held_strain(logarithms);
    strain = flow.return_map(law.moduli, eps, state);
    change = strain - eps;
    collapsed = logarithms.z < S(Hencky::smallest_strain);
    moved = dot(change, change) > S(0.0) || collapsed;
  }
  KNEAD_INLINE void apply(const Principal<S>& principal, Mat3<S>& F) const {
    if (!any(moved)) return;
    Vec3<S> ratio{exp(change.x), exp(change.y), exp(change.z)};
    if (any(collapsed)) [[unlikely]] {  // the strain of such a stretch is not its logarithm: the ratio must come from the stretch itself
      const Vec3<S> sigma = principal.stretches();
      const S floor(1e-12), z = select(sigma.z < S(0.0), min(sigma.z, -floor), max(sigma.z, floor));
      ratio.x = select(collapsed, exp(strain.x) / max(sigma.x, floor), ratio.x);
      ratio.y = select(collapsed, exp(strain.y) / max(sigma.y, floor), ratio.y);
      ratio.z = select(collapsed, exp(strain.z) / z, ratio.z);
    }
    const Mat3<S> returned = to_matrix(principal.spectrum.compose(ratio)) * F;
    for (int c = 0; c < 9; ++c) F.m[c] = select(moved, returned.m[c], F.m[c]);
  }
};

// The relaxation of the viscoelastic branch in the place of a flow law.
struct Relaxation {
  const Viscoelasticity& branch;
  double dt;
  template <class S> KNEAD_INLINE Vec3<S> return_map(const Moduli&, const Vec3<S>& eps, FlowState<S>&) const {
    return branch.relax(eps, dt);
  }
};

// Adds the stress of the viscoelastic branch to that of a chunk; returns its largest rho0 c^2.
template <class T>
T add_branch_stress(const MpmContext<T>& context, const Viscoelasticity& branch, std::uint32_t first, int count, T* tau) {
  using S = Wide<T>;
  const Hencky spring = branch.spring();
  S largest(0.0);
  for (int k = 0; k < count; k += S::lanes) {
    Mat3<S> F;
    load_matrix(F, context.particles.F_N, first + static_cast<std::uint32_t>(k), count - k, T(1));
    const Principal<S> principal(F);
    const Vec3<S> eps = held_strain(principal.logarithms());
    largest = max(largest, spring.wave_modulus_at(eps));
    add_stress(principal.spectrum.compose(spring.kirchhoff_at(eps)), tau + k);
  }
  return largest_lane(largest);
}

template <class T> void update_branch(const MpmContext<T>& context, const Viscoelasticity& branch, std::uint32_t first, int count) {
  using S = Wide<T>;
  const ParticleView<T>& p = context.particles;
  const Relaxation relaxation{branch, double(context.dt)};
  for (int k = 0; k < count; k += S::lanes) {
    const std::uint32_t i = first + static_cast<std::uint32_t>(k);
    const int rest = count - k;
    Mat3<S> C, F;
    load_matrix(C, p.C, i, rest, T(0));
    load_matrix(F, p.F_N, i, rest, T(1));
    F = F + (C * F) * S(context.dt);
    const Principal<S> principal(F);
    FlowState<S> none;
    Return<S>(principal, branch, relaxation, none).apply(principal, F);
    for (int c = 0; c < 9; ++c) F.m[c].store(p.F_N[c] + i, rest);
  }
}

template <class T, class Elastic, class Flow>
void update_kernel(const MpmContext<T>& context, const GroupLaw<T>& group, std::uint32_t first, int count) {
  using S = Wide<T>;
  const Elastic law = *static_cast<const Elastic*>(group.elasticity);
  const Flow flow = *static_cast<const Flow*>(group.plasticity);
  const ParticleView<T> p = context.particles;
  const S dt(context.dt);
  auto each_vector = [&](auto&& body) KNEAD_INLINE_LAMBDA {
    for (int k = 0; k < count; k += S::lanes) body(k, first + static_cast<std::uint32_t>(k), count - k);
  };
  auto store = [&](const Mat3<S>& F, std::uint32_t i, int rest) KNEAD_INLINE_LAMBDA {
    for (int c = 0; c < 9; ++c) F.m[c].store(p.F[c] + i, rest);
  };
  auto trial = [&](std::uint32_t i, int rest) KNEAD_INLINE_LAMBDA {
    Mat3<S> C, F;
    load_matrix(C, p.C, i, rest, T(0));
    load_matrix(F, p.F, i, rest, T(1));
    return F + (C * F) * dt;
  };
  if constexpr (Elastic::is_fluid) {
    each_vector([&](int, std::uint32_t i, int rest) KNEAD_INLINE_LAMBDA {
      Mat3<S> C;
      load_matrix(C, p.C, i, rest, T(0));
      const S J = context.J_after ? S::load(context.J_after + i, rest, T(1)) : S::load(p.J + i, rest, T(1)) * (S(1.0) + dt * trace(C));
      max(J, S(Elastic::smallest_ratio)).store(p.J + i, rest);
    });
  } else if constexpr (!std::is_same_v<Flow, NoFlow>) {
    PerVector<S, Mat3<S>> F;
    constexpr bool is_radial = requires(FlowState<S> & state) { flow.radial_return(law.moduli, S(), S(), state); };
    if constexpr (strains_can_be_near<T, Elastic> && is_radial) {
      PerVector<S, Sym3<S>> X;
      bool near = true;
      each_vector([&](int k, std::uint32_t i, int rest) KNEAD_INLINE_LAMBDA {
        near = is_near(X.make(k, left_cauchy_green(F.make(k, trial(i, rest))) - isotropic(S(1.0)))) && near;
      });
      if (near) {
        each_vector([&](int k, std::uint32_t i, int rest) KNEAD_INLINE_LAMBDA {
          const Sym3<S> eps = log_of_one_plus(X[k]) * S(0.5);
          const S tr = trace(eps);
          const Sym3<S> dev = eps - isotropic(tr * S(1.0 / 3.0));
          FlowState<S> state = load_flow<S>(p, i, rest);
          const RadialReturn<S> back = flow.radial_return(law.moduli, tr, sqrt(norm_squared(dev)), state);
          state.plastic_strain.store(p.plastic_strain + i, rest);
          if constexpr (Flow::uses_plastic_volume) state.plastic_volume.store(p.plastic_volume + i, rest);
          // F becomes exp(change) F, and stays what it is to the last bit where nothing changes.
          const Mat3<S> sheared = F[k] + to_matrix(exp_minus_one(dev * (back.keep - S(1.0)))) * F[k];
          store(sheared * exp((back.trace - tr) * S(1.0 / 3.0)), i, rest);
        });
        return;
      }
    } else {
      each_vector([&](int k, std::uint32_t i, int rest) KNEAD_INLINE_LAMBDA { F.make(k, trial(i, rest)); });
    }
    PerVector<S, Principal<S>> principal;
    PerVector<S, Return<S>> back;
    each_vector([&](int k, std::uint32_t, int) KNEAD_INLINE_LAMBDA { principal.make(k, F[k]); });
    each_vector([&](int k, std::uint32_t i, int rest) KNEAD_INLINE_LAMBDA {
      FlowState<S> state = load_flow<S>(p, i, rest);
      state.dt = double(context.dt);
      back.make(k, principal[k], law, flow, state);
      state.plastic_strain.store(p.plastic_strain + i, rest);
      if constexpr (Flow::uses_plastic_volume) state.plastic_volume.store(p.plastic_volume + i, rest);
    });
    each_vector([&](int k, std::uint32_t i, int rest) KNEAD_INLINE_LAMBDA {
      back[k].apply(principal[k], F[k]);
      store(F[k], i, rest);
    });
  } else {
    each_vector([&](int, std::uint32_t i, int rest) KNEAD_INLINE_LAMBDA {
      Mat3<S> F = trial(i, rest);
      if constexpr (std::is_same_v<Elastic, Hencky>)
        if (any(determinant(F) < S(1e-3))) [[unlikely]] {
          const Principal<S> principal(F);
          FlowState<S> none;
          Return<S>(principal, law, flow, none).apply(principal, F);
        }
      store(F, i, rest);
    });
  }
}

}  // namespace KNEAD_ISA
}  // namespace knead
