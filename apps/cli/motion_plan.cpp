#include "motion_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/threads.h"
#include "geometry/combined.h"
#include "look.h"
#include "render/shape_tracing.h"
#include "scene/names.h"

namespace knead::cli {
namespace {

constexpr std::size_t frames_looked_at = 9;
constexpr double floor_slope = 0.9;  // cosine between a floor and the horizontal

// What one frame tells: a box per body, a few places, and values of the attribute.
struct Glance {
  bool readable = false;
  int frame = 0;
  double time = 0;
  std::vector<Bounds3> boxes;
  std::vector<Vec3d> places;
  std::vector<float> values;
};

Glance look_at(const FrameFile& file, const std::string& attribute) {
  Glance glance;
  Frame frame;
  try {
    frame = read_frame(file);
  } catch (const InputError&) {
    return glance;
  }
  const FrameColumn* position = frame.find("position");
  if (!position || position->components != 3) return glance;
  glance.readable = true;
  glance.frame = frame.index, glance.time = frame.time;
  const FrameColumn* body = frame.find("body");
  std::vector<std::vector<Vec3d>> places;
  const std::size_t stride = std::max<std::size_t>(1, frame.count / 40000);
  for (std::size_t i = 0; i < frame.count; i += stride) {
    const float* p = position->floats.data() + 3 * i;
    if (!std::isfinite(p[0] + p[1] + p[2])) continue;
    const auto index = static_cast<std::size_t>(body && body->is_integer ? std::clamp(body->ints[i], 0, 10000) : 0);
    if (index >= places.size()) places.resize(index + 1);
    places[index].push_back({p[0], p[1], p[2]});
    if (i / stride % 400 == 0) glance.places.push_back({p[0], p[1], p[2]});
  }
  for (std::vector<Vec3d>& points : places)
    if (!points.empty()) {
      const double share = points.size() > 500 ? 0.004 : 0;
      glance.boxes.push_back(robust_bounds(std::move(points), share));
    }
  if (attribute.empty()) return glance;
  const std::vector<float> values = attribute_values(frame, attribute);
  for (std::size_t i = 0; i < values.size(); i += stride)
    if (std::isfinite(values[i])) glance.values.push_back(values[i]);
  return glance;
}

std::vector<Glance> look_around(const std::vector<FrameFile>& frames, const std::string& attribute) {
  const std::size_t count = std::min(frames.size(), frames_looked_at);
  std::vector<Glance> glances(count);
  std::vector<std::string> errors(count);
  parallel_for(count, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t index = count == 1 ? 0 : i * (frames.size() - 1) / (count - 1);
      try {
        glances[i] = look_at(frames[index], attribute);
      } catch (const InputError& error) {
        errors[i] = error.what();
      }
    }
  });
  for (const std::string& error : errors)
    if (!error.empty()) throw InputError(error);
  std::erase_if(glances, [](const Glance& glance) { return !glance.readable; });
  return glances;
}

Vec3d up_of(const SceneSpec& scene) {
  const Vec3d gravity = scene.gravity.at(0);
  const double size = length(gravity);
  return size > 1e-9 ? gravity * (-1 / size) : Vec3d{0, 1, 0};
}

std::vector<DrawnCollider> drawn_colliders(const SceneSpec& scene, std::vector<std::string>& warnings) {
  std::vector<DrawnCollider> drawn;
  for (const Collider& collider : colliders_of(scene, warnings)) {
    const auto spec =
        std::find_if(scene.colliders.begin(), scene.colliders.end(), [&](const ColliderSpec& c) { return c.name == collider.name; });
    DrawnCollider one;
    one.finish = collider_finish(*spec);
    one.shape = collider.shape, one.motion = collider.motion;
    if (const auto* plane = std::get_if<Plane>(&spec->shape.kind)) {
      one.is_plane = true;
      one.point = spec->shape.transform ? apply(*spec->shape.transform, plane->point) : plane->point;
      one.normal = one.shape->normal(one.point);
    }
    drawn.push_back(std::move(one));
  }
  return drawn;
}

void add_rigid_bodies(const RunFolder& run, std::vector<DrawnCollider>& drawn, std::vector<std::string>& warnings) {
  const std::vector<std::vector<Pose>> poses = read_rigid_poses(run.folder, run.scene.rigid_bodies.size());
  for (std::size_t i = 0; i < run.scene.rigid_bodies.size(); ++i) {
    const RigidBodySpec& spec = run.scene.rigid_bodies[i];
    DrawnCollider one;
    one.finish = rigid_finish(spec, i);
    one.is_rigid = true, one.poses = poses[i];
    try {
      one.shape = make_shape(spec.shape, run.scene.folder, grid_spacing(run.scene));
      drawn.push_back(std::move(one));
    } catch (const InputError& error) {
      warnings.push_back("rigid body \"" + spec.name + "\" is not shown: " + error.what());
    }
  }
}

