// Rigid bodies, sheets and rods in scenes.
#include <doctest/doctest.h>

#include <sstream>

#include "scene/build.h"
#include "scene/scene_text.h"

using namespace knead;

namespace {

// A sheet over a rigid ball.
std::string scene(const std::string& rigid = R"("shape": { "type": "sphere", "center": [0,0.5,0], "radius": 0.2 }, "density": 700)",
                  const std::string& shape = R"("type": "sheet", "center": [0,1,0], "u": [0.3,0,0], "v": [0,0,0.2])") {
  return R"({ "knead": 1, "duration": 1, "solver": { "type": "sph", "dx": 0.02 },
  "materials": { "cloth": { "density": 500, "elasticity": { "type": "linear", "youngs_modulus": 1e5, "poisson_ratio": 0.3 } } },
  "bodies": [ { "name": "sheet", "material": "cloth", "shape": { )" +
         shape + R"( } } ],
  "rigid_bodies": [ { "name": "ball", )" +
         rigid + R"( } ],
  "colliders": [ { "name": "floor", "shape": { "type": "plane", "point": [0,0,0], "normal": [0,1,0] } } ],
  "probes": [ { "name": "center", "type": "center", "body": "ball" }, { "name": "force", "type": "force", "collider": "ball" } ] })";
}

const char* ball = R"("shape": { "type": "sphere", "center": [0,0.5,0], "radius": 0.2 }, )";

}  // namespace

TEST_CASE("scene: a rigid body gets its mass from shape and density, and its state from the scene") {
  const std::string text =
      scene(std::string(ball) + R"("density": 700, "velocity": [1,2,3], "angular_velocity": [0,4,0], "friction": 0.3)");
  const Simulation simulation = build_simulation(read_scene(text, "scene.json"));
  REQUIRE(simulation.world.rigid_bodies.size() == 1);
  const RigidBody& body = simulation.world.rigid_bodies[0];
  CHECK(body.mass == doctest::Approx(700 * 4 * 3.14159265358979 / 3 * 0.008));
  CHECK(body.friction == 0.3);
  REQUIRE(simulation.state.rigid.size() == 1);
  CHECK(length(simulation.state.rigid[0].position - Vec3d{0, 0.5, 0}) < 1e-6);
  CHECK(simulation.state.rigid[0].velocity == Vec3d{1, 2, 3});
  CHECK(simulation.state.rigid[0].angular_velocity == Vec3d{0, 4, 0});
}

TEST_CASE("scene: a sheet is one layer of particles dx apart, each with the volume dx^3; a rod is a row") {
  const Simulation simulation = build_simulation(read_scene(scene(), "scene.json"));
  CHECK(simulation.state.count == 30 * 20);
  CHECK(simulation.state.column("volume").value(0, 0) == doctest::Approx(8e-6));
  for (std::size_t i = 0; i < simulation.state.count; ++i) CHECK(simulation.state.column("position").value(1, i) == 1);
  const std::string rod = scene(std::string(ball) + "\"density\": 1", R"("type": "rod", "points": [[0,1,0],[0.5,1,0],[0.5,1,0.1]])");
  CHECK(build_simulation(read_scene(rod, "scene.json")).state.count == 30);
}

TEST_CASE("scene errors: rigid bodies") {
  CHECK(error_of(scene(std::string(ball) + "\"density\": 0")) ==
        "scene.json:4: rigid_bodies.0.density: 0 is out of range; a number greater than 0 [kg/m^3] is accepted");
  CHECK(error_of(scene(std::string(ball) + "\"dencity\": 700")) ==
        "scene.json:4: rigid_bodies.0.dencity: unknown key; did you mean \"density\" [kg/m^3]?");
  CHECK(error_of(scene(std::string(ball) + "\"density\": 700, \"contact\": \"stiky\"")).find("did you mean \"sticky\"?") !=
        std::string::npos);
  CHECK(error_of(scene(std::string(ball) + "\"density\": 700, \"contact\": \"slip\", \"friction\": 1"))
            .find("has no effect with the contact") != std::string::npos);
  CHECK(error_of(scene(R"("shape": { "type": "plane", "point": [0,0,0], "normal": [0,1,0] }, "density": 1)")).find("a plane has no end") !=
        std::string::npos);
  CHECK(error_of(scene(R"("shape": { "type": "sheet", "center": [0,0,0], "u": [1,0,0], "v": [0,1,0] }, "density": 1)")) ==
        "scene.json:4: rigid_bodies.0.shape: \"sheet\" is one particle thick, not a solid; it can only be the shape of a body");
  const std::string flat = scene(R"("shape": { "type": "difference", "shapes": [ { "type": "sphere", "center": [0,0,0], "radius": 1 },
     { "type": "sphere", "center": [0,0,0], "radius": 2 } ] }, "density": 1)");
  std::string message;
  try {
    build_simulation(read_scene(flat, "scene.json"));
  } catch (const InputError& error) {
    message = error.what();
  }
  CHECK(message == "scene.json:4: rigid_bodies.0.shape: the shape has no volume, so the rigid body would have no mass.");
}

