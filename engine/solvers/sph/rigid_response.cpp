#include "solvers/sph/rigid_response.h"

#include <algorithm>
#include <cmath>

#include "solvers/sph/rigid.h"

namespace knead {

namespace {
template <class T> Vec3d vector_of(const T (&v)[3]) {
  return {static_cast<double>(v[0]), static_cast<double>(v[1]), static_cast<double>(v[2])};
}
}  // namespace

template <class T> void RigidResponse<T>::set_up(const SphContext<T>& context, const SphPairs<T>& pairs) {
  const World& world = *context.world;
  const SphBoundary<T>& boundary = *context.boundary;
  const std::size_t count = context.particles.count, chunks = (count + sph_chunk - 1) / sph_chunk;
  bodies_.clear();
  if (!context.rigid || context.rigid->empty()) return;
  dt_ = context.dt, scale_ = static_cast<double>(pairs.scale), colliders_ = world.colliders.size();
  for (std::size_t n = 0; n < context.rigid->size(); ++n) {
    const RigidState& state = (*context.rigid)[n];
    bodies_.push_back({.center = state.position,
                       .inverse_mass = 1 / world.rigid_bodies[n].mass,
                       .inverse_inertia = inverse_inertia_of(world.rigid_bodies[n], state),
                       .free_change = free_acceleration(world, state, context.time) * dt_});
  }
  touches_.resize(chunks);
  expansion_.assign(count, T(0));
  std::vector<double> norms(chunks * bodies_.size()), masses(norms.size());
  for_sph_chunks(count, [&](std::size_t chunk, std::size_t begin, std::size_t end) {
    std::vector<Touch>& list = touches_[chunk];
    list.clear();
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t before = list.size();
      for (std::size_t k = context.wall->first[i]; k < context.wall->first[i + 1]; ++k) {
        const std::size_t b = pairs.wall[k].index;
        if (boundary.owner[b] < colliders_) continue;
        const auto body = static_cast<std::uint32_t>(boundary.owner[b] - colliders_);
        std::size_t at = before;
        while (at < list.size() && list[at].body != body) ++at;
        if (at == list.size()) list.push_back({static_cast<std::uint32_t>(i), body, {}, {}});
        const Vec3d B = vector_of(pairs.wall[k].gradient) * (scale_ / static_cast<double>(context.particles.volume[i]));
        const Vec3d x{static_cast<double>(boundary.x[0][b]), static_cast<double>(boundary.x[1][b]), static_cast<double>(boundary.x[2][b])};
        const Vec3d turn = cross(x - bodies_[body].center, B);
        for (int axis = 0; axis < 3; ++axis)
          list[at].linear[axis] += static_cast<T>(B[axis]), list[at].angular[axis] += static_cast<T>(turn[axis]);
      }
    }
    for (const Touch& touch : list) {
      norms[chunk * bodies_.size() + touch.body] += norm(touch);
      masses[chunk * bodies_.size() + touch.body] += static_cast<double>(context.particles.mass[touch.particle]);
    }
  });
  for (std::size_t n = 0; n < bodies_.size(); ++n) {
    double mass = 0;
    for (std::size_t chunk = 0; chunk < chunks; ++chunk)
      bodies_[n].norms += norms[chunk * bodies_.size() + n], mass += masses[chunk * bodies_.size() + n];
    bodies_[n].share = 1 / (1 + mass * bodies_[n].inverse_mass);
  }
}

template <class T> double RigidResponse<T>::norm(const Touch& touch) const {
  const Body& body = bodies_[touch.body];
  const Vec3d linear = vector_of(touch.linear), angular = vector_of(touch.angular);
  return std::sqrt(length_squared(linear) * body.inverse_mass + dot(angular, body.inverse_inertia * angular));
}

// |J_i M^-1 J_j| <= |J_i| |J_j|, so that the sum over the row of i is at most dt^2 s |J_i| times the sum of all |J_j|.
template <class T> void RigidResponse<T>::shorten(T* step) const {
  for (const auto& list : touches_)
    for (const Touch& touch : list) {
      T& of = step[touch.particle];
      if (of > 0) of = 1 / (1 / of + static_cast<T>(0.5 * dt_ * dt_ * scale_ * norm(touch) * bodies_[touch.body].norms));
    }
}

template <class T> void RigidResponse<T>::respond(const T* lambda) {
  const std::size_t count = bodies_.size();
  sums_.assign(touches_.size() * count * 2, {});
  parallel_for(touches_.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t chunk = begin; chunk < end; ++chunk)
      for (const Touch& touch : touches_[chunk]) {
        const auto pressure = static_cast<double>(lambda[touch.particle]);
        Vec3d* const sum = sums_.data() + (chunk * count + touch.body) * 2;
        sum[0] += vector_of(touch.linear) * pressure, sum[1] += vector_of(touch.angular) * pressure;
      }
  });
  for (std::size_t n = 0; n < count; ++n) {
    Vec3d linear, angular;
    for (std::size_t chunk = 0; chunk < touches_.size(); ++chunk)
      linear += sums_[(chunk * count + n) * 2], angular += sums_[(chunk * count + n) * 2 + 1];
    Body& body = bodies_[n];
    body.linear = body.free_change + linear * (dt_ * scale_ * body.inverse_mass);
    body.angular = body.inverse_inertia * angular * (dt_ * scale_);
  }
  parallel_for(touches_.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t chunk = begin; chunk < end; ++chunk) {
      for (const Touch& touch : touches_[chunk]) expansion_[touch.particle] = 0;
      for (const Touch& touch : touches_[chunk]) {
        const Body& body = bodies_[touch.body];
        expansion_[touch.particle] +=
            static_cast<T>(dt_ * (dot(vector_of(touch.linear), body.linear) + dot(vector_of(touch.angular), body.angular)));
      }
    }
  });
}

template <class T> Vec3d RigidResponse<T>::velocity_change(std::uint32_t owner, const Vec3d& x) const {
  if (owner < colliders_) return {};
  const Body& body = bodies_[owner - colliders_];
  return body.linear + cross(body.angular, x - body.center);
}

template class RigidResponse<float>;
template class RigidResponse<double>;

}  // namespace knead
