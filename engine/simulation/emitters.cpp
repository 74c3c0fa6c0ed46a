#include "simulation/emitters.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.h"
#include "base/random.h"

namespace knead {

namespace {

constexpr int block_size = 4;  // lattice points along an edge of the blocks that are skipped as a whole
constexpr double most_lattice_points = 1e9;
constexpr double most_parts = 1000;  // of a step
constexpr int most_tries = 100000;   // of finding a random point inside the shape

int free_group(const World& world, const Emitter& emitter) {
  for (std::size_t group = 0; group < world.groups.size(); ++group)
    if (world.groups[group].body == emitter.body && world.groups[group].pin < 0) return static_cast<int>(group);
  throw InputError("The emitter \"" + emitter.name + "\" has no group of free particles to emit into.");
}

// The fill: a lattice of points that rides with the emitter's velocity through the resting shape. A point is emitted when it
// is inside now and was outside before; both are the same function of (index, time), so nothing is emitted twice or missed.
class FillLattice {
 public:
  explicit FillLattice(const Emitter& emitter) : emitter_(emitter), bounds_(emitter.shape->bounds()) {
    const Vec3d size = bounds_.maximum - bounds_.minimum;
    const double points = size.x * size.y * size.z / (emitter.spacing * emitter.spacing * emitter.spacing);
    if (!(points < most_lattice_points))
      throw InputError("The emitter \"" + emitter.name + "\" is too large for its particle spacing, or has no bounds.");
  }

  // Where the points that entered the shape in (before, now] are now; all that are inside when it starts (before < start).
  // A long step is looked at in parts, so that no layer of points crosses a thin shape unseen.
  std::vector<Vec3d> entered(double before, double now) const {
    std::vector<Vec3d> points;
    const bool first = before < emitter_.start;
    const double travel = first ? 0 : length(emitter_.velocity) * (now - before);
    const int parts = static_cast<int>(std::clamp(std::ceil(travel / (0.5 * emitter_.spacing)), 1.0, most_parts));
    double from = before;
    for (int part = 1; part <= parts; ++part) {
      const double to = part < parts ? before + (now - before) * part / parts : now;
      scan({from, to, now, travel / parts, first}, points);
      from = to;
    }
    return points;
  }

 private:
  Vec3d position(double i, double j, double k, double time) const {
    return bounds_.minimum + Vec3d{i + 0.5, j + 0.5, k + 0.5} * emitter_.spacing + emitter_.velocity * (time - emitter_.start);
  }
  int lattice_block(double coordinate, int axis) const {
    const double index = std::floor((coordinate - bounds_.minimum[axis]) / emitter_.spacing - 0.5);
    return static_cast<int>(std::floor(index / block_size));
  }
  struct Interval {
    double from, to;  // points enter in between [s]
    double now;       // their positions are those of this time [s]
    double travel;    // way of the lattice from `from` to `to` [m]
    bool first;       // there is no `from`
  };
  void scan(const Interval& interval, std::vector<Vec3d>& points) const {
    const Vec3d shift = emitter_.velocity * (interval.to - emitter_.start);
    int low[3], high[3];
    for (int axis = 0; axis < 3; ++axis) {
      low[axis] = lattice_block(bounds_.minimum[axis] - shift[axis], axis);
      high[axis] = lattice_block(bounds_.maximum[axis] - shift[axis], axis);
    }
    for (int bz = low[2]; bz <= high[2]; ++bz)
      for (int by = low[1]; by <= high[1]; ++by)
        for (int bx = low[0]; bx <= high[0]; ++bx)
          if (!skips(bx, by, bz, interval)) collect(bx, by, bz, interval, points);
  }
  // Distances are 1-Lipschitz, so one of them decides for a block that is deep inside (now and before) or well outside.
  bool skips(int bx, int by, int bz, const Interval& interval) const {
    const double middle = 0.5 * (block_size - 1), radius = std::sqrt(3.0) * (middle + 1e-6) * emitter_.spacing;
    const Vec3d center = position(bx * block_size + middle, by * block_size + middle, bz * block_size + middle, interval.to);
    const double distance = emitter_.shape->distance(center);
    return distance > radius || (!interval.first && distance < -(radius + interval.travel));
  }
  void collect(int bx, int by, int bz, const Interval& interval, std::vector<Vec3d>& points) const {
    auto inside = [&](int i, int j, int k, double time) { return emitter_.shape->distance(position(i, j, k, time)) < 0; };
    for (int k = bz * block_size; k < (bz + 1) * block_size; ++k)
      for (int j = by * block_size; j < (by + 1) * block_size; ++j)
        for (int i = bx * block_size; i < (bx + 1) * block_size; ++i)
          if (inside(i, j, k, interval.to) && (interval.first || !inside(i, j, k, interval.from)))
            points.push_back(position(i, j, k, interval.now));
  }

