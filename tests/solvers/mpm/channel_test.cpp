// Flow through a channel, driven by gravity along it: Newtonian fluids and pastes, by the generalized material and by those it stands for.
#include "setup.h"

using namespace knead;
using namespace knead::test;

namespace {

constexpr double dx = 0.025, H = 16 * dx, g = 5, density = 1000;

struct Channel {
  double fastest = 0;         // mean velocity of the middle cell [m/s]
  std::vector<double> speed;  // per cell across [m/s]
  std::vector<double> flow;   // growth of the plastic strain per cell and time [1/s]
};

Channel channel(const Material& material, double until, TransferType transfer = TransferType::apic) {
  MpmCase c(dx, Precision::single);
  c.parameters.transfer.type = transfer;
  c.world.gravity = Vec3d{g, 0, 0};
  c.periodic({0, -1, 0}, {4 * dx, 1, 4 * dx}, {true, false, true});
  c.add_floor(Contact::sticky);
  c.add_collider(make_primitive(Plane{{0, H, 0}, {0, -1, 0}}), Contact::sticky);
  c.add_box(material, {0, 0, 0}, {4 * dx, H, 4 * dx});
  c.start();
  const double window = 0.1;
  c.run(until - window);
  std::vector<double> before(c.state.count);
  const bool plastic = c.state.find("plastic_strain") != nullptr;
  for (std::size_t i = 0; i < c.state.count && plastic; ++i) before[std::size_t(c.scalar("id", i))] = c.scalar("plastic_strain", i);
  c.run(until);
  Channel result{0, std::vector<double>(16), std::vector<double>(16)};
  std::vector<double> count(16);
  for (std::size_t i = 0; i < c.state.count; ++i) {
    const auto cell = std::size_t(std::clamp(c.x(i).y / dx, 0.0, 15.0));
    result.speed[cell] += c.v(i).x, count[cell] += 1;
    if (plastic) result.flow[cell] += (c.scalar("plastic_strain", i) - before[std::size_t(c.scalar("id", i))]) / window;
  }
  for (std::size_t k = 0; k < 16; ++k) result.speed[k] /= count[k], result.flow[k] /= count[k];
  result.fastest = 0.5 * (result.speed[7] + result.speed[8]);
  return result;
}

}  // namespace

// The wall is felt at its nodes, a fraction of a cell off: 2 % at 16 cells, as in Couette flow.
TEST_CASE("mpm: a Newtonian fluid in a channel has the parabolic profile, as eos and as the generalized material, alike") {
  const double eta = 100, exact = density * g * H * H / (8 * eta), until = 0.6;  // four times the slowest decay, (H/pi)^2 / nu
  const double settled = exact * (1 - 1.032 * std::exp(-until * eta / density * pi * pi / (H * H)));
  const Channel reference = channel(fluid(2.5e4, eta), until), ours = channel(generalized({.bulk_modulus_d = 2.5e4}, eta), until),
                flip = channel(generalized({.bulk_modulus_d = 2.5e4}, eta), until, TransferType::flip);
  measured("channel: generalized / exact", ours.fastest / settled);
  measured("channel: eos / exact", reference.fastest / settled);
  measured("channel: generalized, flip / exact", flip.fastest / settled);
  CHECK(std::abs(ours.fastest / settled - 1) < 0.02);
  CHECK(std::abs(flip.fastest / settled - 1) < 0.06);  // its share of PIC, 5 %, is a viscosity of its own
  for (std::size_t k = 0; k < 16; ++k) CHECK(std::abs(ours.speed[k] - reference.speed[k]) < 0.005 * exact);
}

// Half of the plug is tau_Y / (density g) = H/4; outside of it u = g density / 2k ((H/2 - w)^2 - (|y - H/2| - w)^2).
TEST_CASE("mpm: a Bingham fluid in a channel flows as a plug of the right width, as herschel_bulkley and as the generalized material") {
  const double k = 100, half = H / 4, sigma_Y = std::sqrt(3.0) * density * g * half,
               plug = density * g / (2 * k) * std::pow(H / 2 - half, 2);
  const Moduli moduli = Moduli::from_bulk(2e5, 2e5);
  const std::pair<const char*, Material> materials[] = {
      {"herschel_bulkley", solid(Hencky{moduli}, density, HerschelBulkley{sigma_Y, k, 1})},
      {"generalized", generalized({.bulk_modulus_d = 2e5, .shear_modulus_d = 2e5, .yield_stress = sigma_Y, .consistency = k})}};
  for (const auto& [name, material] : materials) {
    const Channel result = channel(material, 0.6);
    measured(std::string("Bingham plug, ") + name + ": speed / exact", result.fastest / plug);
    // The cells that do not flow; the rate at the wall is density g (H/2 - w) / k / sqrt(3).
    int still = 0;
    for (double rate : result.flow) still += rate < 0.05 * density * g * (H / 2 - half) / k / std::sqrt(3.0);
    measured(std::string("Bingham plug, ") + name + ": cells across", still);
    CHECK(std::abs(still - 8) <= 1);
    CHECK(std::abs(result.fastest / plug - 1) < 0.02);
  }
}
