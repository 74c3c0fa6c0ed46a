#include "scene/checks.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "geometry/thin.h"
#include "scene/names.h"
#include "scene/source.h"

namespace knead {
namespace {

std::string index_text(std::size_t i) { return std::to_string(i); }

void check_reference(Errors& errors, const Path& path, const std::string& name, const char* what, const std::set<std::string>& names) {
  if (names.contains(name) || errors.full()) return;
  const std::vector<std::string> accepted(names.begin(), names.end());
  std::string message = std::string("there is no ") + what + " " + in_quotes(name);
  const std::string near = nearest_name(name, accepted);
  if (!near.empty()) message += "; did you mean " + in_quotes(near) + "?";
  else if (accepted.empty()) message += "; the scene has none";
  else if (accepted.size() <= 12) message += "; accepted: " + quoted_list(accepted);
  errors.add(path, message);
}

void check_names(const SceneSpec& spec, Errors& errors) {
  std::map<std::string, std::string> bodies, colliders, probes;
  const auto unique = [&](std::map<std::string, std::string>& seen, const std::string& list, std::size_t i, const std::string& name) {
    const std::string place = list + "." + index_text(i);
    const auto [first, is_new] = seen.try_emplace(name, place);
    if (!is_new)
      errors.add({list, index_text(i), "name"}, in_quotes(name) + " is the name of " + first->second + " already; names must be unique");
  };
  for (std::size_t i = 0; i < spec.bodies.size(); ++i) unique(bodies, "bodies", i, spec.bodies[i].name);
  for (std::size_t i = 0; i < spec.emitters.size(); ++i) unique(bodies, "emitters", i, spec.emitters[i].name);
  for (std::size_t i = 0; i < spec.rigid_bodies.size(); ++i) unique(bodies, "rigid_bodies", i, spec.rigid_bodies[i].name);
  for (std::size_t i = 0; i < spec.colliders.size(); ++i) unique(colliders, "colliders", i, spec.colliders[i].name);
  for (std::size_t i = 0; i < spec.rigid_bodies.size(); ++i) unique(colliders, "rigid_bodies", i, spec.rigid_bodies[i].name);
  const char* accepted = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  for (std::size_t i = 0; i < spec.probes.size(); ++i) {
    const std::string& name = options(spec.probes[i]).label;
    unique(probes, "probes", i, name);
    if (name.empty() || name.size() > 64 || name[0] == '.' || name.find_first_not_of(accepted) != std::string::npos)
      errors.add({"probes", index_text(i), "name"},
                 in_quotes(name) + " cannot be a file name; up to 64 letters, digits, \"_\", \"-\" and \".\" are accepted");
  }
}

void check_references(const SceneSpec& spec, Errors& errors) {
  std::set<std::string> materials, colliders, bodies, moving;  // moving: bodies of particles and rigid ones
  for (const auto& [name, material] : spec.materials) materials.insert(name);
  for (const ColliderSpec& collider : spec.colliders) colliders.insert(collider.name);
  for (const BodySpec& body : spec.bodies) bodies.insert(body.name);
  for (const EmitterSpec& emitter : spec.emitters) bodies.insert(emitter.name);
  moving = bodies;
  for (const RigidBodySpec& body : spec.rigid_bodies) moving.insert(body.name), colliders.insert(body.name);
  for (std::size_t i = 0; i < spec.bodies.size(); ++i)
    check_reference(errors, {"bodies", index_text(i), "material"}, spec.bodies[i].material, "material", materials);
  for (std::size_t i = 0; i < spec.emitters.size(); ++i)
    check_reference(errors, {"emitters", index_text(i), "material"}, spec.emitters[i].material, "material", materials);
  for (std::size_t i = 0; i < spec.probes.size(); ++i) {
    const auto check = [&](const auto& probe) {
      using Kind = std::decay_t<decltype(probe)>;
      constexpr bool of_rigid = std::is_same_v<Kind, BoundsProbe> || std::is_same_v<Kind, CenterProbe>;
      if constexpr (requires { probe.body; })
        if (!probe.body.empty()) check_reference(errors, {"probes", index_text(i), "body"}, probe.body, "body", of_rigid ? moving : bodies);
      if constexpr (requires { probe.collider; })
        check_reference(errors, {"probes", index_text(i), "collider"}, probe.collider, "collider", colliders);
    };
    std::visit(check, spec.probes[i]);
  }
}

void check_domain(const SceneSpec& spec, Errors& errors) {
  if (!spec.domain) return;
  const double dx = grid_spacing(spec), block = 4 * dx;
  for (int axis = 0; axis < 3; ++axis) {
    const double low = spec.domain->min[axis], high = spec.domain->max[axis], length = high - low;
    if (!(length > 0)) {
      errors.add({"domain", "max", index_text(static_cast<std::size_t>(axis))},
                 number_text(high) + " is not greater than min, which is " + number_text(low));
    } else if (spec.domain->periodic[static_cast<std::size_t>(axis)]) {
      const double blocks = length / block;
      if (std::abs(blocks - std::round(blocks)) <= 1e-6 * blocks && blocks > 0.5) continue;
      const double shorter = std::floor(blocks) * block, longer = std::ceil(blocks) * block;
      errors.add({"domain", "max", index_text(static_cast<std::size_t>(axis))},
                 std::string("along the periodic axis ") + "xyz"[axis] + " the length is " + rounded_text(length) +
                     " m; a multiple of 4 dx = " + rounded_text(block) + " m is accepted, such as " +
                     (shorter > 0 ? rounded_text(shorter) + " or " : "") + rounded_text(longer));
    }
  }
}

void check_materials(const SceneSpec& spec, Errors& errors) {
  for (const auto& [name, material] : spec.materials) {
    const auto* standard = std::get_if<StandardMaterial>(&material);
    if (!standard) continue;
    if (!standard->elasticity) {
      errors.add({"materials", name, "elasticity"}, "missing; mpm needs one, such as { \"type\": \"neo_hookean\", ... }");
    } else if (standard->plasticity) {
      const auto check = [&, &key = name](const auto& elastic, const auto& flow) {
        using Elastic = std::decay_t<decltype(elastic)>;
        using Flow = std::decay_t<decltype(flow)>;
        if constexpr (requires {
                        Elastic::is_fluid;
                        Flow::needs_hencky;
                      }) {
          if constexpr (!compatible<Elastic, Flow>())
            errors.add({"materials", key, "plasticity", "type"},
                       in_quotes(Flow::name) + " does not go with the elasticity " + in_quotes(Elastic::name) + "; " +
                           (Flow::needs_hencky ? "\"hencky\" is accepted" : "a solid is accepted, such as \"fixed_corotated\""));
        }
      };
      std::visit(check, *standard->elasticity, *standard->plasticity);
    }
  }
}

void check_times(const SceneSpec& spec, Errors& errors) {
  const auto check = [&](const Path& path, double start, const std::optional<double>& end) {
    if (end && !(*end > start)) errors.add(path, number_text(*end) + " is not after the start, which is " + number_text(start));
  };
  for (std::size_t i = 0; i < spec.emitters.size(); ++i)
    check({"emitters", index_text(i), "end"}, spec.emitters[i].start, spec.emitters[i].end);
  for (std::size_t i = 0; i < spec.fields.size(); ++i)
    std::visit([&](const auto& field) { check({"fields", index_text(i), "end"}, field.start, field.end); }, spec.fields[i]);
  constexpr double most_frames = 1e7;
  if (spec.duration * spec.fps > most_frames)
    errors.add({"duration"}, number_text(spec.duration) + " s at " + number_text(spec.fps) + " frames per second are " +
                                 rounded_text(spec.duration * spec.fps) + " frames; at most " + number_text(most_frames) + " are accepted");
}

void check_contact(const SceneSpec& spec, Errors& errors) {
  const auto check = [&](const Path& path, Contact contact, double friction) {
    if (friction > 0 && contact != Contact::separate)
      errors.add(path, number_text(friction) + " has no effect with the contact " +
                           in_quotes(enum_names(contact)[static_cast<std::size_t>(contact)]) + "; \"separate\" is the one with friction");
  };
  for (std::size_t i = 0; i < spec.colliders.size(); ++i)
    check({"colliders", index_text(i), "friction"}, spec.colliders[i].contact, spec.colliders[i].friction);
  for (std::size_t i = 0; i < spec.rigid_bodies.size(); ++i)
    check({"rigid_bodies", index_text(i), "friction"}, spec.rigid_bodies[i].contact, spec.rigid_bodies[i].friction);
}

void check_bodies(const SceneSpec& spec, Errors& errors) {
  if (spec.bodies.empty() && spec.emitters.empty() && spec.rigid_bodies.empty())
    errors.add({"bodies"}, "there is nothing to simulate; a body or an emitter is required");
  const auto not_plane = [&](const Path& path, const ShapeSpec& shape) {
    if (std::holds_alternative<Plane>(shape.kind))
      errors.add(path, "a plane has no end and cannot be filled; planes are for colliders, pinned parts and cuts of other shapes");
  };
  for (std::size_t i = 0; i < spec.rigid_bodies.size(); ++i) {
    not_plane({"rigid_bodies", index_text(i), "shape"}, spec.rigid_bodies[i].shape);
    if (std::holds_alternative<PointsFile>(spec.rigid_bodies[i].shape.kind))
      errors.add({"rigid_bodies", index_text(i), "shape"}, "points have no inside; a rigid body needs a solid");
  }
  for (std::size_t i = 0; i < spec.bodies.size(); ++i) {
    const BodySpec& body = spec.bodies[i];
    if (is_thin(body.shape) && body.sampling.method != SamplingMethod::grid)
      errors.add({"bodies", index_text(i), "sampling", "method"}, "sheets and rods are filled in rows; only \"grid\" is accepted");
    not_plane({"bodies", index_text(i), "shape"}, body.shape);
    if (body.sampling.per_cell && body.sampling.spacing)
      errors.add({"bodies", index_text(i), "sampling"}, "\"per_cell\" and \"spacing\" are two ways to say the same; keep one");
  }
  for (std::size_t i = 0; i < spec.emitters.size(); ++i) {
    not_plane({"emitters", index_text(i), "shape"}, spec.emitters[i].shape);
    const EmitterSpec& emitter = spec.emitters[i];
    if (!emitter.rate && length_squared(emitter.velocity) == 0)
      errors.add({"emitters", index_text(i), "velocity"},
                 "[0,0,0] lets no particle leave; a velocity is needed where there is no \"rate\"");
  }
}

}  // namespace

void check_scene(const SceneSpec& spec) {
  Errors errors(*spec.source);
  check_names(spec, errors);
  check_references(spec, errors);
  check_domain(spec, errors);
  check_materials(spec, errors);
  check_times(spec, errors);
  check_contact(spec, errors);
  check_bodies(spec, errors);
  errors.raise();
}

}  // namespace knead
