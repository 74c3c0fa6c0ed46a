// The generalized material, fluids, viscosity and snow under the implicit integrator.
#include "solvers/mpm/admm_generalized.h"
#include "base/threads.h"
#include "solvers/mpm/admm_setup.h"

namespace knead::test {

namespace {

struct Example {
  std::string name;
  Material material;
  bool smooth;
};

// Every corner, all of them at once, and the materials that they stand for. Waves run at 10 m/s and more.
std::vector<Example> examples() {
  const Moduli moduli = Moduli::from_bulk(4e4, 1e5);
  Material viscous_solid = solid(Hencky{moduli});
  viscous_solid.viscosity = 50;
  return {
      {"water", generalized({.bulk_modulus_d = 1e5}), true},
      {"honey", generalized({.bulk_modulus_d = 1e5}, 100), true},
      {"rubber", generalized({.bulk_modulus_i = 1e5, .shear_modulus_i = 4e4}), true},
      {"paste", generalized({.bulk_modulus_d = 1e5, .shear_modulus_d = 4e4, .yield_stress = 500, .consistency = 20, .power = 0.7}), false},
      {"snow",
       generalized({.bulk_modulus_i = 1e5, .shear_modulus_i = 4e4, .hardening = 10, .stretch_limit = 1.0075, .compression_limit = 0.975}),
       false},
      {"everything",
       generalized({.bulk_modulus_i = 5e4,
                    .shear_modulus_i = 2e4,
                    .bulk_modulus_d = 3e4,
                    .shear_modulus_d = 1e4,
                    .yield_stress = 300,
                    .consistency = 30,
                    .power = 2,
                    .hardening = 5,
                    .stretch_limit = 1.1,
                    .compression_limit = 0.9},
                   20),
       false},
      {"eos", fluid(1e5), true},
      {"viscous eos", fluid(1e5, 100), true},
      {"viscous hencky", viscous_solid, true},
      {"fixed_corotated snow", solid(FixedCorotated{moduli}, 1000, Snow{0.025, 0.0075, 10}), false}};
}

// A cube that moves fast enough to yield, pack and break within a few milliseconds.
void squeezed_cube(MpmCase& c, const Material& material) {
  c.world.gravity = Vec3d{0, -9.81, 0};
  c.add_floor(Contact::sticky);
  c.add_box(material, {0, 0, 0}, {0.3, 0.3, 0.3}, [](const Vec3d& x) { return Vec3d{4 * x.y, -10 * x.y, 3 * x.x}; });
}

// Central differences of the stress against the tangent.
template <class Response> double tangent_error(const Response& response, const FlowState<double>& flow, const Vec3d& at) {
  using S = Wide<double>;
  const FlowState<S> state{S(flow.plastic_strain), S(flow.plastic_volume), flow.dt};
  auto stress = [&](const Vec3d& e) {
    const Vec3<S> eps{S(e.x), S(e.y), S(e.z)}, tau = response.stress(eps, Vec3<S>{exp(eps.x), exp(eps.y), exp(eps.z)}, state);
    return Vec3d{tau.x[0], tau.y[0], tau.z[0]};
  };
  const Vec3<S> eps{S(at.x), S(at.y), S(at.z)};
  const Mat3<S> D = response.tangent(eps, Vec3<S>{exp(eps.x), exp(eps.y), exp(eps.z)}, state);
  double worst = 0;
  for (int j = 0; j < 3; ++j) {
    Vec3d h{};
    h[j] = 1e-6;
    worst = std::max(worst, length((stress(at + h) - stress(at - h)) / 2e-6 - Vec3d{D(0, j)[0], D(1, j)[0], D(2, j)[0]}));
  }
  return worst;
}

}  // namespace

// Differences with a step of 1e-6 err by 1e-16 / 1e-6 of moduli of 1e5 times a hardening of up to 50, and by the square of the step.
TEST_CASE("admm: the tangents of both branches of the generalized material and of snow are the derivatives of their stresses") {
  Noise noise(2);
  for (int k = 0; k < 200; ++k) {
    const Vec3d eps = noise.vector() * 0.3;
    FlowState<double> state{0, 0.2 * noise.next(), 1e-3};
    for (const Example& example : examples())
      if (const auto& law = example.material.generalized) {
        if (law->keeps_shape()) CHECK(tangent_error(GeneralizedElastic(*law), state, eps) < 1e-3);
        if (law->flows()) CHECK(tangent_error(GeneralizedFlowing{*law}, state, eps) < 1e-3);
      }
    for (double power : {0.5, 1.0, 3.0}) {
      const Generalized paste{.shear_modulus_d = 1e5, .yield_stress = 100 * std::exp(4 * noise.next()), .consistency = 40, .power = power};
      CHECK(tangent_error(GeneralizedFlowing{paste}, state, eps) < 2e-3);
    }
    CHECK(tangent_error(ElasticResponse<FixedCorotated, Snow>{FixedCorotated{{4e4, 1e5}}, Snow{0.025, 0.0075, 10}}, state, eps) < 1e-3);
  }
}

TEST_CASE("admm: fluids, viscosity, snow and the generalized material are, with short steps, those of the explicit integrator") {
  for (const Example& example : examples()) {
    INFO("material: ", example.name);
    double difference[2];
    for (int k = 0; k < 2; ++k) {
      const double dt = 4e-4 / (k + 1);
      MpmCase implicit(0.1), explicit_case(0.1);
      squeezed_cube(implicit, example.material);
      squeezed_cube(explicit_case, example.material);
      start_implicit(implicit, thorough(1e-6));
      explicit_case.start();
      implicit.steps(8 * (k + 1), dt);
      explicit_case.steps(8 * (k + 1), dt);
      difference[k] = distance_between(implicit, explicit_case);
    }
    // The cube has moved by about 5 mm; the two Euler methods differ by a dt of acceleration.
    measured("implicit less explicit, " + example.name, difference[1]);
    measured("  ratio", difference[1] / difference[0]);
    CHECK(difference[0] < 4e-5);
    CHECK(difference[1] < 0.65 * difference[0]);
  }
}

TEST_CASE("admm: the fixed point satisfies the balance of backward Euler for fluids, viscosity, snow and the generalized material") {
  for (const Example& example : examples()) {
    INFO("material: ", example.name);
    MpmCase c(0.1);
    falling_cube(c, example.material);
    start_implicit(c, thorough(example.smooth ? 1e-6 : 1e-4));
    for (int step = 0; step < 3; ++step) {
      const StepReport report = c.step(5e-3);
      REQUIRE(report.status == StepStatus::ok);
      CHECK(report.convergence.back().residual <= (example.smooth ? 1e-6 : 1e-4));
      measured("iterations, " + example.name, report.iterations);
      measured("  linear", report.linear_iterations);
    }
  }
}

// A column of 0.4 m, in steps of 5 ms; those of the explicit integrator are 0.36 ms for the waves, 0.27 ms and 2.7 us for the viscosities.
TEST_CASE("admm: neither the bulk modulus nor the viscosity limits the step, and stiff fluids collapse as explicitly") {
  struct Fluid {
    const char* name;
    Material material;
    bool explicit_too;
  };
  for (const Fluid& f : {Fluid{"water", generalized({.bulk_modulus_d = 2e6}), true}, Fluid{"eos", fluid(2e6), true},
                         Fluid{"viscous", generalized({.bulk_modulus_d = 2e6}, 1e3), true},
                         Fluid{"very viscous", generalized({.bulk_modulus_d = 2e6}, 1e5), false}}) {
    INFO("material: ", std::string(f.name));
    auto column = [&](MpmCase& c) {
      c.world.gravity = Vec3d{0, -9.81, 0};
      c.add_floor(Contact::separate, 0.3);
      c.add_box(f.material, {0, 0, 0}, {0.2, 0.4, 0.2});
    };
    MpmCase c(0.04, Precision::single), reference(0.04, Precision::single);
    column(c), column(reference);
    start_implicit(c);
    c.run(0.1, 5e-3);
    double smallest = 1, largest = 0, center = 0.2;
    for (std::size_t i = 0; i < c.state.count; ++i)
      smallest = std::min(smallest, c.volume_ratio_of(i)), largest = std::max(largest, c.volume_ratio_of(i));
    if (f.explicit_too) {
      reference.start();
      reference.run(0.1);
      center = reference.center().y;
    }
    measured(std::string("collapse, centre, ") + f.name, c.center().y), measured("  explicit", center);
    measured("  volume ratio, least", smallest), measured("  largest", largest);
    // It falls by 40 mm. What falls freely by backward Euler is ahead by g t dt / 2, 2.5 mm, and then also in what it does on the floor.
    CHECK(std::abs(c.center().y - center) < 1.5 * 0.5 * 9.81 * 0.1 * 5e-3);
    CHECK((smallest > 0.98 && largest < 1.02));
  }
}

// The wall is felt at its nodes, a fraction of a cell off: an error of first order in the size of the cells, which extrapolation removes.
TEST_CASE("admm: a viscous fluid settles in a channel to the parabola with steps of thirty explicit ones") {
  const double H = 0.4, g = 5, eta = 500, density = 1000, exact = density * g * H * H / (8 * eta);
  double ratio[2];
  for (int k = 0; k < 2; ++k) {
    const double dx = H / (8 << k);
    MpmCase c(dx, Precision::single);
    c.world.gravity = Vec3d{g, 0, 0};
    c.periodic({0, -1, 0}, {4 * dx, 1, 4 * dx}, {true, false, true});
    c.add_floor(Contact::sticky);
    c.add_collider(make_primitive(Plane{{0, H, 0}, {0, -1, 0}}), Contact::sticky);
    c.add_box(generalized({.bulk_modulus_d = 1e6}, eta), {0, 0, 0}, {4 * dx, H, 4 * dx});
    start_implicit(c);
    c.run(0.3, 1e-2);  // nine times the slowest decay; with 16 cells an explicit step is 0.2 ms for viscosity and 0.3 ms for waves
    double fastest = 0, count = 0;
    for (std::size_t i = 0; i < c.state.count; ++i)
      if (std::abs(c.x(i).y - H / 2) < dx) fastest += c.v(i).x, count += 1;
    const double mean = 1 - 4.0 / 3 * dx * dx / (H * H);  // of the parabola over the two middle cells
    ratio[k] = fastest / count / (exact * mean);
    measured("implicit channel / exact", ratio[k]);
  }
  CHECK(std::abs(ratio[1] - 1) < 0.6 * std::abs(ratio[0] - 1));
  CHECK(std::abs(2 * ratio[1] - ratio[0] - 1) < 0.02);
}

TEST_CASE(
    "admm: fluids, viscosity and flowing branches give the same bits for any number of threads and a solver that is new at every step") {
  auto run = [](int threads, bool rebuild) {
    set_thread_count(threads);
    MpmCase c(0.05, Precision::single);
    c.world.gravity = Vec3d{0, -9.81, 0};
    c.add_floor(Contact::separate);
    const std::vector<Example> all = examples();
    for (std::size_t k = 0; k < all.size(); k += 3)
      c.add_box(all[k].material, {0.2 * double(k), 0, 0}, {0.2 * double(k) + 0.3, 0.2, 0.2}, [](const Vec3d& x) {
        return Vec3d{0, -x.y, 0};
      });
    start_implicit(c);
    for (int step = 0; step < 3; ++step) {
      if (rebuild) c.solver = make_admm(c.parameters, {}, c.world);
      REQUIRE(c.step(4e-3).status == StepStatus::ok);
    }
    set_thread_count(0);
    return bytes_of(c.state);
  };
  const auto reference = run(1, false);
  CHECK(run(2, false) == reference);
  CHECK(run(5, true) == reference);
}

}  // namespace knead::test
