#include "geometry/motion.h"

#include "geometry/contact.h"
#include "geometry_support.h"

using namespace knead;
using namespace knead::test;

namespace {
Motion everything_at_once() {
  Motion motion;
  motion.translate.keys = {{0, {0, 0, 0}}, {1, {1, -2, 0.5}}, {2, {0, 0, 1}}};
  motion.translate.interpolation = Interpolation::smooth;
  motion.rotate.keys = {{0, {0, 0, 0}}, {1.5, {80, -40, 200}}, {2, {0, 90, 10}}};
  motion.velocity = {0.3, 0.1, -0.2};
  motion.angular_velocity = {1, -2, 0.5};
  motion.pivot = {0.5, 0.2, -0.1};
  return motion;
}
}  // namespace

TEST_CASE("Motion: the velocity of a material point is the time derivative of its position") {
  const Motion motion = everything_at_once();
  const double step = 1e-6;
  for (const double time : {0.2, 0.7, 1.3, 1.8, 2.5})
    for (std::uint64_t i = 0; i < 5; ++i) {
      const Vec3d X = random_point({{-1, -1, -1}, {1, 1, 1}}, 1, i);
      const Vec3d difference = (motion.pose(time + step).apply(X) - motion.pose(time - step).apply(X)) / (2 * step);
      CHECK(close(motion.velocity_at(motion.pose(time).apply(X), time), difference,
                  1e-7));  // step^2 times third derivatives, and rounding / step
    }
}

TEST_CASE("Motion: poses are rigid and invert exactly") {
  const Pose pose = everything_at_once().pose(0.9);
  CHECK(determinant(pose.rotation) == doctest::Approx(1).epsilon(1e-14));
  const Vec3d X{0.3, -2, 1};
  CHECK(close(pose.invert(pose.apply(X)), X, 1e-14));
  CHECK(close(pose.apply(pose.pivot), pose.pivot + pose.translation, 1e-14));
}

TEST_CASE("Motion: a quarter turn about z carries x to y, and release ends it") {
  Motion motion;
  CHECK_FALSE(motion.moves());
  motion.angular_velocity = {0, 0, std::acos(0.0)};
  motion.pivot = {1, 0, 0};
  motion.release = 2;
  CHECK(motion.moves());
  CHECK(close(motion.pose(1).apply({2, 0, 0}), {1, 1, 0}, 1e-14));
  CHECK(close(motion.velocity_at({1, 1, 0}, 1), {-std::acos(0.0), 0, 0}, 1e-14));
  CHECK(motion.active(1.999));
  CHECK_FALSE(motion.active(2));
}

TEST_CASE("Contact: sticky takes the surface's velocity, slip only its normal part") {
  const Vec3d v{1, -2, 3}, surface{0.5, 0.25, 0}, n{0, 1, 0};
  CHECK(contact_velocity(v, surface, n, Contact::sticky, 0.0) == surface);
  CHECK(close(contact_velocity(v, surface, n, Contact::slip, 0.0), {1, 0.25, 3}, 1e-15));
  CHECK(close(contact_velocity(Vec3d{1, 2, 3}, surface, n, Contact::slip, 0.0), {1, 0.25, 3}, 1e-15));  // also when it moves away
}

TEST_CASE("Contact: separate leaves parting motion alone and obeys Coulomb's cone otherwise") {
  const Vec3d surface{0.5, 0.25, 0}, n{0, 1, 0};
  const Vec3d leaving = surface + Vec3d{1, 0.1, 0};
  CHECK(contact_velocity(leaving, surface, n, Contact::separate, 10.0) == leaving);
  const Vec3d sliding = surface + Vec3d{3, -2, 4};  // slides with 5, pressed by 2
  CHECK(close(contact_velocity(sliding, surface, n, Contact::separate, 0.0), surface + Vec3d{3, 0, 4}, 1e-15));
  CHECK(close(contact_velocity(sliding, surface, n, Contact::separate, 0.5), surface + Vec3d{3, 0, 4} * 0.8, 1e-15));  // 5 - 0.5 * 2 = 4
  CHECK(contact_velocity(sliding, surface, n, Contact::separate, 2.5) == surface);
  CHECK(contact_velocity(sliding, surface, n, Contact::separate, 9.0) == surface);
  CHECK(contact_velocity(Vec3f{0, -1, 0}, Vec3f{}, Vec3f{0, 1, 0}, Contact::separate, 0.3f) == Vec3f{});  // straight on
}
