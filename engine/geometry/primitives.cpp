// Box, sphere, ellipsoid, plane: exact distances and normals.
#include "geometry/primitives.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/error.h"

namespace knead {

namespace {
constexpr double pi = std::numbers::pi;
constexpr double infinity = std::numeric_limits<double>::infinity();

class BoxShape final : public Shape {
 public:
  explicit BoxShape(const Box& box) : center_((box.min + box.max) * 0.5), half_((box.max - box.min) * 0.5), bounds_{box.min, box.max} {}

  double distance(const Vec3d& point) const override {
    const Vec3d q = outside(point);
    const Vec3d beyond{std::max(q.x, 0.0), std::max(q.y, 0.0), std::max(q.z, 0.0)};
    return length(beyond) + std::min(std::max({q.x, q.y, q.z}), 0.0);
  }
  Bounds3 bounds() const override { return bounds_; }
  Vec3d normal(const Vec3d& point) const override {
    const Vec3d q = outside(point);
    Vec3d n{std::max(q.x, 0.0), std::max(q.y, 0.0), std::max(q.z, 0.0)};
    if (n == Vec3d{}) {  // inside: the nearest face
      const int axis = q.x >= q.y && q.x >= q.z ? 0 : q.y >= q.z ? 1 : 2;
      n[axis] = 1;
    }
    for (int i = 0; i < 3; ++i) n[i] = std::copysign(n[i], point[i] - center_[i]);
    return normalized(n);
  }
  std::optional<double> volume() const override { return 8 * half_.x * half_.y * half_.z; }

 private:
  Vec3d outside(const Vec3d& point) const {
    const Vec3d p = point - center_;
    return {std::abs(p.x) - half_.x, std::abs(p.y) - half_.y, std::abs(p.z) - half_.z};
  }
  Vec3d center_, half_;
  Bounds3 bounds_;
};

class SphereShape final : public Shape {
 public:
  explicit SphereShape(const Sphere& sphere) : sphere_(sphere) {}
  double distance(const Vec3d& point) const override { return length(point - sphere_.center) - sphere_.radius; }
  Bounds3 bounds() const override {
    const Vec3d r{sphere_.radius, sphere_.radius, sphere_.radius};
    return {sphere_.center - r, sphere_.center + r};
  }
  Vec3d normal(const Vec3d& point) const override {
    const Vec3d p = point - sphere_.center;
    const double size = length(p);
    return size > 0 ? p / size : Vec3d{0, 1, 0};
  }
  std::optional<double> volume() const override { return 4 * pi / 3 * std::pow(sphere_.radius, 3); }

 private:
  Sphere sphere_;
};

// The closest point x of the surface to y satisfies y = x + t grad, that is x_i = e_i^2 y_i / (t + e_i^2), on the surface.
class EllipsoidShape final : public Shape {
 public:
  explicit EllipsoidShape(const Ellipsoid& ellipsoid) : ellipsoid_(ellipsoid) {}

  double distance(const Vec3d& point) const override {
    const Vec3d p = point - ellipsoid_.center;
    const Vec3d &e = ellipsoid_.radii, scaled{p.x / e.x, p.y / e.y, p.z / e.z};
    return std::copysign(length(closest(p) - p), dot(scaled, scaled) - 1);
  }
  Bounds3 bounds() const override { return {ellipsoid_.center - ellipsoid_.radii, ellipsoid_.center + ellipsoid_.radii}; }
  Vec3d normal(const Vec3d& point) const override {
    const Vec3d x = closest(point - ellipsoid_.center), &e = ellipsoid_.radii;
    return normalized(Vec3d{x.x / (e.x * e.x), x.y / (e.y * e.y), x.z / (e.z * e.z)});
  }
  std::optional<double> volume() const override { return 4 * pi / 3 * ellipsoid_.radii.x * ellipsoid_.radii.y * ellipsoid_.radii.z; }

