// Every class of error, with the exact sentence that the user sees.
#include <doctest/doctest.h>

#include <algorithm>

#include "scene_text.h"

using namespace knead;

namespace {
std::string error_of_change(const std::string& from, const std::string& to) { return error_of(changed(from, to)); }
}  // namespace

TEST_CASE("reader: the sample scene has no errors and arrives as written") {
  const SceneSpec spec = read_scene(sand_column, "scene.json");
  CHECK(spec.name == "sand column");
  CHECK(spec.fps == 24);
  CHECK(std::get<MpmSolver>(spec.solver).dx == 0.01);
  CHECK(!std::get<MpmSolver>(spec.solver).dt.number);
  CHECK(spec.domain->periodic[2]);
  const auto& sand = std::get<StandardMaterial>(spec.materials.at("sand"));
  CHECK(std::get<Hencky>(*sand.elasticity).moduli.young() == doctest::Approx(1e6));
  CHECK(std::get<DruckerPrager>(*sand.plasticity).friction_angle == 32);
  CHECK(std::get<Box>(spec.bodies[0].shape.kind).max == Vec3d{0.1, 0.2, 0.1});
  CHECK(std::get<BoundsProbe>(spec.probes[0]).body == "column");
}

TEST_CASE("reader: unknown keys name the nearest valid one with its unit") {
  CHECK(error_of_change("\"friction_angle\"", "\"friction_angel\"") ==
        "scene.json:16: materials.sand.plasticity.friction_angel: unknown key; did you mean \"friction_angle\" [deg]?");
  CHECK(error_of_change("\"fps\": 24", "\"fsp\": 24") == "scene.json:5: fsp: unknown key; did you mean \"fps\" [1/s]?");
  CHECK(
      error_of_change("\"contact\": \"sticky\"", "\"zzzzzzzzz\": 1") ==
      "scene.json:26: colliders.0.zzzzzzzzz: unknown key; accepted: \"name\", \"shape\", \"contact\", \"friction\", \"motion\" or \"color\"");
}

TEST_CASE("reader: a misspelt required key is reported once, not as missing too") {
  CHECK(error_of_change("\"duration\"", "\"duratoin\"") == "scene.json:4: duratoin: unknown key; did you mean \"duration\" [s]?");
  CHECK(error_of_change("\"youngs_modulus\": 1e6, \"poisson_ratio\": 0.3", "\"young_modulus\": 1e6") ==
        "scene.json:15: materials.sand.elasticity.young_modulus: unknown key; did you mean \"youngs_modulus\" [Pa]?");
}

TEST_CASE("reader: missing keys say what is required") {
  CHECK(error_of_change("\"duration\": 1.0,", "") == "scene.json:1: duration: missing; a number of at least 0 [s] is required");
  CHECK(error_of_change(", \"dx\": 0.01", "") == "scene.json:11: solver.dx: missing; a number greater than 0 [m] is required");
  CHECK(error_of_change("\"type\": \"box\", ", "").starts_with("scene.json:21: bodies.0.shape.type: missing; one of \"box\", \"sphere\""));
  CHECK(error_of_change("\"elasticity\": { \"type\": \"hencky\", \"youngs_modulus\": 1e6, \"poisson_ratio\": 0.3 },", "") ==
        "scene.json:13: materials.sand.elasticity: missing; mpm needs one, such as { \"type\": \"neo_hookean\", ... }");
}

TEST_CASE("reader: wrong types are named on both sides") {
  CHECK(error_of_change("1.0,  ", "\"long\",") ==
        "scene.json:4: duration: \"long\" is a string where a number of at least 0 [s] is expected");
  CHECK(error_of_change("\"name\": \"sand column\"", "\"name\": 3") == "scene.json:3: name: 3 is a number where a string is expected");
  CHECK(error_of_change("[0, -9.81, 0]", "[0, -9.81]") ==
        "scene.json:6: gravity: [0,-9.81] is a list of 2 where a list of 3 numbers [m/s^2] is expected");
  CHECK(error_of_change("[0, -9.81, 0]", "[0, null, 0]") == "scene.json:6: gravity.1: null where a number [m/s^2] is expected");
  CHECK(error_of_change("[false,false,true]", "[false,0,true]") ==
        "scene.json:10: domain.periodic.1: 0 is a number where true or false is expected");
  CHECK(error_of_change("\"seed\": 1", "\"seed\": 1.5") == "scene.json:7: seed: 1.5 is not a whole number of at least 0");
  CHECK(error_of_change("[\"ply\"]", "7") == "scene.json:29: output.formats: 7 is a number where a list is expected");
  CHECK(error_of_change("\"dt\": \"auto\"", "\"dt\": \"fast\"") ==
        "scene.json:11: solver.dt: \"fast\" is a string where \"auto\" or a number greater than 0 [s] is expected");
}