  const Emitter& emitter_;
  Bounds3 bounds_;
};

// A point inside the shape, uniform, the same for the same (seed, emitter, particle).
Vec3d random_point(const Emitter& emitter, std::uint64_t seed, std::uint64_t stream, std::uint64_t particle) {
  const Bounds3 bounds = emitter.shape->bounds();
  const Vec3d size = bounds.maximum - bounds.minimum;
  for (std::uint64_t attempt = 0; attempt < most_tries; ++attempt) {
    const std::uint64_t index = mix_bits(particle) + 3 * attempt;
    const Vec3d u{random_uniform(seed, stream, index), random_uniform(seed, stream, index + 1), random_uniform(seed, stream, index + 2)};
    const Vec3d x = bounds.minimum + u * size;
    if (emitter.shape->distance(x) < 0) return x;
  }
  throw InputError("The emitter \"" + emitter.name + "\" has no room inside its shape.");
}

// Integral of the rate [m^3], by the trapezoidal rule: exact for linear keys between steps.
double volume_due(const Animated<double>& rate, double from, double to) {
  return std::max(0.0, 0.5 * (rate.at(from) + rate.at(to)) * (to - from));
}

std::vector<Vec3d> due_points(const Emitter& emitter, EmitterState& emitter_state, std::uint64_t seed, std::uint64_t index, double now) {
  const std::uint64_t room = emitter.max_particles - std::min(emitter.max_particles, emitter_state.emitted);
  std::vector<Vec3d> points;
  if (room == 0) return points;
  if (!emitter.rate) {
    points = FillLattice(emitter).entered(emitter_state.last_time, now);
    if (points.size() > room) points.resize(room);
    return points;
  }
  const double particle_volume = emitter.spacing * emitter.spacing * emitter.spacing;
  emitter_state.carry += volume_due(*emitter.rate, std::max(emitter_state.last_time, emitter.start), now);
  // The tolerance keeps a sum of many small parts from missing its particle by rounding.
  while (emitter_state.carry >= particle_volume * (1 - 1e-9) && points.size() < room) {
    points.push_back(random_point(emitter, seed, 0x656d6974ull + index, emitter_state.emitted + points.size()));
    emitter_state.carry -= particle_volume;
  }
  return points;
}

// Brings one emitter up to `time`, and returns where its new particles are.
std::vector<Vec3d> advance_emitter(const World& world, std::size_t index, EmitterState& emitter_state, double time) {
  const Emitter& emitter = world.emitters[index];
  const double now = std::min(time, emitter.end);
  const bool started = emitter_state.last_time >= emitter.start;
  if (now < emitter.start || (started && now <= emitter_state.last_time)) return {};
  std::vector<Vec3d> points = due_points(emitter, emitter_state, world.seed, index, now);
  emitter_state.emitted += points.size();
  emitter_state.last_time = now;
  return points;
}

void set_identity(State& state, std::size_t first) {
  for (const char* name : {"F", "F_N"})
    if (Column* F = state.find(name))
      for (int component : {0, 4, 8})
        for (std::size_t i = first; i < state.count; ++i) F->set_value(component, i, 1);
  if (Column* b = state.find("b"))
    for (int component : {0, 1, 2})
      for (std::size_t i = first; i < state.count; ++i) b->set_value(component, i, 1);
  if (Column* J = state.find("J"))
    for (std::size_t i = first; i < state.count; ++i) J->set_value(0, i, 1);
}

void append(const World& world, State& state, const Emitter& emitter, const std::vector<Vec3d>& points) {
  const std::size_t first = state.count;
  state.resize(first + points.size());
  Column &position = state.column("position"), &velocity = state.column("velocity"), &volume = state.column("volume");
  Column &id = state.column("id"), &group = state.column("group");
  const int target = free_group(world, emitter);
  const double particle_volume = emitter.spacing * emitter.spacing * emitter.spacing;
  const double mass =
      world.materials[static_cast<std::size_t>(world.bodies[static_cast<std::size_t>(emitter.body)].material)].density * particle_volume;
  const Vec3d gravity = world.gravity.at(state.time);
  for (std::size_t n = 0; n < points.size(); ++n) {
    const std::size_t i = first + n;
    for (int axis = 0; axis < 3; ++axis) {
      position.set_value(axis, i, points[n][axis]);
      velocity.set_value(axis, i, emitter.velocity[axis]);
    }
    volume.set_value(0, i, particle_volume);
    id.set_value(0, i, state.next_id++);
    group.set_value(0, i, target);
    state.external_work += mass * (0.5 * length_squared(emitter.velocity) - dot(gravity, points[n]));
  }
  set_identity(state, first);
}

}  // namespace

void check_emitters(const World& world) {
  for (const Emitter& emitter : world.emitters) {
    free_group(world, emitter);
    if (!(emitter.spacing > 0)) throw InputError("The emitter \"" + emitter.name + "\" needs a particle spacing above 0.");
    if (!(emitter.start >= 0)) throw InputError("The emitter \"" + emitter.name + "\" cannot start before time 0.");
    const FillLattice bounded(emitter);
    if (emitter.rate) random_point(emitter, world.seed, 0, 0);
  }
}

std::size_t advance_emitters(const World& world, State& state) {
  state.emitters.resize(world.emitters.size());
  std::size_t added = 0;
  for (std::size_t index = 0; index < world.emitters.size(); ++index) {
    const std::vector<Vec3d> points = advance_emitter(world, index, state.emitters[index], state.time);
    if (!points.empty()) append(world, state, world.emitters[index], points);
    added += points.size();
  }
  if (added > 0) {
    state.order.valid = false;
    state.measure.valid = false;  // the newcomers may be the fastest
  }
  return added;
}

std::vector<std::size_t> count_emissions(const World& world, double end, double interval) {
  std::vector<std::size_t> counts;
  for (std::size_t index = 0; index < world.emitters.size(); ++index) {
    EmitterState emitter_state;
    for (double time = 0; time < end; time += interval) advance_emitter(world, index, emitter_state, time);
    advance_emitter(world, index, emitter_state, end);
    counts.push_back(emitter_state.emitted);
  }
  return counts;
}

}  // namespace knead
