// SceneSpec to Simulation.
#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "scene/build.h"
#include "scene_text.h"

using namespace knead;

namespace {

Simulation build(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return build_simulation(read_scene(text, "scene.json", overrides));
}

std::string build_error(const std::string& text, const std::vector<std::string>& overrides = {}) {
  try {
    build(text, overrides);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

Vec3d vector_of(const State& state, const char* name, std::size_t i) {
  const Column& column = state.column(name);
  return {column.value(0, i), column.value(1, i), column.value(2, i)};
}

// A ball with a pinned lower half in open space.
const std::string ball = R"({
  "knead": 1, "duration": 0.1, "solver": { "type": "mpm", "dx": 0.1 },
  "materials": { "rubber": { "density": 1000, "elasticity": { "type": "neo_hookean", "youngs_modulus": 1e5, "poisson_ratio": 0.3 } } },
  "bodies": [ { "material": "rubber", "shape": { "type": "sphere", "center": [1,2,3], "radius": 0.5 },
    "velocity": [1,0,0], "angular_velocity": [0,0,2],
    "pinned": [ { "shape": { "type": "box", "min": [0,0,0], "max": [4,2,4] }, "motion": { "velocity": [0,3,0] } } ] } ]
})";

}  // namespace

TEST_CASE("build: the sample scene has 8 particles per cell of what is inside the domain") {
  const Simulation simulation = build(sand_column);
  // The box is 10 x 20 cells, and the periodic domain holds 4 cells of its depth.
  CHECK(simulation.state.count == 10 * 20 * 4 * 8);
  CHECK(simulation.state.next_id == simulation.state.count);
  CHECK(simulation.world.bodies.size() == 1);
  CHECK(simulation.world.colliders.size() == 1);
  CHECK(simulation.world.groups.size() == 1);
  CHECK(simulation.settings.formats == std::vector<FrameFormat>{FrameFormat::ply});
  CHECK(simulation.probes.size() == 1);
  double volume = 0;
  for (std::size_t i = 0; i < simulation.state.count; ++i) {
    volume += simulation.state.column("volume").value(0, i);
    CHECK(simulation.state.column("id").value(0, i) == static_cast<double>(i));
    CHECK(vector_of(simulation.state, "position", i).z < 0.04);
  }
  CHECK(volume == doctest::Approx(0.1 * 0.2 * 0.04).epsilon(1e-5));  // float volumes
}

TEST_CASE("build: precision decides the type of the columns") {
  CHECK(build(sand_column).state.column("position").type() == ScalarType::f32);
  CHECK(build(sand_column, {"precision=double"}).state.column("position").type() == ScalarType::f64);
}

TEST_CASE("build: per_cell and spacing say how many particles there are") {
  CHECK(build(sand_column, {"bodies.0.sampling.per_cell=1"}).state.count == 10 * 20 * 4);
  CHECK(build(sand_column, {R"(bodies.0.sampling={"spacing":0.02})"}).state.count == 5 * 10 * 2);
}

TEST_CASE("build: pinned particles form a group of their own and start with the pin's motion, the others spin about the centre") {
  const Simulation simulation = build(ball);
  const World& world = simulation.world;
  REQUIRE(world.groups.size() == 2);
  CHECK(world.groups[0].pin == -1);
  REQUIRE(world.groups[1].pin == 0);
  CHECK(world.colliders[0].is_pin);
  CHECK(world.colliders[0].contact == Contact::sticky);
  std::size_t held = 0;
  for (std::size_t i = 0; i < simulation.state.count; ++i) {
    const Vec3d x = vector_of(simulation.state, "position", i), v = vector_of(simulation.state, "velocity", i);
    const bool pinned = simulation.state.column("group").value(0, i) == 1;
    CHECK(pinned == (x.y <= 2));
    held += pinned;
    const Vec3d expected = pinned ? Vec3d{0, 3, 0} : Vec3d{1, 0, 0} + cross(Vec3d{0, 0, 2}, x - Vec3d{1, 2, 3});
    CHECK(length(v - expected) < 1e-5);  // the lattice is symmetric about the centre; float rounding
  }
  CHECK(held * 2 == simulation.state.count);
}

