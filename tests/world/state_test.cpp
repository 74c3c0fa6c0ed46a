#include "world/state.h"

#include <doctest/doctest.h>

#include <cstdint>

#include "world/world.h"

using namespace knead;

TEST_CASE("state: components are aligned, do not overlap, and may be read 64 bytes past their end") {
  for (const std::size_t count : {1, 15, 1000, 1024, 700000}) {
    State state;
    state.resize(count);
    const Column& column = state.add("F", ScalarType::f32, 9);
    for (int c = 0; c < 9; ++c) {
      CHECK(reinterpret_cast<std::uintptr_t>(column.bytes(c)) % 64 == 0);
      float sum = 0;
      for (std::size_t i = 0; i < count + 16; ++i) sum += column.data<float>(c)[i];
      CHECK(sum == 0);
      if (c > 0) {
        CHECK(column.bytes(c) - column.bytes(c - 1) >= static_cast<std::ptrdiff_t>(count * sizeof(float) + 64));
        CHECK((column.bytes(c) - column.bytes(c - 1)) % 4096 != 0);  // not all in the same cache sets
      }
    }
  }
}

TEST_CASE("state: growing keeps values and adds zeros, also where particles were removed before") {
  State state;
  state.add("position", ScalarType::f64, 3);
  state.add("id", ScalarType::u32, 1);
  state.add("group", ScalarType::u16, 1);
  state.resize(100);
  for (std::size_t i = 0; i < 100; ++i) {
    for (int c = 0; c < 3; ++c) state.column("position").set_value(c, i, 10.0 * static_cast<double>(i) + c);
    state.column("id").set_value(0, i, 4e9 - static_cast<double>(i));
    state.column("group").set_value(0, i, 65535);
  }
  state.resize(60);
  state.resize(5000);
  CHECK(state.count == 5000);
  CHECK(state.column("position").value(2, 59) == 592);
  CHECK(state.column("id").value(0, 59) == 4e9 - 59);
  CHECK(state.column("group").value(0, 59) == 65535);
  double sum = 0;
  for (const Column& column : state.columns)
    for (int c = 0; c < column.components(); ++c)
      for (std::size_t i = 60; i < 5000; ++i) sum += column.value(c, i);
  CHECK(sum == 0);
}

TEST_CASE("state: a column added later has room for as many particles as the others, and adding it again changes nothing") {
  State state;
  state.add("position", ScalarType::f32, 3);
  state.resize(10);
  state.resize(11);  // grows with room to spare
  Column& added = state.add("J", ScalarType::f32, 1);
  CHECK(added.capacity() == state.column("position").capacity());
  added.set_value(0, 10, 0.5);
  CHECK(state.add("J", ScalarType::f32, 1).value(0, 10) == 0.5);
  CHECK(state.columns.size() == 2);
  CHECK(state.find("F") == nullptr);
}

TEST_CASE("state: adding particles one by one copies the columns a logarithmic number of times") {
  State state;
  state.add("position", ScalarType::f32, 3);
  state.resize(1);
  int moves = 0;
  for (std::size_t count = 2; count <= 20000; ++count) {
    const std::byte* before = state.column("position").bytes(0);
    state.resize(count);
    moves += state.column("position").bytes(0) != before;
  }
  CHECK(moves <= 27);  // log(20000) / log(1.5), and the first few by ones
}

TEST_CASE("state: a permutation moves every component of every type, and may leave particles out") {
  State state;
  state.add("position", ScalarType::f32, 3);
  state.add("energy", ScalarType::f64, 1);
  state.add("id", ScalarType::u32, 1);
  state.add("group", ScalarType::u16, 1);
  state.resize(50000);
  std::vector<std::uint32_t> from;
  for (std::size_t i = 0; i < state.count; ++i) {
    for (Column& column : state.columns)
      for (int c = 0; c < column.components(); ++c) column.set_value(c, i, static_cast<double>(i) + c);
    if (i % 5 != 0) from.push_back(static_cast<std::uint32_t>(state.count - 1 - i));
  }
  state.permute(from);
  REQUIRE(state.count == 40000);
  bool good = true;
  for (std::size_t i = 0; i < state.count; ++i)
    for (const Column& column : state.columns)
      for (int c = 0; c < column.components(); ++c) good = good && column.value(c, i) == from[i] + c;
  CHECK(good);
}

TEST_CASE("fields: accelerations are those of their formulas, and act from start to end") {
  const Vec3d x{3, 4, 2};
  Field field{.type = FieldType::uniform, .vector = {1, 2, 3}, .center = {}, .start = 1, .end = 2};
  CHECK(acceleration(field, x, 0.99) == Vec3d{});
  CHECK(acceleration(field, x, 1) == Vec3d{1, 2, 3});
  CHECK(acceleration(field, x, 2) == Vec3d{});
  const Field rotational{.type = FieldType::rotational, .vector = {}, .center = {1, 0, 0}, .axis = {0, 0, 1}, .strength = 2};
  CHECK(acceleration(rotational, x, 0) == Vec3d{-8, 4, 0});  // 2 z x (2, 4, 2)
  const Field radial{.type = FieldType::radial, .vector = {}, .center = {0, 0, 2}, .strength = -10};
  const Vec3d pull = acceleration(radial, x, 0);
  CHECK(pull.x == doctest::Approx(-6));
  CHECK(pull.y == doctest::Approx(-8));
  CHECK(pull.z == 0);
  CHECK(acceleration(radial, radial.center, 0) == Vec3d{});
}
