// What particles do to each other and to boundaries in a step, apart from elasticity: finds who is near whom, applies forces to
// velocities, and makes velocities such that nothing is compressed. Its memory is reused; all that survives a step is in State.
#pragma once
#include <vector>

#include "solvers/sph/boundary.h"
#include "solvers/sph/forces.h"
#include "solvers/sph/pairs.h"
#include "solvers/sph/pressure.h"
#include "world/state.h"

namespace knead {

template <class T> class Interaction {
 public:
  Interaction(const PressureParameters& pressure, const ForceParameters& forces, double dx, SmoothingType smoothing)
      : pressure_(pressure), forces_(forces), dx_(dx), smoothing_(smoothing), boundary_(dx, smoothing) {}

  // Adds the columns `pressure` [Pa], `multiplier` and `rest_number`.
  void prepare(const World& world, State& state);
  // Everything that follows is about these particles at this time, until the next call.
  void bind(const World& world, const State& state, const SphParticles<T>& particles);
  // v += dt a.
  void accelerate(double dt, T* const v[3]);
  // v += dt a^p; pressures and loads are kept for the next two.
  PressureResult project(double dt, double full_dt, T* const v[3]);
  // Forces on colliders and rigid bodies for State; those on rigid bodies also into `force`, with torques about their centres.
  void loads(State& state, std::vector<Vec3d>& force, std::vector<Vec3d>& torque) const;
  void keep_pressure(State& state) const;

  const SphContext<T>& context() const { return context_; }
  std::size_t memory() const;

 private:
  PressureParameters pressure_;
  ForceParameters forces_;
  double dx_;
  SmoothingType smoothing_;
  BoundarySampler<T> boundary_;
  NeighbourSearch<T> search_;
  NeighbourLists fluid_, wall_;
  SphBoundary<T> samples_;
  SphPairs<T> pairs_;
  ParticleForces<T> particle_forces_;
  PressureSolver<T> solver_;
  SphContext<T> context_{};
  std::vector<T> viscosity_, next_multiplier_;
  const T *last_multiplier_ = nullptr, *rest_number_ = nullptr;
  SphLoads loads_;
};

}  // namespace knead