TEST_CASE("build: a pin that holds nothing is an error") {
  CHECK(build_error(ball, {"bodies.0.pinned.0.shape.max=[0.1,0.1,0.1]"}) ==
        "scene.json:6: bodies.0.pinned.0.shape: no particle of the body \"body_0\" is inside that is not pinned already");
}

TEST_CASE("build: a body without particles says why") {
  CHECK(build_error(sand_column, {"bodies.0.shape.min=[2,2,0]", "bodies.0.shape.max=[2.1,2.1,0.04]"})
            .ends_with("particles of the body are outside of the domain"));
  const std::string error =
      build_error(ball, {R"(bodies.0.shape={"type":"torus","center":[1,2,3],"axis":[0,1,0],"radius":0.04,"tube":0.0001})"});
  CHECK(
      error.find("bodies.0.shape: the body has no particles: its shape is 0.0802 x 0.0002 x 0.0802 m and the particles are 0.05 m apart") !=
      std::string::npos);
  CHECK(
      build_error(sand_column, {"bodies.0.sampling={\"spacing\":1e-6}"}).find("particles are too many; a larger dx or spacing is needed") !=
      std::string::npos);
}

TEST_CASE("build: what is wrong with a shape is told with its place") {
  const std::string error = build_error(sand_column, {R"(bodies.0.shape={"type":"mesh","file":"nowhere.obj"})"});
  CHECK(error.starts_with("--set bodies.0.shape="));
  CHECK(error.find(": bodies.0.shape: ") != std::string::npos);
  CHECK(error.find("nowhere.obj") != std::string::npos);
}

TEST_CASE("build: points of a file become particles, with paths relative to the scene file") {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "knead_scene_test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "cloud.ply")
      << "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nend_header\n0.1 0.1 0.01\n0.2 0.1 0.01\n0.3 0.1 0.01\n";
  std::ofstream(folder / "scene.json") << changed("{ \"type\": \"box\", \"min\": [0,0,0], \"max\": [0.1,0.2,0.1] }",
                                                  R"({ "type": "points", "file": "cloud.ply" })");
  const Simulation simulation = build_simulation(load_scene(folder / "scene.json"));
  CHECK(simulation.state.count == 3);
  CHECK(vector_of(simulation.state, "position", 2).x == doctest::Approx(0.3));
  CHECK(simulation.state.column("volume").value(0, 0) == doctest::Approx(0.005 * 0.005 * 0.005));
  std::filesystem::remove_all(folder);
}

TEST_CASE("build: emitters are bodies of their own, fields and settings arrive") {
  const Simulation simulation = build(
      ball,
      {R"(emitters=[{"name":"tap","material":"rubber","shape":{"type":"sphere","center":[0,9,0],"radius":0.2},"velocity":[0,-1,0],"rate":0.5,"start":1,"max_particles":7}])",
       R"(fields=[{"type":"rotational","axis":[0,2,0],"strength":3},{"type":"uniform","acceleration":[1,2,3],"end":4}])",
       "solver.dt=1e-4"});
  const World& world = simulation.world;
  REQUIRE(world.emitters.size() == 1);
  CHECK(world.bodies[static_cast<std::size_t>(world.emitters[0].body)].name == "tap");
  CHECK(world.groups.back().body == world.emitters[0].body);
  CHECK(world.emitters[0].spacing == doctest::Approx(0.05));
  CHECK(world.emitters[0].rate->at(2) == 0.5);
  CHECK(world.emitters[0].max_particles == 7);
  CHECK(world.fields[0].axis == Vec3d{0, 1, 0});
  CHECK(std::isinf(world.fields[0].end));
  CHECK(world.fields[1].vector == Vec3d{1, 2, 3});
  CHECK(*simulation.settings.fixed_dt == 1e-4);
}

