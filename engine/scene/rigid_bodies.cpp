#include "scene/rigid_bodies.h"

#include "geometry/tessellate.h"
#include "scene/bodies.h"

namespace knead {
namespace {

// Of a mesh the triangles tell exactly, of any other shape the signed distance as closely as cells resolve it.
MassProperties properties_of(const ShapeSpec& spec, const Shape& shape, const SceneSpec& scene) {
  if (std::holds_alternative<MeshFile>(spec.kind)) return mass_properties(make_surface(spec, scene.folder, grid_spacing(scene)));
  return mass_properties(shape);
}

}  // namespace

void add_rigid_bodies(const SceneSpec& spec, Simulation& simulation) {
  for (std::size_t i = 0; i < spec.rigid_bodies.size(); ++i) {
    const RigidBodySpec& given = spec.rigid_bodies[i];
    RigidBody body = at_place(spec, {"rigid_bodies", std::to_string(i), "shape"}, [&] {
      const ShapePointer shape = make_shape(given.shape, spec.folder, grid_spacing(spec));
      return make_rigid_body(given.name, shape, properties_of(given.shape, *shape, spec), given.density);
    });
    body.contact = given.contact, body.friction = given.friction;
    simulation.state.rigid.push_back(
        {.position = body.center, .orientation = {}, .velocity = given.velocity, .angular_velocity = given.angular_velocity});
    simulation.world.rigid_bodies.push_back(std::move(body));
  }
}

}  // namespace knead
