#include "solvers/sph/forces.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace knead {

namespace {

template <class T> KNEAD_INLINE Quad<T> difference(const SphParticles<T>& at, std::size_t i, std::size_t j) {
  return Quad<T>{at.x[0][i] - at.x[0][j], at.x[1][i] - at.x[1][j], at.x[2][i] - at.x[2][j], 0};
}

// What cohesion with the factor gamma costs per area of surface, of a fluid that fills half of space: pi/8 gamma rho^2 times the integral
// of C r^4 (Kirkwood and Buff 1949, without correlations). This is sigma / (gamma rho^2 H^2).
double tension_of_cohesion() {
  double sum = 0;
  const int n = 1000;
  for (int k = 0; k < n; ++k) {
    const double q = (k + 0.5) / n;
    sum += cohesion(q) * q * q * q * q / n;
  }
  return std::numbers::pi / 8 * sum;
}

}  // namespace

double viscous_dt(double viscosity, double density, double dx) {
  return viscosity > 0 ? 0.1 * density * dx * dx / viscosity : std::numeric_limits<double>::infinity();
}

template <class T>
void ParticleForces<T>::apply(const SphContext<T>& context, const ForceParameters& parameters, SmoothingType smoothing,
                              const SphPairs<T>& pairs, const std::vector<T>& viscosity, T* const v[3]) {
  const std::size_t count = context.particles.count;
  const bool is_viscous = parameters.xsph > 0 || std::any_of(viscosity.begin(), viscosity.end(), [](T eta) { return eta > 0; });
  const bool is_tense = parameters.surface_tension > 0 || parameters.adhesion > 0, is_dragged = parameters.drag.air_density > 0;
  if (!is_viscous && !is_tense && !is_dragged) return;
  velocity_.resize(count);
  change_.resize(count);
  for_sph_chunks(count, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) velocity_[i] = Quad<T>{v[0][i], v[1][i], v[2][i], 0}, change_[i] = Quad<T>{};
  });
  if (is_viscous) viscous(context, parameters, smoothing, pairs, viscosity);
  if (is_tense) tension(context, parameters, smoothing, pairs);
  if (is_dragged) drag(context, parameters.drag);
  for_sph_chunks(count, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (context.particles.kind[i] & sph_held) continue;
      for (int axis = 0; axis < 3; ++axis) v[axis][i] += change_[i][axis];
    }
  });
}

// f_ij = 10 eta V_i V_j (v_ij x_ij) / (r^2 + 0.01 H^2) grad W_ij: central, so that angular momentum is kept (Monaghan 1992). Between
// fluids the harmonic mean of viscosities; what touches a solid or a boundary that holds on has the fluid's. XSPH between fluids.
template <class T>
void ParticleForces<T>::viscous(const SphContext<T>& context, const ForceParameters& parameters, SmoothingType smoothing,
                                const SphPairs<T>& pairs, const std::vector<T>& viscosity) {
  const SphParticles<T>& at = context.particles;
  const SphBoundary<T>& boundary = *context.boundary;
  const std::vector<Group>& groups = context.world->groups;
  const T dt = static_cast<T>(context.dt), soften = T(0.01) * at.support * at.support;
  const T s = pairs.scale, xsph = static_cast<T>(parameters.xsph);
  auto viscosity_of = [&](std::size_t i) {
    return at.kind[i] & sph_fluid ? viscosity[static_cast<std::size_t>(groups[at.group[i]].body)] : T(-1);
  };
  auto mean = [](T a, T b) { return a < 0 ? std::max(b, T(0)) : b < 0 ? a : a + b > 0 ? 2 * a * b / (a + b) : T(0); };
  with_smoothing<T>(smoothing, static_cast<double>(at.support), [&](const auto& kernel) {
    for_sph_chunks(at.count, [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const T eta = viscosity_of(i), factor = 10 * dt * at.volume[i] / (at.mass[i] * s);
        Quad<T> sum{};
        for (std::size_t k = context.fluid->first[i]; k < context.fluid->first[i + 1]; ++k) {
          const std::size_t j = pairs.fluid[k].index;
          const T other = viscosity_of(j), between = eta < 0 && other < 0 ? T(0) : mean(eta, other);
          const bool smooth = xsph > 0 && eta >= 0 && other >= 0;
          if (!(between > 0) && !smooth) continue;
          const Quad<T> x = difference(at, i, j), dv = velocity_[i] - velocity_[j];
          const T square = dot3<T>(x, x);
          sum += load_quad<T>(&pairs.fluid[k]) * (factor * between * at.volume[j] * dot3<T>(dv, x) / (square + soften));
          if (smooth) sum -= dv * (xsph * s * kernel.W(std::sqrt(square)) * 2 * at.mass[j] / (at.mass[i] + at.mass[j]));
        }
        for (std::size_t k = context.wall->first[i]; eta > 0 && k < context.wall->first[i + 1]; ++k) {
          const std::size_t b = pairs.wall[k].index;
          if (boundary.friction[b] < sph_sticks) continue;
          const Quad<T> x{at.x[0][i] - boundary.x[0][b], at.x[1][i] - boundary.x[1][b], at.x[2][i] - boundary.x[2][b], 0};
          const Quad<T> dv = velocity_[i] - Quad<T>{boundary.v[0][b], boundary.v[1][b], boundary.v[2][b], 0};
          sum += load_quad<T>(&pairs.wall[k]) * (factor * s * eta * dot3<T>(dv, x) / (dot3<T>(x, x) + soften));
        }
        change_[i] += sum;
      }
    });
  });
}