TEST_CASE("build: materials with keys in time become functions of time") {
  const Simulation simulation = build(ball, {R"(materials.rubber.elasticity.youngs_modulus={"keys":[[0,1e5],[2,3e5]]})"});
  REQUIRE(simulation.world.animated_materials.size() == 1);
  REQUIRE(simulation.world.animated_materials[0]);
  for (double time : {-1.0, 0.0, 0.5, 2.0, 9.0}) {
    const Material material = simulation.world.animated_materials[0](time);
    const double expected = 1e5 + 1e5 * std::clamp(time, 0.0, 2.0);
    CHECK(std::get<NeoHookean>(material.elasticity).moduli.young() == doctest::Approx(expected).epsilon(1e-12));
    CHECK(material.density == 1000);
    CHECK(material.name == "rubber");
  }
  CHECK(!build(ball).world.animated_materials[0]);
}

TEST_CASE("build: a generalized material arrives with its limits, and asks for the columns of the branches that it has") {
  const std::string text = R"({
    "knead": 1, "duration": 0.1, "solver": { "type": "mpm", "dx": 0.1 },
    "materials": { "m": { "type": "generalized", "density": 900, "bulk_modulus_d": 1e5, "viscosity": 2 } },
    "bodies": [ { "material": "m", "shape": { "type": "sphere", "center": [1,2,3], "radius": 0.5 } } ] })";
  auto prepared = [&](const std::vector<std::string>& overrides) {
    Simulation simulation = build(text, overrides);
    simulation.solver->prepare(simulation.world, simulation.state);
    return simulation;
  };
  auto has = [](const Simulation& simulation, const char* column) { return simulation.state.find(column) != nullptr; };
  const Simulation water = prepared({});
  REQUIRE(water.world.materials[0].generalized);
  CHECK(water.world.materials[0].viscosity == 2);
  CHECK(water.world.materials[0].density == 900);
  CHECK(!water.world.materials[0].generalized->is_limited());
  CHECK((has(water, "J") && !has(water, "F") && !has(water, "b") && !has(water, "plastic_strain")));

  const Simulation snow = prepared({"materials.m.stretch_limit=1.005", "materials.m.compression_limit=0.97", "materials.m.hardening=10"});
  CHECK(*snow.world.materials[0].generalized->stretch_limit == 1.005);
  CHECK((has(snow, "F") && has(snow, "plastic_volume") && !has(snow, "J") && !has(snow, "b")));

  const Simulation paste = prepared({"materials.m.shear_modulus_d=1e4", "materials.m.yield_stress=50"});
  CHECK((has(paste, "J") && has(paste, "b") && has(paste, "plastic_strain") && !has(paste, "F")));
  CHECK(paste.state.column("b").value(1, 0) == 1);
  CHECK(paste.state.column("b").value(3, 0) == 0);

  // What changes in time keeps the state of every branch ready.
  const Simulation setting =
      prepared({R"(materials.m.shear_modulus_i={"keys":[[0,0],[1,1e4]]})", R"(materials.m.power={"keys":[[0,0.5],[1,2]]})"});
  CHECK(setting.world.materials[0].generalized->changes);
  CHECK((has(setting, "J") && has(setting, "F") && has(setting, "b")));
  const Material later = setting.world.animated_materials[0](1);
  CHECK(later.generalized->changes);
  CHECK(later.generalized->shear_modulus_i == 1e4);
  CHECK(later.generalized->power == 2);

  CHECK(build_error(text, {"materials.m.stretch_limit=0.9"}) ==
        "--set materials.m.stretch_limit=0.9: materials.m.stretch_limit: 0.9 is out of range; a number of at least 1 is accepted");
  CHECK(build_error(text, {"solver.integrator=admm"}) == "");
}
