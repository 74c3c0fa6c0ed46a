// Sand: when it flows and how steep it rests.
#include "setup.h"

using namespace knead;
using namespace knead::test;

namespace {

Material sand(double friction_angle) {
  return solid(Hencky{Moduli::from_young(1e6, 0.3)}, 1600, DruckerPrager{friction_angle, 0, ConeMatch::plane_strain});
}

// A layer of sand on a slope, given a push; mean velocity along the slope after half a second and after one.
std::pair<double, double> layer_velocity(double friction_angle, double slope) {
  const double dx = 0.05, g = 10, angle = slope * pi / 180;
  MpmCase c(dx, Precision::single);
  c.world.gravity = Vec3d{g * std::sin(angle), -g * std::cos(angle), 0};
  c.periodic({0, -1, 0}, {4 * dx, 3, 4 * dx}, {true, false, true});
  c.add_floor(Contact::sticky);
  c.add_box(sand(friction_angle), {0, 0, 0}, {4 * dx, 8 * dx, 4 * dx}, [](const Vec3d&) { return Vec3d{0.05, 0, 0}; });
  c.start();
  c.run(0.5);
  const double early = c.mean_velocity().x;
  c.run(1);
  return {early, c.mean_velocity().x};
}

struct Heap {
  double angle, peak;  // [degrees], [m]
  double speed;        // root of the mean square [m/s]
};

// A ridge of sand (plane strain) with flanks of the given slope, two seconds after it was let go. The angle is that of a line through
// the highest particles of the columns of cells, both flanks together, between a fifth and four fifths of the height.
Heap released_heap(double friction_angle, double slope) {
  const double dx = 0.05, steep = std::tan(slope * pi / 180);
  MpmCase c(dx, Precision::single);
  c.world.gravity = Vec3d{0, -10, 0};
  c.periodic({-4, -1, 0}, {4, 3, 4 * dx}, {false, false, true});
  c.add_floor(Contact::sticky);
  c.fill(c.add_body(sand(friction_angle)), {-1, 0, 0}, {1, 1, 4 * dx}, 2, {},
         [&](const Vec3d& x) { return x.y < (1 - std::abs(x.x)) * steep; });
  c.start();
  c.run(2);
  std::vector<double> top(80, 0.0);
  Heap heap{0, 0, 0};
  for (std::size_t i = 0; i < c.state.count; ++i) {
    double& highest = top[std::size_t(std::abs(c.x(i).x) / dx)];
    highest = std::max(highest, c.x(i).y);
    heap.peak = std::max(heap.peak, c.x(i).y);
    heap.speed += dot(c.v(i), c.v(i)) / double(c.state.count);
  }
  heap.speed = std::sqrt(heap.speed);
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t k = 0; k < top.size(); ++k)
    if (top[k] > 0.2 * heap.peak && top[k] < 0.8 * heap.peak) {
      const double x = (double(k) + 0.5) * dx, y = top[k];
      n += 1, sx += x, sy += y, sxx += x * x, sxy += x * y;
    }
  heap.angle = std::atan(-(n * sxy - sx * sy) / (n * sxx - sx * sx)) * 180 / pi;
  return heap;
}

}  // namespace

TEST_CASE("mpm: a layer of sand on an incline flows if and only if it is steeper than atan(sin phi), to one degree") {
  // In isochoric plane flow the shear plane carries tau / p = sin(phi) with the cone matched in plane strain (methods 0.4).
  for (const double phi : {20.0, 40.0}) {
    const double critical = std::atan(std::sin(phi * pi / 180)) * 180 / pi;
    const auto below = layer_velocity(phi, critical - 1), above = layer_velocity(phi, critical + 1);
    CHECK(std::abs(below.second) < 0.005);
    CHECK(above.second > above.first + 0.02);
  }
}

TEST_CASE("mpm: a heap of sand that was too steep slides until it rests within 3 degrees of its friction angle; one of that angle stays") {
  for (const double phi : {25.0, 30.0}) {
    const Heap slid = released_heap(phi, phi + 5), stood = released_heap(phi, phi);
    const double before = std::tan((phi + 5) * pi / 180);
    measured("heap of " + std::to_string(int(phi)) + " degrees, built 5 degrees too steep: rests at", slid.angle);
    measured("heap of " + std::to_string(int(phi)) + " degrees, built at its angle: rests at", stood.angle);
    CHECK(std::abs(slid.angle - phi) < 3);
    CHECK(slid.peak < 0.85 * before);  // it did slide
    CHECK(slid.speed < 0.02);          // a fall from its peak would make 3 m/s
    CHECK(std::abs(stood.angle - phi) < 3);
    CHECK(stood.speed < 0.002);
  }
}
