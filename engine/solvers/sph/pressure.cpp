#include "solvers/sph/pressure.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace knead {

namespace {
template <class T> Vec3d place_of(const SphBoundary<T>& boundary, std::size_t b) {
  return {static_cast<double>(boundary.x[0][b]), static_cast<double>(boundary.x[1][b]), static_cast<double>(boundary.x[2][b])};
}
}  // namespace

// Per particle, with w_i = s / m_i, G_ij = s grad W_ij, B_ib = s / V_i V_b grad W_ib, lambda = p / n^2 and q_i = sum_j G_ij + sum_b B_ib:
//   n_i      = s sum_j W_ij + s / V_i sum_b V_b W_ib
//   a_i      = -w_i (lambda_i q_i + sum_j lambda_j G_ij)
//   n_i^next = n_i + dt sum_j (v_i - v_j) G_ij + dt sum_b (v_i - v_b) B_ib + dt^2 (a_i q_i - sum_j a_j G_ij)
//   A_ii     = -dt^2 (w_i q_i q_i + sum_j w_j G_ij G_ij)
template <class T>
void PressureSolver<T>::set_up(const SphContext<T>& context, SmoothingType smoothing, const SphPairs<T>& pairs, const T* rest_number,
                               T* const v[3], const T* multiplier) {
  const SphParticles<T>& at = context.particles;
  const SphBoundary<T>& boundary = *context.boundary;
  const std::size_t count = at.count;
  for (auto* list : {&lambda_, &rest_, &advected_, &step_, &mobility_}) list->resize(count);
  for (auto* list : {&gradient_, &change_, &velocity_}) list->resize(count);
  partial_.resize((count + sph_chunk - 1) / sph_chunk);
  const T lattice = static_cast<T>(lattice_number(smoothing)), s = pairs.scale, dt = static_cast<T>(context.dt);
  for_sph_chunks(count, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      velocity_[i] = Quad<T>{v[0][i], v[1][i], v[2][i], 0};
      mobility_[i] = at.kind[i] & sph_held ? T(0) : dt * s / at.mass[i];
    }
  });
  const T negligible = T(1e-6) / (at.support * at.support);
  // What is compressed already is taken apart at the pace of a full step: within the short one before a frame it would be flung apart.
  const T part = context.full_dt > context.dt ? static_cast<T>(context.dt / context.full_dt) : T(1);
  for_sph_chunks(count, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const T n0 = std::max(lattice * s / at.volume[i], rest_number ? rest_number[i] : T(0));
      const Quad<T> own = velocity_[i];
      const T copies = s / at.volume[i];  // as many neighbours a boundary of that volume stands for
      Quad<T> q{}, drift{};
      T diagonal = 0;
      const SphPair<T>*pair = pairs.fluid.data() + context.fluid->first[i], *last = pairs.fluid.data() + context.fluid->first[i + 1];
      for (; pair < last; ++pair) {
        const Quad<T> G = load_quad<T>(pair);
        q += G;
        drift += (own - velocity_[pair->index]) * G;
        diagonal += mobility_[pair->index] * dot3<T>(G, G);
      }
      pair = pairs.wall.data() + context.wall->first[i], last = pairs.wall.data() + context.wall->first[i + 1];
      for (; pair < last; ++pair) {
        const std::size_t k = pair->index;
        const Quad<T> B = load_quad<T>(pair) * copies;
        q += B;
        drift += (own - Quad<T>{boundary.v[0][k], boundary.v[1][k], boundary.v[2][k], 0}) * B;
      }
      q[3] = 0;
      diagonal = dt * (diagonal + mobility_[i] * dot3<T>(q, q));
      const T n = pairs.number[i] + copies * pairs.wall_part[i];
      rest_[i] = n0;
      gradient_[i] = q;
      advected_[i] = (n > n0 ? part : T(1)) * (n0 - n) - dt * (drift[0] + drift[1] + drift[2]);
      step_[i] = diagonal > dt * (mobility_[i] > 0 ? mobility_[i] : dt * s / at.mass[i]) * negligible ? 1 / diagonal : T(0);
      lambda_[i] = step_[i] > 0 ? multiplier[i] : T(0);
    }
  });
  response_.set_up(context, pairs);
  if (response_.active()) response_.shorten(step_.data());
}

