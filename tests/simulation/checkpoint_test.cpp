#include "simulation/checkpoint.h"

#include <doctest/doctest.h>

#include <cstring>

#include "simulation/fake_solver.h"

using namespace knead;
using namespace knead::testing;

TEST_CASE("a checkpoint gives back every part of the state, bit for bit") {
  TemporaryFolder folder;
  std::filesystem::create_directories(folder.path / "checkpoints");
  Simulation simulation = falling_block(folder.path, ScalarType::f32);
  State& state = simulation.state;
  state.time = 0.1 + 0.2, state.step = 4711;
  state.external_work = 1.5, state.initial_energy = -2.5, state.affine_inertia = 3e-5;
  state.order.blocks = {{1, -2, 3}, {4, 5, 6}};
  state.order.runs = {{0, 1, 2, 3}};
  state.order.valid = true;
  state.measure = {true, {1.0, 2.0}, {3.0}};
  state.emitters = {{0.25, 12, 0.5}};
  state.collider_force = {{1, 2, 3}, {4, 5, 6}};
  state.rigid = {{{1, 2, 3}, {0.5, -0.5, 0.5, 0.5}, {4, 5, 6}, {7, 8, 1e-300}}};
  state.add("C", ScalarType::f64, 9).set_value(7, 33, 1e-300);
  Probe probe;
  probe.body = 2, probe.rigid = 3, probe.collider = 5, probe.particle = 77, probe.low = -1, probe.high = 4;
  LoopState loop{3, 7, 99, 2, 1.25, {{"stats.csv", 123}}};
  const CheckpointOwner owner{"1.2.3", 42};
  const auto path = write_checkpoint(folder.path, owner, state, {probe}, loop);

  State read;
  LoopState read_loop;
  std::vector<Probe> probes(1);
  REQUIRE(read_checkpoint(path, owner, read, probes, read_loop) == CheckpointRead::good);
  CHECK(read.time == state.time);
  CHECK(read.step == 4711);
  CHECK(read.count == 64);
  CHECK(read.next_id == 64);
  CHECK(read.external_work == 1.5);
  CHECK(read.initial_energy == -2.5);
  CHECK(read.affine_inertia == 3e-5);
  CHECK(read.order.blocks == state.order.blocks);
  CHECK(read.order.runs.size() == 1);
  CHECK(read.order.runs[0].end == 3);
  CHECK(read.order.valid);
  CHECK(read.measure.valid);
  CHECK(read.measure.wave_speed == state.measure.wave_speed);
  CHECK(read.measure.speed == state.measure.speed);
  CHECK(read.emitters[0].carry == 0.25);
  CHECK(read.emitters[0].emitted == 12);
  CHECK(read.emitters[0].last_time == 0.5);
  CHECK(read.collider_force[1] == Vec3d{4, 5, 6});
  REQUIRE(read.rigid.size() == 1);
  CHECK(std::memcmp(read.rigid.data(), state.rigid.data(), sizeof(RigidState)) == 0);
  REQUIRE(read.columns.size() == state.columns.size());
  for (std::size_t n = 0; n < read.columns.size(); ++n) {
    const Column &a = state.columns[n], &b = read.columns[n];
    CHECK(a.name() == b.name());
    REQUIRE(a.type() == b.type());
    REQUIRE(a.components() == b.components());
    for (int component = 0; component < a.components(); ++component)
      CHECK(std::memcmp(a.bytes(component), b.bytes(component), state.count * size_of(a.type())) == 0);
  }
  CHECK(probes[0].body == 2);
  CHECK(probes[0].rigid == 3);
  CHECK(probes[0].collider == 5);
  CHECK(probes[0].particle == 77);
  CHECK(probes[0].low == -1);
  CHECK(probes[0].high == 4);
  CHECK(read_loop.next_frame == 3);
  CHECK(read_loop.steps_in_frame == 7);
  CHECK(read_loop.particle_steps == 99);
  CHECK(read_loop.retries == 2);
  CHECK(read_loop.wall_seconds == 1.25);
  CHECK(read_loop.files == loop.files);
}

TEST_CASE("the hash changes with any bit, with the length and with the order of words") {
  const std::string text = "particles and their columns";
  for (std::size_t position = 0; position < text.size(); ++position) {
    std::string changed = text;
    changed[position] ^= 1;
    CHECK(hash_bytes(changed) != hash_bytes(text));
  }
  CHECK(hash_bytes(std::string(8, '\0')) != hash_bytes(std::string(9, '\0')));
  CHECK(hash_bytes("aaaaaaaabbbbbbbb") != hash_bytes("bbbbbbbbaaaaaaaa"));
}