void widen(Bounds3& bounds, const Bounds3& other, bool first) {
  for (int i = 0; i < 3; ++i) {
    bounds.minimum[i] = first ? other.minimum[i] : std::min(bounds.minimum[i], other.minimum[i]);
    bounds.maximum[i] = first ? other.maximum[i] : std::max(bounds.maximum[i], other.maximum[i]);
  }
}

double extent_of(const Bounds3& bounds) {
  const Vec3d extent = bounds.maximum - bounds.minimum;
  return std::max({extent.x, extent.y, extent.z});
}

double lowest_of(const Bounds3& bounds, const Vec3d& up) {
  double lowest = std::numeric_limits<double>::infinity();
  for (const Vec3d& corner : corners_of(bounds)) lowest = std::min(lowest, dot(corner, up));
  return lowest;
}

// Boxes of the particles and of the rigid bodies, then of the colliders that are not much larger than the motion.
void gather_extent(const std::vector<Glance>& glances, MotionPlan& plan) {
  bool first = true;
  auto include = [&](const Bounds3& box) {
    widen(plan.bounds, box, first);
    first = false;
    for (const Vec3d& corner : corners_of(box)) plan.corners.push_back(corner);
  };
  for (const Glance& glance : glances)
    for (const Bounds3& box : glance.boxes) include(box);
  const auto include_moved = [&](const DrawnCollider& collider) {
    const Bounds3 box = collider.shape->bounds();
    for (const Glance& glance : glances) include(moved_bounds(box, collider.pose(glance.frame, glance.time)));
    if (glances.empty()) include(moved_bounds(box, collider.pose(0, 0)));
  };
  for (const DrawnCollider& collider : plan.colliders)
    if (collider.is_rigid) include_moved(collider);
  const double motion = first ? 0 : extent_of(plan.bounds);
  for (const DrawnCollider& collider : plan.colliders) {
    const Bounds3 box = collider.shape->bounds();
    if (collider.is_rigid || collider.is_plane || !is_finite(box) || (!first && extent_of(box) > 2.5 * motion)) continue;
    include_moved(collider);
  }
  if (first) include({{-0.5, 0, -0.5}, {0.5, 1, 0.5}});
  plan.size = std::max(extent_of(plan.bounds), 1e-9);
  // What rests on a collider stands on the ground with it; what floats keeps a distance.
  plan.ground_gap = 0.15 * plan.size;
  for (const DrawnCollider& collider : plan.colliders) {
    const Bounds3 box = collider.shape->bounds();
    if (collider.is_rigid || collider.is_plane || collider.motion.moves() || !is_finite(box)) continue;
    if (lowest_of(box, plan.up) <= lowest_of(plan.bounds, plan.up) + 1e-6 * plan.size) plan.ground_gap = 0;
  }
}

// Share of the places that the collider hides from the camera; more than 1 when the camera is inside it.
double hidden_by(const DrawnCollider& collider, const std::vector<Glance>& glances, const Camera& camera, double size) {
  const Bounds3 box = collider.shape->bounds();
  if (collider.is_plane || !is_finite(box)) return 0;
  std::size_t hidden = 0, all = 0;
  for (const Glance& glance : glances) {
    const Pose pose = collider.pose(glance.frame, glance.time);
    const ShapeSurface surface{collider.shape, pose, moved_bounds(box, pose), {}};
    if (collider.shape->distance(surface.pose.invert(camera.position)) < 0.02 * size) return 10;
    for (std::size_t i = 0; i < glance.places.size(); i += 1 + glance.places.size() / 24) {
      const Vec3d way = glance.places[i] - camera.position;
      const double far = length(way);
      double distance = 0;
      ++all, hidden += trace_shape(surface, camera.position, way / far, 0, far - 0.01 * size, distance);
    }
  }
  return all ? static_cast<double>(hidden) / static_cast<double>(all) : 0;
}

void place_camera(const SceneSpec& scene, const std::vector<Glance>& glances, const PlanRequest& request, MotionPlan& plan) {
  auto hidden = [&](const Camera& camera) {
    double share = 0;
    for (const DrawnCollider& collider : plan.colliders) {
      share += hidden_by(collider, glances, camera, plan.size);
      if (collider.is_plane && dot(collider.normal, plan.up) > 0.3 &&
          dot(camera.position - collider.point, collider.normal) < 0.02 * plan.size)
        share += 10;  // below the floor
    }
    return share;
  };
  if (scene.camera) plan.camera = {scene.camera->position, scene.camera->target, plan.up, scene.camera->field_of_view};
  else plan.camera = choose_camera({plan.corners, plan.up, request.aspect, 0.07, request.attribute.empty() ? 0 : 0.1}, hidden);
  for (DrawnCollider& collider : plan.colliders) collider.glass = hidden_by(collider, glances, plan.camera, plan.size) > 0.45;
}