// dt a_i for the pressures as they are.
template <class T> void PressureSolver<T>::accelerate(const SphContext<T>& context, const SphPairs<T>& pairs) {
  for_sph_chunks(context.particles.count, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Quad<T> even = gradient_[i] * lambda_[i], odd{};
      const SphPair<T>*pair = pairs.fluid.data() + context.fluid->first[i], *last = pairs.fluid.data() + context.fluid->first[i + 1];
      for (; pair + 1 < last; pair += 2) {
        even += load_quad<T>(pair) * lambda_[pair[0].index];
        odd += load_quad<T>(pair + 1) * lambda_[pair[1].index];
      }
      if (pair < last) even += load_quad<T>(pair) * lambda_[pair->index];
      even = (even + odd) * -mobility_[i];
      even[3] = 0;
      change_[i] = even;
    }
  });
  if (response_.active()) response_.respond(lambda_.data());
}

// One Jacobi step. Stopping looks at what these pressures leave before they are corrected.
template <class T> double PressureSolver<T>::correct(const SphContext<T>& context, const SphPairs<T>& pairs, T relaxation) {
  const T dt = static_cast<T>(context.dt);
  const bool rigid = response_.active();
  for_sph_chunks(context.particles.count, [&](std::size_t chunk, std::size_t begin, std::size_t end) {
    Partial sum;
    for (std::size_t i = begin; i < end; ++i) {
      Quad<T> even = change_[i] * gradient_[i], odd{};
      const SphPair<T>*pair = pairs.fluid.data() + context.fluid->first[i], *last = pairs.fluid.data() + context.fluid->first[i + 1];
      for (; pair + 1 < last; pair += 2) {
        even -= load_quad<T>(pair) * change_[pair[0].index];
        odd -= load_quad<T>(pair + 1) * change_[pair[1].index];
      }
      if (pair < last) even -= load_quad<T>(pair) * change_[pair->index];
      even += odd;
      T lack = advected_[i] - dt * (even[0] + even[1] + even[2]);  // n0 - n^next
      if (rigid) lack += response_.expansion(i);
      const T next = std::max(T(0), lambda_[i] - relaxation * step_[i] * lack);
      if (lambda_[i] > 0 || next > 0) {
        ++sum.active;
        sum.error += static_cast<double>(std::max(T(0), -lack) / rest_[i]);
      }
      if (!(lack < std::numeric_limits<T>::max() && lack > -std::numeric_limits<T>::max()))
        sum.error = std::numeric_limits<double>::quiet_NaN();
      lambda_[i] = next;
    }
    partial_[chunk] = sum;
  });
  Partial total;
  for (const Partial& sum : partial_) total.error += sum.error, total.active += sum.active;
  return total.active > 0 ? total.error / static_cast<double>(total.active) : total.error;
}

