#include "simulation/probes.h"

#include <doctest/doctest.h>

#include <numbers>
#include <sstream>

#include "base/error.h"
#include "base/threads.h"
#include "simulation/fake_solver.h"

using namespace knead;
using namespace knead::testing;

namespace {

// Two bodies: "left" of density 1000, "right" of density 500, each a 4x4x4 lattice of particles in a cube of 0.4 m.
struct Fixture {
  World world;
  State state;

  Fixture() {
    world.materials = {test_material(1000), test_material(500)};
    world.bodies = {{"left", 0}, {"right", 1}};
    world.groups = {{0, -1}, {1, -1}};
    add_base_columns(state, ScalarType::f64);
    for (int body = 0; body < 2; ++body)
      for (int n = 0; n < 64; ++n)
        add_particle(state, Vec3d{n % 4 + 0.5 + 10 * body, n / 4 % 4 + 0.5, n / 16 + 0.5} * 0.1, Vec3d{1.0 + body, 0, 0}, 1e-3, body);
    set_deformation(Mat3d::identity());
  }
  void set_deformation(const Mat3d& F) {
    Column& column = state.add("F", ScalarType::f64, 9);
    for (int component = 0; component < 9; ++component)
      for (std::size_t i = 0; i < state.count; ++i) column.set_value(component, i, F.m[component]);
  }
  template <class Kind> std::vector<double> values(Kind kind, ShapePointer region = nullptr) {
    Probe probe{.kind = kind, .region = region};
    start_probe(probe, world, state);
    return row(probe);
  }
  std::vector<double> row(const Probe& probe) {
    std::istringstream cells(probe_row(probe, world, state));
    std::vector<double> numbers;
    for (std::string cell; std::getline(cells, cell, ',');) numbers.push_back(std::stod(cell));
    return numbers;
  }
};

void check_values(const std::vector<double>& found, const std::vector<double>& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t n = 0; n < found.size(); ++n) {
    CHECK(std::isnan(found[n]) == std::isnan(expected[n]));
    if (!std::isnan(found[n])) CHECK(found[n] == doctest::Approx(expected[n]).epsilon(1e-8));  // nine digits are printed
  }
}

template <class Kind> std::string header(Kind kind = {}) { return probe_header({.kind = kind}); }

}  // namespace

TEST_CASE("the columns of the probes are those that users rely on") {
  CHECK(header<PointProbe>() == "time,x,y,z,vx,vy,vz");
  CHECK(header<BoundsProbe>() == "time,min_x,min_y,min_z,max_x,max_y,max_z");
  CHECK(header<CenterProbe>() == "time,x,y,z,vx,vy,vz");
  CHECK(header<EnergyProbe>() == "time,kinetic,elastic,gravity,total,dissipated");
  CHECK(header<MomentumProbe>() == "time,px,py,pz,lx,ly,lz");
  CHECK(header<ForceProbe>() == "time,fx,fy,fz");
  CHECK(header<StressProbe>() == "time,xx,yy,zz,xy,yz,zx,pressure,von_mises");
}

TEST_CASE("a point probe follows the particle that was nearest at the start") {
  Fixture fixture;
  PointProbe kind;
  kind.at = {0.34, 0.36, 0.37};
  Probe probe{.kind = kind};
  start_probe(probe, fixture.world, fixture.state);
  check_values(fixture.row(probe), {0, 0.35, 0.35, 0.35, 1, 0, 0});
  // Particles change places in memory and move; the probe stays with its id, 63.
  for (Column& column : fixture.state.columns)
    for (int component = 0; component < column.components(); ++component) {
      const double kept = column.value(component, 63);
      column.set_value(component, 63, column.value(component, 0));
      column.set_value(component, 0, kept);
    }
  fixture.state.column("position").set_value(1, 0, 7);
  check_values(fixture.row(probe), {0, 0.35, 7, 0.35, 1, 0, 0});
}

