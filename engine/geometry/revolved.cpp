// Cylinder, capsule, cone, torus: a profile in the half plane (distance from the axis, height) turned about an axis.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/error.h"
#include "geometry/primitives.h"

namespace knead {

namespace {
constexpr double pi = std::numbers::pi;

// A distance in the half plane and its gradient there.
struct ProfileDistance {
  double value, along_radius, along_axis;
};

// From the point (radius, height) to a point of the profile's outline: sign is -1 inside.
ProfileDistance to_outline(double radius, double height, double outline_radius, double outline_height, double sign) {
  const double a = radius - outline_radius, b = height - outline_height, size = std::hypot(a, b);
  return size > 0 ? ProfileDistance{sign * size, sign * a / size, sign * b / size} : ProfileDistance{0, 1, 0};
}

struct CylinderProfile {
  double radius, height;
  ProfileDistance operator()(double rho, double h) const {
    const double side = rho - radius, end = std::abs(h - height / 2) - height / 2, up = h < height / 2 ? -1 : 1;
    if (side > 0 && end > 0) {
      const double size = std::hypot(side, end);
      return {size, side / size, up * end / size};
    }
    return side > end ? ProfileDistance{side, 1, 0} : ProfileDistance{end, 0, up};
  }
  double volume() const { return pi * radius * radius * height; }
};

struct CapsuleProfile {
  double radius, height;
  ProfileDistance operator()(double rho, double h) const {
    ProfileDistance d = to_outline(rho, h, 0, std::clamp(h, 0.0, height), 1);
    d.value -= radius;
    return d;
  }
  double volume() const { return pi * radius * radius * (height + 4 * radius / 3); }
};

struct ConeProfile {
  double radius, height;
  ProfileDistance operator()(double rho, double h) const {
    // Nearest points of the base disc and of the slanted side, a segment from (radius, 0) to (0, height).
    const double s = std::clamp(((radius - rho) * radius + h * height) / (radius * radius + height * height), 0.0, 1.0);
    const bool inside = h > 0 && rho / radius + h / height < 1;
    const double sign = inside ? -1 : 1;
    const ProfileDistance base = to_outline(rho, h, std::min(rho, radius), 0, sign),
                          side = to_outline(rho, h, radius * (1 - s), height * s, sign);
    if (side.value == 0) {  // on the side: its own normal
      const double slant = std::hypot(radius, height);
      return {0, height / slant, radius / slant};
    }
    if (base.value == 0) return {0, 0, -1};
    return std::abs(base.value) < std::abs(side.value) ? base : side;
  }
  double volume() const { return pi * radius * radius * height / 3; }
};

struct TorusProfile {
  double radius, tube;
  ProfileDistance operator()(double rho, double h) const {
    ProfileDistance d = to_outline(rho, h, radius, 0, 1);
    d.value -= tube;
    return d;
  }
  double volume() const { return 2 * pi * pi * radius * tube * tube; }
};

template <class Profile> class Revolved final : public Shape {
 public:
  Revolved(const Vec3d& origin, const Vec3d& axis, const Profile& profile, const Bounds3& bounds)
      : origin_(origin), axis_(axis), profile_(profile), bounds_(bounds) {}

  double distance(const Vec3d& point) const override {
    const auto [radial, rho, height] = split(point);
    return profile_(rho, height).value;
  }
  Bounds3 bounds() const override { return bounds_; }
  Vec3d normal(const Vec3d& point) const override {
    const auto [radial, rho, height] = split(point);
    const ProfileDistance d = profile_(rho, height);
    return normalized(radial * d.along_radius + axis_ * d.along_axis);
  }
  std::optional<double> volume() const override { return profile_.volume(); }

 private:
  struct Split {
    Vec3d radial;  // unit vector away from the axis
    double rho, height;
  };
  Split split(const Vec3d& point) const {
    const Vec3d p = point - origin_;
    const double height = dot(p, axis_);
    const Vec3d away = p - axis_ * height;
    const double rho = length(away);
    if (rho > 0) return {away / rho, rho, height};
    const Vec3d other = std::abs(axis_.x) < 0.6 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0};  // on the axis every direction is as good
    return {normalized(cross(axis_, other)), 0, height};
  }
  Vec3d origin_, axis_;
  Profile profile_;
  Bounds3 bounds_;
};

// Half size along the axes of a disc with this unit normal.
Vec3d disc_extent(const Vec3d& normal, double radius) {
  Vec3d extent;
  for (int i = 0; i < 3; ++i) extent[i] = radius * std::sqrt(std::max(0.0, 1 - normal[i] * normal[i]));
  return extent;
}

// Bounds of two points, each grown by its own extent.
Bounds3 bounds_of(const Vec3d& a, const Vec3d& extent_a, const Vec3d& b, const Vec3d& extent_b) {
  Bounds3 box;
  for (int i = 0; i < 3; ++i) {
    box.minimum[i] = std::min(a[i] - extent_a[i], b[i] - extent_b[i]);
    box.maximum[i] = std::max(a[i] + extent_a[i], b[i] + extent_b[i]);
  }
  return box;
}

template <class Spec> Vec3d check_axial(const Spec& spec) {
  require_finite(spec.base, "base"), require_positive(spec.radius, "radius");
  return require_direction(spec.axis, "axis");
}

}  // namespace

ShapePointer make_primitive(const Cylinder& cylinder) {
  const Vec3d axis = check_axial(cylinder), extent = disc_extent(axis, cylinder.radius);
  return std::make_shared<Revolved<CylinderProfile>>(cylinder.base, axis, CylinderProfile{cylinder.radius, length(cylinder.axis)},
                                                     bounds_of(cylinder.base, extent, cylinder.base + cylinder.axis, extent));
}

ShapePointer make_primitive(const Capsule& capsule) {
  const Vec3d axis = check_axial(capsule), extent{capsule.radius, capsule.radius, capsule.radius};
  return std::make_shared<Revolved<CapsuleProfile>>(capsule.base, axis, CapsuleProfile{capsule.radius, length(capsule.axis)},
                                                    bounds_of(capsule.base, extent, capsule.base + capsule.axis, extent));
}

ShapePointer make_primitive(const Cone& cone) {
  const Vec3d axis = check_axial(cone);
  return std::make_shared<Revolved<ConeProfile>>(cone.base, axis, ConeProfile{cone.radius, length(cone.axis)},
                                                 bounds_of(cone.base, disc_extent(axis, cone.radius), cone.base + cone.axis, {}));
}

ShapePointer make_primitive(const Torus& torus) {
  require_finite(torus.center, "center"), require_positive(torus.radius, "radius"), require_positive(torus.tube, "tube");
  if (torus.tube > torus.radius) throw InputError("tube must not be greater than radius.");
  const Vec3d axis = require_direction(torus.axis, "axis");
  const Vec3d extent = disc_extent(axis, torus.radius) + Vec3d{torus.tube, torus.tube, torus.tube};
  return std::make_shared<Revolved<TorusProfile>>(torus.center, axis, TorusProfile{torus.radius, torus.tube},
                                                  bounds_of(torus.center, extent, torus.center, extent));
}

}  // namespace knead