// Velocities, friction, and what the boundary feels of all that.
template <class T>
void PressureSolver<T>::finish(const SphContext<T>& context, const SphPairs<T>& pairs, T* const v[3], T* multiplier, SphLoads& loads) {
  const SphParticles<T>& at = context.particles;
  const SphBoundary<T>& boundary = *context.boundary;
  const std::size_t owners = loads.force.size(), chunks = partial_.size();
  const T s = pairs.scale;
  const bool rigid = response_.active();
  owner_force_.assign(chunks * owners, {});
  owner_torque_.assign(chunks * owners, {});
  for_sph_chunks(at.count, [&](std::size_t chunk, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const T copies = s / at.volume[i];
      multiplier[i] = lambda_[i];
      Quad<T> next = velocity_[i] + change_[i];
      const std::size_t first = context.wall->first[i], last = context.wall->first[i + 1];
      Quad<T> slip{};
      if (lambda_[i] > 0 && first < last) {
        Quad<T> B{}, wall{};
        T weight = 0, friction = 0, share = 0;
        for (std::size_t k = first; k < last; ++k) {
          const SphPair<T>& pair = pairs.wall[k];
          const std::size_t b = pair.index;
          const Quad<T> g = load_quad<T>(&pair);
          const T w = std::sqrt(dot3<T>(g, g));
          B += g;
          wall += Quad<T>{boundary.v[0][b], boundary.v[1][b], boundary.v[2][b], 0} * w;
          friction += boundary.friction[b] * w;
          weight += w;
          share += w;
          if (!rigid) continue;
          const Vec3d give = response_.velocity_change(boundary.owner[b], place_of(boundary, b));
          wall += Quad<T>{static_cast<T>(give.x), static_cast<T>(give.y), static_cast<T>(give.z), 0} * w;
          share += (static_cast<T>(response_.share(boundary.owner[b])) - 1) * w;
        }
        B[3] = 0;
        const T length = std::sqrt(dot3<T>(B, B));
        if (friction > 0 && length > 0) {  // Coulomb: the impulse of the pressure is the load
          const Quad<T> normal = B / length;
          Quad<T> along = next - wall / weight;
          along[3] = 0;
          along -= normal * dot3<T>(along, normal);
          const T speed = std::sqrt(dot3<T>(along, along));
          const T limit = friction / weight * mobility_[i] * lambda_[i] * copies * length;
          slip = along * -std::min(share / weight, speed > 0 ? limit / speed : T(1));
          next += slip;
        }
        // s lambda_i B_ib pushes the sample; friction goes to the samples in the same parts.
        for (std::size_t k = first; k < last && owners > 0; ++k) {
          const SphPair<T>& pair = pairs.wall[k];
          const Quad<T> g = load_quad<T>(&pair);
          const T part = std::sqrt(dot3<T>(g, g)) / weight;
          const Quad<T> f = g * (s * lambda_[i] * copies) - slip * (at.mass[i] * part / static_cast<T>(context.dt));
          const Vec3d force{static_cast<double>(f[0]), static_cast<double>(f[1]), static_cast<double>(f[2])};
          const std::size_t b = pair.index;
          owner_force_[chunk * owners + boundary.owner[b]] += force;
          owner_torque_[chunk * owners + boundary.owner[b]] += cross(place_of(boundary, b), force);
        }
      }
      if (at.kind[i] & sph_held) continue;
      for (int axis = 0; axis < 3; ++axis) v[axis][i] = next[axis];
    }
  });
  for (std::size_t chunk = 0; chunk < chunks; ++chunk)
    for (std::size_t owner = 0; owner < owners; ++owner) {
      loads.force[owner] += owner_force_[chunk * owners + owner];
      loads.torque[owner] += owner_torque_[chunk * owners + owner];
    }
}

template <class T>
PressureResult PressureSolver<T>::solve(const SphContext<T>& context, const PressureParameters& parameters, SmoothingType smoothing,
                                        const SphPairs<T>& pairs, const T* rest_number, T* const v[3], T* multiplier, SphLoads& loads) {
  set_up(context, smoothing, pairs, rest_number, v, multiplier);
  PressureResult result;
  accelerate(context, pairs);
  while (true) {
    result.density_error = correct(context, pairs, static_cast<T>(parameters.relaxation));
    if (std::isnan(result.density_error)) return result;
    accelerate(context, pairs);
    ++result.iterations;
    if (result.iterations >= parameters.max_iterations) break;
    if (result.iterations >= 2 && result.density_error < parameters.tolerance) break;
  }
  finish(context, pairs, v, multiplier, loads);
  return result;
}

template <class T>
void PressureSolver<T>::pressures(const SphContext<T>& context, const SphPairs<T>& pairs, const T* multiplier, T* pressure) const {
  const SphParticles<T>& at = context.particles;
  const SphBoundary<T>& boundary = *context.boundary;
  const T s = pairs.scale;
  for_sph_chunks(at.count, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const T own = multiplier[i], copies = s / at.volume[i];
      T sum = 0;
      for (std::size_t k = context.fluid->first[i]; k < context.fluid->first[i + 1]; ++k) {
        const std::size_t j = pairs.fluid[k].index;
        const Quad<T> x{at.x[0][i] - at.x[0][j], at.x[1][i] - at.x[1][j], at.x[2][i] - at.x[2][j], 0};
        sum -= (own + multiplier[j]) * dot3<T>(load_quad<T>(&pairs.fluid[k]), x);
      }
      for (std::size_t k = context.wall->first[i]; k < context.wall->first[i + 1]; ++k) {
        const std::size_t b = pairs.wall[k].index;
        const Quad<T> x{at.x[0][i] - boundary.x[0][b], at.x[1][i] - boundary.x[1][b], at.x[2][i] - boundary.x[2][b], 0};
        sum -= own * copies * dot3<T>(load_quad<T>(&pairs.wall[k]), x);
      }
      pressure[i] = sum * s / (6 * at.volume[i]);
    }
  });
}

template class PressureSolver<float>;
template class PressureSolver<double>;

}  // namespace knead
