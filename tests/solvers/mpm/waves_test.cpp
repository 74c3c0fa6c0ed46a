// Vibration and decay against the formulas of continuum mechanics.
#include "setup.h"

using namespace knead;
using namespace knead::test;

namespace {

// Frequency of a signal from its zero crossings, interpolated between samples.
class Crossings {
 public:
  void add(double time, double value) {
    if (count_ > 0 && (value < 0) != (last_value_ < 0)) {
      const double at = last_time_ + (time - last_time_) * last_value_ / (last_value_ - value);
      if (crossings_ == 0) first_ = at;
      last_ = at;
      ++crossings_;
    }
    last_time_ = time, last_value_ = value;
    ++count_;
  }
  double frequency() const { return 0.5 * (crossings_ - 1) / (last_ - first_); }

 private:
  int count_ = 0, crossings_ = 0;
  double last_time_ = 0, last_value_ = 0, first_ = 0, last_ = 0;
};

// Amplitude of v_axis = sin(k y) over all particles.
double shear_amplitude(const MpmCase& c, double k) {
  double a = 0;
  for (std::size_t i = 0; i < c.state.count; ++i) a += c.v(i).x * std::sin(k * c.x(i).y);
  return 2 * a / double(c.state.count);
}

}  // namespace

TEST_CASE("mpm: a bar with a fixed and a free end vibrates with sqrt(E / rho) / 4 L, within 2 %, for every elasticity") {
  const double dx = 0.05, L = 20 * dx, E = 1e6, density = 1000, expected = std::sqrt(E / density) / (4 * L);
  for (const auto& [name, law] : solids(Moduli::from_young(E, 0))) {
    MpmCase c(dx);
    c.periodic({-1, 0, 0}, {3, 4 * dx, 4 * dx}, {false, true, true});
    c.add_collider(make_primitive(Plane{{0, 0, 0}, {1, 0, 0}}), Contact::sticky);
    c.add_box(solid(law, density), {0, 0, 0}, {L, 4 * dx, 4 * dx}, [&](const Vec3d& x) {
      return Vec3d{0.02 * std::sin(pi * x.x / (2 * L)), 0, 0};
    });
    c.start();
    Crossings signal;
    c.run(3.3 / expected, 0, [&](double) { signal.add(c.state.time, c.mean_velocity().x); });
    measured("bar " + name + ": frequency / exact", signal.frequency() / expected);
    CHECK(signal.frequency() == doctest::Approx(expected).epsilon(0.02));
  }
}

TEST_CASE("mpm: a pressure wave in a confined slab has the speed sqrt((lambda + 2 mu) / rho) within 2 %") {
  const Moduli moduli = Moduli::from_young(1e6, 0.3);
  const double dx = 0.05, L = 32 * dx, expected = std::sqrt(moduli.p_wave() / 1000) / L;
  for (const auto& [name, law] : solids(moduli)) {
    MpmCase c(dx);
    c.periodic({0, 0, 0}, {4 * dx, L, 4 * dx}, {true, true, true});
    c.add_box(solid(law), {0, 0, 0}, {4 * dx, L, 4 * dx}, [&](const Vec3d& x) { return Vec3d{0, 0.02 * std::sin(2 * pi * x.y / L), 0}; });
    c.start();
    Crossings signal;
    c.run(2.3 / expected, 0, [&](double) {
      double a = 0;
      for (std::size_t i = 0; i < c.state.count; ++i) a += c.v(i).y * std::sin(2 * pi * c.x(i).y / L);
      signal.add(c.state.time, a);
    });
    measured("pressure wave " + name + ": frequency / exact", signal.frequency() / expected);
    CHECK(signal.frequency() == doctest::Approx(expected).epsilon(0.02));
  }
}

TEST_CASE("mpm: a shear wave of a Newtonian fluid decays at nu k^2 within 2 %") {
  const double dx = 0.05, L = 16 * dx, k = 2 * pi / L, nu = 0.1, density = 1000;
  MpmCase c(dx);
  c.periodic({0, 0, 0}, {4 * dx, L, 4 * dx}, {true, true, true});
  c.add_box(fluid(density * 25, nu * density), {0, 0, 0}, {4 * dx, L, 4 * dx}, [&](const Vec3d& x) {
    return Vec3d{0.05 * std::sin(k * x.y), 0, 0};
  });
  c.start();
  for (std::size_t i = 0; i < c.state.count; ++i) c.set("C", i, Mat3d{{0, 0.05 * k * std::cos(k * c.x(i).y), 0, 0, 0, 0, 0, 0, 0}});
  const double before = shear_amplitude(c, k);
  c.run(1 / (nu * k * k));
  const double rate = std::log(before / shear_amplitude(c, k)) / c.state.time;
  measured("shear wave: rate / exact", rate / (nu * k * k));
  CHECK(rate == doctest::Approx(nu * k * k).epsilon(0.02));
}

TEST_CASE("mpm: RPIC damps shear as a viscosity of dx^2 / 8 dt would, and APIC hardly") {
  // Decay per step over k^2 dx^2, minus that of APIC, tends to 1/8 with the wavelength.
  for (const auto& [cells, expected] : {std::pair{16, 0.1221}, std::pair{64, 0.1248}}) {
    double decay[2];
    for (const TransferType transfer : {TransferType::apic, TransferType::rpic}) {
      const double dx = 0.05, L = cells * dx, k = 2 * pi / L;
      MpmCase c(dx);
      c.parameters.transfer.type = transfer;
      c.periodic({0, 0, 0}, {4 * dx, L, 4 * dx}, {true, true, true});
      c.add_box(fluid(1), {0, 0, 0}, {4 * dx, L, 4 * dx}, [&](const Vec3d& x) { return Vec3d{1e-3 * std::sin(k * x.y), 0, 0}; });
      c.start();
      for (std::size_t i = 0; i < c.state.count; ++i) c.set("C", i, Mat3d{{0, 1e-3 * k * std::cos(k * c.x(i).y), 0, 0, 0, 0, 0, 0, 0}});
      c.steps(5, 1e-3);
      const double before = shear_amplitude(c, k);
      c.steps(20, 1e-3);
      decay[int(transfer)] = std::log(before / shear_amplitude(c, k)) / 20 / (k * k * dx * dx);
    }
    measured("RPIC shear decay, " + std::to_string(cells) + " cells", decay[1] - decay[0]);
    CHECK(decay[1] - decay[0] == doctest::Approx(expected).epsilon(0.002));
    CHECK(decay[0] < 0.01);
  }
}
