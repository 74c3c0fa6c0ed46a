// Rigid bodies, sheets and rods in scenes.
#include <doctest/doctest.h>

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
