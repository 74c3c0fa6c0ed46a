// Inertia of solids against closed forms.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "geometry/mass_properties.h"
#include "geometry/shapes.h"
#include "geometry/tessellate.h"

using namespace knead;

namespace {

constexpr double pi = std::numbers::pi;

// Largest entry of the difference over the largest entry.
double difference(const Sym3<double>& a, const Sym3<double>& b) {
  const Sym3<double> d = a - b;
  const auto largest = [](const Sym3<double>& s) {
    double most = 0;
    for (const double entry : {s.xx, s.yy, s.zz, s.xy, s.yz, s.zx}) most = std::max(most, std::abs(entry));
    return most;
  };
  return largest(d) / largest(b);
}

void check_solid(const ShapeSpec& spec, const Vec3d& center, const Sym3<double>& inertia, double tolerance) {
  const ShapePointer shape = make_shape(spec, {}, 0.01);
  const MassProperties found = mass_properties(*shape);
  CHECK(length(found.center - center) < tolerance);
  CHECK(difference(found.inertia, inertia) < tolerance);
}

// Moments m along unit axes given as the columns of R.
Sym3<double> along(const Mat3d& R, const Vec3d& m) {
  const Mat3d I = R * Mat3d::diagonal(m) * transpose(R);
  return {I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(1, 2), I(2, 0)};
}

}  // namespace

TEST_CASE("mass properties: box, ball, cylinder, capsule and ellipsoid have the inertia of their formulas") {
  const Vec3d s{0.7, 1.1, 0.4};
  const double box = s.x * s.y * s.z;
  check_solid({Box{{1, 2, 3}, Vec3d{1, 2, 3} + s}, {}}, Vec3d{1, 2, 3} + s * 0.5,
              {box * (s.y * s.y + s.z * s.z) / 12, box * (s.z * s.z + s.x * s.x) / 12, box * (s.x * s.x + s.y * s.y) / 12, 0, 0, 0},
              3e-5);  // of cells at the edges: 1 / 64 / 8 of the side, squared

  const double r = 0.5, ball = 4 * pi / 3 * r * r * r, b = 0.4 * ball * r * r;
  check_solid({Sphere{{-2, 0.3, 0.1}, r}, {}}, {-2, 0.3, 0.1}, {b, b, b, 0, 0, 0}, 2e-5);

  const double h = 1.3, rod = pi * r * r * h;
  const double across = rod * (3 * r * r + h * h) / 12, around = rod * r * r / 2;
  check_solid({Cylinder{{0, 0, 0}, {0, h, 0}, r}, {}}, {0, h / 2, 0}, {across, around, across, 0, 0, 0}, 1e-4);

  // A cylinder and two half balls, whose centres of mass are 3 r / 8 beyond its ends.
  const double half = ball / 2, end = half * (0.4 * r * r - 9 * r * r / 64) + half * std::pow(h / 2 + 3 * r / 8, 2);
  check_solid({Capsule{{0, 0, 0}, {0, h, 0}, r}, {}}, {0, h / 2, 0}, {across + 2 * end, around + b, across + 2 * end, 0, 0, 0}, 2e-5);

  const Vec3d e{0.3, 0.5, 0.9};
  const double volume = 4 * pi / 3 * e.x * e.y * e.z;
  check_solid({Ellipsoid{{0, 0, 0}, e}, {}}, {},
              {volume * (e.y * e.y + e.z * e.z) / 5, volume * (e.z * e.z + e.x * e.x) / 5, volume * (e.x * e.x + e.y * e.y) / 5, 0, 0, 0},
              2e-5);
}

TEST_CASE("mass properties: a turned box has its axes, and a thin plate keeps its inertia") {
  const Transform turn{.translate = {0.4, 0.1, -0.3}, .rotate = {20, -35, 50}};
  const Vec3d s{0.8, 0.5, 0.3};
  Mat3d R;
  const ShapePointer probe = make_shape({Plane{{0, 0, 0}, {1, 0, 0}}, turn}, {}, 0.01);
  for (int i = 0; i < 3; ++i) {
    Vec3d axis;
    axis[i] = 1;
    const Vec3d n = make_shape({Plane{{0, 0, 0}, axis}, turn}, {}, 0.01)->normal({0, 0, 0});
    for (int k = 0; k < 3; ++k) R(k, i) = n[k];
  }
  const double v = s.x * s.y * s.z;
  check_solid({Box{s * -0.5, s * 0.5}, turn}, {0.4, 0.1, -0.3},
              along(R, {v * (s.y * s.y + s.z * s.z) / 12, v * (s.z * s.z + s.x * s.x) / 12, v * (s.x * s.x + s.y * s.y) / 12}), 1e-4);

  const Vec3d p{1, 0.013, 0.6};
  const double plate = p.x * p.y * p.z;
  check_solid({Box{{0, 0, 0}, p}, {}}, p * 0.5,
              {plate * (p.y * p.y + p.z * p.z) / 12, plate * (p.z * p.z + p.x * p.x) / 12, plate * (p.x * p.x + p.y * p.y) / 12, 0, 0, 0},
              3e-5);
}

TEST_CASE("mass properties: of a mesh they are exact, and a hollow solid counts its hole") {
  const Vec3d s{0.7, 1.1, 0.4}, corner{5, -3, 2};
  TriangleMesh mesh;
  for (int c = 0; c < 8; ++c) mesh.vertices.push_back(corner + Vec3d{(c & 1) * s.x, (c >> 1 & 1) * s.y, (c >> 2) * s.z});
  mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  const MassProperties found = mass_properties(mesh);
  const double v = s.x * s.y * s.z;
  CHECK(found.volume == doctest::Approx(v).epsilon(1e-13));
  CHECK(length(found.center - corner - s * 0.5) < 1e-13);
  CHECK(difference(found.inertia, {v * (s.y * s.y + s.z * s.z) / 12, v * (s.z * s.z + s.x * s.x) / 12, v * (s.x * s.x + s.y * s.y) / 12, 0,
                                   0, 0}) < 1e-12);

  const ShapeSpec shell{Difference{{{Sphere{{0, 0, 0}, 1}, {}}, {Sphere{{0, 0, 0}, 0.5}, {}}}}, {}};
  const MassProperties hollow = mass_properties(*make_shape(shell, {}, 0.01));
  CHECK(hollow.volume == doctest::Approx(4 * pi / 3 * 0.875).epsilon(2e-5));
  const double moment = 8 * pi / 15 * (1 - 1.0 / 32);
  CHECK(difference(hollow.inertia, {moment, moment, moment, 0, 0, 0}) < 3e-5);
}
