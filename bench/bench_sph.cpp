// Implicit SPH: a step of an elastic beam, phase by phase, and what an iteration of the elastic solve costs per particle, against the
// bytes that it must read.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "bandwidth.h"
#include "base/threads.h"
#include "benchmarks.h"
#include "scene/build.h"
#include "solvers/sph/elastic.h"

namespace knead::bench {

namespace {

Simulation load_beam(double across) {
  Simulation simulation =
      build_simulation(load_scene(std::string(KNEAD_SOURCE_DIR "/bench/sph/beam.json"), {"solver.dx=" + std::to_string(0.5 / across)}));
  simulation.solver->prepare(simulation.world, simulation.state);
  return simulation;
}

// Steps 11 to 30 of the beam that begins to fall: mean of all, and of each phase [ms].
void beam_steps(Report& report, double across, int threads) {
  set_thread_count(threads);
  Simulation simulation = load_beam(across);
  const std::string variant =
      std::to_string(simulation.state.count) + " particles, " + std::to_string(threads) + (threads == 1 ? " thread" : " threads");
  constexpr int first = 10, last = 30;
  double total = 0, iterations = 0;
  std::vector<PhaseTime> phases;
  for (int step = 0; step < last; ++step) {
    const double start = seconds_now(threads);
    const StepReport done = simulation.solver->step(simulation.world, simulation.state, 1e-3);
    if (step < first) continue;
    total += seconds_now(threads) - start;
    iterations += done.linear_iterations;
    if (phases.empty()) phases = done.phases;
    else
      for (std::size_t k = 0; k < phases.size(); ++k) phases[k].milliseconds += done.phases[k].milliseconds;
  }
  constexpr int steps = last - first;
  report.add({"step", variant, "ms", 1e3 * total / steps});
  for (const PhaseTime& phase : phases) report.add({phase.name, variant, "ms", phase.milliseconds / steps});
  report.add({"elastic iterations", variant, "per step", iterations / steps});
}

// Cost of an iteration: the difference of a long solve and a short one.
double iteration_seconds(const Simulation& simulation, int threads) {
  constexpr int few = 2, many = 22;
  double seconds[2] = {1e300, 1e300};
  const std::size_t n = simulation.state.count;
  for (const int kind : {0, 1}) {
    ElasticParameters parameters;
    parameters.tolerance = 1e-30;
    parameters.max_iterations = kind == 0 ? few : many;
    ElasticSolids<float> solids(parameters, {2 * 0.5 / std::cbrt(double(n) / 4), SmoothingType::wendland_c2, true});
    solids.bind(simulation.world, simulation.state);
    for (int repeat = 0; repeat < 3; ++repeat) {
      std::array<std::vector<float>, 3> v;
      for (int axis = 0; axis < 3; ++axis) {
        v[axis].resize(n);
        for (std::size_t i = 0; i < n; ++i) v[axis][i] = float(0.01 * std::sin(double(i * (axis + 1))));
      }
      float* const pointers[3] = {v[0].data(), v[1].data(), v[2].data()};
      const double start = seconds_now(threads);
      solids.solve(simulation.world, simulation.state, 1e-3, nullptr, pointers);
      seconds[kind] = std::min(seconds[kind], seconds_now(threads) - start);
    }
  }
  return (seconds[1] - seconds[0]) / (many - few);
}

void iterations(Report& report, const std::vector<double>& across) {
  double single = 0;
  for (const int threads : {1, 2}) {
    const double copy = measure_bandwidth(threads).copy;
    report.add({"copy", std::to_string(threads) + (threads == 1 ? " thread" : " threads"), "GB/s", 1e-9 * copy});
    for (const double n : across) {
      set_thread_count(threads);
      const Simulation simulation = load_beam(n);
      const double seconds = iteration_seconds(simulation, threads), particles = double(simulation.state.count);
      const std::string variant =
          std::to_string(simulation.state.count) + " particles, " + std::to_string(threads) + (threads == 1 ? " thread" : " threads");
      report.add({"elastic iteration", variant, "ns per particle", 1e9 * seconds / particles});
      // Pairs are read twice, and about 26 vectors of four numbers per particle.
      ElasticSolids<float> solids({}, {2 * 0.5 / n, SmoothingType::wendland_c2, true});
      solids.bind(simulation.world, simulation.state);
      const double bytes = 2.0 * double(solids.rest().pairs.size()) * sizeof(PackedPair) + 26 * 16 * particles;
      report.add({"elastic iteration", variant, "of copy bandwidth", bytes / seconds / copy});
      if (n == across.front()) {
        if (threads == 1) single = seconds;
        else report.add({"elastic iteration", "2 threads over 1", "times", single / seconds});
      }
    }
  }
  set_thread_count(0);
}

}  // namespace

void bench_sph(Report& report) {
  for (const int threads : {1, 2}) beam_steps(report, 23, threads);
  beam_steps(report, 29, 1);
  iterations(report, {23});
}

void bench_sph_large(Report& report) { iterations(report, {23, 50, 107}); }

}  // namespace knead::bench
