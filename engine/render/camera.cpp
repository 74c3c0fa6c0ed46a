#include "render/camera.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace knead {
namespace {

constexpr double radians = 0.017453292519943295;

// Two level axes: `right` and `front` are x and z where y is up, x and -y where z is up.
void level_axes(const Vec3d& up, Vec3d& right, Vec3d& front) {
  const Vec3d first = std::abs(up.x) < 0.9 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0};
  right = normalized(first - up * dot(first, up));
  front = cross(right, up);
}

}  // namespace

View::View(const Camera& camera, int width_pixels, int height_pixels)
    : position(camera.position), width(width_pixels), height(height_pixels), scale(std::tan(0.5 * camera.field_of_view * radians)) {
  forward = normalized(camera.target - camera.position);
  Vec3d side = cross(forward, camera.up);
  if (length(side) < 1e-9 * length(camera.up)) {  // looks straight along `up`
    Vec3d front;
    level_axes(normalized(camera.up), side, front);
  }
  right = normalized(side);
  up = cross(right, forward);
}

Vec3d View::direction(double pixel_x, double pixel_y) const {
  const double x = (2 * pixel_x - width) / height * scale, y = (1 - 2 * pixel_y / height) * scale;
  return normalized(forward + right * x + up * y);
}

Vec3d View::project(const Vec3d& point) const {
  const Vec3d offset = point - position;
  const double depth = dot(offset, forward), factor = height / (2 * scale * depth);
  return {0.5 * width + dot(offset, right) * factor, 0.5 * height - dot(offset, up) * factor, depth};
}

Vec3d view_direction(const Vec3d& up, const ViewAngle& angle) {
  Vec3d right, front;
  level_axes(up, right, front);
  const double a = angle.azimuth * radians, e = angle.elevation * radians;
  return up * std::sin(e) + (front * std::cos(a) + right * std::sin(a)) * std::cos(e);
}

Camera camera_around(const Framing& framing, const ViewAngle& angle) {
  Camera camera;
  camera.up = framing.up;
  camera.position = view_direction(framing.up, angle), camera.target = {};
  const View view(camera, 2, 2);  // for its axes
  const double free = 1 - 2 * framing.margin, vertical = view.scale * free;
  const double to_left = view.scale * framing.aspect * free, to_right = to_left - 2 * view.scale * framing.aspect * framing.right_margin;

  // A point is in the picture when x - cx <= (z - cz) * to_right, with z along the view; each of the four sides is one such bound.
  constexpr double lowest = -std::numeric_limits<double>::infinity();
  double right = lowest, left = lowest, top = lowest, bottom = lowest, nearest = -lowest, farthest = lowest;
  for (const Vec3d& point : framing.points) {
    const double x = dot(point, view.right), y = dot(point, view.up), z = dot(point, view.forward);
    right = std::max(right, x - to_right * z), left = std::max(left, -x - to_left * z);
    top = std::max(top, y - vertical * z), bottom = std::max(bottom, -y - vertical * z);
    nearest = std::min(nearest, z), farthest = std::max(farthest, z);
  }
  if (framing.points.empty()) return camera;
  const double z = std::min({-(right + left) / (to_right + to_left), -(top + bottom) / (2 * vertical), nearest - 1e-6});
  const double x = (right + to_right * z - left - to_left * z) / 2, y = (top - bottom) / 2;
  camera.position = view.right * x + view.up * y + view.forward * z;
  camera.target = camera.position + view.forward * std::max((nearest + farthest) / 2 - z, 1e-6);
  return camera;
}

Camera choose_camera(const Framing& framing, const std::function<double(const Camera&)>& hidden) {
  Vec3d right, front;
  level_axes(framing.up, right, front);
  double extent[2][2] = {{1e300, -1e300}, {1e300, -1e300}};
  for (const Vec3d& point : framing.points) {
    const double place[2] = {dot(point, right), dot(point, front)};
    for (int i = 0; i < 2; ++i) extent[i][0] = std::min(extent[i][0], place[i]), extent[i][1] = std::max(extent[i][1], place[i]);
  }
  const bool deep = extent[1][1] - extent[1][0] > 1.3 * (extent[0][1] - extent[0][0]);
  const double base = deep ? 90 : 0;
  Camera best;
  double best_score = std::numeric_limits<double>::infinity();
  int order = 0;
  for (const double elevation : {15.0, 32.0, 55.0})
    for (const double azimuth : {-28.0, 28.0, 152.0, 208.0, 62.0, -62.0}) {
      const Camera camera = camera_around(framing, {base + azimuth, elevation});
      const double score = hidden(camera) + 0.02 * order++;
      if (score < best_score) best_score = score, best = camera;
    }
  return best;
}

Bounds3 robust_bounds(std::vector<Vec3d> points, double share) {
  Bounds3 bounds{};
  if (points.empty()) return bounds;
  const auto last = static_cast<double>(points.size() - 1);
  const auto low = static_cast<std::ptrdiff_t>(std::floor(share * last)), high = static_cast<std::ptrdiff_t>(std::ceil((1 - share) * last));
  for (int axis = 0; axis < 3; ++axis) {
    const auto less = [axis](const Vec3d& a, const Vec3d& b) { return a[axis] < b[axis]; };
    std::nth_element(points.begin(), points.begin() + low, points.end(), less);
    bounds.minimum[axis] = points[static_cast<std::size_t>(low)][axis];
    std::nth_element(points.begin(), points.begin() + high, points.end(), less);
    bounds.maximum[axis] = points[static_cast<std::size_t>(high)][axis];
  }
  return bounds;
}

std::vector<Vec3d> corners_of(const Bounds3& bounds) {
  std::vector<Vec3d> corners;
  for (int i = 0; i < 8; ++i)
    corners.push_back({i & 1 ? bounds.maximum.x : bounds.minimum.x, i & 2 ? bounds.maximum.y : bounds.minimum.y,
                       i & 4 ? bounds.maximum.z : bounds.minimum.z});
  return corners;
}

}  // namespace knead
