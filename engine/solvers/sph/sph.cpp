#include "solvers/sph/sph.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/threads.h"
#include "materials/response.h"
#include "solvers/phase_clock.h"
#include "solvers/sph/elastic.h"
#include "solvers/sph/interaction.h"
#include "solvers/sph/moduli.h"
#include "solvers/sph/particles.h"
#include "solvers/sph/rigid.h"
#include "spatial/neighbours.h"

namespace knead {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t grain = 4096;
constexpr int sort_every = 32;  // steps; particles move less than a cell in between, and the order only serves the caches

template <class T> class ImplicitSph final : public Solver {
 public:
  ImplicitSph(const SphParameters& parameters)
      : parameters_(parameters),
        solids_(parameters.elasticity, {parameters.support(), parameters.kernel, true}),
        interaction_(parameters.pressure, parameters.forces, parameters.dx, parameters.kernel) {}

  void prepare(const World& world, State& state) override;
  StepLimit stable_dt(const World& world, const State& state) override { return candidates(world, state).front(); }
  StepReport step(const World& world, State& state, double dt) override;
  SolverEstimate estimate(const World& world, const State& state) override;

 private:
  std::vector<StepLimit> candidates(const World& world, const State& state) const;
  double cfl_dt(double speed) const {
    return speed > 0 ? std::max(parameters_.cfl * parameters_.dx / speed, parameters_.min_dt) : infinity;
  }
  void sort(const World& world, State& state);
  void bind(const World& world, State& state, double time);
  void set_held(const World& world, double time, double dt);
  void accelerate(const World& world, double time, double dt);
  void update_velocities(const World& world, const State& state, double& dt, StepReport& report);
  void move(const World& world, State& state, double dt);
  bool check(const World& world, double dt, StepReport& report) const;

  SphParameters parameters_;
  ElasticSolids<T> solids_;
  Interaction<T> interaction_;
  NeighbourSearch<T> search_;

  SphParticles<T> particles_;
  std::vector<T> mass_, rest_density_;
  std::vector<std::uint8_t> kind_;
  std::vector<T> velocity_[3];  // of the step, until State takes it
  std::vector<std::uint32_t> permutation_;
};

template <class T> void ImplicitSph<T>::prepare(const World& world, State& state) {
  ElasticSolids<T>::prepare(world, state);
  interaction_.prepare(world, state);
}

// Every rule for every body, the smallest step first.
template <class T> std::vector<StepLimit> ImplicitSph<T>::candidates(const World& world, const State& state) const {
  std::vector<double> speed(world.bodies.size(), 0.0);
  if (state.measure.valid && state.measure.speed.size() == speed.size()) speed = state.measure.speed;
  const auto* group = state.column("group").data<std::uint16_t>();
  const Column& v = state.column("velocity");
  if (!state.measure.valid)
    for (std::size_t i = 0; i < state.count; ++i) {
      double& of = speed[static_cast<std::size_t>(world.groups[group[i]].body)];
      of = std::max(of, std::sqrt(length_squared(Vec3d{double(v.data<T>(0)[i]), double(v.data<T>(1)[i]), double(v.data<T>(2)[i])})));
    }
  std::vector<StepLimit> limits{{parameters_.max_dt, "accuracy", -1}};
  const std::vector<Moduli> moduli = body_moduli(world);
  for (std::size_t b = 0; b < speed.size(); ++b) {
    if (speed[b] > 0) limits.push_back({cfl_dt(speed[b]), "particle", int(b)});
    const double density = world.materials[static_cast<std::size_t>(world.bodies[b].material)].density;
    const double viscosity = world.materials[static_cast<std::size_t>(world.bodies[b].material)].viscosity;
    if (viscosity > 0) limits.push_back({viscous_dt(viscosity, density, parameters_.dx), "viscosity", int(b)});
    const double wave = std::sqrt(moduli[b].p_wave() / density);
    if (parameters_.elasticity.integration == ElasticIntegration::explicit_euler && wave > 0)
      limits.push_back({parameters_.cfl * parameters_.dx / wave, "wave", int(b)});
  }
  if (const double rigid = rigid_speed(world, state); rigid > 0) limits.push_back({cfl_dt(rigid), "rigid", -1});
  std::stable_sort(limits.begin(), limits.end(), [](const StepLimit& a, const StepLimit& b) { return a.dt < b.dt; });
  return limits;
}

// Along a Morton curve; what has left the domain is deleted.
template <class T> void ImplicitSph<T>::sort(const World& world, State& state) {
  const Column& x = state.column("position");
  search_.sort({{x.data<T>(0), x.data<T>(1), x.data<T>(2)}, state.count}, parameters_.support(), permutation_);
  if (world.domain)
    std::erase_if(permutation_, [&](std::uint32_t i) {
      for (int axis = 0; axis < 3; ++axis) {
        const double at = double(x.data<T>(axis)[i]);
        if (!(at >= world.domain->minimum[axis] && at < world.domain->maximum[axis])) return true;
      }
      return false;
    });
  state.permute(permutation_);
  state.order.valid = true;
}

template <class T> void ImplicitSph<T>::bind(const World& world, State& state, double) {
  const std::size_t n = state.count;
  mass_.resize(n), rest_density_.resize(n), kind_.resize(n);
  const auto* group = state.column("group").template data<std::uint16_t>();
  const T* volume = state.column("volume").template data<T>();
  std::vector<std::uint8_t> kind_of(world.bodies.size());
  std::vector<T> density_of(world.bodies.size());
  const std::vector<Moduli> moduli = body_moduli(world);
  for (std::size_t b = 0; b < kind_of.size(); ++b) {
    density_of[b] = static_cast<T>(world.materials[static_cast<std::size_t>(world.bodies[b].material)].density);
    kind_of[b] = moduli[b].mu > 0 || moduli[b].bulk() > 0 ? sph_elastic : sph_fluid;
  }
  Column &position = state.column("position"), &velocity = state.column("velocity");
  for (int axis = 0; axis < 3; ++axis) {
    particles_.x[axis] = position.template data<T>(axis);
    velocity_[axis].assign(velocity.template data<T>(axis), velocity.template data<T>(axis) + n);
    particles_.v[axis] = velocity_[axis].data();
  }
  parallel_for(n, grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto body = static_cast<std::size_t>(world.groups[group[i]].body);
      rest_density_[i] = density_of[body];
      mass_[i] = density_of[body] * volume[i];
      kind_[i] = kind_of[body];
    }
  });
  particles_.count = n;
  particles_.mass = mass_.data(), particles_.volume = volume, particles_.rest_density = rest_density_.data();
  particles_.group = group, particles_.kind = kind_.data();
  particles_.support = static_cast<T>(parameters_.support());
}

