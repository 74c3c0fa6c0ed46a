// The particle's part of an implicit step: F of one branch that balances its stress against the pull towards F^tr(v).
#pragma once
#include <cmath>

#include "materials/isotropic.h"
#include "math/svd.h"
#include "solvers/mpm/constitutive.h"

namespace knead {
inline namespace KNEAD_ISA {

template <class S> KNEAD_INLINE Mat3<S> hencky_tangent(const Moduli& moduli, const Mat3<S>& dH) {
  Mat3<S> D;
  for (int j = 0; j < 3; ++j) {
    const S spherical = S(moduli.lambda) * (dH(0, j) + dH(1, j) + dH(2, j));
    for (int i = 0; i < 3; ++i) D(i, j) = S(2 * moduli.mu) * dH(i, j) + spherical;
  }
  return D;
}

// An elastic law as packing has stiffened it.
template <class Law, class S> struct Packed {
  Law law;
  Moduli moduli;
  S stiffness;
  KNEAD_INLINE Vec3<S> kirchhoff(const Vec3<S>& sigma) const { return law.kirchhoff(sigma) * stiffness; }
  KNEAD_INLINE Mat3<S> kirchhoff_derivative(const Vec3<S>& sigma) const { return law.kirchhoff_derivative(sigma) * stiffness; }
};

// Kirchhoff stress after the flow of the step, as a function of the logarithms of the trial stretches, and its derivative.
template <class Elastic, class Flow> struct ElasticResponse {
  Elastic law;
  Flow flow;
  template <class S> KNEAD_INLINE Vec3<S> stress(const Vec3<S>& eps, const Vec3<S>& sigma, FlowState<S> state) const {
    if constexpr (std::is_same_v<Flow, Snow>) {
      const Vec3<S> H = flow.return_map(law.moduli, eps, state);
      return law.kirchhoff(Vec3<S>{exp(H.x), exp(H.y), exp(H.z)}) * flow.stiffness(state);
    } else if constexpr (std::is_same_v<Elastic, Hencky>) {
      return law.kirchhoff_at(flow.return_map(law.moduli, eps, state));
    } else {
      return law.kirchhoff(sigma);
    }
  }
  template <class S> KNEAD_INLINE Mat3<S> tangent(const Vec3<S>& eps, const Vec3<S>& sigma, const FlowState<S>& state) const {
    if constexpr (std::is_same_v<Flow, Snow>) return snow_tangent(eps, state);
    else if constexpr (std::is_same_v<Elastic, Hencky>)
      return hencky_tangent(law.moduli, flow.return_map_derivative(law.moduli, eps, state));
    else return law.kirchhoff_derivative(sigma);
  }
  template <class S> KNEAD_INLINE Packed<Elastic, S> at_start(const FlowState<S>& state) const {
    return {law, law.moduli, flow.stiffness(state)};
  }

 private:
  // Where a limit holds a stretch, it is the packing that changes.
  template <class S> KNEAD_INLINE Mat3<S> snow_tangent(const Vec3<S>& eps, FlowState<S> state) const {
    const Mat3<S> free = flow.return_map_derivative(law.moduli, eps, state);
    const Vec3<S> H = flow.return_map(law.moduli, eps, state), sigma{exp(H.x), exp(H.y), exp(H.z)}, tau = law.kirchhoff(sigma);
    const S stiffness = flow.stiffness(state), slope = flow.stiffness_slope(state);
    Mat3<S> D = law.kirchhoff_derivative(sigma);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) D(i, j) = stiffness * (free(j, j) * D(i, j) + (S(1) - free(j, j)) * slope * tau[i]);
    return D;
  }
};

// The same for the viscoelastic branch, whose flow is its relaxation.
struct ViscousResponse {
  const Viscoelasticity& branch;
  double dt;
  Hencky law;
  template <class S> KNEAD_INLINE Vec3<S> stress(const Vec3<S>& eps, const Vec3<S>&, const FlowState<S>&) const {
    return law.kirchhoff_at(branch.relax(eps, dt));
  }
  template <class S> KNEAD_INLINE Mat3<S> tangent(const Vec3<S>&, const Vec3<S>&, const FlowState<S>&) const {
    return hencky_tangent(law.moduli, branch.relax_derivative<S>(dt));
  }
  template <class S> KNEAD_INLINE const Hencky& at_start(const FlowState<S>&) const { return law; }
};

// Isotropic functions of a matrix M = U diag(sigma) V^T: from the spectrum of M M^T where its stretches allow it, which is nearly always,
// and from the decomposition itself where one of them is small or negative.
template <class S> struct Isotropic {
  Mat3<S> M;
  Principal<S> principal;
  Vec3<S> sigma;
  bool exact;
  Svd<S> decomposition;

  KNEAD_INLINE explicit Isotropic(const Mat3<S>& matrix) : M(matrix), principal(matrix), sigma(principal.stretches()) {
    exact = any(sigma.z < S(0.05) * sigma.x);
    if (exact) [[unlikely]]
      decompose();
  }
  // U diag(f) V^T
  KNEAD_INLINE Mat3<S> map(const Vec3<S>& f) const {
    if (exact) [[unlikely]]
      return decomposed_map(f);
    return to_matrix(principal.spectrum.compose({f.x / sigma.x, f.y / sigma.y, f.z / sigma.z})) * M;
  }

 private:
  [[gnu::noinline]] void decompose() {
    decomposition = svd(M);
    sigma = decomposition.sigma;
  }
  [[gnu::noinline]] Mat3<S> decomposed_map(const Vec3<S>& f) const {
    return decomposition.U * Mat3<S>::diagonal(f) * transpose(decomposition.V);
  }
};

// A x = b for a matrix that is positive, but need not be symmetric.
template <class S> KNEAD_INLINE Vec3<S> solve(const Mat3<S>& A, const Vec3<S>& b) {
  const Vec3<S> x = column(A, 0), y = column(A, 1), z = column(A, 2), yz = cross(y, z);
  const S inverse = S(1) / max(dot(x, yz), S(1e-30));
  return {dot(b, yz) * inverse, dot(b, cross(z, x)) * inverse, dot(b, cross(x, y)) * inverse};
}

// V tau_i(eps) + c sigma_i (sigma_i - target_i) = 0 with sigma = exp(eps), the stationary point times sigma_i: in logarithms every
// stretch stays positive, and the tangent of Hencky's law is constant. A step that does not make the residual smaller is halved, per lane,
// which also ends the cycles between the two sides of a yield surface. Units: everything over V and the largest modulus.
template <class S, class Response>
KNEAD_INLINE Vec3<S> local_strain(const Response& response, const FlowState<S>& state, const Vec3<S>& target, const S& stiffness,
                                  Vec3<S> eps) {
  constexpr double tolerance = is_single<S> ? 1e-6 : 1e-12;
  constexpr int most = 16;
  Vec3<S> base = eps, step{S(0), S(0), S(0)};
  S best(1e30);
  for (int iteration = 0; iteration < most; ++iteration) {
    const Vec3<S> sigma{exp(eps.x), exp(eps.y), exp(eps.z)};
    const Vec3<S> tau = response.stress(eps, sigma, state);
    Vec3<S> g;
    for (int i = 0; i < 3; ++i) g[i] = tau[i] + stiffness * sigma[i] * (sigma[i] - target[i]);
    const S size = dot(g, g);
    const auto better = size < best;
    Mat3<S> A = response.tangent(eps, sigma, state);
    for (int i = 0; i < 3; ++i) A(i, i) = A(i, i) + stiffness * sigma[i] * max(S(2) * sigma[i] - target[i], S(0.5) * sigma[i]);
    const Vec3<S> newton = solve(A, g);
    const S largest = max(abs(newton.x), max(abs(newton.y), abs(newton.z)));
    const S limit = min(S(1), S(0.7) / max(largest, S(1e-30)));
    for (int i = 0; i < 3; ++i) {
      base[i] = select(better, eps[i], base[i]);
      step[i] = select(better, -(newton[i] * limit), S(0.5) * step[i]);
      eps[i] = base[i] + step[i];
    }
    best = min(best, size);
    if (!any(max(abs(step.x), max(abs(step.y), abs(step.z))) > S(tolerance))) break;
  }
  return eps;
}

template <class S> KNEAD_INLINE Vec3<S> logarithms_of(const Vec3<S>& sigma) {
  const S floor(Hencky::smallest_stretch);
  return {log(max(sigma.x, floor)), log(max(sigma.y, floor)), log(max(sigma.z, floor))};
}

// |d^2 Psi / dF^2| of a law at rest [Pa].
KNEAD_INLINE double rest_stiffness(const Moduli& moduli) {
  const double diagonal = moduli.p_wave(), lambda = moduli.lambda, shear = 2 * moduli.mu;
  return std::sqrt(3 * diagonal * diagonal + 6 * lambda * lambda + 3 * shear * shear);
}

// What the penalty times w^2 / V should be [Pa]: twice the shear modulus of the whole material, and slowly more with the bulk modulus of
// the branch. Matter that flows has no stiffness along its flow, only inertia: there the penalty goes down towards that of a cell's mass,
// half of the way (of the exponent) for flows that open, a quarter for those that keep the bulk stiffness. All measured
// (docs/solvers/admm.md).
template <class Flow, class T>
KNEAD_INLINE double automatic_stiffness(const MpmContext<T>& context, const GroupLaw<T>& group, double bulk) {
  const double mu = std::fmax(group.shear, 1e-3 * bulk);
  const double stiffness = 2 * mu * std::sqrt(std::sqrt(0.46 * bulk / std::fmax(mu, 1e-300)));
  if constexpr (std::is_same_v<Flow, NoFlow>) return stiffness;
  const double way = double(context.dx) / double(context.dt), inertia = double(group.density) * way * way;
  const double share = std::sqrt(inertia / (inertia + stiffness));
  return stiffness * (Flow::uses_plastic_volume ? 0.5 * share : std::sqrt(share));
}

// Above half of the largest stiffness that a wave meets, iterations with this weight in the place of the tangent do not overshoot.
KNEAD_INLINE double bounding_stiffness(const Moduli& moduli) { return 0.75 * moduli.p_wave(); }

// Weight, dual variable and first strain of a vector of particles. The dual variable is that of the stress at the beginning, as if the
// last F had been the present one.
template <class S, class T, class Law>
KNEAD_INLINE void start_local(const AdmmContext<T>& admm, const AdmmBranch<T>& branch, const Law& law, double automatic, const Mat3<S>& F,
                              const S& volume, std::uint32_t i, int rest) {
  const Isotropic<S> isotropic(F);
  const PrincipalPiola<S> piola(law, isotropic.sigma);
  const S deformed = sqrt(piola.derivative().norm_squared());
  if (admm.pass == AdmmPass::stiffen) {
    (volume * deformed * S(automatic / rest_stiffness(law.moduli))).store(branch.weight + i, rest);
    return;
  }
  const double scale = admm.automatic ? automatic / rest_stiffness(law.moduli) : 1.0;
  S weight(1.0);
  if (admm.weights == AdmmWeights::stiffness) weight = volume * (deformed * S(scale));
  if (admm.weights == AdmmWeights::bulk) weight = volume * S(admm.automatic ? automatic : law.moduli.bulk());
  if (admm.pass == AdmmPass::weighted) weight = S::load(branch.weight + i, rest, T(1));
  const Mat3<S> u = isotropic.map(piola.P) * (-(volume / (S(admm.rho) * weight)));
  const Vec3<S> eps = logarithms_of(isotropic.sigma);
  weight.store(branch.weight + i, rest);
  for (int c = 0; c < 9; ++c) (u.m[c] + F.m[c]).store(branch.z[c] + i, rest);
  for (int c = 0; c < 3; ++c) eps[c].store(branch.strain[c] + i, rest);
}

// One branch of a chunk of particles, in the pass that is on; load(F, i, rest) reads its F at the beginning of the step.
template <class T, class Load, class Response>
KNEAD_INLINE double implicit_chunk(const MpmContext<T>& context, const AdmmContext<T>& admm, const AdmmBranch<T>& branch, const Load& load,
                                   const Response& response, double automatic, std::uint32_t first, int count, const T* C, T* Q) {
  using S = Wide<T>;
  S gap(0.0);
  for (int k = 0; k < count; k += S::lanes) {
    const std::uint32_t i = first + static_cast<std::uint32_t>(k);
    const int rest = count - k;
    const S volume = S::load(context.particles.volume + i, rest, T(1));
    Mat3<S> F_n, velocity_gradient, Y;
    load(F_n, i, rest);
    FlowState<S> state = load_flow<S>(context.particles, i, rest);
    state.dt = double(context.dt);
    if (is_local(admm.pass)) {
      start_local(admm, branch, response.at_start(state), automatic, F_n, volume, i, rest);
      continue;
    }
    for (int c = 0; c < 9; ++c) velocity_gradient.m[c] = S::load(C + c * chunk_particles + k, rest, T(0));
    const Mat3<S> F_trial = F_n + (velocity_gradient * F_n) * S(context.dt);
    if (admm.pass == AdmmPass::force) {
      const Isotropic<S> isotropic(F_trial);
      const Vec3<S> eps = logarithms_of(isotropic.sigma), sigma{exp(eps.x), exp(eps.y), exp(eps.z)};
      const Vec3<S> tau = response.stress(eps, sigma, state);
      Y = isotropic.map({tau.x / sigma.x, tau.y / sigma.y, tau.z / sigma.z}) * (-volume);
    } else {
      const S weight = S(admm.rho) * S::load(branch.weight + i, rest, T(1)), alpha(admm.relaxation);
      Mat3<S> z, u;
      load_matrix(z, branch.z, i, rest, T(1));
      u = (z - F_trial) * S(admm.dual_ratio);
      if (admm.pass == AdmmPass::iterate) {
        Vec3<S> eps;
        for (int c = 0; c < 3; ++c) eps[c] = S::load(branch.strain[c] + i, rest, T(0));
        const Isotropic<S> target(F_trial - u);
        eps = local_strain(response, state, target.sigma, weight / volume, eps);
        const Mat3<S> change = target.map({exp(eps.x), exp(eps.y), exp(eps.z)}) - F_trial;
        gap = gap + weight * norm_squared(change);
        u = u + change * alpha;
        for (int c = 0; c < 9; ++c) (u.m[c] + F_trial.m[c]).store(branch.z[c] + i, rest);
        for (int c = 0; c < 3; ++c) eps[c].store(branch.strain[c] + i, rest);
      }
      Y = u * weight;
    }
    const Mat3<S> moment = Y * transpose(F_n);
    for (int c = 0; c < 9; ++c) (S::load(Q + c * chunk_particles + k) + moment.m[c]).store(Q + c * chunk_particles + k);
  }
  double total = 0;
  for (int lane = 0; lane < S::lanes; ++lane) total += double(gap[lane]);
  return total;
}

template <class T, class Elastic, class Flow>
double implicit_kernel(const MpmContext<T>& context, const AdmmContext<T>& admm, const GroupLaw<T>& group, std::uint32_t first, int count,
                       const T* C, T* Q) {
  if (admm.pass == AdmmPass::multiply) return 0;
  const ElasticResponse<Elastic, Flow> response{*static_cast<const Elastic*>(group.elasticity),
                                                *static_cast<const Flow*>(group.plasticity)};
  const Moduli& moduli = response.law.moduli;
  const double automatic =
      admm.pass == AdmmPass::stiffen ? bounding_stiffness(moduli) : automatic_stiffness<Flow>(context, group, moduli.bulk());
  const auto load = [&](auto& F, std::uint32_t i, int rest) KNEAD_INLINE_LAMBDA { load_matrix(F, context.particles.F, i, rest, T(1)); };
  return implicit_chunk(context, admm, admm.elastic, load, response, automatic, first, count, C, Q);
}

template <class T>
double implicit_branch(const MpmContext<T>& context, const AdmmContext<T>& admm, const GroupLaw<T>& group, std::uint32_t first, int count,
                       const T* C, T* Q) {
  const Viscoelasticity& branch = *group.branch;
  const double dt(context.dt);
  const ViscousResponse response{branch, dt, branch.spring()};
  const double bulk = branch.keep_trace(dt) * branch.moduli.bulk(), shear = branch.keep_deviator(dt) * branch.moduli.mu;
  const double automatic = admm.pass == AdmmPass::stiffen ? bounding_stiffness(Moduli::from_bulk(shear, bulk))
                                                          : automatic_stiffness<NoFlow>(context, group, bulk);
  const auto load = [&](auto& F, std::uint32_t i, int rest) KNEAD_INLINE_LAMBDA { load_matrix(F, context.particles.F_N, i, rest, T(1)); };
  return implicit_chunk(context, admm, admm.viscous, load, response, automatic, first, count, C, Q);
}

}  // namespace KNEAD_ISA
}  // namespace knead