// The sun comes from the side that lights more of what the camera sees of the colliders; from the left when that is all one.
void place_sun(const std::vector<Glance>& glances, MotionPlan& plan) {
  const View view(plan.camera, 32, 18);
  const Sky skies[2] = {sky_for(plan.up, view.forward, false), sky_for(plan.up, view.forward, true)};
  double light[2] = {0, 0};
  for (const DrawnCollider& collider : plan.colliders) {
    const Bounds3 box = collider.shape->bounds();
    if (collider.is_plane || !is_finite(box)) continue;
    const Pose pose = glances.empty() ? collider.pose(0, 0) : collider.pose(glances.front().frame, glances.front().time);
    const ShapeSurface surface{collider.shape, pose, moved_bounds(box, pose), {}};
    for (double y = 0.5; y < view.height; ++y)
      for (double x = 0.5; x < view.width; ++x) {
        const Vec3d direction = view.direction(x, y);
        double distance = 0;
        if (!trace_shape(surface, view.position, direction, 0, 1e30, distance)) continue;
        const Vec3d normal = shape_normal(surface, view.position + direction * distance);
        for (int k = 0; k < 2; ++k) light[k] += std::max(0.0, dot(normal, Vec3d{skies[k].sun.x, skies[k].sun.y, skies[k].sun.z}));
      }
  }
  plan.sun_from_right = light[1] > 1.2 * light[0];
}

// From the first to the 99th percentile of all that was seen, widened to round numbers.
void choose_range(const std::vector<Glance>& glances, const PlanRequest& request, MotionPlan& plan) {
  std::vector<float> values;
  for (const Glance& glance : glances) values.insert(values.end(), glance.values.begin(), glance.values.end());
  if (!values.empty()) {
    auto percentile = [&](double share) {
      const auto place = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
      std::nth_element(values.begin(), values.begin() + place, values.end());
      return static_cast<double>(values[static_cast<std::size_t>(place)]);
    };
    plan.low = percentile(0.01), plan.high = percentile(0.99);
    const double range = plan.high - plan.low;
    if (range > 0) {
      const double step = std::pow(10, std::floor(std::log10(range) - 0.7));
      if (plan.low > 0 && plan.low < 0.25 * plan.high) plan.low = 0;
      plan.low = std::floor(plan.low / step) * step, plan.high = std::ceil(plan.high / step) * step;
    } else {
      const double around = std::max(std::abs(plan.low) * 0.01, 1e-6);
      plan.low -= around, plan.high += around;
    }
  }
  plan.low = request.low.value_or(plan.low), plan.high = request.high.value_or(plan.high);
}

}  // namespace

std::vector<float> attribute_values(const Frame& frame, const std::string& attribute) {
  const FrameColumn* column = frame.find(attribute);
  if (!column) {
    std::vector<std::string> names;
    std::string list;
    for (const FrameColumn& c : frame.columns) names.push_back(c.name), list += (list.empty() ? "" : ", ") + c.name;
    const std::string near = nearest_name(attribute, names);
    throw InputError("--color " + attribute + ": the frames have no such attribute; " +
                     (near.empty() ? "they have " + list : "did you mean \"" + near + "\"? They have " + list));
  }
  std::vector<float> values(frame.count);
  const auto components = static_cast<std::size_t>(column->components);
  for (std::size_t i = 0; i < frame.count; ++i) {
    if (column->is_integer) {
      values[i] = static_cast<float>(column->ints[components * i]);
    } else if (components == 1) {
      values[i] = column->floats[i];
    } else {
      float sum = 0;
      for (std::size_t k = 0; k < components; ++k) sum += column->floats[components * i + k] * column->floats[components * i + k];
      values[i] = std::sqrt(sum);
    }
  }
  return values;
}

bool MotionPlan::has_floor() const {
  return std::any_of(colliders.begin(), colliders.end(),
                     [&](const DrawnCollider& c) { return c.is_plane && dot(c.normal, up) > floor_slope; });
}

bool MotionPlan::fits(const Camera& other, double aspect) const {
  const View view(other, static_cast<int>(1000 * aspect), 1000);
  return std::all_of(corners.begin(), corners.end(), [&](const Vec3d& corner) {
    const Vec3d place = view.project(corner);
    return place.z > 0 && place.x >= 0 && place.x <= view.width && place.y >= 0 && place.y <= view.height;
  });
}

MotionPlan plan_motion(const RunFolder& run, const std::vector<FrameFile>& frames, const PlanRequest& request) {
  const std::vector<Glance> glances = look_around(frames, request.attribute);
  MotionPlan plan;
  plan.up = up_of(run.scene);
  plan.colliders = drawn_colliders(run.scene, plan.warnings);
  add_rigid_bodies(run, plan.colliders, plan.warnings);
  gather_extent(glances, plan);
  place_camera(run.scene, glances, request, plan);
  place_sun(glances, plan);
  choose_range(glances, request, plan);
  return plan;
}

}  // namespace knead::cli