TEST_CASE("reader: values out of range say which are accepted") {
  CHECK(error_of_change("\"fps\": 24", "\"fps\": 0") == "scene.json:5: fps: 0 is out of range; a number greater than 0 [1/s] is accepted");
  CHECK(error_of_change("\"duration\": 1.0", "\"duration\": -1") ==
        "scene.json:4: duration: -1 is out of range; a number of at least 0 [s] is accepted");
  CHECK(
      error_of_change("\"poisson_ratio\": 0.3", "\"poisson_ratio\": 0.5") ==
      "scene.json:15: materials.sand.elasticity.poisson_ratio: 0.5 is out of range; a number greater than -1 and less than 0.5 is accepted");
  CHECK(error_of_change("\"knead\": 1", "\"knead\": 2") ==
        "scene.json:2: knead: 2 is out of range; a whole number of at least 1 and of at most 1 is accepted");
}

TEST_CASE("reader: unknown types and words list what is accepted") {
  CHECK(
      error_of_change("\"drucker_prager\"", "\"drucker_pager\"") ==
      "scene.json:16: materials.sand.plasticity.type: \"drucker_pager\" is not one of \"none\", \"von_mises\", \"drucker_prager\", \"snow\", "
      "\"herschel_bulkley\" or \"flow\"; did you mean \"drucker_prager\"?");
  CHECK(error_of_change("\"single\"", "\"half\"") == "scene.json:8: precision: \"half\" is not one of \"single\" or \"double\"");
  CHECK(
      error_of_change("[\"ply\"]", "[\"ply\", \"pyl\"]") ==
      "scene.json:29: output.formats.1: \"pyl\" is not one of \"ply\", \"bgeo\", \"vtkhdf\", \"vtu\", \"usda\" or \"vdb\"; did you mean \"ply\"?");
}

TEST_CASE("reader: moduli come as exactly one complete pair") {
  const std::string young = "\"youngs_modulus\": 1e6, \"poisson_ratio\": 0.3";
  CHECK(
      error_of_change(young, "\"youngs_modulus\": 1e6") ==
      "scene.json:15: materials.sand.elasticity.poisson_ratio: missing; a number greater than -1 and less than 0.5 is required beside \"youngs_modulus\"");
  CHECK(
      error_of_change(young, young + ", \"mu\": 1e6") ==
      "scene.json:15: materials.sand.elasticity.mu: \"youngs_modulus\", \"poisson_ratio\" and \"mu\" given together; one pair of \"youngs_modulus\" [Pa] and "
      "\"poisson_ratio\", \"shear_modulus\" and \"bulk_modulus\" [Pa], or \"mu\" and \"lambda\" [Pa] is accepted");
  CHECK(error_of_change(", " + young, "").starts_with("scene.json:15: materials.sand.elasticity: the moduli are missing; one pair of"));
  CHECK(error_of_change(young, "\"mu\": 3, \"lambda\": -2") ==
        "scene.json:15: materials.sand.elasticity: the bulk modulus lambda + 2 mu / 3 is 0; it must be greater than 0");
  const auto moduli = [&](const std::string& pair) {
    const SceneSpec spec = read_scene(changed(young, pair), "scene.json");
    return std::get<Hencky>(*std::get<StandardMaterial>(spec.materials.at("sand")).elasticity).moduli;
  };
  // E = 1e6, nu = 0.25 is mu = lambda = 4e5 and K = 2/3 e6.
  for (const char* pair : {"\"youngs_modulus\": 1e6, \"poisson_ratio\": 0.25",
                           "\"shear_modulus\": 4e5, \"bulk_modulus\": 666666.6666666666", "\"mu\": 4e5, \"lambda\": 4e5"}) {
    CHECK(moduli(pair).mu == doctest::Approx(4e5).epsilon(1e-12));
    CHECK(moduli(pair).lambda == doctest::Approx(4e5).epsilon(1e-12));
  }
}

