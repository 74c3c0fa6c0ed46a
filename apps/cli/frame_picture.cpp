#include "frame_picture.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/error.h"
#include "base/random.h"
#include "render/shape_tracing.h"
#include "render/surface_file.h"

namespace knead::cli {
namespace {

constexpr double floor_slope = 0.9, wall_slope = 0.3;  // cosines with the vertical
constexpr float crease = 40;                           // [degrees] sharper edges of a mesh without normals stay edges

float random_of(std::int32_t id, std::uint64_t stream) {
  return static_cast<float>(random_uniform(7, stream, static_cast<std::uint64_t>(id)));
}

// Grains differ in brightness and warmth.
Color varied(const Color& color, float variation, std::int32_t id) {
  const float brightness = 1 + variation * (2 * random_of(id, 0) - 1), warmth = 0.35f * variation * (2 * random_of(id, 1) - 1);
  return {std::clamp(color.x * brightness * (1 + warmth), 0.0f, 1.0f), std::clamp(color.y * brightness, 0.0f, 1.0f),
          std::clamp(color.z * brightness * (1 - warmth), 0.0f, 1.0f)};
}

void add_particles(const Frame& frame, const std::vector<BodyLook>& looks, const std::vector<bool>& as_mesh, const MotionPlan& plan,
                   const Drawing& drawing, PictureScene& scene) {
  const FrameColumn *position = frame.find("position"), *body = frame.find("body"), *id = frame.find("id");
  if (!position || position->components != 3) throw InputError("frame " + std::to_string(frame.index) + " has no positions");
  const std::vector<float> values = drawing.attribute.empty() ? std::vector<float>{} : attribute_values(frame, drawing.attribute);
  const std::size_t first = scene.balls.size();
  scene.balls.resize(first + looks.size());
  for (std::size_t b = 0; b < looks.size(); ++b) {
    Balls& balls = scene.balls[first + b];
    balls.finish = looks[b].finish, balls.spacing = static_cast<float>(looks[b].spacing);
    if (!values.empty()) balls.finish = {.surface = Surface::gloss, .roughness = 0.6f, .smoothing = 0.6f};
  }
  for (std::size_t i = 0; i < frame.count; ++i) {
    const float* p = position->floats.data() + 3 * i;
    const auto index = static_cast<std::size_t>(body && body->is_integer ? body->ints[i] : 0);
    if (index >= looks.size() || as_mesh[index] || !std::isfinite(p[0] + p[1] + p[2])) continue;
    Balls& balls = scene.balls[first + index];
    const BodyLook& look = looks[index];
    const std::int32_t number = id && id->is_integer ? id->ints[i] : static_cast<std::int32_t>(i);
    balls.centers.push_back({p[0], p[1], p[2]});
    balls.radii.push_back(look.radius * (1 + 0.8f * look.variation * (2 * random_of(number, 2) - 1)));
    if (!values.empty()) {
      const double share = (static_cast<double>(values[i]) - plan.low) / (plan.high - plan.low);
      balls.colors.push_back(to_linear(map_color(drawing.map, static_cast<float>(share))));
    } else if (look.variation > 0) {
      balls.colors.push_back(varied(look.finish.color, look.variation, number));
    }
  }
}

std::vector<bool> add_surfaces(const Frame& frame, const RunFolder& run, const std::vector<BodyLook>& looks, const Drawing& drawing,
                               PictureScene& scene) {
  std::vector<bool> as_mesh(looks.size(), false);
  if (drawing.points || !drawing.attribute.empty()) return as_mesh;
  const std::vector<RunBody> bodies = bodies_of(run.scene);
  for (std::size_t b = 0; b < looks.size(); ++b) {
    const std::string path = surface_path(drawing.surfaces_folder, bodies[b].name, frame.index, "ply");
    std::error_code code;
    if (!std::filesystem::exists(path, code)) continue;
    MeshSurface mesh = read_surface(path);
    if (mesh.normals.empty()) mesh.normals = creased_normals(mesh.vertices, mesh.triangles, crease);
    mesh.finish = looks[b].finish;
    scene.meshes.push_back(std::move(mesh));
    as_mesh[b] = looks[b].variation == 0;  // grains stay visible on the surface, which closes the gaps between them
  }
  return as_mesh;
}

// Corners of the part of a plane that lies beside the motion: u is level, v goes up or along the slope.
Pane cut_plane(const Vec3d& point, const Vec3d& normal, const MotionPlan& plan, double extra) {
  Vec3d u = cross(plan.up, normal);
  if (length(u) < 1e-6) u = cross(std::abs(normal.x) < 0.9 ? Vec3d{1, 0, 0} : Vec3d{0, 0, 1}, normal);
  u = normalized(u);
  const Vec3d v = cross(normal, u);
  double low[2] = {1e300, 1e300}, high[2] = {-1e300, -1e300};
  for (const Vec3d& corner : corners_of(plan.bounds)) {
    const double place[2] = {dot(corner - point, u), dot(corner - point, v)};
    for (int i = 0; i < 2; ++i) low[i] = std::min(low[i], place[i]), high[i] = std::max(high[i], place[i]);
  }
  for (int i = 0; i < 2; ++i) low[i] -= extra, high[i] += extra;
  return {point + u * low[0] + v * low[1], u * (high[0] - low[0]), v * (high[1] - low[1])};
}

void add_plane(const DrawnCollider& collider, const Pose& pose, const MotionPlan& plan, PictureScene& scene) {
  const Vec3d point = pose.apply(collider.point), normal = pose.rotation * collider.normal;
  const double slope = dot(normal, plan.up);
  if (slope > floor_slope) {
    // Of several floors the highest one under the motion is the ground.
    if (!scene.ground || dot(point - scene.ground->point, plan.up) > 0) scene.ground = Ground{point, normal};
  } else if (slope > wall_slope) {
    const Pane slab = cut_plane(point, normal, plan, 0.15 * plan.size);
    MeshSurface mesh;
    auto add = [&](const Vec3d& p) {
      mesh.vertices.push_back({static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z)});
    };
    add(slab.corner), add(slab.corner + slab.u), add(slab.corner + slab.u + slab.v), add(slab.corner + slab.v);
    mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
    mesh.finish = collider.finish;
    mesh.finish.surface = Surface::matte;
    scene.meshes.push_back(std::move(mesh));
  } else if (dot(plan.camera.position - point, normal) > 0 && slope > -wall_slope) {
    scene.panes.push_back(cut_plane(point, normal, plan, 0.0));
  }
}

void add_colliders(const MotionPlan& plan, const Frame& frame, PictureScene& scene) {
  for (const DrawnCollider& collider : plan.colliders) {
    if (!collider.motion.active(frame.time)) continue;
    const Pose pose = collider.pose(frame.index, frame.time);
    if (collider.is_plane) {
      add_plane(collider, pose, plan, scene);
      continue;
    }
    ShapeSurface surface{collider.shape, pose, moved_bounds(collider.shape->bounds(), pose), collider.finish};
    for (int i = 0; i < 3; ++i) {  // a solid without end is cut where the motion is far
      surface.bounds.minimum[i] = std::max(surface.bounds.minimum[i], plan.bounds.minimum[i] - 3 * plan.size);
      surface.bounds.maximum[i] = std::min(surface.bounds.maximum[i], plan.bounds.maximum[i] + 3 * plan.size);
      if (!std::isfinite(surface.bounds.minimum[i])) surface.bounds.minimum[i] = plan.bounds.minimum[i] - 3 * plan.size;
      if (!std::isfinite(surface.bounds.maximum[i])) surface.bounds.maximum[i] = plan.bounds.maximum[i] + 3 * plan.size;
    }
    if (collider.glass) surface.finish = {.surface = Surface::glass, .color = {0.93f, 0.96f, 0.97f}};
    scene.shapes.push_back(std::move(surface));
  }
}

}  // namespace

PictureScene scene_of(const Frame& frame, const RunFolder& run, const MotionPlan& plan, const Drawing& drawing) {
  PictureScene scene;
  scene.center = (plan.bounds.minimum + plan.bounds.maximum) * 0.5;
  scene.size = plan.size;
  scene.sky = sky_for(plan.up, plan.camera.target - plan.camera.position, plan.sun_from_right);
  const std::vector<BodyLook> looks = looks_of(run.scene, plan.size);
  const std::vector<bool> as_mesh = add_surfaces(frame, run, looks, drawing, scene);
  add_particles(frame, looks, as_mesh, plan, drawing, scene);
  add_colliders(plan, frame, scene);
  if (!scene.ground) {  // nothing to fall on: a floor to throw shadows on, a little below
    double lowest = 1e300;
    for (const Vec3d& corner : corners_of(plan.bounds)) lowest = std::min(lowest, dot(corner, plan.up));
    scene.ground = Ground{plan.up * (lowest - plan.ground_gap), plan.up};
  }
  return scene;
}

}  // namespace knead::cli
