#include <doctest/doctest.h>
#include <sys/resource.h>

#include <csignal>

#include "base/error.h"
#include "simulation/checkpoint.h"
#include "simulation/fake_solver.h"

using namespace knead;
using namespace knead::testing;
namespace fs = std::filesystem;

TEST_CASE("a run writes frame 0 and one file per frame, at exactly the times of the frames") {
  TemporaryFolder folder;
  Simulation simulation = falling_block(folder.path);
  solver_of(simulation).dt = 0.03;  // does not divide the frame of 0.1 s: 0.03, 0.03, 0.02, 0.02
  std::vector<double> times;
  simulation.settings.progress = [&](const Progress& progress) {
    if (progress.event == ProgressEvent::frame) times.push_back(progress.time);
  };
  const RunResult result = run(simulation);
  CHECK(result.status == RunStatus::finished);
  CHECK(result.frames == 5);
  CHECK(result.steps == 20);
  CHECK(times == std::vector<double>{0, 1 / 10.0, 2 / 10.0, 3 / 10.0, 4 / 10.0, 5 / 10.0});
  CHECK(file_count(folder.path / "frames") == 6);
  CHECK(fs::exists(folder.path / "frames/frame_000000.ply"));
  CHECK(fs::exists(folder.path / "frames/frame_000005.ply"));
}

TEST_CASE("steps that the solver shortens still meet the frames and add up to the duration") {
  TemporaryFolder folder;
  Simulation simulation = falling_block(folder.path);
  solver_of(simulation).dt = 0.05;
  solver_of(simulation).at_most = 0.04;  // 0.04, 0.03 (half of the rest), 0.03
  std::vector<double> times;
  simulation.settings.progress = [&](const Progress& progress) {
    if (progress.event == ProgressEvent::frame) times.push_back(progress.time);
  };
  CHECK(run(simulation).status == RunStatus::finished);
  CHECK(times == std::vector<double>{0, 1 / 10.0, 2 / 10.0, 3 / 10.0, 4 / 10.0, 5 / 10.0});
  double sum = 0;
  const auto rows = read_csv(folder.path / "stats.csv");
  for (std::size_t n = 1; n < rows.size(); ++n) {
    sum += std::stod(rows[n][2]);
    CHECK(std::stod(rows[n][2]) < 0.0400001);
  }
  CHECK(sum == doctest::Approx(0.5).epsilon(1e-8));
}

TEST_CASE("the steps of stats.csv add up to the duration and name what limited them") {
  TemporaryFolder folder;
  Simulation simulation = falling_block(folder.path);
  solver_of(simulation).dt = 0.03;
  run(simulation);
  const auto rows = read_csv(folder.path / "stats.csv");
  CHECK(rows[0] == std::vector<std::string>{"step", "time", "dt", "particles", "wall_ms", "fall_ms", "rest_ms", "limit_rule", "limit_body",
                                            "retries", "grid_blocks", "iterations", "linear_iterations", "residual"});
  REQUIRE(rows.size() == 21);
  double sum = 0;
  for (std::size_t n = 1; n < rows.size(); ++n) {
    sum += std::stod(rows[n][2]);
    CHECK(std::stoul(rows[n][0]) == n);
    CHECK(std::stod(rows[n][1]) == doctest::Approx(sum).epsilon(1e-8));  // nine digits are printed
  }
  CHECK(sum == doctest::Approx(0.5).epsilon(1e-8));
  CHECK(rows[1][7] == "wave");
  CHECK(rows[1][8] == "block");
  CHECK(rows[3][7] == "frame");
  CHECK(rows[3][8] == "");
  CHECK(rows[1][6] == "0.5");
}

TEST_CASE("a fixed step is used as it is given") {
  TemporaryFolder folder;
  Simulation simulation = falling_block(folder.path);
  simulation.settings.fixed_dt = 0.025;
  CHECK(run(simulation).steps == 20);
  const auto rows = read_csv(folder.path / "stats.csv");
  for (std::size_t n = 1; n < rows.size(); ++n) {
    CHECK(rows[n][2] == "0.025");
    CHECK(rows[n][7] == "fixed");
  }
}

