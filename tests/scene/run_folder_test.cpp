#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "scene/build.h"
#include "scene/run_folder.h"
#include "simulation/simulation.h"

using namespace knead;

namespace {

const char* scene_text = R"({
  "knead": 1, "duration": 0.02, "fps": 100, "solver": { "type": "mpm", "dx": 0.1 },
  "materials": { "jelly": { "density": 1000, "elasticity": { "type": "hencky", "youngs_modulus": 1e4, "poisson_ratio": 0.3 } } },
  "bodies": [ { "name": "cube", "material": "jelly", "color": [1, 0.5, 0],
                "shape": { "type": "box", "min": [0, 0, 0], "max": [0.2, 0.2, 0.2] }, "sampling": { "per_cell": 27 } } ],
  "emitters": [ { "material": "jelly", "velocity": [0, -1, 0], "spacing": 0.04, "start": 5,
                  "shape": { "type": "sphere", "center": [0, 1, 0], "radius": 0.1 } } ],
  "colliders": [ { "name": "floor", "shape": { "type": "plane", "point": [0, 0, 0], "normal": [0, 1, 0] } } ],
  "camera": { "position": [1, 1, 1], "target": [0, 0, 0] } })";

std::filesystem::path empty_folder(const char* name) {
  const std::filesystem::path folder = std::filesystem::path(KNEAD_BINARY_DIR) / "test_scene_runs" / name;
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder;
}

void write(const std::filesystem::path& file, const std::string& text) { std::ofstream(file) << text; }

}  // namespace

TEST_CASE("run folder: what was run comes back from run.json") {
  const std::filesystem::path folder = empty_folder("whole");
  Simulation simulation = build_simulation(read_scene(scene_text, "scene.json"));
  simulation.settings.folder = folder;
  simulation.settings.version = "1.2.3";
  run(simulation);

  const RunFolder opened = open_run(folder);
  CHECK(opened.status == "finished");
  CHECK(opened.version == "1.2.3");
  CHECK(opened.frames == 2);
  CHECK(opened.fps == 100);
  REQUIRE(opened.scene.camera);
  CHECK(opened.scene.camera->position.x == 1);
  const std::vector<RunBody> bodies = bodies_of(opened.scene);
  REQUIRE(bodies.size() == 2);
  CHECK(bodies[0].name == "cube");
  CHECK(bodies[0].spacing == doctest::Approx(0.1 / 3));  // 27 per cell
  CHECK(bodies[0].color->y == 0.5);
  CHECK(bodies[1].name == "emitter_0");
  CHECK(bodies[1].spacing == 0.04);
  std::vector<std::string> warnings;
  const std::vector<Collider> colliders = colliders_of(opened.scene, warnings);
  REQUIRE(colliders.size() == 1);
  CHECK(warnings.empty());
  CHECK(colliders[0].shape->distance({0, 2, 0}) == doctest::Approx(2));
}

TEST_CASE("run folder: what is no run, or a damaged one, is an input error") {
  const std::filesystem::path folder = empty_folder("broken");
  CHECK_THROWS_WITH_AS(open_run(folder), doctest::Contains("there is no run.json here"), InputError);
  for (const char* text : {"", "{", "[1,2]", "{\"status\": 3, \"scene\": {}}"}) {
    write(folder / "run.json", text);
    CHECK_THROWS_WITH_AS(open_run(folder), doctest::Contains("is damaged"), InputError);
  }
  write(folder / "run.json", "{\"version\": \"9.0\", \"scene\": {\"knead\": 9, \"news\": 1}}");
  CHECK_THROWS_WITH_AS(open_run(folder), doctest::Contains("written by knead 9.0"), InputError);
}
