#include "world/rigid_body.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "geometry/tessellate.h"
#include "math/eigen.h"

namespace knead {

namespace {

constexpr double points_along_side = 20, most_points_along_side = 64;

// Fine enough that thin parts are not missed, as far as the number of points allows.
double surface_spacing(const Bounds3& bounds) {
  const Vec3d size = bounds.maximum - bounds.minimum;
  const double largest = std::max({size.x, size.y, size.z}), smallest = std::min({size.x, size.y, size.z});
  return std::clamp(smallest / 3, largest / most_points_along_side, largest / points_along_side);
}

// Of each vertex: the mean of its triangles' normals, weighted by area.
std::vector<Vec3d> vertex_normals(const TriangleMesh& mesh) {
  std::vector<Vec3d> normals(mesh.vertices.size());
  for (const Triangle& t : mesh.triangles) {
    const Vec3d n = cross(mesh.vertices[t[1]] - mesh.vertices[t[0]], mesh.vertices[t[2]] - mesh.vertices[t[0]]);
    for (const std::uint32_t corner : t) normals[corner] += n;
  }
  for (Vec3d& n : normals) n = length(n) > 0 ? normalized(n) : Vec3d{0, 1, 0};
  return normals;
}

}  // namespace

RigidBody make_rigid_body(const std::string& name, ShapePointer shape, const MassProperties& properties, double density) {
  if (!(properties.volume > 0)) throw InputError("the shape has no volume, so the rigid body would have no mass.");
  RigidBody body;
  body.name = name;
  body.mass = density * properties.volume;
  body.center = properties.center;
  eigen_symmetric(properties.inertia * density, body.moments, body.axes);
  if (!(body.moments.z > 0)) throw InputError("the shape is too thin for a rigid body: it has no moment of inertia about one axis.");
  body.spacing = surface_spacing(shape->bounds());
  const TriangleMesh surface = tessellate(*shape, body.spacing);
  body.points = surface.vertices;
  body.normals = vertex_normals(surface);
  for (const Vec3d& point : body.points) body.radius = std::max(body.radius, length(point - body.center));
  body.shape = std::move(shape);
  return body;
}

Pose pose_of(const RigidBody& body, const RigidState& state) {
  return {.rotation = rotation_matrix(state.orientation), .translation = state.position - body.center, .pivot = body.center};
}

Mat3d inertia_of(const RigidBody& body, const RigidState& state) {
  const Mat3d axes = rotation_matrix(state.orientation) * body.axes;
  return axes * Mat3d::diagonal(body.moments) * transpose(axes);
}

Mat3d inverse_inertia_of(const RigidBody& body, const RigidState& state) {
  const Mat3d axes = rotation_matrix(state.orientation) * body.axes;
  return axes * Mat3d::diagonal({1 / body.moments.x, 1 / body.moments.y, 1 / body.moments.z}) * transpose(axes);
}

Vec3d angular_momentum(const RigidBody& body, const RigidState& state) { return inertia_of(body, state) * state.angular_velocity; }

double kinetic_energy(const RigidBody& body, const RigidState& state) {
  return 0.5 * (body.mass * length_squared(state.velocity) + dot(state.angular_velocity, angular_momentum(body, state)));
}

}  // namespace knead
