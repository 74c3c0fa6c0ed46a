#include "solvers/mpm/mpm.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <type_traits>

#include "base/threads.h"
#include "materials/response.h"
#include "solvers/mpm/grid_contact.h"
#include "spatial/block_grid.h"

namespace knead {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Lattice make_lattice(const MpmParameters& parameters, const World& world) {
  Lattice lattice;
  lattice.dx = parameters.dx;
  if (world.domain)
    for (int axis = 0; axis < 3; ++axis)
      if (world.domain->periodic[axis]) {
        const double length = world.domain->maximum[axis] - world.domain->minimum[axis];
        lattice.origin[axis] = world.domain->minimum[axis];
        lattice.period[axis] = static_cast<std::int32_t>(std::lround(length / (block_size * parameters.dx)));
      }
  return lattice;
}

// The image of a coordinate whose stencil begins at one of the nodes of the period. Rounding can carry the image over either end, where
// it would belong to a block a period away: the next number inside is taken then.
template <class T> T wrapped(T x, const Lattice& lattice, int axis) {
  const double nodes = block_size * lattice.period[axis], inverse_dx = 1 / lattice.dx;
  const auto first_node = [&](T at) { return std::floor(stencil_place(double(at), lattice, axis, inverse_dx)); };
  const double turns = std::floor(first_node(x) / nodes);
  if (turns == 0) return x;
  x = static_cast<T>(double(x) - turns * nodes * lattice.dx);
  constexpr T far = std::numeric_limits<T>::max();
  for (int ulps = 0; ulps < 8 && first_node(x) < 0; ++ulps) x = std::nextafter(x, far);
  for (int ulps = 0; ulps < 8 && first_node(x) >= nodes; ++ulps) x = std::nextafter(x, -far);
  return x;
}

// Milliseconds of each phase; the clock is only reported, never used for a decision.
class PhaseClock {
 public:
  explicit PhaseClock(StepReport& report) : report_(report) {}
  void end(const char* name) {
    const auto now = std::chrono::steady_clock::now();
    report_.phases.push_back({name, std::chrono::duration<double, std::milli>(now - last_).count()});
    last_ = now;
  }