TEST_CASE("reader: what is no JSON is reported with its line") {
  CHECK(error_of("").starts_with("scene.json:1: not valid JSON: "));
  CHECK(error_of("{\n\"knead\": 1,\n}").starts_with("scene.json:3: not valid JSON: syntax error while parsing object key"));
  CHECK(error_of("[1, 2]") == "scene.json:1: [1,2] is a list of 2 where an object is expected");
  CHECK(error_of_change("\"seed\": 1", "\"seed\": 1e999") == "scene.json:7: not valid JSON: a number is too large: '1e999'");
  CHECK(error_of_change("\"seed\": 1,", "\"seed\": 1, \"fps\": 25,") == "scene.json:7: fps: the key is there twice; keep one");
  CHECK(error_of_change("\"method\": \"grid\"", "\"method\": \"grid\", \"m\\u0065thod\": \"jitter\"") ==
        "scene.json:22: bodies.0.sampling.method: the key is there twice; keep one");
  CHECK(error_of("/* open").starts_with("scene.json:1: not valid JSON: "));
}

TEST_CASE("reader: hostile nesting and size are refused, not obeyed") {
  CHECK(error_of(std::string(1000000, '[')) == "scene.json: the scene is nested more than 64 deep");
  CHECK(error_of(std::string((8u << 20) + 1, ' ')) == "scene.json: the scene has 8388609 bytes; at most 8388608 are accepted");
  std::string shape = "{ \"type\": \"sphere\", \"center\": [0,0,0], \"radius\": 1 }";
  for (int i = 0; i < 100; ++i) shape = "{ \"type\": \"union\", \"shapes\": [" + shape + "] }";
  CHECK(error_of_change("{ \"type\": \"box\", \"min\": [0,0,0], \"max\": [0.1,0.2,0.1] }", shape) ==
        "scene.json: the scene is nested more than 64 deep");
  std::string many = "{";
  for (int i = 0; i < 200000; ++i) many += "\"k" + std::to_string(i) + "\":0,";
  CHECK(error_of(many + "\"knead\":1}").size() < 2000);
}

TEST_CASE("reader: several errors are told at once, at most five") {
  std::string text = changed("\"fps\": 24", "\"fps\": 0");
  CHECK(error_of(text, {"seed=-1"}) ==
        "scene.json:5: fps: 0 is out of range; a number greater than 0 [1/s] is accepted\n"
        "--set seed=-1: seed: -1 is out of range; a whole number of at least 0 is accepted");
  const std::string many = error_of(sand_column, {"fps=0", "seed=-1", "duration=-1", "name=1", "precision=2", "knead=3", "gravity=1"});
  CHECK(std::count(many.begin(), many.end(), '\n') == 5);
  CHECK(many.ends_with("\n... and 2 more"));
}

TEST_CASE("checks: names and references must match") {
  CHECK(error_of_change("\"material\": \"sand\"", "\"material\": \"sandd\"") ==
        "scene.json:20: bodies.0.material: there is no material \"sandd\"; did you mean \"sand\"?");
  CHECK(error_of_change("\"body\": \"column\"", "\"body\": \"colum\"") ==
        "scene.json:28: probes.0.body: there is no body \"colum\"; did you mean \"column\"?");
  CHECK(error_of_change("\"type\": \"bounds\", \"body\": \"column\"", "\"type\": \"force\", \"collider\": \"flor\"") ==
        "scene.json:28: probes.0.collider: there is no collider \"flor\"; did you mean \"floor\"?");
  CHECK(error_of_change("\"name\": \"front\"", "\"name\": \"../front\"") ==
        "scene.json:28: probes.0.name: \"../front\" cannot be a file name; up to 64 letters, digits, \"_\", \"-\" and \".\" are accepted");
  CHECK(error_of_change(
            "\"colliders\": [",
            "\"colliders\": [ { \"name\": \"floor\", \"shape\": { \"type\": \"plane\", \"point\": [0,0,0], \"normal\": [0,1,0] } },") ==
        "scene.json:26: colliders.1.name: \"floor\" is the name of colliders.0 already; names must be unique");
}

