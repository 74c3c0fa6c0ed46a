#include "math/animated.h"

#include "math/samples.h"

using namespace knead;

namespace {
Animated<double> three_keys(Interpolation interpolation) {
  Animated<double> a;
  a.keys = {{1, 10}, {2, 30}, {4, 20}};
  a.interpolation = interpolation;
  return a;
}
}  // namespace

TEST_CASE("animated: a plain value is constant with rate zero") {
  const Animated<Vec3d> a(Vec3d{1, 2, 3});
  CHECK(a.constant());
  CHECK(a.at(-5) == Vec3d{1, 2, 3});
  CHECK(a.at(1e9) == Vec3d{1, 2, 3});
  CHECK(a.rate(0) == Vec3d{});
}

TEST_CASE("animated: every interpolation passes through its keys and holds the ends") {
  for (Interpolation interpolation : {Interpolation::linear, Interpolation::smooth, Interpolation::step}) {
    const auto a = three_keys(interpolation);
    CHECK_FALSE(a.constant());
    CHECK(a.at(0) == 10);
    CHECK(a.at(1) == 10);
    CHECK(a.at(2) == 30);
    CHECK(a.at(4) == 20);
    CHECK(a.at(9) == 20);
    CHECK(a.rate(0.5) == 0);
    CHECK(a.rate(4) == 0);
    CHECK(a.rate(5) == 0);
  }
}

TEST_CASE("animated: between keys linear is straight, step holds, smooth is the cubic 3 s^2 - 2 s^3") {
  CHECK(three_keys(Interpolation::linear).at(1.25) == 15);
  CHECK(three_keys(Interpolation::step).at(1.99) == 10);
  CHECK(three_keys(Interpolation::smooth).at(1.25) == doctest::Approx(10 + 20 * (3 * 0.0625 - 2 * 0.015625)));
  CHECK(three_keys(Interpolation::smooth).at(1.5) == doctest::Approx(20));
}

TEST_CASE("animated: the rate is the derivative of the value") {
  const double h = 1e-5;  // central difference of a cubic: error h^2 times the third derivative (240), 2.4e-8
  for (Interpolation interpolation : {Interpolation::linear, Interpolation::smooth, Interpolation::step}) {
    const auto a = three_keys(interpolation);
    for (double time : {1.1, 1.5, 1.9, 2.3, 3.0, 3.9}) CHECK(std::fabs(a.rate(time) - (a.at(time + h) - a.at(time - h)) / (2 * h)) < 1e-7);
  }
}

TEST_CASE("animated: at a key the rate is the one to the right") {
  CHECK(three_keys(Interpolation::linear).rate(1) == 20);
  CHECK(three_keys(Interpolation::linear).rate(2) == -5);
}
