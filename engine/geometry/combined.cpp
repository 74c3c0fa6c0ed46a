#include "geometry/combined.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "geometry/primitives.h"
#include "geometry/rotation.h"

namespace knead {

namespace {
constexpr double infinity = std::numeric_limits<double>::infinity();

Bounds3 joined(const std::vector<ShapePointer>& shapes) {
  Bounds3 box{{infinity, infinity, infinity}, {-infinity, -infinity, -infinity}};
  for (const auto& shape : shapes) {
    const Bounds3 one = shape->bounds();
    for (int i = 0; i < 3; ++i) {
      box.minimum[i] = std::min(box.minimum[i], one.minimum[i]);
      box.maximum[i] = std::max(box.maximum[i], one.maximum[i]);
    }
  }
  return box;
}

Bounds3 common(const std::vector<ShapePointer>& shapes) {
  Bounds3 box{{-infinity, -infinity, -infinity}, {infinity, infinity, infinity}};
  for (const auto& shape : shapes) {
    const Bounds3 one = shape->bounds();
    for (int i = 0; i < 3; ++i) {
      box.minimum[i] = std::max(box.minimum[i], one.minimum[i]);
      box.maximum[i] = std::min(box.maximum[i], one.maximum[i]);
    }
  }
  return box;
}

// Minimum or maximum of 1-Lipschitz functions is 1-Lipschitz; the normal is that of the shape that decides.
// sign[i] = -1 turns shape i inside out; direction = 1 takes the smallest distance, -1 the largest.
class SelectedShape final : public Shape {
 public:
  SelectedShape(std::vector<ShapePointer> shapes, double direction, double others_sign, const Bounds3& bounds)
      : shapes_(std::move(shapes)), direction_(direction), others_sign_(others_sign), bounds_(bounds) {}

  double distance(const Vec3d& point) const override { return decide(point).second; }
  Bounds3 bounds() const override { return bounds_; }
  Vec3d normal(const Vec3d& point) const override {
    const std::size_t i = decide(point).first;
    return shapes_[i]->normal(point) * sign(i);
  }
  std::optional<double> volume() const override { return shapes_.size() == 1 ? shapes_.front()->volume() : std::nullopt; }

 private:
  double sign(std::size_t i) const { return i == 0 ? 1.0 : others_sign_; }
  std::pair<std::size_t, double> decide(const Vec3d& point) const {
    std::pair<std::size_t, double> best{0, shapes_[0]->distance(point)};
    for (std::size_t i = 1; i < shapes_.size(); ++i) {
      const double d = sign(i) * shapes_[i]->distance(point);
      if (direction_ * d < direction_ * best.second) best = {i, d};
    }
    return best;
  }
  std::vector<ShapePointer> shapes_;
  double direction_, others_sign_;
  Bounds3 bounds_;
};

// Polynomial smooth minimum of two distances: a parabola of width k around a = b. Its gradient is a convex mix of the two
// gradients, so the result stays 1-Lipschitz. More shapes are folded in one by one.
class SmoothUnionShape final : public Shape {
 public:
  SmoothUnionShape(std::vector<ShapePointer> shapes, double radius)
      : shapes_(std::move(shapes)), radius_(radius), bounds_(joined(shapes_)) {
    // The surface grows outwards by at most k/4 with each further shape, and by less than k in all.
    const double growth = radius_ * std::min(1.0, 0.25 * static_cast<double>(shapes_.size() - 1));
    bounds_.minimum -= Vec3d{growth, growth, growth}, bounds_.maximum += Vec3d{growth, growth, growth};
  }

  double distance(const Vec3d& point) const override {
    double a = shapes_[0]->distance(point);
    for (std::size_t i = 1; i < shapes_.size(); ++i) {
      const double b = shapes_[i]->distance(point), overlap = blend(a, b);
      a = std::min(a, b) - overlap * overlap * radius_ / 4;
    }
    return a;
  }
  Bounds3 bounds() const override { return bounds_; }
  Vec3d normal(const Vec3d& point) const override {
    double a = shapes_[0]->distance(point);
    Vec3d gradient = shapes_[0]->normal(point);
    for (std::size_t i = 1; i < shapes_.size(); ++i) {
      const double b = shapes_[i]->distance(point), overlap = blend(a, b), weight = a < b ? overlap / 2 : 1 - overlap / 2;  // of shape i
      gradient = gradient * (1 - weight) + shapes_[i]->normal(point) * weight;
      a = std::min(a, b) - overlap * overlap * radius_ / 4;
    }
    const double size = length(gradient);
    return size > 0 ? gradient / size : shapes_[0]->normal(point);
  }
  std::optional<double> volume() const override { return shapes_.size() == 1 ? shapes_.front()->volume() : std::nullopt; }

