#include "solvers/mpm/transfers.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/threads.h"
#include "materials/response.h"

namespace knead {

namespace {

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

// Of the elastic law and of the branch as a step's relaxation leaves it; 0 for fluids.
double shear_modulus(const Material& material, double dt) {
  const double elastic = std::visit(
      [](const auto& law) {
        if constexpr (requires { law.moduli; }) return law.moduli.mu;
        else return 0.0;
      },
      material.elasticity);
  if (!material.viscoelasticity) return elastic;
  return elastic + material.viscoelasticity->keep_deviator(dt) * material.viscoelasticity->moduli.mu;
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

}  // namespace

template <class T>
Transfers<T>::Transfers(const MpmParameters& given, const World& world)
    : parameters(given), lattice(make_lattice(given, world)), kernels(mpm_kernels<T>()) {}

template <class T> void Transfers<T>::prepare(const World& world, State& state) const {
  constexpr ScalarType type = scalar_type_of<T>();
  bool solids = false, fluids = false, branch = false, strain = false, volume = false, flows = false;
  for (const Material& material : world.materials) {
    (is_fluid(material) ? fluids : solids) = true;
    if (material.generalized) {
      const Generalized& law = *material.generalized;
      flows = flows || law.flows() || law.changes;
      if (law.changes) solids = fluids = true;
    }
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
  if (flows) {
    Column& b = state.add("b", type, 6);
    for (int c = 0; c < 3; ++c) std::fill_n(b.data<T>(c), state.count, T(1));
  }
  if (strain) state.add("plastic_strain", type, 1);
  if (volume) state.add("plastic_volume", type, 1);
  state.affine_inertia = 0.25 * parameters.dx * parameters.dx;
  state.collider_force.assign(world.colliders.size(), Vec3d{});
  state.order.valid = false;
}

template <class T> std::vector<double> Transfers<T>::speeds(const World& world, const State& state) const {
  std::vector<double> speed(world.bodies.size(), 0.0);
  if (state.measure.valid) speed = state.measure.speed;
  else {
    const Column &velocity = state.column("velocity"), &group = state.column("group");
    const T *vx = velocity.data<T>(0), *vy = velocity.data<T>(1), *vz = velocity.data<T>(2);
    for (std::size_t i = 0; i < state.count; ++i) {
      double& fastest = speed[world.groups[group.data<std::uint16_t>()[i]].body];
      fastest = std::max(fastest, std::sqrt(double(vx[i]) * vx[i] + double(vy[i]) * vy[i] + double(vz[i]) * vz[i]));
    }
  }
  for (const Emitter& emitter : world.emitters) speed[emitter.body] = std::max(speed[emitter.body], length(emitter.velocity));
  return speed;
}

// Particles into the order of blocks; those that left the domain are deleted, periodic axes wrap.
template <class T> void Transfers<T>::sort(const World& world, State& state) {
  Column& position = state.column("position");
  T* const x[3] = {position.data<T>(0), position.data<T>(1), position.data<T>(2)};
  std::vector<std::uint8_t> discard;
  if (world.domain) {
    discard.resize(state.count);
    parallel_for(state.count, 1 << 14, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i)
        for (int axis = 0; axis < 3; ++axis) {
          const double low = world.domain->minimum[axis], high = world.domain->maximum[axis], value = double(x[axis][i]);
          if (world.domain->periodic[axis]) x[axis][i] = wrapped(x[axis][i], lattice, axis);
          else if (!(value >= low && value < high)) discard[i] = 1;
        }
    });
  }
  std::vector<std::uint32_t> permutation;
  sort_particles<T>({{x[0], x[1], x[2]}, state.column("group").data<std::uint16_t>(), state.count, world.groups.size()}, lattice,
                    discard.empty() ? nullptr : discard.data(), state.order, permutation);
  state.permute(permutation);
}

// What follows from the order of the particles: the grid around them.
template <class T> void Transfers<T>::lay_out(const State& state) {
  const Order& order = state.order;
  first_run.assign(order.blocks.size() + 1, 0);
  for (const Run& run : order.runs) ++first_run[run.block + 1];
  for (std::size_t b = 0; b < order.blocks.size(); ++b) first_run[b + 1] += first_run[b];
  if (laid_out == order.blocks) return;
  grid_blocks = make_block_grid(order, lattice);
  laid_out = order.blocks;
}

// The columns and the world as the kernels see them.
template <class T> MpmContext<T> Transfers<T>::bind(const World& world, State& state, double dt) {
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
  components("b", c.particles.b);
  c.particles.J = scalar("J");
  c.particles.plastic_strain = scalar("plastic_strain");
  c.particles.plastic_volume = scalar("plastic_volume");
  c.particles.volume = scalar("volume");

  groups.clear();
  for (const Group& group : world.groups) {
    const Material& m = world.materials[world.bodies[group.body].material];
    if (m.generalized) {
      groups.push_back({&*m.generalized, nullptr, nullptr, kernels.generalized_stress, kernels.generalized_update,
                        kernels.implicit_generalized, static_cast<T>(m.density), static_cast<T>(m.viscosity),
                        m.generalized->shear_modulus_i + m.generalized->shear_modulus_d, is_fluid(m), m.generalized->flows()});
      continue;
    }
    const std::size_t e = m.elasticity.index(), f = m.plasticity.index();
    groups.push_back({std::visit([](const auto& law) -> const void* { return &law; }, m.elasticity),
                      std::visit([](const auto& law) -> const void* { return &law; }, m.plasticity),
                      m.viscoelasticity ? &*m.viscoelasticity : nullptr, kernels.stress[e][f], kernels.update[e][f], kernels.implicit[e][f],
                      static_cast<T>(m.density), static_cast<T>(m.viscosity), shear_modulus(m, dt), is_fluid(m)});
  }
  measures.assign(state.order.runs.size(), RunMeasure<T>{});
  speed_squared.assign(grid_blocks.blocks.size(), T(0));

  const std::size_t pad_values = state.order.blocks.size() * pad_nodes * 4, grid_values = grid_blocks.blocks.size() * block_nodes * 4;
  const bool flip = parameters.transfer.type == TransferType::flip;
  c.runs = state.order.runs.data();
  c.first_run = first_run.data();
  c.blocks = state.order.blocks.data();
  c.neighbours = grid_blocks.neighbours.data();
  c.pads_of = grid_blocks.pads.data();
  c.groups = groups.data();
  c.measures = measures.data();
  boxes.resize(state.order.blocks.size());
  c.boxes = boxes.data();
  c.pads = pads.reserve(pad_values);
  c.grid = grid.reserve(grid_values);
  c.pads_before = flip ? pads_before.reserve(pad_values) : nullptr;
  c.grid_before = flip ? grid_before.reserve(grid_values) : nullptr;
  const Vec3d gravity = world.gravity.at(state.time);
  for (int axis = 0; axis < 3; ++axis) {
    const bool bounded = world.domain && !world.domain->periodic[axis];
    c.origin[axis] = static_cast<T>(lattice.origin[axis]);
    c.gravity[axis] = static_cast<T>(gravity[axis]);
    c.domain_min[axis] = bounded ? static_cast<T>(world.domain->minimum[axis]) : -std::numeric_limits<T>::infinity();
    c.domain_max[axis] = bounded ? static_cast<T>(world.domain->maximum[axis]) : std::numeric_limits<T>::infinity();
  }
  c.dx = static_cast<T>(parameters.dx);
  c.inverse_dx = static_cast<T>(1 / parameters.dx);
  c.dt = static_cast<T>(dt);
  c.flip_ratio = static_cast<T>(parameters.transfer.flip_ratio);
  c.transfer = parameters.transfer.type;
  return c;
}

// Transfer-based damping: velocities to the grid and back, as often as asked. Each RPIC trip diffuses like a kinematic viscosity of
// dx^2 / 8 dt and keeps linear and angular momentum.
template <class T> void Transfers<T>::damp(State& state, MpmContext<T> context) {
  const int trips = parameters.transfer.rpic_iterations;
  if (trips == 0) return;
  undamped.clear();
  for (const char* name : {"velocity", "C"})
    for (int c = 0; c < state.column(name).components(); ++c) {
      const T* values = state.column(name).template data<T>(c);
      undamped.insert(undamped.end(), values, values + state.count);
    }
  context.round_trip = true;
  context.pads_before = context.grid_before = nullptr;
  for (T& g : context.gravity) g = 0;
  for (int trip = 0; trip < trips; ++trip) {
    each_block(state, context, kernels.scatter);
    collect(context);
    each_block(state, context, kernels.gather);
  }
}

template <class T> void Transfers<T>::undo_damping(State& state) const {
  if (parameters.transfer.rpic_iterations == 0) return;
  const T* from = undamped.data();
  for (const char* name : {"velocity", "C"})
    for (int c = 0; c < state.column(name).components(); ++c, from += state.count)
      std::copy_n(from, state.count, state.column(name).template data<T>(c));
}

template <class T> void Transfers<T>::each_block(const State& state, const MpmContext<T>& context, BlockKernel kernel) const {
  parallel_for(state.order.blocks.size(), 4, [&](std::size_t first, std::size_t last) {
    for (std::size_t block = first; block < last; ++block) kernel(context, static_cast<std::uint32_t>(block));
  });
}

template <class T> void Transfers<T>::collect(const MpmContext<T>& context) {
  parallel_for(grid_blocks.blocks.size(), 16, [&](std::size_t first, std::size_t last) {
    for (std::size_t block = first; block < last; ++block)
      speed_squared[block] = kernels.collect(context, static_cast<std::uint32_t>(block));
  });
}

// A step is refused before it changes any particle: when a grid velocity is not finite or crosses more than a cell.
template <class T> bool Transfers<T>::check(const World& world, const State& state, double dt, StepReport& report) const {
  const double limit = std::pow(parameters.dx / dt, 2);
  for (std::size_t b = 0; b < speed_squared.size(); ++b) {
    const double speed = double(speed_squared[b]);
    if (speed <= limit) continue;
    report.status = StepStatus::diverged;
    report.quantity = std::isfinite(speed) ? "grid velocity crosses more than a cell in a step" : "grid velocity is not finite";
    report.value = std::sqrt(speed);
    for (int axis = 0; axis < 3; ++axis)
      report.position[axis] = lattice.origin[axis] + (block_size * grid_blocks.blocks[b][axis] + 1.5) * parameters.dx;
    for (const std::int32_t source : grid_blocks.pads[b])
      if (source >= 0) report.body = world.groups[state.order.runs[first_run[source]].group].body;
    return false;
  }
  return true;
}

template <class T> void Transfers<T>::remember_pinned(const World& world, const State& state) {
  pinned_positions.clear();
  const Column& position = state.column("position");
  for (const Run& run : state.order.runs)
    if (world.groups[run.group].pin >= 0)
      for (int axis = 0; axis < 3; ++axis)
        pinned_positions.insert(pinned_positions.end(), position.data<T>(axis) + run.begin, position.data<T>(axis) + run.end);
}

// Particles of a pinned group follow their pin exactly; their deformation is the grid's.
template <class T> void Transfers<T>::carry_pinned(const World& world, State& state, const MpmContext<T>& context, double dt) {
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
      const T* old = pinned_positions.data() + from + k;
      const Vec3d x = after.apply(before.invert({double(old[0]), double(old[count]), double(old[2 * count])}));
      const Vec3d v = motion.velocity_at(x, state.time + dt);
      for (int axis = 0; axis < 3; ++axis) {
        context.particles.position[axis][run.begin + k] = motion.moves() ? static_cast<T>(x[axis]) : old[axis * count];
        context.particles.velocity[axis][run.begin + k] = static_cast<T>(v[axis]);
        const double local = (x[axis] - lattice.origin[axis]) / parameters.dx - block_size * state.order.blocks[run.block][axis];
        measures[r].leaves = measures[r].leaves || !(local >= -0.5 && local < 5.5);
      }
    }
  }
}

