// What a free body keeps: momentum, angular momentum, free fall.
#include "setup.h"

using namespace knead;
using namespace knead::test;

namespace {

const Moduli jelly = Moduli::from_young(1e5, 0.3);

// Two bodies of different laws with random velocities, gradients and small deformations.
MpmCase random_bodies(Precision precision, TransferType transfer) {
  MpmCase c(0.1, precision);
  c.parameters.transfer.type = transfer;
  Noise noise(7);
  const VelocityField velocity = [&](const Vec3d&) { return noise.vector(); };
  c.add_box(solid(NeoHookean{jelly}), {-0.3, 0, 0}, {0, 0.4, 0.3}, velocity);
  c.add_box(solid(Hencky{jelly}, 2000), {0, 0, 0}, {0.3, 0.4, 0.3}, velocity);
  c.start();
  for (std::size_t i = 0; i < c.state.count; ++i) {
    c.set("C", i, noise.matrix() * 3.0);
    c.set("F", i, Mat3d::identity() + noise.matrix() * 0.05);
  }
  return c;
}

double momentum_scale(const MpmCase& c) {
  double sum = 0;
  for (std::size_t i = 0; i < c.state.count; ++i) sum += c.mass(i) * length(c.v(i));
  return sum;
}

}  // namespace

TEST_CASE("mpm: without contact the momentum of colliding bodies is kept to rounding, for every transfer and precision") {
  for (const TransferType transfer : {TransferType::apic, TransferType::rpic, TransferType::pic, TransferType::flip})
    for (const Precision precision : {Precision::single, Precision::real_double}) {
      MpmCase c = random_bodies(precision, transfer);
      const Vec3d before = c.momentum();
      const double scale = momentum_scale(c);
      c.run(100 * c.solver->stable_dt(c.world, c.state).dt);
      // A step rounds each particle's and each node's momentum a few times; the errors of many are random.
      const double error = length(c.momentum() - before) / scale;
      measured(std::string("momentum ") + enum_names(transfer)[int(transfer)] + (precision == Precision::single ? " single" : " double"),
               error);
      CHECK(error < (precision == Precision::single ? 5e-7 : 1e-15));
      CHECK(c.state.step > 80);
    }
}

TEST_CASE("mpm: with gravity the momentum grows as m g t") {
  MpmCase c = random_bodies(Precision::real_double, TransferType::apic);
  c.world.gravity = Vec3d{1, -9.81, 2};
  const Vec3d before = c.momentum();
  c.run(0.05);
  const Vec3d expected = Vec3d{1, -9.81, 2} * (c.total_mass() * c.state.time);
  CHECK(length(c.momentum() - before - expected) < 1e-13 * length(expected));
}

TEST_CASE("mpm: APIC and RPIC keep the angular momentum of a spinning free body; PIC loses it") {
  for (const TransferType transfer : {TransferType::apic, TransferType::rpic, TransferType::pic}) {
    MpmCase c(0.1);
    c.parameters.transfer.type = transfer;
    const Vec3d spin{1, 2, -3};
    c.add_box(solid(FixedCorotated{jelly}), {-0.3, -0.2, -0.2}, {0.3, 0.2, 0.2}, [&](const Vec3d& x) { return cross(spin, x); });
    c.start();
    Noise noise(3);
    for (std::size_t i = 0; i < c.state.count; ++i) {
      c.set("C", i, cross_matrix(spin) + noise.matrix());
      c.set("F", i, Mat3d::identity() + noise.matrix() * 0.02);
    }
    const bool affine = transfer != TransferType::pic;
    const Vec3d before = c.angular_momentum(affine);
    c.steps(100, 1e-3);
    const double loss = length(c.angular_momentum(affine) - before) / length(before);
    measured(std::string("angular momentum lost in 100 steps, ") + enum_names(transfer)[int(transfer)], loss);
    if (affine) CHECK(loss < 1e-12);
    else CHECK(loss > 0.1);
  }
}

TEST_CASE("mpm: free fall is that of symplectic Euler, y_n = g dt^2 n (n+1) / 2, for every transfer") {
  for (const TransferType transfer : {TransferType::apic, TransferType::rpic, TransferType::pic, TransferType::flip})
    for (const Precision precision : {Precision::single, Precision::real_double}) {
      MpmCase c(0.1, precision);
      c.parameters.transfer.type = transfer;
      c.world.gravity = Vec3d{0, -10, 0};
      c.add_box(solid(NeoHookean{jelly}), {0, 0, 0}, {0.3, 0.3, 0.3});
      c.add_box(fluid(1e5), {0.35, 0, 0}, {0.6, 0.3, 0.3});
      c.start();
      std::vector<Vec3d> start(c.state.count);
      for (std::size_t i = 0; i < c.state.count; ++i) start[std::size_t(c.scalar("id", i))] = c.x(i);
      const int n = 100;
      const double dt = 2e-3, fall = -10 * dt * dt * n * (n + 1) / 2;
      c.steps(n, dt);
      double worst = 0, change = 0;
      for (std::size_t i = 0; i < c.state.count; ++i) {
        worst = std::max(worst, length(c.x(i) - start[std::size_t(c.scalar("id", i))] - Vec3d{0, fall, 0}));
        change = std::max(change, std::abs(c.volume_ratio_of(i) - 1));
      }
      // n additions to a coordinate of order 1, and the velocities' own rounding summed twice.
      CHECK(worst < (precision == Precision::single ? 2e-4 : 1e-13) * std::abs(fall));
      CHECK(change < (precision == Precision::single ? 1e-4 : 1e-13));
    }
}
