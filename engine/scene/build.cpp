#include "scene/build.h"

#include <cmath>
#include <limits>
#include <stdexcept>

#include "base/error.h"
#include "scene/bodies.h"
#include "scene/rigid_bodies.h"
#include "scene/source.h"

namespace knead {
namespace {

template <class T, class Variant> struct IsAlternative;
template <class T, class... U> struct IsAlternative<T, std::variant<U...>> : std::bool_constant<(std::is_same_v<T, U> || ...)> {};

// The engine's law; those that only the format knows were refused when the scene was checked.
template <class Law, class Spec> Law engine_law(const Spec& spec) {
  return std::visit(
      [](const auto& alternative) -> Law {
        if constexpr (IsAlternative<std::decay_t<decltype(alternative)>, Law>::value) return alternative;
        else throw std::logic_error(std::string("the law \"") + alternative.name + "\" is not in the engine");
      },
      spec);
}

std::map<std::string, int> add_materials(const SceneSpec& spec, World& world) {
  std::map<std::string, int> index;
  for (const auto& [name, material] : spec.materials) {
    index[name] = static_cast<int>(world.materials.size());
    world.materials.push_back(make_material(material, name));
    const auto animated = spec.animated_materials.find(name);
    if (animated == spec.animated_materials.end()) {
      world.animated_materials.emplace_back();
      continue;
    }
    world.animated_materials.push_back([at = animated->second, key = name](double time) {
      Material now = make_material(at(time), key);
      if (now.generalized) now.generalized->changes = true;
      return now;
    });
    world.materials.back() = world.animated_materials.back()(0);
  }
  return index;
}

void add_colliders(const SceneSpec& spec, World& world) {
  for (std::size_t i = 0; i < spec.colliders.size(); ++i) {
    const ColliderSpec& given = spec.colliders[i];
    Collider collider{
        .name = given.name, .shape = {}, .motion = given.motion, .contact = given.contact, .friction = given.friction, .is_pin = false};
    collider.shape =
        at_place(spec, {"colliders", std::to_string(i), "shape"}, [&] { return make_shape(given.shape, spec.folder, grid_spacing(spec)); });
    world.colliders.push_back(std::move(collider));
  }
}

void add_emitters(const SceneSpec& spec, const std::map<std::string, int>& materials, World& world) {
  for (std::size_t i = 0; i < spec.emitters.size(); ++i) {
    const EmitterSpec& given = spec.emitters[i];
    const Path path{"emitters", std::to_string(i), "shape"};
    Emitter emitter;
    emitter.name = given.name;
    emitter.shape = at_place(spec, path, [&] { return make_shape(given.shape, spec.folder, grid_spacing(spec)); });
    emitter.body = static_cast<int>(world.bodies.size());
    emitter.velocity = given.velocity;
    emitter.rate = given.rate;
    emitter.start = given.start;
    if (given.end) emitter.end = *given.end;
    if (given.max_particles) emitter.max_particles = static_cast<std::uint64_t>(*given.max_particles);
    emitter.spacing = given.spacing.value_or(particle_spacing(spec, {}));
    const Bounds3 bounds = emitter.shape->bounds();
    if (!std::isfinite(length_squared(bounds.maximum - bounds.minimum)))
      throw spec.source->error(path, "the shape has no end and cannot be filled");
    world.bodies.push_back({given.name, materials.at(given.material)});
    world.groups.push_back({.body = emitter.body, .pin = -1});
    world.emitters.push_back(std::move(emitter));
  }
}

void add_fields(const SceneSpec& spec, World& world) {
  for (std::size_t i = 0; i < spec.fields.size(); ++i) {
    const auto convert = [&](const auto& given) {
      Field field;
      field.start = given.start;
      if (given.end) field.end = *given.end;
      if constexpr (requires { given.acceleration; }) {
        field.type = FieldType::uniform;
        field.vector = given.acceleration;
      } else {
        field.center = given.center;
        field.strength = given.strength;
        field.type = FieldType::radial;
      }
      if constexpr (requires { given.axis; }) {
        field.type = FieldType::rotational;
        if (!(length(given.axis) > 0)) throw spec.source->error({"fields", std::to_string(i), "axis"}, "[0,0,0] has no direction");
        field.axis = normalized(given.axis);
      }
      return field;
    };
    world.fields.push_back(std::visit(convert, spec.fields[i]));
  }
}

void add_probes(const SceneSpec& spec, Simulation& simulation) {
  for (std::size_t i = 0; i < spec.probes.size(); ++i) {
    Probe probe;
    probe.kind = spec.probes[i];
    const auto make_region = [&](const auto& kind) {
      if constexpr (requires { kind.region; })
        if (kind.region)
          probe.region = at_place(spec, {"probes", std::to_string(i), "region"},
                                  [&] { return make_shape(*kind.region, spec.folder, grid_spacing(spec)); });
    };
    std::visit(make_region, probe.kind);
    simulation.probes.push_back(std::move(probe));
  }
}

void add_columns(const World& world, State& state) {
  const ScalarType real = world.precision == Precision::single ? ScalarType::f32 : ScalarType::f64;
  state.add("position", real, 3);
  state.add("velocity", real, 3);
  state.add("volume", real, 1);
  state.add("id", ScalarType::u32, 1);
  state.add("group", ScalarType::u16, 1);
}

RunSettings make_settings(const SceneSpec& spec) {
  RunSettings settings;
  settings.duration = spec.duration;
  settings.fps = spec.fps;
  settings.fixed_dt = std::visit([](const auto& solver) { return solver.dt.number; }, spec.solver);
  settings.formats = spec.output.formats;
  for (ExtraAttribute attribute : spec.output.attributes)
    settings.attributes.push_back(enum_names(attribute)[static_cast<std::size_t>(attribute)]);
  settings.checkpoint_minutes = spec.output.checkpoint_minutes;
  settings.checkpoint_frames = spec.output.checkpoint_frames;
  settings.resolved_scene = spec.resolved;
  settings.scene_folder = std::filesystem::absolute(spec.folder / ".");
  return settings;
}

std::unique_ptr<Solver> make_solver(const SceneSpec& spec, const World& world) {
  if (const auto* sph = std::get_if<SphSolver>(&spec.solver)) {
    SphParameters parameters = *sph;
    parameters.keeps_dt = sph->dt.number.has_value();
    return make_sph(parameters, world);
  }
  const auto& mpm = std::get<MpmSolver>(spec.solver);
  return mpm.integrator == Integrator::admm ? make_admm(mpm, mpm.admm, world) : make_mpm(mpm, world);
}

}  // namespace

Material make_material(const MaterialSpec& spec, const std::string& name) {
  Material material;
  material.name = name;
  if (const auto* generalized = std::get_if<GeneralizedMaterial>(&spec)) {
    material.density = generalized->density;
    material.viscosity = generalized->viscosity;
    material.generalized = *generalized;
    return material;
  }
  const auto& standard = std::get<StandardMaterial>(spec);
  material.density = standard.density;
  material.elasticity = engine_law<ElasticLaw>(standard.elasticity.value());
  if (standard.plasticity) material.plasticity = engine_law<FlowLaw>(*standard.plasticity);
  material.viscosity = standard.viscosity;
  material.viscoelasticity = standard.viscoelasticity;
  return material;
}

Simulation build_simulation(const SceneSpec& spec) {
  Simulation simulation;
  World& world = simulation.world;
  world.precision = spec.precision;
  world.seed = static_cast<std::uint64_t>(spec.seed);
  world.gravity = spec.gravity;
  if (spec.domain) world.domain = Domain{spec.domain->min, spec.domain->max, spec.domain->periodic};
  const std::map<std::string, int> materials = add_materials(spec, world);
  add_colliders(spec, world);
  add_columns(world, simulation.state);
  for (std::size_t i = 0; i < spec.bodies.size(); ++i) add_body(spec, i, materials.at(spec.bodies[i].material), simulation);
  add_emitters(spec, materials, world);
  add_rigid_bodies(spec, simulation);
  add_fields(spec, world);
  if (world.groups.size() > std::numeric_limits<std::uint16_t>::max())
    throw spec.source->error(
        {"bodies"}, "there are " + std::to_string(world.groups.size()) + " bodies, emitters and pinned parts; at most 65535 are accepted");
  simulation.state.next_id = static_cast<std::uint32_t>(simulation.state.count);
  add_probes(spec, simulation);
  simulation.settings = make_settings(spec);
  simulation.solver = make_solver(spec, world);
  return simulation;
}

}  // namespace knead