TEST_CASE("bounds and centre of a body and of all") {
  Fixture fixture;
  BoundsProbe bounds;
  bounds.body = "right";
  check_values(fixture.values(bounds), {0, 1.05, 0.05, 0.05, 1.35, 0.35, 0.35});
  bounds.body = "";
  check_values(fixture.values(bounds), {0, 0.05, 0.05, 0.05, 1.35, 0.35, 0.35});
  CenterProbe center;
  center.body = "left";
  check_values(fixture.values(center), {0, 0.2, 0.2, 0.2, 1, 0, 0});
  center.body = "";  // masses 64 and 32 kg
  check_values(fixture.values(center), {0, (64 * 0.2 + 32 * 1.2) / 96, 0.2, 0.2, (64 * 1.0 + 32 * 2.0) / 96, 0, 0});
}

TEST_CASE("energy is 1/2 m v^2, V0 Psi and -m g x, and what is missing is dissipated") {
  Fixture fixture;
  const double stretch = 1.1, strain = std::log(stretch);
  fixture.set_deformation(Mat3d::diagonal({stretch, 1, 1}));
  fixture.state.initial_energy = 5000, fixture.state.external_work = 7;
  const Moduli moduli = Moduli::from_young(1e5, 0.3);
  const double kinetic = 0.5 * 64 * 1 + 0.5 * 32 * 4, elastic = 128e-3 * (moduli.mu + 0.5 * moduli.lambda) * strain * strain,
               gravity = 96 * 9.81 * 0.2;
  const double total = kinetic + elastic + gravity;
  check_values(fixture.values(EnergyProbe{}), {0, kinetic, elastic, gravity, total, 5007 - total});
}

TEST_CASE("momentum, and the spin that the affine part of the particles adds, are those of a rotating body") {
  Fixture fixture;
  // All rotates about z with 3 rad/s: v = w x r, C = [w]x. A cube of edge a made of cells of edge h = a/4: the particles alone
  // miss the inertia of the cells, m h^2/12 per axis, which the affine inertia of h^2/12 gives back.
  const double w = 3, a = 0.4, h = 0.1;
  Column& C = fixture.state.add("C", ScalarType::f64, 9);
  Column& v = fixture.state.column("velocity");
  const Column& x = fixture.state.column("position");
  for (std::size_t i = 0; i < fixture.state.count; ++i) {
    v.set_value(0, i, -w * x.value(1, i));
    v.set_value(1, i, w * x.value(0, i));
    C.set_value(1, i, -w);
    C.set_value(3, i, w);
  }
  fixture.state.affine_inertia = h * h / 12;
  auto inertia = [&](double mass, double center_x) { return mass * (a * a / 6 + center_x * center_x + 0.2 * 0.2); };
  const double total = inertia(64, 0.2) + inertia(32, 1.2);
  // The third coordinate gives lx and ly: -w (sum m x z), with the products of the centres.
  const double lx = -w * (64 * 0.2 + 32 * 1.2) * 0.2, ly = -w * 96 * 0.2 * 0.2;
  check_values(fixture.values(MomentumProbe{}), {0, -w * 96 * 0.2, w * (64 * 0.2 + 32 * 1.2), 0, lx, ly, w * total});
  CHECK(fixture.values(EnergyProbe{})[1] == doctest::Approx(0.5 * total * w * w).epsilon(1e-8));
}

TEST_CASE("a force probe shows the force on its collider") {
  Fixture fixture;
  Collider floor, wall;
  floor.name = "floor", wall.name = "wall";
  fixture.world.colliders = {floor, wall};
  fixture.state.collider_force = {{1, 2, 3}, {4, 5, 6}};
  ForceProbe kind;
  kind.collider = "wall";
  check_values(fixture.values(kind), {0, 4, 5, 6});
  kind.collider = "roof";
  CHECK_THROWS_AS(fixture.values(kind), InputError);
}

