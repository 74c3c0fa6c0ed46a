// Whole steps of explicit MPM, everything included: sorting, sparse grid, contact, plasticity, statistics.
#include <unistd.h>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>

#include "bandwidth.h"
#include "base/threads.h"
#include "benchmarks.h"
#include "geometry/shapes.h"
#include "solvers/mpm/mpm.h"
#include "yardstick.h"

namespace knead::bench {

namespace {

struct Case {
  const char* name;
  Material material;
};

std::vector<Case> cases() {
  const Moduli moduli = Moduli::from_young(1e5, 0.3);
  VonMises metal;
  metal.yield_stress = 100;  // yields in a good part of the cube
  DruckerPrager sand;
  sand.friction_angle = 30;
  auto material = [](ElasticLaw elasticity, FlowLaw plasticity) {
    Material m;
    m.elasticity = elasticity, m.plasticity = plasticity;
    return m;
  };
  return {{"neo_hookean", material(NeoHookean{moduli}, NoFlow{})},
          {"hencky", material(Hencky{moduli}, NoFlow{})},
          {"von_mises", material(Hencky{moduli}, metal)},
          {"sand", material(Hencky{moduli}, sand)},
          {"fluid", material(Eos{1e5, 7}, NoFlow{})}};
}

// The yardstick's falling cube, a cell above a floor that it meets during the run.
struct Cube {
  World world;
  State state;
  std::unique_ptr<Solver> solver;
  double dx = 0, dt = 0;

  Cube(const Material& material, int wanted, Precision precision) {
    const int side = int(std::lround(std::cbrt(double(wanted)) / 2)), n = 2 * side;
    dx = 1.0 / side;
    dt = 0.2 * dx / std::sqrt(1e5 / material.density);
    world.precision = precision;
    world.materials = {material};
    world.bodies = {{"cube", 0}};
    world.groups = {{0, -1}};
    ShapeSpec floor{Plane{}, {}};
    std::get<Plane>(floor.kind).normal = {0, 1, 0};
    Collider collider;
    collider.name = "floor", collider.shape = make_shape(floor, ".", dx), collider.contact = Contact::separate, collider.friction = 0.3;
    world.colliders = {collider};
    if (precision == Precision::single) fill<float>(n);
    else fill<double>(n);
    MpmParameters parameters;
    parameters.dx = dx;
    solver = make_mpm(parameters, world);
    solver->prepare(world, state);
  }

