#include "viewer/collider_meshes.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "geometry/tessellate.h"
#include "simulation/rigid_file.h"

namespace knead::viewer {
namespace {

using Json = nlohmann::json;

constexpr int most_poses = 20000;
constexpr double triangles_along_side = 64;
constexpr Vec3d default_rigid_color{0.72, 0.50, 0.30};

Json vector_json(const Vec3d& v) { return {v.x, v.y, v.z}; }

// Rows of the 3x4 matrix that takes the pose at time 0 to that pose.
Json pose_json(const Pose& pose) {
  const Vec3d shift = pose.apply({0, 0, 0});
  Json rows = Json::array();
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) rows.push_back(pose.rotation(row, column));
    rows.push_back(shift[row]);
  }
  return rows;
}

// Of each frame.
Json poses_json(const Motion& motion, const RunFolder& run) {
  Json poses = Json::array();
  const int last = std::min(std::max(run.frames, run.frames_planned), most_poses);
  for (int frame = 0; frame <= last; ++frame) poses.push_back(pose_json(motion.pose(frame / run.fps)));
  return poses;
}

// In single precision, and relative to nothing: colliders are few and their coordinates short.
Json mesh_json(const TriangleMesh& mesh) {
  Json vertices = Json::array(), triangles = Json::array();
  for (const Vec3d& vertex : mesh.vertices)
    for (int c = 0; c < 3; ++c) vertices.push_back(std::round(vertex[c] * 1e6) / 1e6);
  for (const Triangle& triangle : mesh.triangles)
    for (const std::uint32_t corner : triangle) triangles.push_back(corner);
  return {{"vertices", std::move(vertices)}, {"triangles", std::move(triangles)}};
}

// Fine enough to look round, coarse enough to be quick: some tens of triangles along the longest side.
TriangleMesh surface_of(const ShapeSpec& spec, const SceneSpec& scene) {
  const double dx = grid_spacing(scene);
  if (std::holds_alternative<MeshFile>(spec.kind)) return make_surface(spec, scene.folder, dx);
  const Bounds3 bounds = make_shape(spec, scene.folder, dx)->bounds();
  const Vec3d size = bounds.maximum - bounds.minimum;
  return make_surface(spec, scene.folder, std::max({size.x, size.y, size.z}) / triangles_along_side);
}

// As colliders with poses, those of the frames that are there.
void add_rigid_bodies(const RunFolder& run, Json& list, std::vector<std::string>& warnings) {
  const std::vector<std::vector<Pose>> poses = read_rigid_poses(run.folder, run.scene.rigid_bodies.size());
  for (std::size_t i = 0; i < run.scene.rigid_bodies.size(); ++i) {
    const RigidBodySpec& spec = run.scene.rigid_bodies[i];
    Json body{
        {"name", spec.name}, {"color", vector_json(spec.color.value_or(default_rigid_color))}, {"rigid", true}, {"poses", Json::array()}};
    try {
      body["mesh"] = mesh_json(surface_of(spec.shape, run.scene));
    } catch (const InputError& error) {
      warnings.push_back("rigid body \"" + spec.name + "\" is not shown: " + error.what());
      continue;
    }
    for (const Pose& pose : poses[i]) body["poses"].push_back(pose_json(pose));
    list.push_back(std::move(body));
  }
}

}  // namespace

Json collider_meshes(const RunFolder& run) {
  Json list = Json::array();
  std::vector<std::string> warnings;
  for (const ColliderSpec& spec : run.scene.colliders) {
    Json collider{{"name", spec.name}, {"color", spec.color ? vector_json(*spec.color) : Json(nullptr)}};
    const auto* plane = std::get_if<Plane>(&spec.shape.kind);
    try {
      if (plane && !spec.shape.transform)
        collider["plane"] = {{"point", vector_json(plane->point)}, {"normal", vector_json(plane->normal)}};
      else collider["mesh"] = mesh_json(surface_of(spec.shape, run.scene));
    } catch (const InputError& error) {
      warnings.push_back("collider \"" + spec.name + "\" is not shown: " + error.what());
      continue;
    }
    if (spec.motion.moves()) collider["poses"] = poses_json(spec.motion, run);
    if (spec.motion.release) collider["release"] = *spec.motion.release;
    list.push_back(std::move(collider));
  }
  add_rigid_bodies(run, list, warnings);
  return {{"colliders", std::move(list)}, {"warnings", warnings}};
}

}  // namespace knead::viewer