 private:
  double blend(double a, double b) const { return std::max(radius_ - std::abs(a - b), 0.0) / radius_; }
  std::vector<ShapePointer> shapes_;
  double radius_;
  Bounds3 bounds_;
};

// d(x) = s_min * d_0(S^-1 R^T (x - t)): the factor s_min keeps the distance a lower bound when the axes scale differently.
class TransformedShape final : public Shape {
 public:
  TransformedShape(ShapePointer shape, const Transform& transform)
      : shape_(std::move(shape)),
        rotation_(euler_rotation(transform.rotate)),
        back_(transpose(rotation_)),
        transform_(transform),
        smallest_(std::min({transform.scale.x, transform.scale.y, transform.scale.z})) {}

  double distance(const Vec3d& point) const override { return smallest_ * shape_->distance(to_shape(point)); }
  Bounds3 bounds() const override {
    const Bounds3 box = shape_->bounds();
    Bounds3 result{{-infinity, -infinity, -infinity}, {infinity, infinity, infinity}};
    if (!is_finite(box)) return result;
    std::swap(result.minimum, result.maximum);
    for (int corner = 0; corner < 8; ++corner) {
      const Vec3d x = apply(transform_, {corner & 1 ? box.maximum.x : box.minimum.x, corner & 2 ? box.maximum.y : box.minimum.y,
                                         corner & 4 ? box.maximum.z : box.minimum.z});
      for (int i = 0; i < 3; ++i) {
        result.minimum[i] = std::min(result.minimum[i], x[i]);
        result.maximum[i] = std::max(result.maximum[i], x[i]);
      }
    }
    return result;
  }
  Vec3d normal(const Vec3d& point) const override {
    const Vec3d n = shape_->normal(to_shape(point)), &s = transform_.scale;
    return normalized(rotation_ * Vec3d{n.x / s.x, n.y / s.y, n.z / s.z});
  }
  std::optional<double> volume() const override {
    const auto inner = shape_->volume();
    return inner ? std::optional(*inner * transform_.scale.x * transform_.scale.y * transform_.scale.z) : std::nullopt;
  }

 private:
  Vec3d to_shape(const Vec3d& point) const {
    const Vec3d p = back_ * (point - transform_.translate), &s = transform_.scale;
    return {p.x / s.x, p.y / s.y, p.z / s.z};
  }
  ShapePointer shape_;
  Mat3d rotation_, back_;
  Transform transform_;
  double smallest_;
};

void require_some(const std::vector<ShapePointer>& shapes) {
  if (shapes.empty()) throw InputError("shapes must hold at least one shape.");
}

}  // namespace

ShapePointer make_union(std::vector<ShapePointer> shapes) {
  require_some(shapes);
  const Bounds3 box = joined(shapes);
  return std::make_shared<SelectedShape>(std::move(shapes), 1, 1, box);
}

ShapePointer make_intersection(std::vector<ShapePointer> shapes) {
  require_some(shapes);
  const Bounds3 box = common(shapes);
  for (int i = 0; i < 3; ++i)
    if (!(box.minimum[i] < box.maximum[i])) throw InputError("the shapes of this intersection have nothing in common.");
  return std::make_shared<SelectedShape>(std::move(shapes), -1, 1, box);
}

ShapePointer make_difference(std::vector<ShapePointer> shapes) {
  require_some(shapes);
  const Bounds3 box = shapes.front()->bounds();
  return std::make_shared<SelectedShape>(std::move(shapes), -1, -1, box);
}

ShapePointer make_smooth_union(std::vector<ShapePointer> shapes, double radius) {
  require_some(shapes), require_positive(radius, "radius");
  return std::make_shared<SmoothUnionShape>(std::move(shapes), radius);
}

ShapePointer make_transformed(ShapePointer shape, const Transform& transform) {
  check_transform(transform);
  return std::make_shared<TransformedShape>(std::move(shape), transform);
}

void check_transform(const Transform& transform) {
  require_finite(transform.translate, "transform.translate"), require_finite(transform.rotate, "transform.rotate");
  for (int i = 0; i < 3; ++i) require_positive(transform.scale[i], "each factor of transform.scale");
}

Vec3d apply(const Transform& transform, const Vec3d& point) {
  return euler_rotation(transform.rotate) * (transform.scale * point) + transform.translate;
}

}  // namespace knead