TEST_CASE("a diverged step is retried with half the time step, and the run goes on") {
  TemporaryFolder folder;
  Simulation simulation = falling_block(folder.path);
  solver_of(simulation).diverges = [](const State& state, double dt) { return state.step == 12 && dt > 0.003; };
  int told = 0;
  simulation.settings.progress = [&](const Progress& progress) {
    if (progress.event != ProgressEvent::retry) return;
    ++told;
    CHECK(contains(progress.message, "the body \"block\""));
  };
  const RunResult result = run(simulation);
  CHECK(result.status == RunStatus::finished);
  CHECK(result.retries == 2);
  CHECK(told == 2);
  const auto rows = read_csv(folder.path / "stats.csv");
  CHECK(rows[13][9] == "2");
  CHECK(rows[13][7] == "retry");
  CHECK(rows[13][2] == "0.0025");
  CHECK(rows[14][9] == "0");
  CHECK(simulation.state.time == 0.5);
}

TEST_CASE("a step that diverges for good ends the run with a message, a checkpoint and the command to repeat it") {
  TemporaryFolder folder;
  Simulation simulation = falling_block(folder.path);
  solver_of(simulation).diverges = [](const State& state, double) { return state.step == 12; };
  std::string message;
  try {
    run(simulation);
  } catch (const SimulationError& error) {
    message = error.what();
  }
  CHECK(contains(message, "step 13 at time 0.12 s"));
  CHECK(contains(message, "the body \"block\""));
  CHECK(contains(message, "grid velocity is not finite"));
  CHECK(contains(message, "nan at (0.1, 0.2, 0.3)"));
  CHECK(contains(message, "halved 6 times to 0.00015625 s"));
  CHECK(contains(message, "What usually helps"));
  CHECK(contains(message, checkpoint_path(folder.path, 12).string()));
  CHECK(contains(message, "knead run scene.json -o out --resume"));
  CHECK(fs::exists(checkpoint_path(folder.path, 12)));
  const std::string json = read_text(folder.path / "run.json");
  CHECK(contains(json, "\"status\": \"failed\""));
  CHECK(contains(json, "grid velocity is not finite"));

  // The command of the message does repeat it.
  Simulation again = falling_block(folder.path);
  again.settings.resume = true;
  std::uint64_t first = 0;
  solver_of(again).diverges = [&](const State& state, double) { return (first = state.step) == 12; };
  CHECK_THROWS_AS(run(again), SimulationError);
  CHECK(first == 12);
}

TEST_CASE("a time step that is not a number or too small ends the run instead of hanging it") {
  for (const double bad : {std::nan(""), 0.0, -1.0, 1e-30}) {
    TemporaryFolder folder;
    Simulation simulation = falling_block(folder.path);
    solver_of(simulation).dt = bad;
    simulation.state.time = 0;
    if (bad == 1e-30) solver_of(simulation).diverges = [](const State&, double) { return true; };
    CHECK_THROWS_AS(run(simulation), SimulationError);
  }
}

TEST_CASE("run.json tells status, scene, machine and totals") {
  TemporaryFolder folder;
  Simulation simulation = falling_block(folder.path);
  run(simulation);
  const std::string json = read_text(folder.path / "run.json");
  for (const char* part : {"\"status\": \"finished\"", "\"scene\": {\"knead\": 1}", "\"version\": \"test\"", "\"threads\":",
                           "\"precision\": \"double\"", "\"machine\":", "\"cpu\":", "\"cores\":", "\"frames\": 5", "\"steps\": 50",
                           "\"particles\": 64", "\"wall_seconds\":", "\"particle_steps_per_second\":", "\"peak_memory_bytes\":"})
    CHECK_MESSAGE(contains(json, part), part);
}

