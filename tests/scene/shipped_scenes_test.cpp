// The scenes in scenes/: each says what it is, is valid, builds, and takes its first steps.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "scene/build.h"
#include "simulation/emitters.h"

using namespace knead;

namespace {

std::vector<std::filesystem::path> shipped_scenes() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(KNEAD_SOURCE_DIR "/scenes"))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

// Twice the grid spacing: an eighth of the particles, half the steps, the same scene.
Simulation coarse(const std::filesystem::path& file) {
  const double dx = grid_spacing(load_scene(file));
  return build_simulation(load_scene(file, {"solver.dx=" + std::to_string(2 * dx)}));
}

}  // namespace

TEST_CASE("shipped scenes: all of them are there") {
  const auto files = shipped_scenes();
  CHECK(files.size() >= 21);
  for (const char* name :
       {"default",        "jelly_cubes",   "rubber_rings",      "snow_ball",     "sand_column", "hourglass",      "metal_twist",
        "metal_plate",    "viscous_sheet", "dam_break",         "paddle",        "cream_coil",  "silicone_press", "ball_rain",
        "cream_cherries", "sheet_statue",  "three_viscosities", "elastic_twist", "car_crash",   "sofa_tear",      "damping"})
    CHECK_MESSAGE(std::filesystem::exists(KNEAD_SOURCE_DIR "/scenes/" + std::string(name) + ".json"), name);
}

TEST_CASE("shipped scenes: each opens with a comment that says what to look at and how long it takes, and has a name and a picture") {
  for (const auto& file : shipped_scenes()) {
    CAPTURE(file.filename().string());
    std::ifstream stream(file);
    const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    CHECK(text.rfind("//", 0) == 0);
    const std::string head = text.substr(0, text.find("\n{"));
    CHECK(head.find("Look at:") != std::string::npos);
    CHECK(head.find("particles") != std::string::npos);
    CHECK(head.find("Run time:") != std::string::npos);
    CHECK(!load_scene(file).name.empty());
    CHECK(std::filesystem::exists(KNEAD_SOURCE_DIR "/docs/pictures/gallery/" + file.stem().string() + ".jpg"));
  }
}

TEST_CASE("shipped scenes: each builds on a coarse grid and takes thirty steps of which none has to be tried again") {
  for (const auto& file : shipped_scenes()) {
    CAPTURE(file.filename().string());
    Simulation simulation = coarse(file);
    simulation.solver->prepare(simulation.world, simulation.state);
    advance_emitters(simulation.world, simulation.state);
    REQUIRE(simulation.state.count > 100);  // an emitter starts with what fits into its slot
    for (int step = 0; step < 30; ++step) {
      const double dt = simulation.solver->stable_dt(simulation.world, simulation.state).dt;
      REQUIRE(std::isfinite(dt));
      const StepReport report = simulation.solver->step(simulation.world, simulation.state, dt);
      CAPTURE(step);
      CAPTURE(report.quantity);
      REQUIRE(report.status == StepStatus::ok);
      advance_emitters(simulation.world, simulation.state);
    }
  }
}
