// Implicit MPM: time and residual of the scenes in bench/implicit, and how the iterations of a step converge, as CSV and pictures.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>

#include "base/threads.h"
#include "benchmarks.h"
#include "scene/build.h"

namespace knead::bench {

namespace {

using Overrides = std::vector<std::string>;

Overrides joined(Overrides a, const Overrides& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Simulation load(const std::string& scene, const Overrides& overrides, const char* folder = "/bench/implicit/") {
  Simulation simulation = build_simulation(load_scene(KNEAD_SOURCE_DIR + std::string(folder) + scene + ".json", overrides));
  simulation.solver->prepare(simulation.world, simulation.state);
  return simulation;
}

// Root mean square of v + dt g over the mass [m/s]: what the residual is compared with.
double speed_scale(const Simulation& simulation, double dt) {
  const Vec3d change = simulation.world.gravity.at(simulation.state.time) * dt;
  const Column &velocity = simulation.state.column("velocity"), &volume = simulation.state.column("volume");
  double sum = 0, total = 0;
  for (std::size_t i = 0; i < simulation.state.count; ++i) {
    const double mass = volume.value(0, i);  // one density per scene
    sum += mass * length_squared(Vec3d{velocity.value(0, i), velocity.value(1, i), velocity.value(2, i)} + change);
    total += mass;
  }
  return std::sqrt(sum / std::max(total, 1e-300));
}

struct Third {
  StepReport report;
  double seconds = 0, share = 0;  // residual over |v + dt g|
  std::size_t particles = 0;
};

// The third step: the first two have set the matter in motion.
Third third_step(const std::string& scene, const Overrides& overrides, int threads) {
  set_thread_count(threads);
  Simulation simulation = load(scene, overrides);
  const double dt = *simulation.settings.fixed_dt;
  Third third;
  for (int step = 0; step < 3; ++step) {
    const double scale = speed_scale(simulation, dt), start = seconds_now(threads);
    third.report = simulation.solver->step(simulation.world, simulation.state, dt);
    third.seconds = seconds_now(threads) - start;
    third.share = third.report.residual / std::max(scale, 1e-300);
  }
  third.particles = simulation.state.count;
  return third;
}

struct Curve {
  std::string name;
  std::vector<double> residuals;  // after each iteration, relative to the start of the step
};

Curve convergence(const std::string& name, const std::string& scene, const Overrides& overrides) {
  Curve curve{name, {}};
  for (const SolveIteration& iteration : third_step(scene, joined(overrides, {"solver.admm.convergence=true"}), 1).report.convergence)
    curve.residuals.push_back(iteration.residual);
  return curve;
}

void write_csv(const std::string& file, const std::vector<Curve>& curves) {
  std::ofstream out(file + ".csv");
  out << "iteration";
  std::size_t most = 0;
  for (const Curve& curve : curves) out << ",\"" << curve.name << '"', most = std::max(most, curve.residuals.size());
  for (std::size_t k = 0; k < most; ++k) {
    out << '\n' << k + 1;
    for (const Curve& curve : curves) {
      out << ',';
      if (k < curve.residuals.size()) out << curve.residuals[k];
    }
  }
  out << '\n';
}

// Iterations to the right, decades of the residual upwards.
void write_svg(const std::string& file, const std::string& title, const std::vector<Curve>& curves) {
  constexpr double width = 560, height = 340, left = 60, right = 410, top = 40, bottom = 300;
  const char* const colours[] = {"#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e"};
  double low = 0, high = -99;
  std::size_t most = 2;
  for (const Curve& curve : curves) {
    most = std::max(most, curve.residuals.size());
    for (double r : curve.residuals)
      if (r > 0) low = std::min(low, std::floor(std::log10(r))), high = std::max(high, std::ceil(std::log10(r)));
  }
  const auto x = [&](double k) { return left + (right - left) * (k - 1) / double(most - 1); };
  const auto y = [&](double decade) { return bottom - (bottom - top) * (decade - low) / std::max(high - low, 1.0); };
  std::ofstream out(file + ".svg");
  out << "<svg xmlns='http://www.w3.org/2000/svg' width='" << width << "' height='" << height
      << "' font-family='sans-serif' font-size='12'>\n"
      << "<rect width='100%' height='100%' fill='white'/><text x='" << left << "' y='22' font-size='14'>" << title << "</text>\n";
  for (double decade = low; decade <= high; ++decade)
    out << "<path d='M" << left << ' ' << y(decade) << 'H' << right << "' stroke='#ddd'/><text x='" << left - 8 << "' y='" << y(decade) + 4
        << "' text-anchor='end'>1e" << decade << "</text>\n";
  out << "<text x='" << right << "' y='" << bottom + 20 << "' text-anchor='end'>" << most << " iterations</text>\n";
  for (std::size_t n = 0; n < curves.size(); ++n) {
    const char* const colour = colours[n % std::size(colours)];
    out << "<polyline fill='none' stroke-width='2' stroke='" << colour << "' points='";
    for (std::size_t k = 0; k < curves[n].residuals.size(); ++k)
      if (curves[n].residuals[k] > 0) out << x(double(k + 1)) << ',' << y(std::log10(curves[n].residuals[k])) << ' ';
    out << "'/><text x='" << right + 12 << "' y='" << top + 12 + 18 * double(n) << "' fill='" << colour << "'>" << curves[n].name
        << "</text>\n";
  }
  out << "</svg>\n";
}

void figure(Report& report, const std::string& name, const std::string& title, const std::vector<Curve>& curves) {
  write_csv("convergence_" + name, curves);
  write_svg("convergence_" + name, title, curves);
  for (const Curve& curve : curves)
    if (!curve.residuals.empty())
      report.add(
          {title, curve.name + ", " + std::to_string(curve.residuals.size()) + " iterations", "of the start", curve.residuals.back()});
}

}  // namespace

void bench_implicit(Report& report) {
  struct Case {
    const char *name, *scene;
    Overrides overrides;
  };
  const Case cases[] = {
      {"elastic beam", "beam", {}},
      {"viscoelastic disc", "disc", {}},
      {"hollow metal bar", "bar", {}},
      {"sand, single precision", "sand", {"precision=\"single\""}},
      {"sand, to a percent", "sand", {"solver.admm.iterations=50", "solver.admm.balance_iterations=20"}},
  };
  for (const Case& c : cases) {
    const Third one = third_step(c.scene, c.overrides, 1), two = third_step(c.scene, c.overrides, 2);
    const std::string what = std::to_string(one.particles) + " particles";
    report.add({c.name, what + ", 1 core", "s a step", one.seconds});
    report.add({c.name, "two cores over one", "x", one.seconds / two.seconds});
    report.add({c.name, "residual over |v + dt g|", "", one.share});
    report.add({c.name, "iterations", "", double(one.report.iterations)});
    report.add({c.name, "conjugate gradient iterations", "", double(one.report.linear_iterations)});
  }
  const char* const halved[][2] = {{"0.05", "0.008"}, {"0.025", "0.004"}, {"0.0125", "0.002"},
                                   {"0.05", "0.004"}, {"0.025", "0.004"}, {"0.0125", "0.004"}};
  for (const auto& [dx, dt] : halved) {
    const std::string size = std::string("solver.dx=") + dx, step = std::string("solver.dt=") + dt;
    const Third third = third_step("beam", {size, step, "solver.admm.balance_iterations=0"}, 1);
    report.add({"global solves of the beam", std::string("dx ") + dx + ", dt " + dt + ", 15 iterations", "conjugate gradient iterations",
                double(third.report.linear_iterations)});
  }
}

// The figures of the paper, from our own iterations; the files are written where the program runs.
void bench_convergence(Report& report) {
  const Overrides exact{"precision=\"double\"", "solver.admm.balance_iterations=0", "solver.admm.cg_tolerance=0.01",
                        "solver.admm.cg_iterations=200"};
  const Overrides beam = joined(exact, {"solver.dx=0.025", "solver.dt=0.004", "solver.admm.iterations=30"});
  const Overrides sand = joined(exact, {"solver.dx=0.02", "materials.sand.elasticity.youngs_modulus=4e7", "solver.admm.iterations=40"});
  const auto of = [&](const std::string& name, const char* scene, const Overrides& base, const Overrides& more) {
    return convergence(name, scene, joined(base, more));
  };
  figure(report, "weights", "Beam, weights",
         {of("automatic", "beam", beam, {}), of("stiffness, rho 1", "beam", beam, {"solver.admm.rho=1"}),
          of("bulk, rho 1", "beam", beam, {"solver.admm.rho=1", "solver.admm.weights=\"bulk\""}),
          of("unit, rho 1", "beam", beam, {"solver.admm.rho=1", "solver.admm.weights=\"unit\""})});
  std::vector<Curve> relaxed;
  for (const char* alpha : {"1", "1.4", "1.6", "1.9"})
    relaxed.push_back(of(std::string("alpha ") + alpha, "beam", beam, {std::string("solver.admm.over_relaxation=") + alpha}));
  figure(report, "relaxation", "Beam, over-relaxation", relaxed);
  figure(report, "ruiz_beam", "Beam, equilibration",
         {of("without", "beam", beam, {}), of("Ruiz, 10 sweeps", "beam", beam, {"solver.admm.equilibration=10"})});
  figure(report, "ruiz_sand", "Sand, equilibration",
         {of("without", "sand", sand, {}), of("Ruiz, 10 sweeps", "sand", sand, {"solver.admm.equilibration=10"})});
  figure(report, "sand", "Sand, 15 iterations and balance",
         {of("15", "sand", sand, {"solver.admm.iterations=15"}),
          of("15 + 5", "sand", sand, {"solver.admm.iterations=15", "solver.admm.balance_iterations=5"}),
          of("15 + 15", "sand", sand, {"solver.admm.iterations=15", "solver.admm.balance_iterations=15"}),
          of("15 + 15, not accelerated", "sand", sand,
             {"solver.admm.iterations=15", "solver.admm.balance_iterations=15", "solver.admm.acceleration=0"})});
}

// Where the deposit of a round column gets thinner than a cell, by the volume of particles over rings half a cell wide.
double front(const Simulation& simulation, double dx) {
  const Column &x = simulation.state.column("position"), &volume = simulation.state.column("volume");
  const double width = dx / 2;
  std::vector<double> rings(1000, 0.0);
  for (std::size_t i = 0; i < simulation.state.count; ++i)
    rings[std::min(rings.size() - 1, std::size_t(std::hypot(x.value(0, i), x.value(2, i)) / width))] += volume.value(0, i);
  const auto height = [&](std::size_t k) { return rings[k] / (3.14159265358979 * width * width * double(2 * k + 1)); };
  std::size_t k = 0;
  while (height(k) >= dx) ++k;
  return k == 0 ? 0 : width * (double(k) - 0.5 + (height(k - 1) - dx) / (height(k - 1) - height(k)));
}

// The collapse of a column until it rests, by explicit steps and by implicit ones.
void bench_collapse(Report& report) {
  set_thread_count(1);
  constexpr double dx = 0.0087, until = 0.5;
  for (const char* young : {"1e5", "1e6"}) {
    const std::string title = std::string("column collapse, E ") + young;
    const Overrides base{"solver.dx=0.0087", std::string("materials.sand.elasticity.youngs_modulus=") + young};
    double fronts[2] = {};
    const char* const names[] = {"explicit", "admm"};
    for (int k = 0; k < 2; ++k) {
      Simulation simulation = load("sand_column", joined(base, {std::string("solver.integrator=\"") + names[k] + "\""}), "/scenes/");
      const double start = seconds_now(1);
      int steps = 0;
      while (simulation.state.time < until) {
        double dt = std::min(simulation.solver->stable_dt(simulation.world, simulation.state).dt, until - simulation.state.time + 1e-9);
        while (simulation.solver->step(simulation.world, simulation.state, dt).status != StepStatus::ok) dt /= 2;
        ++steps;
      }
      const double seconds = seconds_now(1) - start;
      fronts[k] = front(simulation, dx);
      report.add({title, std::string(names[k]) + ", " + std::to_string(steps) + " steps, 1 core", "s", seconds});
      report.add({title, std::string(names[k]) + ", radius where it is a cell thick", "m", fronts[k]});
    }
    report.add({title, "radius, implicit over explicit", "x", fronts[1] / fronts[0]});
  }
}

}  // namespace knead::bench