TEST_CASE("run.json says running and how far while the run goes on") {
  TemporaryFolder folder;
  Simulation simulation = falling_block(folder.path);
  std::string seen;
  simulation.settings.progress = [&](const Progress& progress) {
    if (progress.event == ProgressEvent::frame && progress.frame == 3) seen = read_text(folder.path / "run.json");
  };
  run(simulation);
  CHECK(contains(seen, "\"status\": \"running\""));
  CHECK(contains(seen, "\"frames\": 3"));
}

TEST_CASE("a run folder that cannot be made or written is an input error") {
  TemporaryFolder folder;
  std::ofstream(folder.path / "file") << "x";
  Simulation simulation = falling_block(folder.path / "file" / "out");
  CHECK_THROWS_AS(run(simulation), InputError);
  if (geteuid() != 0) {  // root may write anywhere
    fs::permissions(folder.path, fs::perms::owner_read | fs::perms::owner_exec);
    Simulation locked = falling_block(folder.path);
    CHECK_THROWS_AS(run(locked), InputError);
    fs::permissions(folder.path, fs::perms::owner_all);
  }
}

TEST_CASE("a frame that cannot be written ends the run with the name of the file") {
  TemporaryFolder folder;
  fs::create_directories(folder.path / "frames/frame_000002.ply");  // a folder in the way of the file
  Simulation simulation = falling_block(folder.path);
  std::string message;
  try {
    run(simulation);
  } catch (const SimulationError& error) {
    message = error.what();
  }
  CHECK(contains(message, "frame_000002.ply"));
  CHECK(contains(read_text(folder.path / "run.json"), "\"status\": \"failed\""));
}

TEST_CASE("a full disk ends the run with the name of the file and leaves nothing half written") {
  TemporaryFolder folder;
  Simulation simulation = falling_block(folder.path);
  // A limit on the size of files, as the nearest thing to a full disk that a test may cause: run.json fits, a frame does not.
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit tight{2000, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &tight);
  std::string message;
  try {
    run(simulation);
  } catch (const SimulationError& error) {
    message = error.what();
  }
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  CHECK(contains(message, "frame_000000.ply"));
  CHECK(contains(message, "File too large"));
  CHECK(file_count(folder.path / "frames") == 0);
  CHECK(contains(read_text(folder.path / "run.json"), "\"status\": \"failed\""));
}

TEST_CASE("a wrong probe is refused before anything is written") {
  TemporaryFolder folder;
  Simulation simulation = falling_block(folder.path / "out");
  BoundsProbe bounds;
  bounds.label = "front", bounds.body = "blok";
  simulation.probes.push_back({.kind = bounds});
  CHECK_THROWS_WITH_AS(run(simulation), "The probe \"front\" asks for the body \"blok\", and there is none of that name.", InputError);
  CHECK(!fs::exists(folder.path / "out"));
}

TEST_CASE("a new run in an old run's folder leaves nothing of the old one") {
  TemporaryFolder folder;
  Simulation first = falling_block(folder.path);
  run(first);
  std::ofstream(folder.path / "notes.txt") << "mine";
  Simulation second = falling_block(folder.path);
  second.settings.duration = 0.2;
  run(second);
  CHECK(file_count(folder.path / "frames") == 3);
  CHECK(fs::exists(folder.path / "notes.txt"));
}

TEST_CASE("key-framed materials are those of the time at the start of each step") {
  TemporaryFolder folder;
  Simulation simulation = falling_block(folder.path);
  simulation.world.animated_materials = {[](double time) {
    Material material = test_material();
    material.viscosity = 100 * time;
    return material;
  }};
  bool right = true;
  solver_of(simulation).diverges = [&](const State& state, double) {
    right = right && simulation.world.materials[0].viscosity == 100 * state.time && !state.measure.valid;
    return false;
  };
  run(simulation);
  CHECK(right);
  CHECK(simulation.world.materials[0].viscosity == 50);
}