TEST_CASE("checks: sizes, times and contact must make sense") {
  CHECK(
      error_of_change("\"max\": [1,1,0.04]", "\"max\": [1,1,0.05]") ==
      "scene.json:10: domain.max.2: along the periodic axis z the length is 0.05 m; a multiple of 4 dx = 0.04 m is accepted, such as 0.04 or 0.08");
  CHECK(
      error_of_change("\"max\": [1,1,0.04]", "\"max\": [1,1,0.03]") ==
      "scene.json:10: domain.max.2: along the periodic axis z the length is 0.03 m; a multiple of 4 dx = 0.04 m is accepted, such as 0.04");
  CHECK(error_of_change("\"max\": [1,1,0.04]", "\"max\": [0,1,0.04]") ==
        "scene.json:10: domain.max.0: 0 is not greater than min, which is 0");
  CHECK(error_of_change("\"per_cell\": 8", "\"per_cell\": 8, \"spacing\": 0.01") ==
        "scene.json:22: bodies.0.sampling: \"per_cell\" and \"spacing\" are two ways to say the same; keep one");
  CHECK(error_of_change("\"contact\": \"sticky\"", "\"contact\": \"slip\", \"friction\": 0.3") ==
        "scene.json:26: colliders.0.friction: 0.3 has no effect with the contact \"slip\"; \"separate\" is the one with friction");
  CHECK(
      error_of_change("\"type\": \"hencky\"", "\"type\": \"neo_hookean\"") ==
      "scene.json:16: materials.sand.plasticity.type: \"drucker_prager\" does not go with the elasticity \"neo_hookean\"; \"hencky\" is accepted");
  CHECK(error_of_change("\"output\"",
                        "\"fields\": [{ \"type\": \"uniform\", \"acceleration\": [1,0,0], \"start\": 2, \"end\": 1 }], \"output\"") ==
        "scene.json:29: fields.0.end: 1 is not after the start, which is 2");
  CHECK(
      error_of_change("\"type\": \"box\", \"min\": [0,0,0], \"max\": [0.1,0.2,0.1]",
                      "\"type\": \"plane\", \"point\": [0,0,0], \"normal\": [0,1,0]") ==
      "scene.json:21: bodies.0.shape: a plane has no end and cannot be filled; planes are for colliders, pinned parts and cuts of other shapes");
  CHECK(error_of("{ \"knead\": 1, \"duration\": 1, \"solver\": { \"type\": \"mpm\", \"dx\": 1 } }") ==
        "scene.json:1: bodies: there is nothing to simulate; a body or an emitter is required");
}

