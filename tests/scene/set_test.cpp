// --set path.to.key=value.
#include <doctest/doctest.h>

#include "scene_text.h"

using namespace knead;

TEST_CASE("--set: values are JSON, and bare words are strings") {
  const SceneSpec spec =
      read_scene(sand_column, "scene.json", {"fps=30", "name=wet sand", "gravity=[0,0,-1]", "precision=double", "solver.dt=1e-5"});
  CHECK(spec.fps == 30);
  CHECK(spec.name == "wet sand");
  CHECK(spec.gravity.at(0) == Vec3d{0, 0, -1});
  CHECK(spec.precision == Precision::real_double);
  CHECK(*std::get<MpmSolver>(spec.solver).dt.number == 1e-5);
}

TEST_CASE("--set: array elements go by index and by name, numbers of vectors by index") {
  CHECK(read_scene(sand_column, "s", {"bodies.0.velocity=[1,2,3]"}).bodies[0].velocity == Vec3d{1, 2, 3});
  CHECK(read_scene(sand_column, "s", {"bodies.column.velocity=[1,2,3]"}).bodies[0].velocity == Vec3d{1, 2, 3});
  CHECK(read_scene(sand_column, "s", {"bodies.column.shape.max.1=0.5"}).bodies[0].shape.kind.index() == 0);
  CHECK(std::get<Box>(read_scene(sand_column, "s", {"bodies.column.shape.max.1=0.5"}).bodies[0].shape.kind).max.y == 0.5);
}

TEST_CASE("--set: keys that the schema knows are created, with the objects on the way") {
  const SceneSpec spec = read_scene(
      sand_column, "s", {"solver.transfer.type=flip", "colliders.floor.motion.angular_velocity=[0,1,0]", "output.checkpoint_frames=3"});
  CHECK(std::get<MpmSolver>(spec.solver).transfer.type == TransferType::flip);
  CHECK(spec.colliders[0].motion.angular_velocity.y == 1);
  CHECK(spec.output.checkpoint_frames == 3);
}

TEST_CASE("--set: a key or name with dots is found whole") {
  const std::string text = changed("\"name\": \"column\", \"material\": \"sand\"", "\"name\": \"my.column\", \"material\": \"sand\"");
  CHECK(read_scene(text, "s", {"bodies.my.column.velocity=[1,0,0]", "probes.front.body=my.column"}).bodies[0].velocity.x == 1);
}

TEST_CASE("--set: the last one wins, and later ones see earlier ones") {
  CHECK(read_scene(sand_column, "s", {"fps=30", "fps=40"}).fps == 40);
  CHECK(read_scene(sand_column, "s", {"bodies.column.name=pile", "probes.0.body=pile", "bodies.pile.velocity=[1,0,0]"})
            .bodies[0]
            .velocity.x == 1);
}

TEST_CASE("--set: errors name the assignment") {
  CHECK(error_of(sand_column, {"fsp=3"}) == "--set fsp=3: fsp: unknown key; did you mean \"fps\" [1/s]?");
  CHECK(
      error_of(sand_column, {"bodies.colum.velocity=1"}) ==
      "--set bodies.colum.velocity=1: \"colum\" is no element of the list; accepted: an index from 0 to 0, or a name such as \"column\"; did you mean \"column\"?");
  CHECK(error_of(sand_column, {"fps.x=1"}) == "--set fps.x=1: fps is 24, which has no \"x\" inside");
  CHECK(error_of(sand_column, {"fps"}) == "--set fps: expected path.to.key=value");
  CHECK(error_of(sand_column, {"=1"}) == "--set =1: expected path.to.key=value");
  CHECK(error_of(sand_column, {"bodies..velocity=1"}).starts_with("--set bodies..velocity=1: "));
  CHECK(error_of(sand_column, {"fps=1e400"}) ==
        "--set fps=1e400: fps: \"1e400\" is a string where a number greater than 0 [1/s] is expected");
  CHECK(error_of(sand_column, {"materials.clay.density=-1"})
            .starts_with("--set materials.clay.density=-1: materials.clay.density: -1 is out of range"));
  CHECK(error_of(sand_column, {"name=" + std::string(100, '[')}).find("the value is nested more than 64 deep") != std::string::npos);
}