TEST_CASE("a stress probe averages the Cauchy stress over the current volume") {
  Fixture fixture;
  const double stretch = 1.1, strain = std::log(stretch);
  fixture.set_deformation(Mat3d::diagonal({stretch, 1, 1}));
  const Moduli moduli = Moduli::from_young(1e5, 0.3);
  const double side = moduli.lambda * strain / stretch, along = side + 2 * moduli.mu * strain / stretch;  // tau / J
  check_values(fixture.values(StressProbe{}), {0, along, side, side, 0, 0, 0, -(along + 2 * side) / 3, along - side});
  // Only the left body is stretched: in the average its volume weighs 1.1 to 1.
  Column& F = fixture.state.column("F");
  for (std::size_t i = 64; i < 128; ++i) F.set_value(0, i, 1);
  CHECK(fixture.values(StressProbe{})[1] == doctest::Approx(along * 1.1 / 2.1).epsilon(1e-8));
  CHECK(fixture.values(StressProbe{}, test_box({0.9, -1, -1}, {2, 2, 2}))[1] == doctest::Approx(0));
  CHECK(std::isnan(fixture.values(StressProbe{}, test_box({5, 5, 5}, {6, 6, 6}))[1]));
}

TEST_CASE("a profile is the average of its quantity in each bin, and its columns name the bins") {
  Fixture fixture;
  Column& v = fixture.state.column("velocity");
  for (std::size_t i = 0; i < fixture.state.count; ++i) v.set_value(0, i, 10 * fixture.state.column("position").value(1, i));
  ProfileProbe kind;
  kind.body = "left", kind.bins = 2, kind.axis = Axis::y, kind.quantity = Quantity::velocity_x;
  check_values(fixture.values(kind, test_box({0, 0, 0}, {0.4, 0.4, 0.4})), {0, 1, 3});
  Probe probe{.kind = kind, .region = test_box({0, 0, 0}, {0.4, 0.4, 0.4})};
  start_probe(probe, fixture.world, fixture.state);
  CHECK(probe_header(probe) == "time,y=0.1,y=0.3");
  kind.quantity = Quantity::density;
  check_values(fixture.values(kind, test_box({0, 0, 0}, {0.4, 0.8, 0.4})), {0, 1000, std::nan("")});
}

TEST_CASE("every quantity of a profile is the closed form of a stretched body") {
  Fixture fixture;
  const double stretch = 1.1, strain = std::log(stretch);
  fixture.set_deformation(Mat3d::diagonal({1, stretch, 1}));
  const Moduli moduli = Moduli::from_young(1e5, 0.3);
  const double side = moduli.lambda * strain / stretch, along = side + 2 * moduli.mu * strain / stretch;
  const std::vector<std::pair<Quantity, double>> expected = {{Quantity::velocity_x, 1},
                                                             {Quantity::velocity_y, 0},
                                                             {Quantity::velocity_z, 0},
                                                             {Quantity::speed, 1},
                                                             {Quantity::density, 1000 / 1.1},
                                                             {Quantity::J, 1.1},
                                                             {Quantity::pressure, -(along + 2 * side) / 3},
                                                             {Quantity::von_mises, along - side},
                                                             {Quantity::stress_xx, side},
                                                             {Quantity::stress_yy, along},
                                                             {Quantity::stress_zz, side},
                                                             {Quantity::stress_xy, 0},
                                                             {Quantity::stress_yz, 0},
                                                             {Quantity::stress_zx, 0},
                                                             {Quantity::plastic_strain, 0}};
  CHECK(expected.size() == enum_names(Quantity{}).size());
  for (const auto& [quantity, value] : expected) {
    ProfileProbe kind;
    kind.body = "left", kind.bins = 1, kind.quantity = quantity;
    check_values(fixture.values(kind), {0, value});
  }
}

TEST_CASE("sums do not depend on the number of threads") {
  Fixture fixture;
  for (int n = 0; n < 20000; ++n)
    add_particle(fixture.state, Vec3d{std::sin(n), std::cos(3.0 * n), 0.1 * n}, {std::cos(n), 1.0 / (n + 1), 0}, 1e-5);
  fixture.set_deformation(Mat3d::diagonal({1.1, 1, 0.9}));
  Probe energy{.kind = EnergyProbe{}}, momentum{.kind = MomentumProbe{}};
  set_thread_count(1);
  const Energy one = measure_energy(fixture.world, fixture.state);
  const std::string row = probe_row(momentum, fixture.world, fixture.state);
  set_thread_count(2);
  const Energy two = measure_energy(fixture.world, fixture.state);
  CHECK(one.kinetic == two.kinetic);
  CHECK(one.elastic == two.elastic);
  CHECK(one.gravity == two.gravity);
  CHECK(row == probe_row(momentum, fixture.world, fixture.state));
  set_thread_count(0);
}

