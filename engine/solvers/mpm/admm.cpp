#include "solvers/mpm/admm.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "base/threads.h"
#include "materials/response.h"
#include "solvers/mpm/admm_mixing.h"
#include "solvers/mpm/admm_ruiz.h"
#include "solvers/mpm/admm_system.h"

namespace knead {

namespace {

constexpr double not_asked = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t block_values = block_nodes * 4;

template <class T> class ImplicitMpm final : public Solver {
 public:
  ImplicitMpm(const MpmParameters& parameters, const AdmmParameters& admm, const World& world)
      : parameters_(admm), transfers_(parameters, world) {}

  void prepare(const World& world, State& state) override { transfers_.prepare(world, state); }
  StepLimit stable_dt(const World& world, const State& state) override { return candidates(world, state).front(); }
  StepReport step(const World& world, State& state, double dt) override;
  SolverEstimate estimate(const World& world, const State& state) override;

 private:
  std::vector<StepLimit> candidates(const World& world, const State& state) const;
  std::vector<double> deformation_rates(const World& world, const State& state) const;
  AdmmContext<T> bind(const State& state, bool viscous);
  double penalty(const State& state) const;
  void pass(const State& state, const MpmContext<T>& context, AdmmContext<T>& admm, AdmmPass kind);
  void collect_residual(const MpmContext<T>& context);
  double balance_residual(const State& state, const MpmContext<T>& context, AdmmContext<T>& admm);
  void update_contacts(const MpmContext<T>& context, T rho);
  void solve(const State& state, const MpmContext<T>& context, AdmmContext<T>& admm, StepReport& report);
  double split(const State& state, const MpmContext<T>& context, AdmmContext<T>& admm, double initial, StepReport& report);
  double balance(const State& state, const MpmContext<T>& context, AdmmContext<T>& admm, double initial, StepReport& report);
  double rebalance(const AdmmContext<T>& admm, const typename GlobalSystem<T>::Result& solved, SolveIteration& record) const;
  double total_mass();
  void measure_speeds(const State& state, const T* grid);

  AdmmParameters parameters_;
  Transfers<T> transfers_;
  GlobalSystem<T> system_;
  GridContacts<T> contacts_;
  Mixing<T> mixing_;

  // Scratch of one step.
  Scratch<T> start_, residual_, change_;  // grid: velocity without stresses and mass; unbalanced impulse; change of velocity
  Scratch<T> best_;                       // grid: velocities with the least residual so far
  Scratch<T> elastic_, viscous_;          // 13 numbers per particle
  Scratch<T> damping_;                    // a number per particle
  std::vector<double> gap_, parts_;
};

// Particles must stay within what the pads hold, also when they fall freely; and I + dt C, by which matter deforms and turns in a step, is to be
// what it stands for, exp(dt C), within a^2 / 2. The speed of sound does not matter.
template <class T> std::vector<StepLimit> ImplicitMpm<T>::candidates(const World& world, const State& state) const {
  constexpr double a = 0.2;  // |dt C|
  const double dx = transfers_.parameters.dx, way = transfers_.parameters.cfl * dx, pull = length(world.gravity.at(state.time));
  const std::vector<double> speed = transfers_.speeds(world, state), rate = deformation_rates(world, state);
  std::vector<StepLimit> limits{{std::numeric_limits<double>::infinity(), "frame", -1}};
  for (std::size_t body = 0; body < world.bodies.size(); ++body) {
    const double root = speed[body] + std::sqrt(speed[body] * speed[body] + 4 * pull * way);  // (v + g dt) dt = way
    if (root > 0) limits.push_back({2 * way / root, "particle", int(body)});
    if (rate[body] > 0) limits.push_back({a / rate[body], "accuracy", int(body)});
  }
  std::stable_sort(limits.begin(), limits.end(), [](const StepLimit& x, const StepLimit& y) { return x.dt < y.dt; });
  return limits;
}

// The largest |C| per body [1/s].
template <class T> std::vector<double> ImplicitMpm<T>::deformation_rates(const World& world, const State& state) const {
  std::vector<double> rates(world.bodies.size(), 0.0);
  const Column* const column = state.find("C");
  if (!column) return rates;
  const std::uint16_t* const group = state.column("group").template data<std::uint16_t>();
  const T* C[9];
  for (int c = 0; c < 9; ++c) C[c] = column->data<T>(c);
  for (std::size_t i = 0; i < state.count; ++i) {
    T squared = 0;
    for (const T* component : C) squared += component[i] * component[i];
    double& largest = rates[static_cast<std::size_t>(world.groups[group[i]].body)];
    largest = std::max(largest, std::sqrt(double(squared)));
  }
  return rates;
}

template <class T> StepReport ImplicitMpm<T>::step(const World& world, State& state, double dt) {
  StepReport report;
  PhaseClock clock(report);
  transfers_.sort(world, state);  // every time: assembly of the matrix lives on particles of a cell being together
  transfers_.lay_out(state);
  report.grid_blocks = transfers_.grid_blocks.blocks.size();
  MpmContext<T> context = transfers_.bind(world, state, dt);
  context.momentum_only = true;
  clock.end("sort");

  transfers_.damp(state, context);
  if (transfers_.parameters.transfer.rpic_iterations > 0) clock.end("damping");
  transfers_.each_block(state, context, transfers_.kernels.scatter);
  transfers_.collect(context);
  const double middle = state.time + 0.5 * dt;
  const ContactResult fields = apply_fields_and_contact(world, transfers_.grid_blocks, transfers_.lattice, middle, dt, context.grid,
                                                        transfers_.speed_squared, false);
  const std::size_t values = transfers_.grid_blocks.blocks.size() * block_nodes * 4;
  std::copy_n(context.grid, values, start_.reserve(values));
  residual_.reserve(values), change_.reserve(values);
  contacts_.find(world, transfers_.grid_blocks, transfers_.lattice, middle, transfers_.speed_squared, context.grid);
  contacts_.impose(context.grid, nullptr);
  clock.end("p2g");

  bool viscous = false;
  for (const GroupLaw<T>& group : transfers_.groups) viscous = viscous || group.branch || group.flows;
  AdmmContext<T> admm = bind(state, viscous);
  admm.rho = static_cast<T>(penalty(state));
  pass(state, context, admm, AdmmPass::start);
  if (parameters_.equilibration > 0) {
    equilibrate(context, admm, state, transfers_.grid_blocks.blocks.size(), start_.data(), parameters_.equilibration);
    pass(state, context, admm, AdmmPass::weighted);
  }
  system_.assemble(transfers_, state, context, admm, start_.data());
  clock.end("matrix");
  solve(state, context, admm, report);
  clock.end("solve");

  measure_speeds(state, context.grid);
  if (!transfers_.check(world, state, dt, report)) {
    transfers_.undo_damping(state);
    return report;
  }
  const ContactResult contact = contacts_.result(world, residual_.data(), dt);
  context.J_after = admm.elastic.z[0];  // of the last pass, which was at these velocities
  transfers_.remember_pinned(world, state);
  transfers_.each_block(state, context, transfers_.kernels.gather);
  transfers_.carry_pinned(world, state, context, dt);
  transfers_.measure(world, state);
  state.collider_force = contact.force;
  state.external_work += fields.work + contact.work;
  state.time += dt;
  ++state.step;
  clock.end("g2p");
  return report;
}

template <class T> AdmmContext<T> ImplicitMpm<T>::bind(const State& state, bool viscous) {
  AdmmContext<T> admm{};
  const std::size_t stride = (state.count + 127) / 64 * 64;  // room to read past the end
  auto branch = [&](Scratch<T>& scratch, AdmmBranch<T>& out) {
    T* const data = scratch.reserve(13 * stride);
    for (std::size_t c = 0; c < 9; ++c) out.z[c] = data + c * stride;
    for (std::size_t c = 0; c < 3; ++c) out.strain[c] = data + (9 + c) * stride;
    out.weight = data + 12 * stride;
  };
  branch(elastic_, admm.elastic);
  if (viscous) branch(viscous_, admm.viscous);
  for (const GroupLaw<T>& group : transfers_.groups)
    if (group.viscosity > 0) admm.damping = damping_.reserve(stride);
  gap_.assign(state.order.runs.size(), 0.0);
  admm.gap = gap_.data();
  admm.dual_ratio = 1;
  admm.relaxation = static_cast<T>(parameters_.over_relaxation);
  admm.weights = parameters_.weights;
  admm.automatic = !parameters_.rho.number;
  return admm;
}

// With the automatic weights the penalty is 1; unit weights cannot hold the scale of the problem, so that rho does: the mean of what it
// would be with the others at rest.
template <class T> double ImplicitMpm<T>::penalty(const State& state) const {
  if (parameters_.rho.number) return *parameters_.rho.number;
  if (parameters_.weights != AdmmWeights::unit) return 1;
  const T* const volume = state.column("volume").template data<T>();
  double sum = 0;
  for (const Run& run : state.order.runs) {
    double V = 0;
    for (std::uint32_t i = run.begin; i < run.end; ++i) V += double(volume[i]);
    sum += V * 2 * transfers_.groups[run.group].shear;
  }
  return sum / double(std::max<std::size_t>(state.count, 1));
}

template <class T> void ImplicitMpm<T>::pass(const State& state, const MpmContext<T>& context, AdmmContext<T>& admm, AdmmPass kind) {
  admm.pass = kind;
  parallel_for(state.order.blocks.size(), 4, [&](std::size_t first, std::size_t last) {
    for (std::size_t block = first; block < last; ++block)
      transfers_.kernels.implicit_block(context, admm, static_cast<std::uint32_t>(block));
  });
}

template <class T> void ImplicitMpm<T>::collect_residual(const MpmContext<T>& context) {
  const std::vector<std::uint32_t>& active = system_.active();
  parallel_for(active.size(), 16, [&](std::size_t first, std::size_t last) {
    for (std::size_t n = first; n < last; ++n) transfers_.kernels.collect_residual(context, start_.data(), active[n], residual_.data());
  });
}

// What the momentum balance itself lacks at the present velocities, on free components: |M^-1/2 r|. `residual_` keeps all of r, and
// `change_` what of it is free.
template <class T> double ImplicitMpm<T>::balance_residual(const State& state, const MpmContext<T>& context, AdmmContext<T>& admm) {
  pass(state, context, admm, AdmmPass::force);
  collect_residual(context);
  T* const free = change_.data();
  system_.each_active([&](std::size_t first, std::size_t) { std::copy_n(residual_.data() + first, block_values, free + first); });
  contacts_.add_friction(free);
  contacts_.project(free);
  return std::sqrt(system_.sum([&](std::size_t first, std::size_t end) {
    double total = 0;
    for (std::size_t at = first; at < end; at += 4) {
      const T mass = start_.data()[at + 3];
      if (mass > T(1e-30)) total += double((free[at] * free[at] + free[at + 1] * free[at + 1] + free[at + 2] * free[at + 2]) / mass);
    }
    return total;
  }));
}

// A contact that begins or ends changes velocities, and with them the residual that was just computed.
template <class T> void ImplicitMpm<T>::update_contacts(const MpmContext<T>& context, T rho) {
  if (contacts_.empty() || !contacts_.update(residual_.data(), context.grid)) return;
  system_.contacts_changed();
  T* const change = change_.data();
  system_.each_active([&](std::size_t first, std::size_t end) { std::fill(change + first, change + end, T(0)); });
  contacts_.impose(context.grid, change);
  system_.correct(rho, change, residual_.data());
}

// The splitting finds where and how the matter flows; what it leaves is slow for it, yet quick for iterations on the balance itself.
template <class T> void ImplicitMpm<T>::solve(const State& state, const MpmContext<T>& context, AdmmContext<T>& admm, StepReport& report) {
  const double mass = total_mass();
  const bool watches = parameters_.convergence || parameters_.tolerance > 0;
  const double initial = watches ? balance_residual(state, context, admm) : 0;
  double last = split(state, context, admm, initial, report);
  if (parameters_.balance_iterations > 0 && !(watches && last <= parameters_.tolerance * initial))
    last = balance(state, context, admm, initial, report);
  else if (!watches) last = balance_residual(state, context, admm);
  report.residual = mass > 0 ? last / std::sqrt(mass) : 0;
}

// The alternating iterations. Returns the residual of the balance if anybody watches it.
template <class T>
double ImplicitMpm<T>::split(const State& state, const MpmContext<T>& context, AdmmContext<T>& admm, double initial, StepReport& report) {
  const bool watches = parameters_.convergence || parameters_.tolerance > 0;
  double last = initial;
  while (report.iterations < parameters_.iterations && !(watches && last <= parameters_.tolerance * initial)) {
    // The first global step comes before any local one: velocities without stresses can be far from what the material allows.
    pass(state, context, admm, report.iterations == 0 ? AdmmPass::predict : AdmmPass::iterate);
    collect_residual(context);
    admm.dual_ratio = 1;
    update_contacts(context, admm.rho);
    contacts_.add_friction(residual_.data());
    const auto solved =
        system_.solve(admm.rho, contacts_, parameters_.cg_iterations, parameters_.cg_tolerance, residual_.data(), change_.data());
    system_.add(change_.data(), context.grid);
    SolveIteration record{.residual = not_asked, .penalty = double(admm.rho), .linear_iterations = solved.iterations};
    const double rho = rebalance(admm, solved, record);
    if (rho != double(admm.rho)) {
      admm.dual_ratio = static_cast<T>(double(admm.rho) / rho);
      admm.rho = static_cast<T>(rho);
    }
    ++report.iterations;
    report.linear_iterations += solved.iterations;
    if (watches) {
      last = balance_residual(state, context, admm);
      record.residual = last / std::max(initial, 1e-300);
    }
    if (parameters_.convergence) report.convergence.push_back(record);
  }
  return last;
}

// v <- v + (M + D^T c D)^-1 r(v) with a c that bounds the stiffness, accelerated. Contacts stay as the splitting left them. Velocities
// whose residual is the least win: iterations that do not make it smaller change nothing.
template <class T>
double ImplicitMpm<T>::balance(const State& state, const MpmContext<T>& context, AdmmContext<T>& admm, double initial, StepReport& report) {
  constexpr double too_much = 4;  // growth of the residual after which a new start from the best is due
  T* const best = best_.reserve(transfers_.grid_blocks.blocks.size() * block_values);
  const auto keep = [&](const T* from, T* to) {
    system_.each_active([&](std::size_t first, std::size_t) { std::copy_n(from + first, block_values, to + first); });
  };
  pass(state, context, admm, AdmmPass::stiffen);
  system_.assemble(transfers_, state, context, admm, start_.data());
  mixing_.begin(system_.active(), start_.data(), transfers_.grid_blocks.blocks.size() * block_values, parameters_.acceleration);
  double least = balance_residual(state, context, admm), last = least;
  keep(context.grid, best);
  for (int k = 0; k < parameters_.balance_iterations && least > parameters_.tolerance * initial; ++k) {
    T* const free = change_.data();
    if (!(last <= too_much * least)) {
      keep(best, context.grid);
      last = balance_residual(state, context, admm);
      mixing_.forget();
    }
    mixing_.mix(context.grid, free);
    keep(free, residual_.data());
    const auto solved =
        system_.solve(T(1), contacts_, parameters_.cg_iterations, parameters_.cg_tolerance, residual_.data(), change_.data());
    system_.add(change_.data(), context.grid);
    last = balance_residual(state, context, admm);
    if (last < least) {
      least = last;
      keep(context.grid, best);
    }
    ++report.iterations;
    report.linear_iterations += solved.iterations;
    if (parameters_.convergence)
      report.convergence.push_back({not_asked, not_asked, last / std::max(initial, 1e-300), 1, solved.iterations});
  }
  if (last != least) {
    keep(best, context.grid);
    least = balance_residual(state, context, admm);  // reactions of the colliders are read from it
  }
  return least;
}

// Residuals in the norm of the penalty: |F - F^tr| of the particles, and the change of F^tr by the grid.
template <class T>
double ImplicitMpm<T>::rebalance(const AdmmContext<T>& admm, const typename GlobalSystem<T>::Result& solved, SolveIteration& record) const {
  double gap = 0;
  for (double part : gap_) gap += part;
  record.primal = std::sqrt(gap);
  record.dual = std::sqrt(std::max(solved.energy - solved.kinetic, 0.0));
  if (!parameters_.residual_balancing) return double(admm.rho);
  const double ratio = std::sqrt(record.primal / std::max(record.dual, 1e-300));
  if (ratio > std::sqrt(2.0)) return double(admm.rho) * std::min(ratio, 4.0);
  if (ratio < 1 / std::sqrt(2.0)) return double(admm.rho) * std::max(ratio, 0.25);
  return double(admm.rho);
}

template <class T> double ImplicitMpm<T>::total_mass() {
  return system_.sum([&](std::size_t first, std::size_t end) {
    double total = 0;
    for (std::size_t at = first; at < end; at += 4) total += double(start_.data()[at + 3]);
    return total;
  });
}

// What nodes can move particles by. A node gives a particle at most its mass over the particle's as a weight: one that is hardly touched may be
// fast, as those at the edge of a stressed body are, without moving anything.
template <class T> void ImplicitMpm<T>::measure_speeds(const State& state, const T* grid) {
  const T inverse = static_cast<T>(double(state.count) / std::max(total_mass(), 1e-300));
  system_.each_active([&](std::size_t first, std::size_t end) {
    T fastest = 0;
    for (std::size_t at = first; at < end; at += 4) {
      const T share = std::min(T(1), grid[at + 3] * inverse);
      const T speed = (grid[at] * grid[at] + grid[at + 1] * grid[at + 1] + grid[at + 2] * grid[at + 2]) * share * share;
      if (!(speed <= fastest)) fastest = speed;  // NaN stays
    }
    transfers_.speed_squared[first / block_values] = fastest;
  });
}

template <class T> SolverEstimate ImplicitMpm<T>::estimate(const World& world, const State& state) {
  SolverEstimate result = transfers_.estimate(world, state);
  result.limits = candidates(world, state);
  while (result.limits.size() > 1 && !std::isfinite(result.limits.back().dt)) result.limits.pop_back();
  result.explicit_dt = make_mpm(transfers_.parameters, world)->stable_dt(world, state).dt;
  bool viscous = false;
  for (const Material& material : world.materials)
    viscous = viscous || material.viscoelasticity || (material.generalized && material.generalized->flows());
  // Nodes with mass are about a cell's worth per 8 particles and a shell around them; a row of the matrix has 125 entries.
  result.memory_bytes += sizeof(T) * (state.count * 13 * (viscous ? 2 : 1) + result.grid_nodes * (5 * 4 + 2 + stencil_entries / 2));
  return result;
}

}  // namespace

std::unique_ptr<Solver> make_admm(const MpmParameters& parameters, const AdmmParameters& admm, const World& world) {
  if (world.precision == Precision::single) return std::make_unique<ImplicitMpm<float>>(parameters, admm, world);
  return std::make_unique<ImplicitMpm<double>>(parameters, admm, world);
}

}  // namespace knead