 private:
  StepReport& report_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// Scratch memory that only grows, zero at first: what no step has written must still be a number.
template <class T> class Scratch {
 public:
  T* reserve(std::size_t count) {
    if (count > size_) {
      data_.reset();  // first, so that both never exist at once
      data_.reset(new (std::align_val_t(64)) T[count]{});
      size_ = count;
    }
    return data_.get();
  }

 private:
  struct Free {
    void operator()(T* p) const { ::operator delete[](p, std::align_val_t(64)); }
  };
  std::unique_ptr<T[], Free> data_;
  std::size_t size_ = 0;
};

template <class T> class ExplicitMpm final : public Solver {
 public:
  ExplicitMpm(const MpmParameters& parameters, const World& world)
      : parameters_(parameters), lattice_(make_lattice(parameters, world)), kernels_(mpm_kernels<T>()) {}

  void prepare(const World& world, State& state) override;
  StepLimit stable_dt(const World& world, const State& state) override { return candidates(world, state).front(); }
  StepReport step(const World& world, State& state, double dt) override;
  SolverEstimate estimate(const World& world, const State& state) override;

 private:
  std::vector<StepLimit> candidates(const World& world, const State& state) const;
  void sort(const World& world, State& state);
  void lay_out(const State& state);
  MpmContext<T> bind(const World& world, State& state, double dt);
  void damp(State& state, MpmContext<T> context);
  void undo_damping(State& state) const;
  using BlockKernel = void (*)(const MpmContext<T>&, std::uint32_t);
  void each_block(const State& state, const MpmContext<T>& context, BlockKernel kernel) const;
  void collect(const MpmContext<T>& context);
  bool check(const World& world, const State& state, double dt, StepReport& report) const;
  void remember_pinned(const World& world, const State& state);
  void carry_pinned(const World& world, State& state, const MpmContext<T>& context, double dt);
  void measure(const World& world, State& state) const;

  MpmParameters parameters_;
  Lattice lattice_;
  const MpmKernels<T>& kernels_;

  // Derived from State::order; rebuilt whenever that changes.
  std::vector<BlockCoordinates> laid_out_;
  BlockGrid grid_blocks_;
  std::vector<std::uint32_t> first_run_;

  // Scratch of one step.
  Scratch<T> pads_, pads_before_, grid_, grid_before_;
  std::vector<GroupLaw<T>> groups_;
  std::vector<RunMeasure<T>> measures_;
  std::vector<PadBox> boxes_;
  std::vector<T> speed_squared_;     // per grid block
  std::vector<T> pinned_positions_;  // before the step, of all pinned runs
  std::vector<T> undamped_;          // velocity and C before the damping of this step
};

template <class T> void ExplicitMpm<T>::prepare(const World& world, State& state) {
  constexpr ScalarType type = scalar_type_of<T>();
  bool solids = false, fluids = false, branch = false, strain = false, volume = false;
  for (const Material& material : world.materials) {
    (is_fluid(material) ? fluids : solids) = true;
    branch = branch || material.viscoelasticity;
    strain = strain || uses_plastic_strain(material);
    volume = volume || uses_plastic_volume(material);
  }
  state.add("C", type, 9);
  if (solids) {
    Column& F = state.add("F", type, 9);
    for (int c = 0; c < 9; c += 4) std::fill_n(F.data<T>(c), state.count, T(1));
  }
  if (fluids) std::fill_n(state.add("J", type, 1).data<T>(), state.count, T(1));
  if (branch) {
    Column& F_N = state.add("F_N", type, 9);
    for (int c = 0; c < 9; c += 4) std::fill_n(F_N.data<T>(c), state.count, T(1));
  }
  if (strain) state.add("plastic_strain", type, 1);
  if (volume) state.add("plastic_volume", type, 1);
  state.affine_inertia = 0.25 * parameters_.dx * parameters_.dx;
  state.collider_force.assign(world.colliders.size(), Vec3d{});
  state.order.valid = false;
}

// Every rule for every body, the smallest step first (methods 0.7).
template <class T> std::vector<StepLimit> ExplicitMpm<T>::candidates(const World& world, const State& state) const {
  std::vector<double> speed(world.bodies.size(), 0.0), wave(world.bodies.size(), 0.0);
  for (std::size_t body = 0; body < world.bodies.size(); ++body) {
    const Material& material = world.materials[world.bodies[body].material];
    wave[body] = std::sqrt(rest_wave_modulus(material) / material.density);
    if (state.measure.valid) {
      wave[body] = std::max(wave[body], state.measure.wave_speed[body]);
      speed[body] = state.measure.speed[body];
    }
  }
  if (!state.measure.valid) {
    const Column &velocity = state.column("velocity"), &group = state.column("group");
    const T *vx = velocity.data<T>(0), *vy = velocity.data<T>(1), *vz = velocity.data<T>(2);
    for (std::size_t i = 0; i < state.count; ++i) {
      double& fastest = speed[world.groups[group.data<std::uint16_t>()[i]].body];
      fastest = std::max(fastest, std::sqrt(double(vx[i]) * vx[i] + double(vy[i]) * vy[i] + double(vz[i]) * vz[i]));
    }
  }
  for (const Emitter& emitter : world.emitters) speed[emitter.body] = std::max(speed[emitter.body], length(emitter.velocity));

  std::vector<StepLimit> limits{{infinity, "frame", -1}};
  for (std::size_t body = 0; body < world.bodies.size(); ++body) {
    const Material& material = world.materials[world.bodies[body].material];
    const double total = wave[body] + speed[body];
    if (total > 0) limits.push_back({parameters_.cfl * parameters_.dx / total, wave[body] >= speed[body] ? "wave" : "particle", int(body)});
    // 3D explicit diffusion: nu dt / dx^2 <= 1/6
    if (material.viscosity > 0)
      limits.push_back({material.density * parameters_.dx * parameters_.dx / (6 * material.viscosity), "viscosity", int(body)});
  }
  std::stable_sort(limits.begin(), limits.end(), [](const StepLimit& a, const StepLimit& b) { return a.dt < b.dt; });
  return limits;
}

template <class T> StepReport ExplicitMpm<T>::step(const World& world, State& state, double dt) {
  StepReport report;
  PhaseClock clock(report);
  if (!state.order.valid) sort(world, state);
  lay_out(state);
  report.grid_blocks = grid_blocks_.blocks.size();
  const MpmContext<T> context = bind(world, state, dt);
  clock.end("sort");

  damp(state, context);
  if (parameters_.transfer.rpic_iterations > 0) clock.end("damping");
  each_block(state, context, kernels_.scatter);
  clock.end("p2g");

  collect(context);
  const ContactResult contact =
      apply_fields_and_contact(world, grid_blocks_, lattice_, state.time + 0.5 * dt, dt, context.grid, speed_squared_);
  clock.end("grid");
  if (!check(world, state, dt, report)) {
    undo_damping(state);
    return report;
  }

  remember_pinned(world, state);
  each_block(state, context, kernels_.gather);
  carry_pinned(world, state, context, dt);
  measure(world, state);
  state.collider_force = contact.force;
  state.external_work += contact.work;
  state.time += dt;
  ++state.step;
  clock.end("g2p");
  return report;
}

// Particles into the order of blocks; those that left the domain are deleted, periodic axes wrap.
template <class T> void ExplicitMpm<T>::sort(const World& world, State& state) {
  Column& position = state.column("position");
  T* const x[3] = {position.data<T>(0), position.data<T>(1), position.data<T>(2)};
  std::vector<std::uint8_t> discard;
  if (world.domain) {
    discard.resize(state.count);
    parallel_for(state.count, 1 << 14, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i)
        for (int axis = 0; axis < 3; ++axis) {
          const double low = world.domain->minimum[axis], high = world.domain->maximum[axis], value = double(x[axis][i]);
          if (world.domain->periodic[axis]) x[axis][i] = wrapped(x[axis][i], lattice_, axis);
          else if (!(value >= low && value < high)) discard[i] = 1;
        }
    });
  }
  std::vector<std::uint32_t> permutation;
  sort_particles<T>({{x[0], x[1], x[2]}, state.column("group").data<std::uint16_t>(), state.count, world.groups.size()}, lattice_,
                    discard.empty() ? nullptr : discard.data(), state.order, permutation);
  state.permute(permutation);
}

