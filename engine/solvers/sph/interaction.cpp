#include "solvers/sph/interaction.h"

#include <algorithm>
#include <cmath>

#include "materials/response.h"

namespace knead {

namespace {
// Pairs this near to the end of the kernel do not matter, but on a lattice there are many.
constexpr double inside = 1 - 1e-4;

// Kernel sums of solids as they are at rest, by body, for who is near only since bodies touch does not count.
template <class T> void set_rest_numbers(const World& world, State& state, double dx, SmoothingType smoothing, T* number) {
  const Column& position = state.column("position");
  const auto* group = state.column("group").data<std::uint16_t>();
  const Points<T> points{{position.data<T>(0), position.data<T>(1), position.data<T>(2)}, state.count};
  NeighbourSearch<T> search;
  NeighbourLists lists;
  search.find(points, points, 2 * dx * inside, lists);
  with_smoothing<double>(smoothing, 2.0, [&](const auto& kernel) {
    for_sph_chunks(state.count, [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const int body = world.groups[group[i]].body;
        number[i] = 0;
        if (is_fluid(world.materials[static_cast<std::size_t>(world.bodies[static_cast<std::size_t>(body)].material)])) continue;
        double sum = kernel.W(0.0);
        for (std::size_t k = lists.first[i]; k < lists.first[i + 1]; ++k) {
          const std::size_t j = lists.index[k];
          if (world.groups[group[j]].body != body) continue;
          double square = 0;
          for (int axis = 0; axis < 3; ++axis) {
            const double d = static_cast<double>(points.x[axis][i]) - static_cast<double>(points.x[axis][j]);
            square += d * d;
          }
          sum += kernel.W(std::sqrt(square) / dx);
        }
        number[i] = static_cast<T>(sum);
      }
    });
  });
}
}  // namespace

template <class T> void Interaction<T>::prepare(const World& world, State& state) {
  if (state.find("pressure")) return;
  state.add("pressure", scalar_type_of<T>(), 1), state.add("multiplier", scalar_type_of<T>(), 1);
  set_rest_numbers(world, state, dx_, smoothing_, state.add("rest_number", scalar_type_of<T>(), 1).template data<T>());
}

template <class T> void Interaction<T>::bind(const World& world, const State& state, const SphParticles<T>& particles) {
  const Points<T> points{{particles.x[0], particles.x[1], particles.x[2]}, particles.count};
  boundary_.place(world, state, points, state.time, samples_);
  const Points<T> samples{{samples_.x[0].data(), samples_.x[1].data(), samples_.x[2].data()}, samples_.size()};
  const double radius = static_cast<double>(particles.support) * inside;
  search_.find(points, points, radius, fluid_);
  search_.find(points, samples, radius, wall_);
  context_ = {.world = &world,
              .particles = particles,
              .boundary = &samples_,
              .fluid = &fluid_,
              .wall = &wall_,
              .time = state.time,
              .dt = 0,
              .rigid = &state.rigid};
  set_pairs(context_, smoothing_, pairs_);
  last_multiplier_ = state.column("multiplier").data<T>();
  rest_number_ = state.column("rest_number").data<T>();
  viscosity_.clear();
  for (const Body& body : world.bodies)
    viscosity_.push_back(static_cast<T>(world.materials[static_cast<std::size_t>(body.material)].viscosity));
}

template <class T> void Interaction<T>::accelerate(double dt, T* const v[3]) {
  context_.dt = dt;
  particle_forces_.apply(context_, forces_, smoothing_, pairs_, viscosity_, v);
}

template <class T> PressureResult Interaction<T>::project(double dt, double full_dt, T* const v[3]) {
  context_.dt = dt, context_.full_dt = full_dt;
  const std::size_t owners = context_.world->colliders.size() + context_.world->rigid_bodies.size();
  loads_.force.assign(owners, {}), loads_.torque.assign(owners, {});
  next_multiplier_.assign(last_multiplier_, last_multiplier_ + context_.particles.count);
  return solver_.solve(context_, pressure_, smoothing_, pairs_, rest_number_, v, next_multiplier_.data(), loads_);
}

template <class T> void Interaction<T>::keep_pressure(State& state) const {
  // The short step before a frame takes away small velocities by large pressures: as a start for a full step those are too large.
  const T part = context_.full_dt > context_.dt ? static_cast<T>(context_.dt / context_.full_dt) : T(1);
  std::transform(next_multiplier_.begin(), next_multiplier_.end(), state.column("multiplier").data<T>(), [part](T p) { return p * part; });
  solver_.pressures(context_, pairs_, next_multiplier_.data(), state.column("pressure").data<T>());
}

template <class T> void Interaction<T>::loads(State& state, std::vector<Vec3d>& force, std::vector<Vec3d>& torque) const {
  const std::size_t colliders = context_.world->colliders.size();
  state.collider_force = loads_.force;
  force.clear(), torque.clear();
  for (std::size_t body = 0; body < state.rigid.size(); ++body) {
    const Vec3d f = loads_.force[colliders + body];
    force.push_back(f);
    torque.push_back(loads_.torque[colliders + body] - cross(state.rigid[body].position, f));
  }
}

template <class T> std::size_t Interaction<T>::memory() const {
  const std::size_t pairs = fluid_.index.capacity() + wall_.index.capacity();
  return pairs * (sizeof(SphPair<T>) + sizeof(std::uint32_t)) +
         context_.particles.count * (2 * sizeof(std::size_t) + 10 * sizeof(T) + 6 * sizeof(Quad<T>));
}

template class Interaction<float>;
template class Interaction<double>;

}  // namespace knead