TEST_CASE("scene errors: probes and names of rigid bodies") {
  CHECK(error_of(scene(), {"probes.0.body=\"bal\""}).find("there is no body \"bal\"; did you mean \"ball\"?") != std::string::npos);
  CHECK(error_of(scene(), {"probes.1.collider=\"bal\""}).find("there is no collider \"bal\"; did you mean \"ball\"?") != std::string::npos);
  CHECK(error_of(scene(), {"probes.0.type=\"stress\""}).find("there is no body \"ball\"") != std::string::npos);
  CHECK(error_of(scene(), {"colliders.0.name=\"ball\""}).find("names must be unique") != std::string::npos);
  CHECK(error_of(scene(), {"bodies.0.sampling={\"method\":\"poisson\"}"}).find("only \"grid\" is accepted") != std::string::npos);
}

namespace {

// Steps to the end; what the probe of this name says there.
std::vector<double> run_scene(const std::string& text, double duration, const std::string& probe_name,
                              std::vector<double>* first = nullptr) {
  Simulation simulation = build_simulation(read_scene(text, "scene.json"));
  simulation.solver->prepare(simulation.world, simulation.state);
  Probe* probe = nullptr;
  for (Probe& each : simulation.probes) {
    start_probe(each, simulation.world, simulation.state);
    if (options(each.kind).label == probe_name) probe = &each;
  }
  REQUIRE(probe);
  const auto values = [&] {
    std::vector<double> numbers;
    std::istringstream cells(probe_row(*probe, simulation.world, simulation.state));
    for (std::string cell; std::getline(cells, cell, ',');) numbers.push_back(std::stod(cell));
    return numbers;
  };
  if (first) *first = values();
  while (simulation.state.time < duration) {
    const double dt = simulation.solver->stable_dt(simulation.world, simulation.state).dt;
    REQUIRE(simulation.solver->step(simulation.world, simulation.state, dt).status == StepStatus::ok);
  }
  return values();
}

}  // namespace

TEST_CASE("sph: a rigid ball and the water that hits it keep their momentum, and their angular momentum nearly") {
  const std::string text =
      R"({ "knead": 1, "duration": 1, "gravity": [0,0,0], "precision": "double", "solver": { "type": "sph", "dx": 0.05 },
  "materials": { "water": { "density": 1000, "elasticity": { "type": "eos", "bulk_modulus": 1e6 } } },
  "bodies": [ { "name": "water", "material": "water", "velocity": [2,0,0], "shape": { "type": "box", "min": [-0.4,-0.2,-0.2], "max": [0,0.2,0.2] } } ],
  "rigid_bodies": [ { "name": "ball", "density": 300, "angular_velocity": [0,3,0], "friction": 0.5,
    "shape": { "type": "sphere", "center": [0.25,0.1,0], "radius": 0.2 } } ],
  "probes": [ { "name": "momentum", "type": "momentum" } ] })";
  std::vector<double> before;
  const std::vector<double> after = run_scene(text, 0.15, "momentum", &before);
  REQUIRE(before[1] == doctest::Approx(128).epsilon(1e-9));  // 64 kg of water
  for (std::size_t n = 1; n <= 3; ++n) CHECK(std::abs(after[n] - before[n]) < 1e-9 * 128);
  for (std::size_t n = 4; n <= 6; ++n)
    CHECK(std::abs(after[n] - before[n]) < 0.02 * 128 * 0.2);  // positions follow velocities: first order in dt
}

TEST_CASE("sph: what is lighter than water is not thrown out of it, and floats about as deep as its density says") {
  const std::string text = R"({ "knead": 1, "duration": 2, "solver": { "type": "sph", "dx": 0.05 },
  "materials": { "water": { "density": 1000, "elasticity": { "type": "eos", "bulk_modulus": 1e6 }, "viscosity": 20 } },
  "bodies": [ { "name": "water", "material": "water", "shape": { "type": "box", "min": [-0.4,0,-0.4], "max": [0.4,0.5,0.4] } } ],
  "rigid_bodies": [ { "name": "box", "density": 200, "shape": { "type": "box", "min": [-0.2,0.53,-0.2], "max": [0.2,0.93,0.2] } } ],
  "colliders": [
    { "name": "floor", "contact": "slip", "shape": { "type": "plane", "point": [0,0,0], "normal": [0,1,0] } },
    { "name": "left", "contact": "slip", "shape": { "type": "plane", "point": [-0.4,0,0], "normal": [1,0,0] } },
    { "name": "right", "contact": "slip", "shape": { "type": "plane", "point": [0.4,0,0], "normal": [-1,0,0] } },
    { "name": "back", "contact": "slip", "shape": { "type": "plane", "point": [0,0,-0.4], "normal": [0,0,1] } },
    { "name": "front", "contact": "slip", "shape": { "type": "plane", "point": [0,0,0.4], "normal": [0,0,-1] } } ],
  "probes": [ { "name": "box", "type": "center", "body": "box" } ] })";
  const std::vector<double> box = run_scene(text, 2.5, "box");
  // Its 12.8 kg displace 0.0128 m^3: the water stands at 0.52, and 8 cm of the box are below. The water comes about half a spacing closer
  // to boundaries than their surface, below and at the sides, so that the box lies deeper by about one spacing.
  CHECK(std::abs(box[2] - 0.64) < 0.055);
  CHECK(std::abs(box[5]) < 0.1);
}