// Held particles get the velocity that takes them to where their pin is after dt.
template <class T> void ImplicitSph<T>::set_held(const World& world, double time, double dt) {
  for (std::size_t g = 0; g < world.groups.size(); ++g) {
    if (world.groups[g].pin < 0) continue;
    const Motion& motion = world.colliders[static_cast<std::size_t>(world.groups[g].pin)].motion;
    if (!motion.active(time + dt)) continue;
    const Pose before = motion.pose(time), after = motion.pose(time + dt);
    const bool moves = motion.moves();
    parallel_for(particles_.count, grain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        if (particles_.group[i] != g) continue;
        kind_[i] |= sph_held;
        const Vec3d x{double(particles_.x[0][i]), double(particles_.x[1][i]), double(particles_.x[2][i])};
        const Vec3d v = moves ? (after.apply(before.invert(x)) - x) / dt : Vec3d{};
        for (int axis = 0; axis < 3; ++axis) velocity_[axis][i] = static_cast<T>(v[axis]);
      }
    });
  }
}

// v + dt a*, a* of gravity and fields.
template <class T> void ImplicitSph<T>::accelerate(const World& world, double time, double dt) {
  const Vec3d gravity = world.gravity.at(time);
  parallel_for(particles_.count, grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Vec3d a = gravity;
      if (!world.fields.empty()) {
        const Vec3d x{double(particles_.x[0][i]), double(particles_.x[1][i]), double(particles_.x[2][i])};
        for (const Field& field : world.fields) a += acceleration(field, x, time);
      }
      for (int axis = 0; axis < 3; ++axis) velocity_[axis][i] += static_cast<T>(dt * a[axis]);
    }
  });
  interaction_.accelerate(dt, particles_.v);
}

template <class T> double largest_speed(const SphParticles<T>& particles) {
  T square = 0;
  for (std::size_t i = 0; i < particles.count; ++i)
    square = std::max(
        square, particles.v[0][i] * particles.v[0][i] + particles.v[1][i] * particles.v[1][i] + particles.v[2][i] * particles.v[2][i]);
  return std::sqrt(double(square));
}

template <class T> StepReport ImplicitSph<T>::step(const World& world, State& state, double dt) {
  StepReport report;
  PhaseClock clock(report);
  if (!state.order.valid || state.step % sort_every == 0) sort(world, state);
  bind(world, state, state.time);
  solids_.bind(world, state);
  clock.end("sort");
  interaction_.bind(world, state, particles_);
  clock.end("neighbours");

  update_velocities(world, state, dt, report);
  clock.end("elastic");
  const PressureResult pressure = interaction_.project(dt, parameters_.keeps_dt ? dt : candidates(world, state).front().dt, particles_.v);
  report.iterations = pressure.iterations;
  report.density_error = pressure.density_error;
  clock.end("pressure");
  if (!check(world, dt, report)) return report;

  std::vector<Vec3d> force, torque;
  std::vector<Vec3d> collider_force = state.collider_force;
  interaction_.loads(state, force, torque);
  if (!move_rigid_bodies(world, state, dt, force, torque)) {
    report.status = StepStatus::diverged;
    report.quantity = "motion of a rigid body is not finite";
    state.collider_force = std::move(collider_force);
    return report;
  }
  interaction_.keep_pressure(state);
  move(world, state, dt);
  solids_.deform(state);
  report.dt = dt;
  state.time += dt;
  ++state.step;
  clock.end("move");
  return report;
}

