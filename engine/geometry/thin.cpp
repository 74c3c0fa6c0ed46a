#include "geometry/thin.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "geometry/combined.h"
#include "geometry/primitives.h"

namespace knead {

namespace {

constexpr double most_points = 1e9;

Vec3d moved(const std::optional<Transform>& transform, const Vec3d& X) { return transform ? apply(*transform, X) : X; }

// How many points fit best along a length; one at least.
double count_along(double length, double spacing) { return std::max(1.0, std::round(length / spacing)); }

void check_count(double points) {
  if (!(points <= most_points)) throw InputError("the shape would be filled by too many particles at this spacing.");
}

std::vector<Vec3d> points_of(const Sheet& sheet, const std::optional<Transform>& transform, double spacing) {
  require_finite(sheet.center, "center");
  require_direction(sheet.u, "u"), require_direction(sheet.v, "v");
  const Vec3d center = moved(transform, sheet.center), u = moved(transform, sheet.center + sheet.u) - center,
              v = moved(transform, sheet.center + sheet.v) - center;
  if (std::abs(dot(u, v)) > 1e-6 * length(u) * length(v)) throw InputError("u and v of a sheet must be at right angles.");
  const double rows = count_along(2 * length(u), spacing), columns = count_along(2 * length(v), spacing);
  check_count(rows * columns);
  const Vec3d along_u = normalized(u) * spacing, along_v = normalized(v) * spacing;
  std::vector<Vec3d> points;
  points.reserve(static_cast<std::size_t>(rows * columns));
  for (double i = 0; i < rows; ++i)
    for (double j = 0; j < columns; ++j) points.push_back(center + along_u * (i - (rows - 1) / 2) + along_v * (j - (columns - 1) / 2));
  return points;
}

std::vector<Vec3d> points_of(const Rod& rod, const std::optional<Transform>& transform, double spacing) {
  if (rod.points.size() < 2) throw InputError("a rod needs two points or more.");
  std::vector<Vec3d> corners;
  double total = 0;
  for (const Vec3d& point : rod.points) {
    require_finite(point, "each of the points");
    corners.push_back(moved(transform, point));
    if (corners.size() > 1) total += length(corners.back() - corners[corners.size() - 2]);
  }
  if (!(total > 0)) throw InputError("the points of a rod must not all be the same.");
  const double count = count_along(total, spacing);
  check_count(count);
  std::vector<Vec3d> points;
  points.reserve(static_cast<std::size_t>(count));
  std::size_t corner = 0;
  double passed = 0, next = (total - (count - 1) * spacing) / 2;  // along the line: to the corner, to the next point
  for (double n = 0; n < count; ++n, next += spacing) {
    double part = length(corners[corner + 1] - corners[corner]);
    while (next > passed + part && corner + 2 < corners.size()) {
      passed += part, ++corner;
      part = length(corners[corner + 1] - corners[corner]);
    }
    points.push_back(corners[corner] + (corners[corner + 1] - corners[corner]) * (part > 0 ? (next - passed) / part : 0));
  }
  return points;
}

}  // namespace

bool is_thin(const ShapeSpec& spec) { return std::holds_alternative<Sheet>(spec.kind) || std::holds_alternative<Rod>(spec.kind); }

std::vector<Vec3d> sample_thin(const ShapeSpec& spec, double spacing) {
  require_positive(spacing, "the spacing of particles");
  if (spec.transform) check_transform(*spec.transform);
  if (const auto* rod = std::get_if<Rod>(&spec.kind)) return points_of(*rod, spec.transform, spacing);
  return points_of(std::get<Sheet>(spec.kind), spec.transform, spacing);
}

}  // namespace knead