TEST_CASE("a free fall keeps its total energy but for the error of the steps, and loses height as it should") {
  TemporaryFolder folder;
  Simulation simulation = falling_block(folder.path);
  EnergyProbe energy;
  energy.label = "energy";
  CenterProbe center;
  center.label = "center", center.every = ProbeEvery::step;
  simulation.probes = {{.kind = energy}, {.kind = center}};
  run(simulation);
  const auto rows = read_csv(folder.path / "probes/energy.csv");
  REQUIRE(rows.size() == 7);
  // Symplectic Euler with step dt falls g t dt / 2 too far: energy is off by m g^2 t dt / 2, 64 * 9.81^2 * 0.5 * 0.01 / 2 at the end.
  CHECK(std::stod(rows[6][5]) == doctest::Approx(64 * 9.81 * 9.81 * 0.5 * 0.01 / 2).epsilon(1e-6));
  CHECK(std::stod(rows[1][5]) == 0);
  const auto path = read_csv(folder.path / "probes/center.csv");
  REQUIRE(path.size() == 52);  // header, time 0, 50 steps
  CHECK(std::stod(path[51][1]) == doctest::Approx(0.2 + 0.5).epsilon(1e-8));
  CHECK(std::stod(path[51][2]) == doctest::Approx(0.2 - 9.81 * (0.5 * 0.5 * 0.5 + 0.5 * 0.5 * 0.01)).epsilon(1e-8));
}

TEST_CASE("probes: a rigid body has a centre, bounds, a force, and its share of energy and momentum") {
  Fixture fixture;
  const Energy without = measure_energy(fixture.world, fixture.state);
  const std::vector<double> momentum = fixture.values(MomentumProbe{});
  const ShapePointer box = test_box({4, 1, -1}, {4.6, 1.2, -0.6});
  fixture.world.rigid_bodies = {make_rigid_body("crate", box, mass_properties(*box), 500)};
  const Vec3d center{4.3, 1.1, -0.8}, v{1, -2, 3}, w{0, 5, 0};
  fixture.state.rigid = {{center, quaternion_from_vector({0, std::numbers::pi / 2, 0}), v, w}};
  fixture.state.collider_force = {{7, 8, 9}};

  CenterProbe where;
  where.body = "crate";
  check_values(fixture.values(where), {0, 4.3, 1.1, -0.8, 1, -2, 3});
  BoundsProbe around;
  around.body = "crate";
  const std::vector<double> bounds = fixture.values(around), turned{0, 4.1, 1.0, -1.1, 4.5, 1.2, -0.5};  // by a right angle
  for (std::size_t n = 0; n < turned.size(); ++n) CHECK(bounds[n] == doctest::Approx(turned[n]).epsilon(1e-6));
  ForceProbe push;
  push.collider = "crate";
  check_values(fixture.values(push), {0, 7, 8, 9});

  const double mass = 500 * 0.6 * 0.2 * 0.4, I = mass * (0.6 * 0.6 + 0.4 * 0.4) / 12;
  const Energy with = measure_energy(fixture.world, fixture.state);
  CHECK(with.kinetic - without.kinetic == doctest::Approx(0.5 * mass * 14 + 0.5 * I * 25).epsilon(1e-5));
  CHECK(with.gravity - without.gravity == doctest::Approx(mass * 9.81 * 1.1).epsilon(1e-9));
  const std::vector<double> all = fixture.values(MomentumProbe{});
  const Vec3d l = cross(center, v * mass) + Vec3d{0, 5 * I, 0};
  for (int axis = 0; axis < 3; ++axis) {
    CHECK(all[1 + std::size_t(axis)] - momentum[1 + std::size_t(axis)] == doctest::Approx(mass * v[axis]).epsilon(1e-6));
    CHECK(all[4 + std::size_t(axis)] - momentum[4 + std::size_t(axis)] == doctest::Approx(l[axis]).epsilon(1e-5));
  }
}
