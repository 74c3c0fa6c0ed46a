#include "frames/capture.h"

#include <doctest/doctest.h>

#include <cmath>

#include "base/error.h"
#include "base/random.h"
#include "base/threads.h"

using namespace knead;

namespace {

constexpr double mu = 3e5, lambda = 4e5, density = 1200;

// One body, all columns of MPM; ids run backwards and leave gaps: 3 (count - 1 - i) + 1.
struct Scene {
  World world;
  State state;
  Scene(std::size_t count, ElasticLaw elasticity, FlowLaw plasticity = NoFlow{}, ScalarType type = ScalarType::f64) {
    Material material{.name = "stuff", .density = density, .elasticity = elasticity, .plasticity = plasticity};
    world.materials = {material};
    world.bodies = {{"first", 0}, {"second", 0}};
    world.groups = {{0, -1}, {1, -1}};
    state.time = 0.25;
    state.add("position", type, 3);
    state.add("velocity", type, 3);
    state.add("volume", type, 1);
    state.add("id", ScalarType::u32, 1);
    state.add("group", ScalarType::u16, 1);
    state.add("C", type, 9);
    state.resize(count);
    for (std::size_t i = 0; i < count; ++i) state.column("id").set_value(0, i, static_cast<double>(id(i)));
  }
  std::size_t id(std::size_t i) const { return 3 * (state.count - 1 - i) + 1; }
  void set(const char* name, std::size_t i, std::initializer_list<double> values) {
    Column& column = state.add(name, state.column("position").type(), static_cast<int>(values.size()));
    int component = 0;
    for (const double value : values) column.set_value(component++, i, value);
  }
};

double value(const Frame& frame, const char* name, std::size_t particle, int component = 0) {
  const FrameColumn* column = frame.find(name);
  REQUIRE(column);
  return column->floats[particle * static_cast<std::size_t>(column->components) + static_cast<std::size_t>(component)];
}

}  // namespace

TEST_CASE("capture: a uniaxial Hencky stretch has the stress of the closed form") {
  const double l = 1.3, t = 0.9;  // stretches along x, and along y and z
  Scene scene(1, Hencky{{mu, lambda}});
  scene.set("F", 0, {l, 0, 0, 0, t, 0, 0, 0, t});
  scene.set("volume", 0, {0.5});
  const Frame frame = capture(scene.world, scene.state, 7, {"stress", "F", "volume"});
  const double J = l * t * t, trace_strain = std::log(J);
  const double axial = (2 * mu * std::log(l) + lambda * trace_strain) / J, lateral = (2 * mu * std::log(t) + lambda * trace_strain) / J;
  const double single = 1e-6;  // frames are in single precision
  CHECK(frame.index == 7);
  CHECK(frame.time == 0.25);
  CHECK(value(frame, "J", 0) == doctest::Approx(J).epsilon(single));
  CHECK(value(frame, "density", 0) == doctest::Approx(density / J).epsilon(single));
  CHECK(value(frame, "volume", 0) == doctest::Approx(0.5 * J).epsilon(single));
  CHECK(value(frame, "stress", 0, 0) == doctest::Approx(axial).epsilon(single));
  CHECK(value(frame, "stress", 0, 1) == doctest::Approx(lateral).epsilon(single));
  CHECK(std::abs(value(frame, "stress", 0, 3)) < single * axial);
  CHECK(value(frame, "pressure", 0) == doctest::Approx(-(axial + 2 * lateral) / 3).epsilon(single));
  CHECK(value(frame, "von_mises", 0) == doctest::Approx(axial - lateral).epsilon(single));
  CHECK(value(frame, "F", 0, 0) == doctest::Approx(l).epsilon(single));
  CHECK(!frame.find("plastic_strain"));
  CHECK(!frame.find("C"));
}

TEST_CASE("capture: a fluid answers with its equation of state, its viscosity and its J") {
  const Eos law{.bulk_modulus = 2e6, .gamma = 7};
  Scene scene(1, law);
  scene.world.materials[0].viscosity = 2.5;
  const double J = 0.98;
  scene.set("J", 0, {J});
  scene.set("C", 0, {0, 4, 0, 0, 0, 0, 0, 0, 0});  // simple shear at a rate of 4 / s
  const Frame frame = capture(scene.world, scene.state, 0, {"stress", "F"});
  CHECK(value(frame, "J", 0) == doctest::Approx(J).epsilon(1e-6));
  CHECK(value(frame, "pressure", 0) == doctest::Approx(-law.kirchhoff(J) / J).epsilon(1e-6));
  CHECK(value(frame, "stress", 0, 3) == doctest::Approx(2.5 * 4).epsilon(1e-6));  // shear stress = viscosity * shear rate
  CHECK(value(frame, "F", 0, 4) == doctest::Approx(std::cbrt(J)).epsilon(1e-6));
}