// What follows from the order of the particles: the grid around them.
template <class T> void ExplicitMpm<T>::lay_out(const State& state) {
  const Order& order = state.order;
  first_run_.assign(order.blocks.size() + 1, 0);
  for (const Run& run : order.runs) ++first_run_[run.block + 1];
  for (std::size_t b = 0; b < order.blocks.size(); ++b) first_run_[b + 1] += first_run_[b];
  if (laid_out_ == order.blocks) return;
  grid_blocks_ = make_block_grid(order, lattice_);
  laid_out_ = order.blocks;
}

// The columns and the world as the kernels see them.
template <class T> MpmContext<T> ExplicitMpm<T>::bind(const World& world, State& state, double dt) {
  MpmContext<T> c{};
  auto components = [&](const char* name, auto& out) {
    if (Column* column = state.find(name))
      for (int k = 0; k < column->components(); ++k) out[k] = column->template data<T>(k);
  };
  auto scalar = [&](const char* name) { return state.find(name) ? state.find(name)->template data<T>() : nullptr; };
  components("position", c.particles.position);
  components("velocity", c.particles.velocity);
  components("C", c.particles.C);
  components("F", c.particles.F);
  components("F_N", c.particles.F_N);
  c.particles.J = scalar("J");
  c.particles.plastic_strain = scalar("plastic_strain");
  c.particles.plastic_volume = scalar("plastic_volume");
  c.particles.volume = scalar("volume");

  groups_.clear();
  for (const Group& group : world.groups) {
    const Material& m = world.materials[world.bodies[group.body].material];
    const std::size_t e = m.elasticity.index(), f = m.plasticity.index();
    groups_.push_back({std::visit([](const auto& law) -> const void* { return &law; }, m.elasticity),
                       std::visit([](const auto& law) -> const void* { return &law; }, m.plasticity),
                       m.viscoelasticity ? &*m.viscoelasticity : nullptr, kernels_.stress[e][f], kernels_.update[e][f],
                       static_cast<T>(m.density), static_cast<T>(m.viscosity)});
  }
  measures_.assign(state.order.runs.size(), RunMeasure<T>{});
  speed_squared_.assign(grid_blocks_.blocks.size(), T(0));

  const std::size_t pad_values = state.order.blocks.size() * pad_nodes * 4, grid_values = grid_blocks_.blocks.size() * block_nodes * 4;
  const bool flip = parameters_.transfer.type == TransferType::flip;
  c.runs = state.order.runs.data();
  c.first_run = first_run_.data();
  c.blocks = state.order.blocks.data();
  c.neighbours = grid_blocks_.neighbours.data();
  c.pads_of = grid_blocks_.pads.data();
  c.groups = groups_.data();
  c.measures = measures_.data();
  boxes_.resize(state.order.blocks.size());
  c.boxes = boxes_.data();
  c.pads = pads_.reserve(pad_values);
  c.grid = grid_.reserve(grid_values);
  c.pads_before = flip ? pads_before_.reserve(pad_values) : nullptr;
  c.grid_before = flip ? grid_before_.reserve(grid_values) : nullptr;
  const Vec3d gravity = world.gravity.at(state.time);
  for (int axis = 0; axis < 3; ++axis) {
    const bool bounded = world.domain && !world.domain->periodic[axis];
    c.origin[axis] = static_cast<T>(lattice_.origin[axis]);
    c.gravity[axis] = static_cast<T>(gravity[axis]);
    c.domain_min[axis] = bounded ? static_cast<T>(world.domain->minimum[axis]) : -std::numeric_limits<T>::infinity();
    c.domain_max[axis] = bounded ? static_cast<T>(world.domain->maximum[axis]) : std::numeric_limits<T>::infinity();
  }
  c.dx = static_cast<T>(parameters_.dx);
  c.inverse_dx = static_cast<T>(1 / parameters_.dx);
  c.dt = static_cast<T>(dt);
  c.flip_ratio = static_cast<T>(parameters_.transfer.flip_ratio);
  c.transfer = parameters_.transfer.type;
  return c;
}

