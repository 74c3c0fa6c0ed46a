#include <doctest/doctest.h>

#include <csignal>
#include <cstdlib>

#include "base/error.h"
#include "simulation/checkpoint.h"
#include "simulation/fake_solver.h"

using namespace knead;
using namespace knead::testing;
namespace fs = std::filesystem;

namespace {

// Steps of many lengths, an emitter, probes per frame and per step, all formats: what a resumed run has to get right.
Simulation eventful(const fs::path& folder) {
  Simulation simulation = falling_block(folder, ScalarType::f32);
  solver_of(simulation).dt = 0.007;
  solver_of(simulation).growth = 1.13;
  Emitter tap;
  tap.name = "tap", tap.shape = test_box({1, 0, 0}, {1.4, 0.2, 0.2}), tap.velocity = {0, 1.5, 0}, tap.spacing = 0.1;
  Emitter spray = tap;
  spray.name = "spray", spray.rate = Animated<double>(0.05);
  simulation.world.emitters = {tap, spray};
  const ShapePointer crate = test_box({2, 0, 0}, {2.4, 0.3, 0.2});
  simulation.world.rigid_bodies = {make_rigid_body("crate, \"small\"", crate, mass_properties(*crate), 600)};
  simulation.state.rigid = {{simulation.world.rigid_bodies[0].center, {}, {1, 2, 3}, {0, 4, 1}}};
  PointProbe point;
  point.label = "corner", point.every = ProbeEvery::step;
  EnergyProbe energy;
  energy.label = "energy";
  simulation.probes = {{.kind = point}, {.kind = energy}};
  simulation.settings.formats = {FrameFormat::ply, FrameFormat::bgeo, FrameFormat::vtkhdf,
                                 FrameFormat::vtu, FrameFormat::usda, FrameFormat::vdb};
  return simulation;
}

// stats.csv without the columns that measure this machine.
std::string stats_without_times(const fs::path& folder) {
  std::string text;
  const auto rows = read_csv(folder / "stats.csv");
  for (const auto& row : rows)
    for (std::size_t n = 0; n < row.size(); ++n)
      if (!rows[0][n].ends_with("_ms")) text += row[n] + (n + 1 < row.size() ? "," : "\n");
  return text;
}

void check_same_run(const fs::path& a, const fs::path& b) {
  CHECK(stats_without_times(a) == stats_without_times(b));
  for (const char* name : {"probes/corner.csv", "probes/energy.csv", "rigid_bodies.csv", "frames.vtkhdf", "frames.pvd", "frames.usda"})
    CHECK_MESSAGE(read_text(a / name) == read_text(b / name), name);
  CHECK(file_count(a / "frames") == 31);  // 6 frames in 5 formats, and the manifest of usda
  CHECK(file_count(a / "frames") == file_count(b / "frames"));
  for (const auto& entry : fs::directory_iterator(a / "frames"))
    CHECK_MESSAGE(read_text(entry.path()) == read_text(b / "frames" / entry.path().filename()), entry.path().filename().string());
}

// Stops at the end of the given step, as Ctrl-C would.
RunResult run_until(Simulation& simulation, std::uint64_t step) {
  clear_stop();
  simulation.settings.progress = [step](const Progress& progress) {
    if (progress.event == ProgressEvent::step && progress.step == step) request_stop();
  };
  const RunResult result = run(simulation);
  clear_stop();
  return result;
}

void damage(const fs::path& path, double where) {
  std::string bytes = read_text(path);
  bytes[static_cast<std::size_t>(where * static_cast<double>(bytes.size() - 1))] ^= 0x10;
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace

TEST_CASE("an interrupted run leaves a checkpoint and says so in run.json") {
  TemporaryFolder folder;
  Simulation simulation = falling_block(folder.path);
  const RunResult result = run_until(simulation, 17);
  CHECK(result.status == RunStatus::interrupted);
  CHECK(result.steps == 17);
  CHECK(result.frames == 1);
  CHECK(fs::exists(checkpoint_path(folder.path, 17)));
  CHECK(file_count(folder.path / "frames") == 2);
  CHECK(contains(read_text(folder.path / "run.json"), "\"status\": \"interrupted\""));
}

TEST_CASE("a run that is interrupted and resumed again and again gives the bytes of an uninterrupted one") {
  TemporaryFolder whole, parts;
  Simulation uninterrupted = eventful(whole.path);
  const RunResult expected = run(uninterrupted);
  for (const std::uint64_t stop : {1, 9, 12, 30}) {
    Simulation simulation = eventful(parts.path);
    simulation.settings.resume = stop > 1;
    CHECK(run_until(simulation, stop).status == RunStatus::interrupted);
  }
  Simulation rest = eventful(parts.path);
  rest.settings.resume = true;
  const RunResult result = run(rest);
  CHECK(result.status == RunStatus::finished);
  CHECK(result.steps == expected.steps);
  CHECK(result.particles == expected.particles);
  check_same_run(whole.path, parts.path);
}

// Run by the next test in a process of its own.
TEST_CASE("a run that kills itself" * doctest::skip()) {
  const char* folder = std::getenv("KNEAD_TEST_KILL_FOLDER");
  REQUIRE(folder != nullptr);
  Simulation simulation = eventful(folder);
  simulation.settings.checkpoint_frames = 2;
  simulation.settings.progress = [](const Progress& progress) {
    if (progress.event == ProgressEvent::step && progress.frame == 3 && progress.steps_in_frame == 4) std::raise(SIGKILL);
  };
  run(simulation);
}

TEST_CASE("a run that is killed and resumed gives the bytes of an uninterrupted one") {
  TemporaryFolder whole, killed;
  Simulation uninterrupted = eventful(whole.path);
  run(uninterrupted);
  const std::string command = "KNEAD_TEST_KILL_FOLDER=" + killed.path.string() + " " + fs::read_symlink("/proc/self/exe").string() +
                              " --no-skip --test-case='a run that kills itself' > /dev/null 2>&1";
  CHECK(std::system(command.c_str()) != 0);
  REQUIRE(contains(read_text(killed.path / "run.json"), "\"status\": \"running\""));
  REQUIRE(file_count(killed.path / "checkpoints") == 1);
  Simulation rest = eventful(killed.path);
  rest.settings.resume = true;
  std::string resumed;
  rest.settings.progress = [&](const Progress& progress) {
    if (progress.event == ProgressEvent::resumed) resumed = progress.message;
  };
  CHECK(run(rest).status == RunStatus::finished);
  CHECK(contains(resumed, "checkpoint_"));
  check_same_run(whole.path, killed.path);
}

TEST_CASE("the last two checkpoints are kept, and a damaged one is passed over for the older") {
  for (const double where : {0.0, 0.0005, 0.02, 0.5, 1.0}) {
    TemporaryFolder whole, folder;
    Simulation uninterrupted = eventful(whole.path);
    run(uninterrupted);
    Simulation first = eventful(folder.path);
    first.settings.checkpoint_frames = 1;
    run_until(first, 30);
    REQUIRE(file_count(folder.path / "checkpoints") == 2);
    damage(checkpoint_path(folder.path, 30), where);
    Simulation rest = eventful(folder.path);
    rest.settings.resume = true;
    std::string note;
    std::uint64_t resumed_at = 0;
    rest.settings.progress = [&](const Progress& progress) {
      if (progress.event == ProgressEvent::note) note = progress.message;
      if (progress.event == ProgressEvent::resumed) resumed_at = progress.step;
    };
    run(rest);
    CHECK(contains(note, "damaged"));
    CHECK(resumed_at > 0);
    CHECK(resumed_at < 30);
    check_same_run(whole.path, folder.path);
  }
}

TEST_CASE("a truncated checkpoint of any length is seen as damaged") {
  TemporaryFolder folder;
  Simulation simulation = falling_block(folder.path);
  run_until(simulation, 3);
  const fs::path path = checkpoint_path(folder.path, 3);
  const std::string bytes = read_text(path);
  const CheckpointOwner owner{"test", hash_bytes(simulation.settings.resolved_scene)};
  LoopState loop;
  REQUIRE(read_checkpoint(path, owner, simulation.state, simulation.probes, loop) == CheckpointRead::good);
  for (std::size_t size = 0; size < bytes.size(); size += 1 + size / 40) {
    std::ofstream(path, std::ios::binary) << bytes.substr(0, size);
    CHECK(read_checkpoint(path, owner, simulation.state, simulation.probes, loop) == CheckpointRead::damaged);
  }
  std::ofstream(path, std::ios::binary) << bytes << "x";
  CHECK(read_checkpoint(path, owner, simulation.state, simulation.probes, loop) == CheckpointRead::damaged);
}

TEST_CASE("a checkpoint of another scene or version is refused, and the run folder stays as it was") {
  TemporaryFolder folder;
  Simulation simulation = falling_block(folder.path);
  run_until(simulation, 17);
  const std::string before = read_text(folder.path / "run.json");

  Simulation other_scene = falling_block(folder.path);
  other_scene.settings.resume = true;
  other_scene.settings.resolved_scene = "{\"knead\": 2}";
  std::string message;
  try {
    run(other_scene);
  } catch (const InputError& error) {
    message = error.what();
  }
  CHECK(contains(message, "the scene has changed"));

  Simulation other_version = falling_block(folder.path);
  other_version.settings.resume = true;
  other_version.settings.version = "next";
  CHECK_THROWS_AS(run(other_version), InputError);
  CHECK(read_text(folder.path / "run.json") == before);
  CHECK(file_count(folder.path / "frames") == 2);
}

TEST_CASE("resuming without a checkpoint starts at the beginning") {
  TemporaryFolder folder;
  Simulation simulation = falling_block(folder.path);
  simulation.settings.resume = true;
  CHECK(run(simulation).status == RunStatus::finished);
  CHECK(file_count(folder.path / "frames") == 6);
}

TEST_CASE("resuming a finished run with more frames continues it") {
  TemporaryFolder folder, whole;
  Simulation first = falling_block(folder.path);
  first.settings.frames = 2;
  run(first);
  Simulation more = falling_block(folder.path);
  more.settings.resume = true;
  more.settings.frames = 4;
  CHECK(run(more).frames == 4);
  Simulation all = falling_block(whole.path);
  all.settings.frames = 4;
  run(all);
  CHECK(read_text(folder.path / "frames/frame_000004.ply") == read_text(whole.path / "frames/frame_000004.ply"));
}
