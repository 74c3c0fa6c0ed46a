// Columns at rest and layers in steady shear.
#include "setup.h"

using namespace knead;
using namespace knead::test;

namespace {

struct ColumnResult {
  double worst;       // difference to the hydrostatic stress from the second cell on, over that at the floor
  double floor_cell;  // stress over the hydrostatic one in the cell above the floor
  double force;       // on the floor, over the weight
};

// A column, confined by periodic sides, that gravity has hit at once: it swings about equilibrium with the period 4 h / c. The mean
// over whole periods is the static stress.
ColumnResult swinging_column(const Material& material, Contact floor, Precision precision) {
  const double dx = 0.05, h = 16 * dx, g = 10;
  MpmCase c(dx, precision);
  c.world.gravity = Vec3d{0, -g, 0};
  c.periodic({0, -1, 0}, {4 * dx, 3, 4 * dx}, {true, false, true});
  c.add_floor(floor);
  c.add_box(material, {0, 0, 0}, {4 * dx, h, 4 * dx});
  c.start();
  const double period = 4 * h / std::sqrt(rest_wave_modulus(material) / material.density), weight = c.total_mass() * g;
  std::vector<double> stress(16, 0.0), particles(16, 0.0);
  double force = 0, elapsed = 0;
  c.run(4 * period, 0, [&](double dt) {
    force -= c.state.collider_force[0].y * dt;
    elapsed += dt;
    if (c.state.step % 4 != 0) return;
    for (std::size_t i = 0; i < c.state.count; ++i) {
      const auto layer = std::size_t(std::min(std::max(c.x(i).y / dx, 0.0), 15.0));
      stress[layer] += c.cauchy(i).yy * dt;
      particles[layer] += dt;
    }
  });
  ColumnResult result{0, 0, force / elapsed / weight};
  for (std::size_t layer = 0; layer < 16; ++layer) {
    const double expected = -material.density * g * (h - (layer + 0.5) * dx);
    if (layer == 0) result.floor_cell = stress[0] / particles[0] / expected;
    else result.worst = std::max(result.worst, std::abs(stress[layer] / particles[layer] - expected) / (material.density * g * h));
  }
  return result;
}

}  // namespace

TEST_CASE("mpm: a static column of fluid or solid has hydrostatic stress within 3 %, and its floor carries its weight") {
  // The first node above the floor lacks the particles below it, at 1.25 dx: with two particles a cell along y those of the lowest cell
  // must press harder by m(1.25) / (m(0.75) + m(0.25)), m(d) = w(d) d. This wall layer is the method's, not the material's.
  const double wall = 1 + 0.03125 * 1.25 / (0.28125 * 0.75 + 0.6875 * 0.25);
  const std::pair<const char*, Material> materials[] = {
      {"eos", fluid(2e6)},
      {"neo_hookean", solid(NeoHookean{Moduli::from_young(2e6, 0.3)})},
      {"hencky", solid(Hencky{Moduli::from_young(2e6, 0.3)})},
      {"generalized water", generalized({.bulk_modulus_d = 2e6})},
      {"generalized rubber", generalized({.bulk_modulus_i = 1.7e6, .shear_modulus_i = 8e5})}};
  for (const auto& [name, material] : materials)
    for (const Contact floor : {Contact::slip, Contact::sticky}) {
      const ColumnResult result = swinging_column(material, floor, Precision::real_double);
      measured(std::string("column of ") + name + ": largest error of the stress / that at the floor", result.worst);
      measured(std::string("column of ") + name + ": force on the floor / weight", result.force);
      measured(std::string("column of ") + name + ": stress / hydrostatic in the cell at the floor", result.floor_cell);
      CHECK(result.worst < 0.03);
      CHECK(result.floor_cell == doctest::Approx(wall).epsilon(0.03));
      CHECK(result.force == doctest::Approx(1).epsilon(0.01));
    }
  const ColumnResult result = swinging_column(fluid(2e6), Contact::separate, Precision::single);
  measured("column of eos, single: largest error of the stress / that at the floor", result.worst);
  CHECK(result.worst < 0.03);
  CHECK(result.force == doctest::Approx(1).epsilon(0.01));
}

TEST_CASE(
    "mpm: a viscous layer between moving plates reaches the linear profile within 2 % of the plates' speed, and drags them by eta U / H") {
  const double dx = 0.05, H = 8 * dx, U = 0.1, eta = 100, density = 1000, nu = eta / density;
  const std::pair<Precision, Material> cases[] = {{Precision::single, fluid(density * 25, eta)},
                                                  {Precision::real_double, fluid(density * 25, eta)},
                                                  {Precision::single, generalized({.bulk_modulus_d = density * 25}, eta)}};
  for (const auto& [precision, material] : cases) {
    MpmCase c(dx, precision);
    c.periodic({0, -1, 0}, {4 * dx, 1, 4 * dx}, {true, false, true});
    Motion up, down;
    up.velocity = {U, 0, 0}, down.velocity = {-U, 0, 0};
    c.add_floor(Contact::sticky, 0, down);
    const int top = c.add_collider(make_primitive(Plane{{0, H, 0}, {0, -1, 0}}), Contact::sticky, 0, up);
    c.add_box(material, {0, 0, 0}, {4 * dx, H, 4 * dx});
    c.start();
    c.run(H * H / nu);  // ten times the slowest decay, (H / pi)^2 / nu
    double worst = 0, force = 0, elapsed = 0;
    for (std::size_t i = 0; i < c.state.count; ++i) worst = std::max(worst, length(c.v(i) - Vec3d{U * (2 * c.x(i).y / H - 1), 0, 0}));
    c.run(1.2 * H * H / nu, 0, [&](double dt) { force += c.state.collider_force[top].x * dt, elapsed += dt; });
    measured("Couette: largest error of the velocity / U", worst / U);
    measured("Couette: drag / exact", -force / elapsed / (eta * 2 * U / H * 16 * dx * dx));
    CHECK(worst < 0.02 * U);
    CHECK(-force / elapsed == doctest::Approx(eta * 2 * U / H * 16 * dx * dx).epsilon(0.02));
  }
}