 private:
  // With u = 1 + t / e_min^2 > 0 and r_i = (e_i / e_min)^2, u is the root of g(u) = sum (r_i z_i / (u + r_i - 1))^2 - 1,
  // z_i = |y_i| / e_i. g falls and is convex, so Newton's method from the left climbs to the root and cannot overshoot.
  Vec3d closest(const Vec3d& p) const {
    const Vec3d& e = ellipsoid_.radii;
    const double smallest = std::min({e.x, e.y, e.z});
    double r[3], y[3], u = 0;
    for (int i = 0; i < 3; ++i) {
      r[i] = (e[i] / smallest) * (e[i] / smallest);
      // On the medial surface (y_i = 0 along the shortest axis) there are two closest points; a tiny offset picks one.
      y[i] = e[i] == smallest ? std::max(std::abs(p[i]), 1e-12 * smallest) : std::abs(p[i]);
      u = std::max(u, r[i] * y[i] / e[i] - (r[i] - 1));
    }
    for (int iteration = 0; iteration < 100; ++iteration) {
      double g = -1, slope = 0;
      for (int i = 0; i < 3; ++i) {
        const double denominator = u + (r[i] - 1), a = r[i] * y[i] / e[i] / denominator;
        g += a * a, slope -= 2 * a * a / denominator;
      }
      const double next = u - g / slope;
      if (!(next > u * (1 + 1e-15))) break;
      u = next;
    }
    Vec3d x;
    for (int i = 0; i < 3; ++i) x[i] = std::copysign(r[i] * y[i] / (u + (r[i] - 1)), p[i]);
    return x;
  }
  Ellipsoid ellipsoid_;
};

class PlaneShape final : public Shape {
 public:
  PlaneShape(const Vec3d& point, const Vec3d& normal) : point_(point), normal_(normal) {}
  double distance(const Vec3d& point) const override { return dot(point - point_, normal_); }
  // A plane along the axes bounds one side, so that shapes cut by it get tight bounds.
  Bounds3 bounds() const override {
    Bounds3 box{{-infinity, -infinity, -infinity}, {infinity, infinity, infinity}};
    for (int i = 0; i < 3; ++i) {
      if (normal_[i] == 1) box.maximum[i] = point_[i];
      if (normal_[i] == -1) box.minimum[i] = point_[i];
    }
    return box;
  }
  Vec3d normal(const Vec3d&) const override { return normal_; }

 private:
  Vec3d point_, normal_;
};

}  // namespace

void require_positive(double value, const char* key) {
  if (!(value > 0) || !std::isfinite(value)) throw InputError(std::string(key) + " must be a number greater than 0.");
}

void require_finite(const Vec3d& value, const char* key) {
  for (int i = 0; i < 3; ++i)
    if (!std::isfinite(value[i])) throw InputError(std::string(key) + " must be three finite numbers.");
}

Vec3d require_direction(const Vec3d& value, const char* key) {
  require_finite(value, key);
  const double size = length(value);
  if (!(size > 0) || !std::isfinite(size)) throw InputError(std::string(key) + " must be a vector that is not zero.");
  return value / size;
}

ShapePointer make_primitive(const Box& box) {
  require_finite(box.min, "min"), require_finite(box.max, "max");
  for (int i = 0; i < 3; ++i)
    if (!(box.min[i] < box.max[i]))
      throw InputError(std::string("every coordinate of min must be smaller than that of max, but ") + "xyz"[i] + " is not.");
  return std::make_shared<BoxShape>(box);
}

ShapePointer make_primitive(const Sphere& sphere) {
  require_finite(sphere.center, "center"), require_positive(sphere.radius, "radius");
  return std::make_shared<SphereShape>(sphere);
}

ShapePointer make_primitive(const Ellipsoid& ellipsoid) {
  require_finite(ellipsoid.center, "center");
  for (int i = 0; i < 3; ++i) require_positive(ellipsoid.radii[i], "each of the radii");
  return std::make_shared<EllipsoidShape>(ellipsoid);
}

ShapePointer make_primitive(const Plane& plane) {
  require_finite(plane.point, "point");
  return std::make_shared<PlaneShape>(plane.point, require_direction(plane.normal, "normal"));
}

}  // namespace knead
