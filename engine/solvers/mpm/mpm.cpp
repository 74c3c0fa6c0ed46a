#include "solvers/mpm/mpm.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "materials/response.h"
#include "solvers/mpm/grid_contact.h"
#include "solvers/mpm/transfers.h"

namespace knead {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class T> class ExplicitMpm final : public Solver {
 public:
  ExplicitMpm(const MpmParameters& parameters, const World& world) : transfers_(parameters, world) {}

  void prepare(const World& world, State& state) override { transfers_.prepare(world, state); }
  StepLimit stable_dt(const World& world, const State& state) override { return candidates(world, state).front(); }
  StepReport step(const World& world, State& state, double dt) override;
  SolverEstimate estimate(const World& world, const State& state) override;

 private:
  std::vector<StepLimit> candidates(const World& world, const State& state) const;

  Transfers<T> transfers_;
};

// Every rule for every body, the smallest step first (methods 0.7).
template <class T> std::vector<StepLimit> ExplicitMpm<T>::candidates(const World& world, const State& state) const {
  const std::vector<double> speed = transfers_.speeds(world, state);
  std::vector<double> wave(world.bodies.size(), 0.0);
  for (std::size_t body = 0; body < world.bodies.size(); ++body) {
    const Material& material = world.materials[world.bodies[body].material];
    wave[body] = std::sqrt(rest_wave_modulus(material) / material.density);
    if (state.measure.valid) wave[body] = std::max(wave[body], state.measure.wave_speed[body]);
  }

  std::vector<StepLimit> limits{{infinity, "frame", -1}};
  for (std::size_t body = 0; body < world.bodies.size(); ++body) {
    const Material& material = world.materials[world.bodies[body].material];
    const double total = wave[body] + speed[body];
    if (total > 0)
      limits.push_back(
          {transfers_.parameters.cfl * transfers_.parameters.dx / total, wave[body] >= speed[body] ? "wave" : "particle", int(body)});
    // 3D explicit diffusion: nu dt / dx^2 <= 1/6
    if (material.viscosity > 0)
      limits.push_back(
          {material.density * transfers_.parameters.dx * transfers_.parameters.dx / (6 * material.viscosity), "viscosity", int(body)});
  }
  std::stable_sort(limits.begin(), limits.end(), [](const StepLimit& a, const StepLimit& b) { return a.dt < b.dt; });
  return limits;
}

template <class T> StepReport ExplicitMpm<T>::step(const World& world, State& state, double dt) {
  StepReport report;
  PhaseClock clock(report);
  if (!state.order.valid) transfers_.sort(world, state);
  transfers_.lay_out(state);
  report.grid_blocks = transfers_.grid_blocks.blocks.size();
  const MpmContext<T> context = transfers_.bind(world, state, dt);
  clock.end("sort");

  transfers_.damp(state, context);
  if (transfers_.parameters.transfer.rpic_iterations > 0) clock.end("damping");
  transfers_.each_block(state, context, transfers_.kernels.scatter);
  clock.end("p2g");

  transfers_.collect(context);
  const ContactResult contact = apply_fields_and_contact(world, transfers_.grid_blocks, transfers_.lattice, state.time + 0.5 * dt, dt,
                                                         context.grid, transfers_.speed_squared);
  clock.end("grid");
  if (!transfers_.check(world, state, dt, report)) {
    transfers_.undo_damping(state);
    return report;
  }

  transfers_.remember_pinned(world, state);
  transfers_.each_block(state, context, transfers_.kernels.gather);
  transfers_.carry_pinned(world, state, context, dt);
  transfers_.measure(world, state);
  state.collider_force = contact.force;
  state.external_work += contact.work;
  state.time += dt;
  ++state.step;
  clock.end("g2p");
  return report;
}

template <class T> SolverEstimate ExplicitMpm<T>::estimate(const World& world, const State& state) {
  SolverEstimate result = transfers_.estimate(world, state);
  result.limits = candidates(world, state);
  while (result.limits.size() > 1 && !std::isfinite(result.limits.back().dt)) result.limits.pop_back();
  return result;
}

}  // namespace

std::unique_ptr<Solver> make_mpm(const MpmParameters& parameters, const World& world) {
  if (world.precision == Precision::single) return std::make_unique<ExplicitMpm<float>>(parameters, world);
  return std::make_unique<ExplicitMpm<double>>(parameters, world);
}

}  // namespace knead