  template <class T> void fill(int n) {
    constexpr ScalarType type = scalar_type_of<T>();
    state.add("position", type, 3), state.add("velocity", type, 3), state.add("volume", type, 1);
    state.add("id", ScalarType::u32, 1), state.add("group", ScalarType::u16, 1);
    state.resize(std::size_t(n) * n * n);
    T *x = state.column("position").data<T>(0), *y = state.column("position").data<T>(1), *z = state.column("position").data<T>(2);
    for (std::size_t i = 0; i < state.count; ++i) {
      x[i] = T((double(i / n / n) + 0.5) / 2 * dx);
      y[i] = T((double(i / n % n) + 0.5) / 2 * dx + dx);
      z[i] = T((double(i % n) + 0.5) / 2 * dx);
      state.column("id").data<std::uint32_t>()[i] = std::uint32_t(i);
    }
    std::fill_n(state.column("velocity").data<T>(1), state.count, T(-3));
    std::fill_n(state.column("volume").data<T>(), state.count, T(dx * dx * dx / 8));
  }
};

double resident_bytes() {
  std::ifstream file("/proc/self/statm");
  double total = 0, resident = 0;
  file >> total >> resident;
  return resident * double(sysconf(_SC_PAGESIZE));
}

struct Result {
  double speed = 0;                                    // particle-steps per second
  std::vector<std::pair<std::string, double>> phases;  // [ns per particle and step]
  double bytes_per_particle = 0;
};

Result measure(const Case& c, int particles, int steps, int threads, Precision precision) {
  set_thread_count(threads);
  const double before = resident_bytes();
  Cube cube(c.material, particles, precision);
  cube.solver->step(cube.world, cube.state, cube.dt);
  Result result;
  const double start = seconds_now(threads);
  for (int s = 0; s < steps; ++s) {
    const StepReport report = cube.solver->step(cube.world, cube.state, cube.dt);
    for (const PhaseTime& phase : report.phases) {
      auto found = std::find_if(result.phases.begin(), result.phases.end(), [&](const auto& p) { return p.first == phase.name; });
      if (found == result.phases.end()) found = result.phases.insert(result.phases.end(), {phase.name, 0.0});
      found->second += phase.milliseconds * 1e6 / double(cube.state.count) / steps;
    }
  }
  const double seconds = seconds_now(threads) - start;
  result.speed = double(cube.state.count) * steps / seconds;
  result.bytes_per_particle = (resident_bytes() - before) / double(cube.state.count);
  return result;
}

// Bytes of the particle columns that a step reads and writes; written lines are read first. P2G reads x, v, C, F, volume; G2P reads
// x and F and writes x, v, C, F.
double column_bytes(const Material& material) {
  const double deformation = std::holds_alternative<Eos>(material.elasticity) ? 1 : 9;
  const double flow = material.plasticity.index() == 0 ? 0 : 2;
  return 4 * ((3 + 3 + 9 + deformation + flow + 1) + 2 * (3 + 3 + 9 + deformation + flow));
}

void bench_sizes(Report& report, std::initializer_list<int> sizes) {
  const Bandwidth bandwidth = measure_bandwidth(1);
  report.add({"memory bandwidth, 1 thread", "triad", "GB/s", bandwidth.triad * 1e-9});
  double small_cost = 0;
  for (const int particles : sizes) {
    const std::string size = particles == 100000 ? "100k" : particles == 1000000 ? "1M" : "8M";
    const int steps = particles == 8000000 ? 20 : 40;
    const double yardstick = yardstick_speed(particles, particles == 8000000 ? 2 : 10, YardstickLaw::neo_hookean);
    const double yardstick_hencky = yardstick_speed(particles, particles == 8000000 ? 2 : 10, YardstickLaw::hencky);
    report.add({"yardstick neo_hookean", size, "M particle-steps/s", yardstick * 1e-6});
    report.add({"yardstick hencky", size, "M particle-steps/s", yardstick_hencky * 1e-6});
    for (const Case& c : cases()) {
      const Result one = measure(c, particles, steps, 1, Precision::single), two = measure(c, particles, steps, 2, Precision::single);
      const std::string name = c.name;
      report.add({name, size + ", 1 core", "M particle-steps/s", one.speed * 1e-6});
      report.add({name + " over yardstick neo_hookean", size + ", 1 core", "x", one.speed / yardstick});
      if (name == "hencky" || name == "von_mises" || name == "sand")
        report.add({name + " over yardstick hencky", size + ", 1 core", "x", one.speed / yardstick_hencky});
      report.add({name + " two cores over one", size, "x", two.speed / one.speed});
      for (const auto& [phase, ns] : one.phases) report.add({name + " " + phase, size + ", 1 core", "ns/particle", ns});
      report.add({name + " column bytes at the measured bandwidth", size + ", 1 core", "share of the step",
                  column_bytes(c.material) * one.speed / bandwidth.triad});
      if (name == "neo_hookean") {
        report.add({name + " memory", size, "bytes/particle", one.bytes_per_particle});
        if (small_cost == 0) small_cost = 1 / one.speed;
        else report.add({name + " cost over 100k's", size + ", 1 core", "x", 1 / one.speed / small_cost});
      }
    }
    if (particles == 1000000) {
      const Result wide = measure(cases()[0], particles, steps, 1, Precision::real_double);
      report.add({"neo_hookean double", size + ", 1 core", "M particle-steps/s", wide.speed * 1e-6});
    }
  }
}

}  // namespace

void bench_steps(Report& report) { bench_sizes(report, {100000, 1000000, 8000000}); }
void bench_steps_100k(Report& report) { bench_sizes(report, {100000}); }
void bench_steps_1M(Report& report) { bench_sizes(report, {1000000}); }
void bench_steps_8M(Report& report) { bench_sizes(report, {8000000}); }

// The time of each corner of the generalized material over that of the material it stands for: the best of three turns each, in processor
// time, which other programs disturb less.
void bench_generalized(Report& report) {
  const Moduli moduli = Moduli::from_young(1e5, 0.3);
  const double K = moduli.bulk(), mu = moduli.mu;
  auto standard = [](ElasticLaw elasticity, FlowLaw plasticity = NoFlow{}, double viscosity = 0) {
    Material m;
    m.elasticity = elasticity, m.plasticity = plasticity, m.viscosity = viscosity;
    return m;
  };
  auto generalized = [](const Generalized& law, double viscosity = 0) {
    Material m;
    m.generalized = law, m.viscosity = viscosity;
    return m;
  };
  const Generalized rubber{.bulk_modulus_i = K, .shear_modulus_i = mu};
  auto paste = [&](double power) {
    return Generalized{.bulk_modulus_d = K, .shear_modulus_d = mu, .yield_stress = 100, .consistency = 1, .power = power};
  };
  Generalized packed = rubber;
  packed.hardening = 10, packed.stretch_limit = 1.0075, packed.compression_limit = 0.975;
  struct Pair {
    const char* name;
    Material ours, reference;
  };
  const Pair pairs[] = {
      {"fluid over eos", generalized({.bulk_modulus_d = 1e5}), standard(Eos{1e5, 7})},
      {"viscous over eos with viscosity", generalized({.bulk_modulus_d = 1e5}, 1), standard(Eos{1e5, 7}, NoFlow{}, 1)},
      {"hyperelastic over neo_hookean", generalized(rubber), standard(NeoHookean{moduli})},
      {"hyperelastic over fixed_corotated", generalized(rubber), standard(FixedCorotated{moduli})},
      {"viscoplastic over herschel_bulkley, power 1", generalized(paste(1)), standard(Hencky{moduli}, HerschelBulkley{100, 1, 1})},
      {"viscoplastic over herschel_bulkley, power 0.7", generalized(paste(0.7)), standard(Hencky{moduli}, HerschelBulkley{100, 1, 0.7})},
      {"elastoplastic over fixed_corotated with snow", generalized(packed), standard(FixedCorotated{moduli}, Snow{})}};
  for (const Pair& pair : pairs) {
    double ours = 0, reference = 0;
    for (int turn = 0; turn < 3; ++turn) {
      ours = std::max(ours, measure({pair.name, pair.ours}, 300000, 20, 1, Precision::single).speed);
      reference = std::max(reference, measure({pair.name, pair.reference}, 300000, 20, 1, Precision::single).speed);
    }
    report.add({pair.name, "300k, 1 core", "M particle-steps/s", ours * 1e-6});
    report.add({std::string("time of ") + pair.name, "300k, 1 core", "x", reference / ours});
  }
}

}  // namespace knead::bench