// What the next choice of dt needs, per body, and whether the order still holds.
template <class T> void Transfers<T>::measure(const World& world, State& state) const {
  StepMeasure& m = state.measure;
  m.valid = true;
  m.wave_speed.assign(world.bodies.size(), 0.0);
  m.speed.assign(world.bodies.size(), 0.0);
  for (std::size_t r = 0; r < measures.size(); ++r) {
    const int body = world.groups[state.order.runs[r].group].body;
    const double density = world.materials[world.bodies[body].material].density;
    m.wave_speed[body] = std::max(m.wave_speed[body], std::sqrt(double(measures[r].wave_modulus) / density));
    m.speed[body] = std::max(m.speed[body], std::sqrt(double(measures[r].speed_squared)));
    if (measures[r].leaves) state.order.valid = false;
  }
}

template <class T> SolverEstimate Transfers<T>::estimate(const World& world, const State& state) const {
  SolverEstimate result;
  result.particles = state.count;
  Order order;
  std::vector<std::uint32_t> permutation;
  const Column& position = state.column("position");
  sort_particles<T>({{position.data<T>(0), position.data<T>(1), position.data<T>(2)},
                     state.column("group").data<std::uint16_t>(),
                     state.count,
                     world.groups.size()},
                    lattice, nullptr, order, permutation);
  const BlockGrid around = make_block_grid(order, lattice);
  result.grid_nodes = around.blocks.size() * block_nodes;
  const std::size_t flip = parameters.transfer.type == TransferType::flip ? 2 : 1;
  std::size_t per_particle = 24;  // sorting
  for (const Column& column : state.columns) per_particle += column.components() * size_of(column.type());
  result.memory_bytes = state.count * per_particle + flip * 4 * sizeof(T) * (order.blocks.size() * pad_nodes + result.grid_nodes) +
                        27 * sizeof(std::int32_t) * (around.blocks.size() + order.blocks.size());
  return result;
}

template struct Transfers<float>;
template struct Transfers<double>;

}  // namespace knead
