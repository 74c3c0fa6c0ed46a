#include "scene/bodies.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/threads.h"
#include "geometry/sampling.h"
#include "geometry/thin.h"
#include "scene/build.h"
#include "scene/names.h"
#include "scene/source.h"

namespace knead {
namespace {

constexpr std::size_t grain = 4096;  // particles per parallel piece
constexpr double most_points = 4e9;  // lattice points that a body may ask for; ids have 32 bits

struct Particles {
  std::vector<Vec3d> positions;
  double volume = 0;  // of each [m^3]
};

std::string size_text(const Bounds3& bounds) {
  const Vec3d size = bounds.maximum - bounds.minimum;
  return rounded_text(size.x) + " x " + rounded_text(size.y) + " x " + rounded_text(size.z) + " m";
}

Particles sample_body(const SceneSpec& spec, const BodySpec& body, std::size_t index, const Path& path) {
  const double spacing = particle_spacing(spec, body.sampling);
  if (std::holds_alternative<PointsFile>(body.shape.kind))
    return {at_place(spec, path, [&] { return load_points(body.shape, spec.folder); }), spacing * spacing * spacing};
  if (is_thin(body.shape)) return {at_place(spec, path, [&] { return sample_thin(body.shape, spacing); }), spacing * spacing * spacing};
  const ShapePointer shape = at_place(spec, path, [&] { return make_shape(body.shape, spec.folder, grid_spacing(spec)); });
  const Bounds3 bounds = shape->bounds();
  const Vec3d size = bounds.maximum - bounds.minimum;
  const double points = size.x / spacing * (size.y / spacing) * (size.z / spacing);
  if (!std::isfinite(points)) throw spec.source->error(path, "the shape has no end and cannot be filled; cut it with a bounded one");
  if (points > most_points)
    throw spec.source->error(path, "the shape is " + size_text(bounds) + " and the particles are " + rounded_text(spacing) +
                                       " m apart: about " + number_text(std::round(points / 1e9)) +
                                       "e9 particles are too many; a larger dx or spacing is needed");
  return at_place(spec, path, [&] {
    std::vector<Vec3d> positions = sample(*shape, body.sampling.method, spacing, static_cast<std::uint64_t>(spec.seed) + index);
    if (positions.empty())
      throw InputError("the body has no particles: its shape is " + size_text(bounds) + " and the particles are " + rounded_text(spacing) +
                       " m apart; a smaller dx or spacing is needed");
    const double volume = shape_volume(*shape, spacing) / static_cast<double>(positions.size());
    return Particles{std::move(positions), volume};
  });
}

// What is outside of the domain at the start is never made; a periodic axis holds one period of it.
void clip_to_domain(const SceneSpec& spec, const Path& path, Particles& particles) {
  if (!spec.domain) return;
  const std::size_t before = particles.positions.size();
  std::erase_if(particles.positions, [&](const Vec3d& x) {
    for (int axis = 0; axis < 3; ++axis)
      if (!(x[axis] >= spec.domain->min[axis] && x[axis] < spec.domain->max[axis])) return true;
    return false;
  });
  if (particles.positions.empty())
    throw spec.source->error(path, "all " + std::to_string(before) + " particles of the body are outside of the domain");
}

// The pins of a body become sticky colliders with a group each; returns the group of every particle.
std::vector<std::uint16_t> add_pins(const SceneSpec& spec, const BodySpec& body, const Path& path, int body_index,
                                    const std::vector<Vec3d>& positions, World& world) {
  const auto free_group = static_cast<std::uint16_t>(world.groups.size());
  world.groups.push_back({.body = body_index, .pin = -1});
  std::vector<std::uint16_t> groups(positions.size(), free_group);
  for (std::size_t p = 0; p < body.pinned.size(); ++p) {
    const PinSpec& pin = body.pinned[p];
    Path place = path;
    place.insert(place.end(), {"pinned", std::to_string(p), "shape"});
    const ShapePointer shape = at_place(spec, place, [&] { return make_shape(pin.shape, spec.folder, grid_spacing(spec)); });
    const auto group = static_cast<std::uint16_t>(world.groups.size());
    world.groups.push_back({.body = body_index, .pin = static_cast<int>(world.colliders.size())});
    world.colliders.push_back({.name = body.name + ".pinned." + std::to_string(p),
                               .shape = shape,
                               .motion = pin.motion,
                               .contact = Contact::sticky,
                               .friction = 0,
                               .is_pin = true});
    parallel_for(positions.size(), grain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        if (groups[i] == free_group && shape->distance(positions[i]) <= 0) groups[i] = group;
    });
    if (std::find(groups.begin(), groups.end(), group) == groups.end())
      throw spec.source->error(place, "no particle of the body " + in_quotes(body.name) + " is inside that is not pinned already");
  }
  return groups;
}

// Centre of mass; all particles of a body have the same mass.
Vec3d center_of(const std::vector<Vec3d>& positions) {
  Vec3d total;
  for (const Vec3d& x : positions) total += x;
  return total / static_cast<double>(positions.size());
}

template <class T>
void fill_columns(const BodySpec& body, const Particles& particles, const std::vector<std::uint16_t>& groups, const World& world,
                  State& state) {
  const std::size_t first = state.count;
  state.resize(first + particles.positions.size());
  Column &position = state.column("position"), &velocity = state.column("velocity");
  T* x[3] = {position.data<T>(0), position.data<T>(1), position.data<T>(2)};
  T* v[3] = {velocity.data<T>(0), velocity.data<T>(1), velocity.data<T>(2)};
  T* volume = state.column("volume").data<T>();
  auto* id = state.column("id").data<std::uint32_t>();
  auto* group = state.column("group").data<std::uint16_t>();
  const Vec3d center = center_of(particles.positions);
  parallel_for(particles.positions.size(), grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t n = begin; n < end; ++n) {
      const Vec3d& X = particles.positions[n];
      const int pin = world.groups[groups[n]].pin;
      const Vec3d speed = pin < 0 ? body.velocity + cross(body.angular_velocity, X - center)
                                  : world.colliders[static_cast<std::size_t>(pin)].motion.velocity_at(X, 0);
      const std::size_t i = first + n;
      for (int axis = 0; axis < 3; ++axis) x[axis][i] = static_cast<T>(X[axis]), v[axis][i] = static_cast<T>(speed[axis]);
      volume[i] = static_cast<T>(particles.volume);
      id[i] = static_cast<std::uint32_t>(i);
      group[i] = groups[n];
    }
  });
}

}  // namespace

void add_body(const SceneSpec& spec, std::size_t index, int material, Simulation& simulation) {
  const BodySpec& body = spec.bodies[index];
  const Path path{"bodies", std::to_string(index)}, shape_path{"bodies", std::to_string(index), "shape"};
  World& world = simulation.world;
  Particles particles = sample_body(spec, body, index, shape_path);
  clip_to_domain(spec, shape_path, particles);
  if (simulation.state.count + particles.positions.size() > std::numeric_limits<std::uint32_t>::max())
    throw spec.source->error(path, "the scene has more than 4294967295 particles; a larger dx or spacing is needed");
  const int body_index = static_cast<int>(world.bodies.size());
  world.bodies.push_back({body.name, material});
  const std::vector<std::uint16_t> groups = add_pins(spec, body, path, body_index, particles.positions, world);
  if (world.precision == Precision::single) fill_columns<float>(body, particles, groups, world, simulation.state);
  else fill_columns<double>(body, particles, groups, world, simulation.state);
}

}  // namespace knead
