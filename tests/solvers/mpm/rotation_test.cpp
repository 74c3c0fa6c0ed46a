// A rotation is no deformation.
#include "geometry/rotation.h"
#include "setup.h"

using namespace knead;
using namespace knead::test;

TEST_CASE("mpm: a body whose F is a rotation feels no force, for every elasticity and precision") {
  const Mat3d R = rotation_from_vector({0.7, -1.9, 1.1});
  for (const auto& [name, law] : solids(Moduli::from_young(1e6, 0.3)))
    for (const Precision precision : {Precision::single, Precision::real_double}) {
      const std::string named = name;
      CAPTURE(named);
      MpmCase c(0.1, precision);
      c.add_box(solid(law), {0, 0, 0}, {0.4, 0.3, 0.3});
      c.start();
      for (std::size_t i = 0; i < c.state.count; ++i) c.set("F", i, R);
      const double dt = 1e-4;
      c.steps(1, dt);
      double fastest = 0;
      for (std::size_t i = 0; i < c.state.count; ++i) fastest = std::max(fastest, length(c.v(i)));
      // A strain e drives dt E e / (rho dx); here e is the rounding of F and of F F^T.
      const double strain = fastest / (dt * 1e6 / (1000 * 0.1));
      CHECK(strain < (precision == Precision::single ? 2e-6 : 4e-15));
    }
}

TEST_CASE("mpm: a step of rigid rotation turns F into I + dt W, so that J grows by exactly dt^2 w^2") {
  const Vec3d spin{3, -4, 12};  // |spin| = 13
  for (const auto& [name, law] : solids(Moduli::from_young(1e6, 0.3))) {
    const std::string named = name;
    CAPTURE(named);
    MpmCase c(0.1);
    c.add_box(solid(law), {-0.2, -0.2, -0.2}, {0.2, 0.2, 0.2}, [&](const Vec3d& x) { return cross(spin, x); });
    c.start();
    c.set_gradient(cross_matrix(spin));
    const double dt = 1e-3;
    c.steps(1, dt);
    for (std::size_t i = 0; i < c.state.count; ++i) CHECK(c.volume_ratio_of(i) - 1 == doctest::Approx(dt * dt * 169).epsilon(1e-9));
  }
}

TEST_CASE("mpm: a spinning ball turns at its rate and carries no more stress than its centrifugal force, for every elasticity") {
  const double omega = 4, radius = 0.3, density = 1000;
  for (const auto& [name, law] : solids(Moduli::from_young(2e6, 0.3))) {
    const std::string named = name;
    CAPTURE(named);
    MpmCase c(0.1);
    const int group = c.add_body(solid(law, density));
    c.fill(
        group, {-0.3, -0.3, -0.3}, {0.3, 0.3, 0.3}, 2,
        [&](const Vec3d& x) {
          return cross(Vec3d{0, 0, omega}, x);
        },
        [&](const Vec3d& x) { return length(x) < radius; });
    c.start();
    c.set_gradient(cross_matrix({0, 0, omega}));
    c.run(2 * pi / omega);
    double stress = 0, spin = 0, inertia = 0;
    for (std::size_t i = 0; i < c.state.count; ++i) {
      stress = std::max(stress, std::sqrt(norm_squared(c.cauchy(i))));
      spin += c.mass(i) * cross(c.x(i), c.v(i)).z;
      inertia += c.mass(i) * (c.x(i).x * c.x(i).x + c.x(i).y * c.x(i).y);
    }
    // A steadily rotating ball carries about 0.4 rho w^2 R^2 in its centre; set in motion at once, it swings to twice that.
    measured("spinning ball " + name + ": stress / (rho w^2 R^2)", stress / (density * std::pow(omega * radius, 2)));
    measured("spinning ball " + name + ": rate / exact", spin / inertia / omega);
    CHECK(stress < density * std::pow(omega * radius, 2));
    CHECK(spin / inertia == doctest::Approx(omega).epsilon(0.01));
  }
}