// Transfer-based damping: velocities to the grid and back, as often as asked. Each RPIC trip diffuses like a kinematic viscosity of
// dx^2 / 8 dt and keeps linear and angular momentum.
template <class T> void ExplicitMpm<T>::damp(State& state, MpmContext<T> context) {
  const int trips = parameters_.transfer.rpic_iterations;
  if (trips == 0) return;
  undamped_.clear();
  for (const char* name : {"velocity", "C"})
    for (int c = 0; c < state.column(name).components(); ++c) {
      const T* values = state.column(name).template data<T>(c);
      undamped_.insert(undamped_.end(), values, values + state.count);
    }
  context.round_trip = true;
  context.pads_before = context.grid_before = nullptr;
  for (T& g : context.gravity) g = 0;
  for (int trip = 0; trip < trips; ++trip) {
    each_block(state, context, kernels_.scatter);
    collect(context);
    each_block(state, context, kernels_.gather);
  }
}

template <class T> void ExplicitMpm<T>::undo_damping(State& state) const {
  if (parameters_.transfer.rpic_iterations == 0) return;
  const T* from = undamped_.data();
  for (const char* name : {"velocity", "C"})
    for (int c = 0; c < state.column(name).components(); ++c, from += state.count)
      std::copy_n(from, state.count, state.column(name).template data<T>(c));
}

template <class T> void ExplicitMpm<T>::each_block(const State& state, const MpmContext<T>& context, BlockKernel kernel) const {
  parallel_for(state.order.blocks.size(), 4, [&](std::size_t first, std::size_t last) {
    for (std::size_t block = first; block < last; ++block) kernel(context, static_cast<std::uint32_t>(block));
  });
}

template <class T> void ExplicitMpm<T>::collect(const MpmContext<T>& context) {
  parallel_for(grid_blocks_.blocks.size(), 16, [&](std::size_t first, std::size_t last) {
    for (std::size_t block = first; block < last; ++block)
      speed_squared_[block] = kernels_.collect(context, static_cast<std::uint32_t>(block));
  });
}

// A step is refused before it changes any particle: when a grid velocity is not finite or crosses more than a cell.
template <class T> bool ExplicitMpm<T>::check(const World& world, const State& state, double dt, StepReport& report) const {
  const double limit = std::pow(parameters_.dx / dt, 2);
  for (std::size_t b = 0; b < speed_squared_.size(); ++b) {
    const double speed = double(speed_squared_[b]);
    if (speed <= limit) continue;
    report.status = StepStatus::diverged;
    report.quantity = std::isfinite(speed) ? "grid velocity crosses more than a cell in a step" : "grid velocity is not finite";
    report.value = std::sqrt(speed);
    for (int axis = 0; axis < 3; ++axis)
      report.position[axis] = lattice_.origin[axis] + (block_size * grid_blocks_.blocks[b][axis] + 1.5) * parameters_.dx;
    for (const std::int32_t source : grid_blocks_.pads[b])
      if (source >= 0) report.body = world.groups[state.order.runs[first_run_[source]].group].body;
    return false;
  }
  return true;
}