TEST_CASE("availability: what no solver does yet is recognised and answered") {
  const std::string none = "; no solver of this version can do it";
  CHECK(error_of_change("\"type\": \"mpm\", \"integrator\": \"explicit\"", "\"type\": \"points\"") ==
        "scene.json:11: solver.type: not available in this solver: the type \"points\"; \"mpm\" and \"sph\" are available in this version");
  // Keys of another solver come second.
  CHECK(
      error_of(sand_column, {"solver.type=points"}) ==
      "--set solver.type=points: solver.type: not available in this solver: the type \"points\"; \"mpm\" and \"sph\" are available in this "
      "version\n"
      "scene.json:11: solver.integrator: unknown key; accepted: \"type\", \"dx\" or \"dt\"");
  CHECK(
      error_of_change("\"type\": \"mpm\", \"integrator\": \"explicit\"", "\"type\": \"sph\"") ==
      "scene.json:15: materials.sand.elasticity.type: not available in this solver: the elasticity \"hencky\"; \"linear\" can do solids and "
      "\"eos\" fluids; all laws are in \"mpm\"\n"
      "scene.json:16: materials.sand.plasticity: not available in this solver: plasticity; \"mpm\" can do it\n"
      "scene.json:10: domain.periodic.2: not available in this solver: periodic axes; \"mpm\" can do it");
  CHECK(error_of_change("\"type\": \"drucker_prager\", \"friction_angle\": 32",
                        "\"type\": \"flow\", \"yield_stress\": 10, \"flow_rate\": 3") ==
        "scene.json:16: materials.sand.plasticity.type: not available in this solver: the plasticity \"flow\"" + none);
  CHECK(
      error_of_change(
          "\"output\"",
          "\"rigid_bodies\": [{ \"shape\": { \"type\": \"sphere\", \"center\": [0,0,0], \"radius\": 1 }, \"density\": 1 }], \"output\"") ==
      "scene.json:29: rigid_bodies: not available in this solver: rigid bodies; \"sph\" can do it");
  CHECK(
      error_of_change("\"type\": \"box\", \"min\": [0,0,0], \"max\": [0.1,0.2,0.1]", "\"type\": \"rod\", \"points\": [[0,0,0],[1,0,0]]") ==
      "scene.json:21: bodies.0.shape.type: not available in this solver: the shape \"rod\"; \"sph\" can do it");
  // ... but only after it has been validated.
  CHECK(error_of_change("\"materials\": {", "\"materials\": { \"goo\": { \"type\": \"generalized\", \"density\": 0 },") ==
        "scene.json:12: materials.goo.density: 0 is out of range; a number greater than 0 [kg/m^3] is accepted");
}

TEST_CASE("keys in time: order, form and every value are checked") {
  const auto with = [](const std::string& value) { return error_of(sand_column, {"gravity=" + value}); };
  const std::string place = ": gravity";
  CHECK(with(R"({"keys":[[0,[0,-9.81,0]],[1,[0,0,0]]],"interpolation":"smooth"})") == "");
  CHECK(with(R"({"keys":[[1,[0,0,0]],[1,[0,0,0]]]})").ends_with("gravity.keys.1: the time 1 does not come after 1; times must increase"));
  CHECK(with(R"({"keys":[]})").ends_with("gravity.keys: [] is a list of 0 where a list of [time, value] pairs is expected"));
  CHECK(with(R"({"keys":[[0,[0,0]]]})").ends_with("gravity.keys.0: [0,0] is a list of 2 where a list of 3 numbers [m/s^2] is expected"));
  CHECK(with(R"({"key":[[0,[0,0,0]]]})").find("gravity.key: unknown key; did you mean \"keys\"?") != std::string::npos);
  CHECK(error_of(sand_column, {R"(materials.sand.elasticity.youngs_modulus={"keys":[[0,1e6],[1,0]]})"})
            .ends_with("materials.sand.elasticity.youngs_modulus.keys.1: 0 is out of range; a number greater than 0 [Pa] is accepted"));
  CHECK(error_of(sand_column, {R"(fps={"keys":[[0,1],[1,2]]})"}).ends_with("is an object where a number greater than 0 [1/s] is expected"));
}

TEST_CASE("reader: large scenes take time in proportion to their size") {
  // Each of these took minutes when something in the reader was quadratic; now they take well under a second each.
  std::string keys = "0,1e6";
  for (int i = 1; i < 20000; ++i) keys += "],[" + std::to_string(i) + ",1e6";
  const std::string animated = "{\"keys\":[[" + keys + "]]}";
  CHECK(error_of(changed("\"youngs_modulus\": 1e6", "\"youngs_modulus\": " + animated)).empty());
  std::string probes = "{ \"name\": \"p\", \"type\": \"bounds\", \"body\": \"column\" }";
  for (int i = 0; i < 20000; ++i) probes += ", { \"name\": \"p" + std::to_string(i) + "\", \"type\": \"bounds\", \"body\": \"column\" }";
  CHECK(error_of(changed("\"probes\": [", "\"probes\": [" + probes + ",")).empty());
  std::string empty = "{}";
  for (int i = 0; i < 200000; ++i) empty += ",{}";
  CHECK(error_of(changed("\"probes\": [", "\"probes\": [" + empty + ",")).ends_with("... and 1 more"));
}
