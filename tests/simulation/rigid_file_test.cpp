// rigid_bodies.csv: what is written is read back as poses.
#include "simulation/rigid_file.h"

#include <doctest/doctest.h>

#include "simulation/fake_solver.h"

using namespace knead;
using namespace knead::testing;

namespace {

Simulation thrown_crate(const std::filesystem::path& folder) {
  Simulation simulation = falling_block(folder);
  const ShapePointer crate = test_box({2, 0, 0}, {2.4, 0.3, 0.2});
  simulation.world.rigid_bodies = {make_rigid_body("crate, \"small\"", crate, mass_properties(*crate), 600)};
  simulation.state.rigid = {{simulation.world.rigid_bodies[0].center, {}, {1, 2, 3}, {0, 4, 1}}};
  return simulation;
}

}  // namespace

TEST_CASE("rigid bodies: a run writes a row per frame and body, and the poses come back") {
  TemporaryFolder folder;
  Simulation simulation = thrown_crate(folder.path);
  run(simulation);
  const std::string text = read_text(folder.path / "rigid_bodies.csv");
  CHECK(contains(text, "frame,time,body,name,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n0,0,0,\"crate, \"\"small\"\"\",2."));
  CHECK(contains(text, ",1,0,0,0,1,2,3,0,4,1\n1,0.1,0,"));
  const std::vector<std::vector<Pose>> poses = read_rigid_poses(folder.path, 1);
  REQUIRE(poses[0].size() == 6);
  const Vec3d corner{2, 0, 0};
  CHECK(length(poses[0][0].apply(corner) - corner) < 1e-7);
  const Vec3d now = pose_of(simulation.world.rigid_bodies[0], simulation.state.rigid[0]).apply(corner);
  CHECK(length(now - corner) > 0.5);
  CHECK(length(pose_at_frame(poses[0], 5).apply(corner) - now) < 1e-7);
  CHECK(length(pose_at_frame(poses[0], 99).apply(corner) - now) < 1e-7);  // frames that are not there yet
  CHECK(read_rigid_poses(folder.path / "nowhere", 2)[1].empty());
}

TEST_CASE("rigid bodies: a run without any has no file, and clears that of an earlier run") {
  TemporaryFolder folder;
  Simulation first = thrown_crate(folder.path);
  run(first);
  CHECK(std::filesystem::exists(folder.path / "rigid_bodies.csv"));
  Simulation second = falling_block(folder.path);
  run(second);
  CHECK_FALSE(std::filesystem::exists(folder.path / "rigid_bodies.csv"));
}