// Akinci et al. 2013: cohesion along the pairs, and curvature from the difference of normals n_i = H sum_j V_j grad W_ij, within each
// fluid. gamma follows from the surface tension [N/m], so that it means the same at any resolution.
template <class T>
void ParticleForces<T>::tension(const SphContext<T>& context, const ForceParameters& parameters, SmoothingType smoothing,
                                const SphPairs<T>& pairs) {
  const SphParticles<T>& at = context.particles;
  const SphBoundary<T>& boundary = *context.boundary;
  const T H = at.support, H3 = H * H * H, dt = static_cast<T>(context.dt), s = pairs.scale;
  const T lattice = static_cast<T>(lattice_number(smoothing));
  const double measure = tension_of_cohesion() * static_cast<double>(H) * static_cast<double>(H);
  auto same = [&](std::size_t i, std::size_t j) { return (at.kind[j] & sph_fluid) && at.rest_density[i] == at.rest_density[j]; };
  normal_.resize(at.count);
  for_sph_chunks(at.count, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Quad<T> n{};
      for (std::size_t k = context.fluid->first[i]; (at.kind[i] & sph_fluid) && k < context.fluid->first[i + 1]; ++k)
        if (const std::size_t j = pairs.fluid[k].index; same(i, j)) n += load_quad<T>(&pairs.fluid[k]) * (at.volume[j] / s);
      normal_[i] = n * H;
    }
  });
  for_sph_chunks(at.count, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (!(at.kind[i] & sph_fluid)) continue;
      const double rho = static_cast<double>(at.rest_density[i]);
      const T gamma = static_cast<T>(parameters.surface_tension / (measure * rho * rho)),
              beta = static_cast<T>(parameters.adhesion / (measure * rho * rho));
      Quad<T> sum{};
      for (std::size_t k = context.fluid->first[i]; gamma > 0 && k < context.fluid->first[i + 1]; ++k) {
        const std::size_t j = pairs.fluid[k].index;
        if (!same(i, j)) continue;
        const Quad<T> x = difference(at, i, j);
        const T r = std::sqrt(dot3<T>(x, x)), sparse = 2 * lattice / (pairs.number[i] + pairs.number[j]);
        if (r > 0) sum -= x * (gamma * sparse * at.mass[j] * cohesion(r / H) / (H3 * r));
        sum -= (normal_[i] - normal_[j]) * (gamma * sparse * (at.mass[i] + at.mass[j]) / (2 * at.mass[i]));
      }
      for (std::size_t k = context.wall->first[i]; beta > 0 && k < context.wall->first[i + 1]; ++k) {
        const std::size_t b = pairs.wall[k].index;
        const Quad<T> x{at.x[0][i] - boundary.x[0][b], at.x[1][i] - boundary.x[1][b], at.x[2][i] - boundary.x[2][b], 0};
        const T r = std::sqrt(dot3<T>(x, x));
        if (r > 0) sum -= x * (beta * at.rest_density[i] * boundary.volume[b] * adhesion(r / H) / (H3 * r));
      }
      sum[3] = 0;
      change_[i] += sum * dt;
    }
  });
}

// Gissler et al. 2017: a lone particle is a drop that flattens in the wind, one in a crowd a cube of which the crowd hides a part.
template <class T> void ParticleForces<T>::drag(const SphContext<T>& context, const DragParameters& parameters) {
  const SphParticles<T>& at = context.particles;
  constexpr double C_F = 1.0 / 3, C_k = 8, C_d = 5, C_b = 0.5, full_neighbourhood = 38;
  const Vec3d wind = parameters.air_velocity;
  for_sph_chunks(at.count, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Vec3d v = wind - Vec3d{double(velocity_[i][0]), double(velocity_[i][1]), double(velocity_[i][2])};
      const double speed = length(v);
      if (!(speed > 0)) continue;
      const double l = std::cbrt(double(at.volume[i])), L = std::cbrt(3 / (4 * std::numbers::pi)) * l, rho = double(at.rest_density[i]);
      const double damping = C_d * parameters.liquid_viscosity / (2 * rho * L * L);  // 1 / t_d
      const double square = C_k * parameters.surface_tension / (rho * L * L * L) - damping * damping;
      const double c_def = square > 0 ? 1 + std::exp(-std::numbers::pi / std::sqrt(square) * damping) : 1;
      const double We = parameters.air_density * speed * speed * L / parameters.surface_tension;
      const double y = std::min(1.0, C_F / (C_k * C_b) * c_def * We);
      const double Re = std::max(0.2, 2 * parameters.air_density * speed * L / parameters.air_viscosity);
      const double sphere = Re <= 1000 ? 24 / Re * (1 + std::cbrt(Re * Re) / 6) : 0.424;
      const double neighbours = double(context.fluid->first[i + 1] - context.fluid->first[i]);
      const double w = std::min(1.0, neighbours / (2.0 / 3 * full_neighbourhood));
      const double C_D = (1 - w) * sphere * (1 + 2.632 * y) + w;
      const double radius = L + C_b * L * y, area = (1 - w) * std::numbers::pi * radius * radius + w * l * l;
      double hidden = 0;
      for (std::size_t k = context.fluid->first[i]; k < context.fluid->first[i + 1]; ++k) {
        const Quad<T> x = difference(at, i, context.fluid->index[k]);
        const Vec3d d{double(x[0]), double(x[1]), double(x[2])};
        if (const double r = length(d); r > 0) hidden = std::max(hidden, dot(v, d) / (r * speed));
      }
      const double f = 0.5 * parameters.air_density * speed * C_D * area * std::clamp(1 - hidden, 0.0, 1.0);
      // The drag takes at most the whole difference of velocities.
      const double part = std::min(1.0, f * context.dt / double(at.mass[i]));
      change_[i] += Quad<T>{T(part * v.x), T(part * v.y), T(part * v.z), 0};
    }
  });
}

template class ParticleForces<float>;
template class ParticleForces<double>;

}  // namespace knead
