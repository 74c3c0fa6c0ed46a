// Plastic flow through the solver: metal bars in tension.
#include "points.h"
#include "setup.h"

using namespace knead;
using namespace knead::test;

TEST_CASE("mpm: isochoric stretching of a von Mises material follows 3 mu e up to the yield stress and the hardening slope from there") {
  const Moduli moduli = Moduli::from_young(1e9, 0.3);
  const double sigma_Y = 5e6, H = 1e8, rate = 1, dt = 1e-5;
  const Material metal = solid(Hencky{moduli}, 7800, VonMises{sigma_Y, H});
  Points<double> points(metal);
  bool yielded = false;
  for (int n = 1; n <= 2000; ++n) {
    points.drive(Mat3d::diagonal({rate, -rate / 2, -rate / 2}), dt);
    // Axial part of the deviator of the total logarithmic strain, as the products (1 + dt L) make it.
    const double e = n * (std::log1p(dt * rate) - std::log1p(-dt * rate / 2)) * 2 / 3;
    const double elastic = 3 * moduli.mu * e, plastic = (elastic - sigma_Y) / (3 * moduli.mu + H);
    const double expected = plastic > 0 ? sigma_Y + H * plastic : elastic;
    for (const int p : {0, Points<double>::count - 1}) {
      const Sym3<double> tau = points.stress(p);
      REQUIRE(tau.xx - tau.yy == doctest::Approx(expected).epsilon(1e-9));
      REQUIRE(points.context.particles.plastic_strain[p] == doctest::Approx(std::max(plastic, 0.0)).epsilon(1e-9));
    }
    yielded = yielded || plastic > 0;
  }
  CHECK(yielded);
  // Plastic flow keeps the volume: J is the product of the determinants of the steps.
  Mat3d F;
  for (int k = 0; k < 9; ++k) F.m[k] = points.context.particles.F[k][0];
  CHECK(std::log(determinant(F)) == doctest::Approx(2000 * (std::log1p(dt) + 2 * std::log1p(-dt / 2))).epsilon(1e-6));
  CHECK(points.context.particles.plastic_strain[Points<double>::count] == 0);  // beyond the last particle nothing is written
}

TEST_CASE("mpm: a von Mises bar pulled at its ends yields at its yield stress, follows the hardening slope and keeps its volume") {
  const double dx = 0.1, E = 1e7, sigma_Y = 5e4, H = 5e5, pull = 0.05;
  const Material metal = solid(Hencky{Moduli::from_young(E, 0.3)}, 1000, VonMises{sigma_Y, H});
  MpmCase c(dx);
  Motion left, right;
  left.velocity = {-pull, 0, 0}, right.velocity = {pull, 0, 0};
  const ShapePointer low = make_primitive(Box{{-1.0, -1, -1}, {-0.6, 1, 1}}), high = make_primitive(Box{{0.6, -1, -1}, {1.0, 1, 1}});
  const int pins[2] = {c.add_collider(low, Contact::sticky, 0, left), c.add_collider(high, Contact::sticky, 0, right)};
  for (const int pin : pins) c.world.colliders[pin].is_pin = true;
  const int free = c.add_body(metal);
  const int held[2] = {c.add_group(0, pins[0]), c.add_group(0, pins[1])};
  const VelocityField stretch = [&](const Vec3d& x) { return Vec3d{pull * std::clamp(x.x / 0.6, -1.0, 1.0), 0, 0}; };
  c.fill(free, {-0.6, -0.15, -0.15}, {0.6, 0.15, 0.15}, 2, stretch);
  c.fill(held[0], {-0.8, -0.15, -0.15}, {-0.6, 0.15, 0.15}, 2, stretch);
  c.fill(held[1], {0.6, -0.15, -0.15}, {0.8, 0.15, 0.15}, 2, stretch);
  c.start();

  // Means over the middle third and over about ten steps' time: sigma_xx against total and plastic strain.
  auto middle = [&](double& stress, double& plastic, double& volume) {
    double n = 0;
    stress = plastic = volume = 0;
    for (std::size_t i = 0; i < c.state.count; ++i)
      if (std::abs(c.x(i).x) < 0.2) {
        stress += c.cauchy(i).xx, plastic += c.scalar("plastic_strain", i), volume += c.volume_ratio_of(i), n += 1;
      }
    stress /= n, plastic /= n, volume /= n;
  };
  // Means over the time from `from` to `until`.
  struct Mean {
    double stress = 0, plastic = 0, volume = 0, force = 0, strain = 0;
  };
  auto mean = [&](double from, double until) {
    Mean m;
    c.run(from);
    c.run(until, 0, [&](double dt) {
      double stress, plastic, volume;
      middle(stress, plastic, volume);
      const double share = dt / (until - from);
      m.stress += stress * share, m.plastic += plastic * share, m.volume += volume * share;
      m.force -= c.state.collider_force[pins[1]].x * share, m.strain += 2 * pull * c.state.time / 1.2 * share;
    });
    return m;
  };
  c.run(0.045);  // nominal strain 0.375 %, three quarters of the yield strain
  double stress, plastic, volume;
  middle(stress, plastic, volume);
  CHECK(plastic == 0);
  const Mean first = mean(0.25, 0.35), last = mean(0.6, 0.7);
  measured("bar: stress / (yield stress + H plastic strain)", last.stress / (sigma_Y + H * last.plastic));
  measured("bar: hardening slope / H", (last.stress - first.stress) / (last.plastic - first.plastic) / H);
  measured("bar: volume ratio - 1, over (1 - 2 nu) sigma / E", (last.volume - 1) / (0.4 * last.stress / E));
  measured("bar: force on the grip / (sigma A)", last.force / (last.stress * 0.09 / (1 + last.strain)));
  CHECK(last.plastic > 0.03);
  CHECK(first.stress == doctest::Approx(sigma_Y + H * first.plastic).epsilon(0.01));
  CHECK(last.stress == doctest::Approx(sigma_Y + H * last.plastic).epsilon(0.01));
  CHECK((last.stress - first.stress) / (last.plastic - first.plastic) == doctest::Approx(H).epsilon(0.05));
  // Plastic flow keeps the volume: what is left is elastic, (1 - 2 nu) sigma / E, a twentieth of the plastic strain.
  CHECK(last.volume - 1 == doctest::Approx(0.4 * last.stress / E).epsilon(0.05));
  // A bar that became longer by e at constant volume became thinner by 1 + e.
  CHECK(last.force == doctest::Approx(last.stress * 0.09 / (1 + last.strain)).epsilon(0.03));
}