TEST_CASE("capture: the volume that a flow law took up is part of J, plastic strain is shown, and keyed materials are those of the time") {
  Scene scene(1, Hencky{{mu, lambda}}, Snow{});
  scene.set("F", 0, {1.002, 0, 0, 0, 1, 0, 0, 0, 1});
  scene.set("plastic_volume", 0, {-0.1});
  scene.set("plastic_strain", 0, {0.07});
  scene.world.animated_materials = {[&](double time) {
    Material material = scene.world.materials[0];
    material.density = 1000 * time;
    return material;
  }};
  const Frame frame = capture(scene.world, scene.state, 0);
  const double J = 1.002 * std::exp(-0.1);
  CHECK(value(frame, "J", 0) == doctest::Approx(J).epsilon(1e-6));
  CHECK(value(frame, "density", 0) == doctest::Approx(250 / J).epsilon(1e-6));
  CHECK(value(frame, "plastic_strain", 0) == doctest::Approx(0.07).epsilon(1e-6));
}

TEST_CASE("capture: particles come in the order of their ids, with 1 and 2 threads, in single and double precision") {
  constexpr std::size_t count = 10000;
  for (const ScalarType type : {ScalarType::f32, ScalarType::f64})
    for (const int threads : {1, 2}) {
      set_thread_count(threads);
      Scene scene(count, NeoHookean{{mu, lambda}}, NoFlow{}, type);
      for (std::size_t i = 0; i < count; ++i) {
        const auto id = static_cast<double>(scene.id(i));
        scene.set("position", i, {id, 2 * id, -id});
        scene.set("velocity", i, {0.5, id, 0.25});
        scene.set("F", i, {1, 0, 0, 0, 1, 0, 0, 0, 1});
        scene.state.column("group").set_value(0, i, static_cast<double>(scene.id(i) % 2));
      }
      const Frame frame = capture(scene.world, scene.state, 0);
      const FrameColumn &ids = *frame.find("id"), &bodies = *frame.find("body");
      REQUIRE(frame.count == count);
      bool good = true;
      for (std::size_t k = 0; k < count; ++k) {
        const auto id = static_cast<std::int32_t>(3 * k + 1);
        good = good && ids.ints[k] == id && bodies.ints[k] == id % 2 && value(frame, "position", k, 1) == 2 * id &&
               value(frame, "velocity", k, 1) == id;
        good = good && value(frame, "von_mises", k) == 0 && value(frame, "J", k) == 1;
      }
      CHECK(good);
      CHECK(frame.body_names == std::vector<std::string>{"first", "second"});
    }
  set_thread_count(0);
}

TEST_CASE("capture: positions are wrapped into the domain along periodic axes only") {
  Scene scene(3, Hencky{{mu, lambda}});
  for (std::size_t i = 0; i < 3; ++i) scene.set("F", i, {1, 0, 0, 0, 1, 0, 0, 0, 1});
  scene.world.domain = Domain{{1, 1, 1}, {3, 3, 3}, {true, false, true}};
  scene.set("position", 2, {3.5, 3.5, -4.75});  // id 1
  scene.set("position", 1, {1, 1, 1});          // id 4
  scene.set("position", 0, {1 - 1e-12, 0, 3});  // id 7: rounds to the far wall in single precision
  const Frame frame = capture(scene.world, scene.state, 0);
  const std::vector<float> expected{1.5f, 3.5f, 1.25f, 1, 1, 1, 1, 0, 1};
  CHECK(frame.find("position")->floats == expected);
}

TEST_CASE("capture: an inverted particle has finite values, and an unknown attribute is named") {
  Scene scene(1, Hencky{{mu, lambda}});
  scene.set("F", 0, {1, 0, 0, 0, 1, 0, 0, 0, -0.5});
  const Frame frame = capture(scene.world, scene.state, 0, {"position", "stress"});
  CHECK(value(frame, "J", 0) == doctest::Approx(-0.5));
  CHECK(value(frame, "density", 0) == doctest::Approx(2 * density));
  CHECK(std::isfinite(value(frame, "von_mises", 0)));
  CHECK_THROWS_WITH_AS(capture(scene.world, scene.state, 0, {"colour"}),
                       "there is no frame attribute \"colour\"; beside the usual ones there are F, stress, C, volume.", InputError);
}