template <class T> void ExplicitMpm<T>::remember_pinned(const World& world, const State& state) {
  pinned_positions_.clear();
  const Column& position = state.column("position");
  for (const Run& run : state.order.runs)
    if (world.groups[run.group].pin >= 0)
      for (int axis = 0; axis < 3; ++axis)
        pinned_positions_.insert(pinned_positions_.end(), position.data<T>(axis) + run.begin, position.data<T>(axis) + run.end);
}

// Particles of a pinned group follow their pin exactly; their deformation is the grid's.
template <class T> void ExplicitMpm<T>::carry_pinned(const World& world, State& state, const MpmContext<T>& context, double dt) {
  std::size_t at = 0;
  for (std::size_t r = 0; r < state.order.runs.size(); ++r) {
    const Run& run = state.order.runs[r];
    if (world.groups[run.group].pin < 0) continue;
    const Motion& motion = world.colliders[world.groups[run.group].pin].motion;
    const std::size_t count = run.end - run.begin, from = at;
    at += 3 * count;
    if (!motion.active(state.time + dt)) continue;
    const Pose before = motion.pose(state.time), after = motion.pose(state.time + dt);
    for (std::size_t k = 0; k < count; ++k) {
      const T* old = pinned_positions_.data() + from + k;
      const Vec3d x = after.apply(before.invert({double(old[0]), double(old[count]), double(old[2 * count])}));
      const Vec3d v = motion.velocity_at(x, state.time + dt);
      for (int axis = 0; axis < 3; ++axis) {
        context.particles.position[axis][run.begin + k] = motion.moves() ? static_cast<T>(x[axis]) : old[axis * count];
        context.particles.velocity[axis][run.begin + k] = static_cast<T>(v[axis]);
        const double local = (x[axis] - lattice_.origin[axis]) / parameters_.dx - block_size * state.order.blocks[run.block][axis];
        measures_[r].leaves = measures_[r].leaves || !(local >= -0.5 && local < 5.5);
      }
    }
  }
}

// What the next choice of dt needs, per body, and whether the order still holds.
template <class T> void ExplicitMpm<T>::measure(const World& world, State& state) const {
  StepMeasure& m = state.measure;
  m.valid = true;
  m.wave_speed.assign(world.bodies.size(), 0.0);
  m.speed.assign(world.bodies.size(), 0.0);
  for (std::size_t r = 0; r < measures_.size(); ++r) {
    const int body = world.groups[state.order.runs[r].group].body;
    const double density = world.materials[world.bodies[body].material].density;
    m.wave_speed[body] = std::max(m.wave_speed[body], std::sqrt(double(measures_[r].wave_modulus) / density));
    m.speed[body] = std::max(m.speed[body], std::sqrt(double(measures_[r].speed_squared)));
    if (measures_[r].leaves) state.order.valid = false;
  }
}

template <class T> SolverEstimate ExplicitMpm<T>::estimate(const World& world, const State& state) {
  SolverEstimate result;
  result.particles = state.count;
  result.limits = candidates(world, state);
  while (result.limits.size() > 1 && !std::isfinite(result.limits.back().dt)) result.limits.pop_back();
  Order order;
  std::vector<std::uint32_t> permutation;
  const Column& position = state.column("position");
  sort_particles<T>({{position.data<T>(0), position.data<T>(1), position.data<T>(2)},
                     state.column("group").data<std::uint16_t>(),
                     state.count,
                     world.groups.size()},
                    lattice_, nullptr, order, permutation);
  const BlockGrid grid = make_block_grid(order, lattice_);
  result.grid_nodes = grid.blocks.size() * block_nodes;
  const std::size_t flip = parameters_.transfer.type == TransferType::flip ? 2 : 1;
  std::size_t per_particle = 24;  // sorting
  for (const Column& column : state.columns) per_particle += column.components() * size_of(column.type());
  result.memory_bytes = state.count * per_particle + flip * 4 * sizeof(T) * (order.blocks.size() * pad_nodes + result.grid_nodes) +
                        27 * sizeof(std::int32_t) * (grid.blocks.size() + order.blocks.size());
  return result;
}

}  // namespace

std::unique_ptr<Solver> make_mpm(const MpmParameters& parameters, const World& world) {
  if (world.precision == Precision::single) return std::make_unique<ExplicitMpm<float>>(parameters, world);
  return std::make_unique<ExplicitMpm<double>>(parameters, world);
}

}  // namespace knead