// Candidate step, elasticity with it, and a shorter step if the velocities demand it (algorithm 3). The elastic velocities are those of
// the candidate step: they may be used for a part of it, but not for a small one.
template <class T> void ImplicitSph<T>::update_velocities(const World& world, const State& state, double& dt, StepReport& report) {
  const Column& old = state.column("velocity");
  const T* v[3] = {old.data<T>(0), old.data<T>(1), old.data<T>(2)};
  for (;;) {
    accelerate(world, state.time, dt);
    set_held(world, state.time, dt);
    const bool any_held = std::any_of(world.groups.begin(), world.groups.end(), [](const Group& g) { return g.pin >= 0; });
    std::vector<std::uint8_t> held;
    if (any_held) {
      held.resize(kind_.size());
      for (std::size_t i = 0; i < held.size(); ++i) held[i] = kind_[i] & sph_held;
    }
    const ElasticResult result = solids_.solve(world, state, dt, any_held ? held.data() : nullptr, particles_.v);
    report.linear_iterations += result.iterations;
    report.residual = result.residual;
    const double speed = largest_speed(particles_);
    const double shorter = parameters_.keeps_dt || !std::isfinite(speed) ? dt : std::min(dt, cfl_dt(speed));
    if (shorter == dt) return;
    const bool again = shorter < 0.5 * dt;
    const T part = again ? T(0) : static_cast<T>(shorter / dt);
    for (int axis = 0; axis < 3; ++axis)
      for (std::size_t i = 0; i < particles_.count; ++i) velocity_[axis][i] = v[axis][i] + part * (velocity_[axis][i] - v[axis][i]);
    dt = shorter;
    if (!again) return set_held(world, state.time, dt);
  }
}

template <class T> bool ImplicitSph<T>::check(const World& world, double dt, StepReport& report) const {
  for (std::size_t i = 0; i < particles_.count; ++i) {
    const Vec3d v{double(velocity_[0][i]), double(velocity_[1][i]), double(velocity_[2][i])};
    const double crossed = length(v) * dt / parameters_.support();
    if (crossed < 1) continue;  // false for NaN
    report.status = StepStatus::diverged;
    report.quantity = std::isfinite(crossed) ? "particle velocity crosses more than a kernel" : "particle velocity is not finite";
    report.body = world.groups[particles_.group[i]].body;
    report.position = {double(particles_.x[0][i]), double(particles_.x[1][i]), double(particles_.x[2][i])};
    report.value = length(v);
    return false;
  }
  return true;
}

// State takes the velocities; positions follow.
template <class T> void ImplicitSph<T>::move(const World& world, State& state, double dt) {
  Column& velocity = state.column("velocity");
  state.measure.valid = true;
  state.measure.speed.assign(world.bodies.size(), 0.0);
  for (int axis = 0; axis < 3; ++axis) {
    T *x = particles_.x[axis], *v = velocity.data<T>(axis);
    const T* now = velocity_[axis].data();
    parallel_for(particles_.count, grain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) v[i] = now[i], x[i] += static_cast<T>(dt) * now[i];
    });
  }
  for (std::size_t i = 0; i < particles_.count; ++i) {
    double& of = state.measure.speed[static_cast<std::size_t>(world.groups[particles_.group[i]].body)];
    of = std::max(
        of, std::sqrt(double(velocity_[0][i] * velocity_[0][i] + velocity_[1][i] * velocity_[1][i] + velocity_[2][i] * velocity_[2][i])));
  }
  if (!world.domain) return;
  for (std::size_t i = 0; i < particles_.count && state.order.valid; ++i)
    for (int axis = 0; axis < 3; ++axis) {
      const double at = double(particles_.x[axis][i]);
      if (!(at >= world.domain->minimum[axis] && at < world.domain->maximum[axis])) state.order.valid = false;
    }
}

template <class T> SolverEstimate ImplicitSph<T>::estimate(const World& world, const State& state) {
  SolverEstimate result;
  result.particles = state.count;
  std::size_t per_particle = 0;
  for (const Column& column : state.columns) per_particle += static_cast<std::size_t>(column.components()) * size_of(column.type());
  solids_.bind(world, state);
  result.memory_bytes = state.count * (per_particle + 5 * sizeof(T)) + solids_.memory();
  result.pairs = solids_.rest().pairs.size();
  result.limits = candidates(world, state);
  return result;
}

}  // namespace

std::unique_ptr<Solver> make_sph(const SphParameters& parameters, const World& world) {
  if (world.precision == Precision::single) return std::make_unique<ImplicitSph<float>>(parameters);
  return std::make_unique<ImplicitSph<double>>(parameters);
}

}  // namespace knead
