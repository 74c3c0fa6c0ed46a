// The schema and the reader follow the same describe(); these tests walk the schema and ask the reader about every part of it.
#include <doctest/doctest.h>

#include <fstream>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>

#include "scene/schema.h"
#include "scene_text.h"

using namespace knead;
using Json = nlohmann::ordered_json;

namespace {

const Json& schema() {
  static const Json parsed = Json::parse(scene_schema());
  return parsed;
}

const Json& resolved(const Json& node) {
  return node.contains("$ref") ? schema().at(Json::json_pointer(node["$ref"].get<std::string>().substr(1))) : node;
}

Json smallest(const Json& node);

// An object with what is required, and one complete pair of moduli where the schema asks for one: that of `wanted`, if it is one.
Json smallest_object(const Json& node, const std::string& wanted = "") {
  Json object = Json::object();
  std::vector<std::string> keys = node.value("required", std::vector<std::string>{});
  if (node.contains("oneOf")) {
    auto pair = node["oneOf"][0]["required"].get<std::vector<std::string>>();
    for (const Json& choice : node["oneOf"])
      if (choice["properties"].contains(wanted) == false && node["oneOf"][0]["properties"].contains(wanted))
        pair = choice["required"].get<std::vector<std::string>>();
    keys.insert(keys.end(), pair.begin(), pair.end());
  }
  for (const std::string& key : keys) object[key] = smallest(node["properties"][key]);
  return object;
}

// A value that the schema accepts.
Json smallest(const Json& given) {
  const Json& node = resolved(given);
  if (given.contains("default")) return given["default"];
  if (node.contains("const")) return node["const"];
  if (node.contains("enum")) return node["enum"][0];
  if (node.contains("anyOf")) return smallest(node["anyOf"][0]);
  if (node.contains("oneOf") && !node.contains("properties")) return smallest(node["oneOf"][0]);
  const std::string type = node.value("type", "");
  if (type == "object") return node.contains("properties") ? smallest_object(node) : Json::object();
  if (type == "array")
    return node.value("minItems", 0) == 3 ? Json::array({smallest(node["items"]), smallest(node["items"]), smallest(node["items"])})
                                          : Json::array();
  if (type == "boolean") return false;
  if (type == "string") return "word";
  const double low = node.contains("exclusiveMinimum") ? node["exclusiveMinimum"].get<double>() : node.value("minimum", 0.0);
  const double high = node.contains("exclusiveMaximum") ? node["exclusiveMaximum"].get<double>() : node.value("maximum", low + 2);
  if (type == "integer") return static_cast<int>(low);
  return 0.5 * (low + high);
}

struct Visit {
  int keys = 0, alternatives = 0;
};

// An error that says that reader and schema disagree about what is at `path`; others (missing references and such) are expected.
bool disagrees(const std::string& error, const std::string& path) {
  for (std::size_t begin = 0; begin < error.size();) {
    const std::size_t end = std::min(error.find('\n', begin), error.size());
    const std::string line = error.substr(begin, end - begin);
    const bool about_form = line.find("unknown key") != std::string::npos || line.find("is expected") != std::string::npos ||
                            line.find("out of range") != std::string::npos || line.find("is required") != std::string::npos ||
                            line.find(" is not one of ") != std::string::npos;
    if (about_form && line.find(path) != std::string::npos) return true;
    begin = end + 1;
  }
  return false;
}

// `scene_with(value)` is a scene that has `value` where `node` applies; `path` is that place.
void walk(const Json& given, const std::string& path, const std::function<Json(const Json&)>& scene_with, Visit& visit, int depth) {
  const Json& node = resolved(given);
  if (depth > 9) return;  // shapes contain shapes
  if (node.contains("oneOf") && !node.contains("properties")) {
    for (const Json& alternative : node["oneOf"]) {
      ++visit.alternatives;
      walk(alternative, path, scene_with, visit, depth + 1);
    }
    return;
  }
  if (node.value("type", "") == "array" && !node.contains("maxItems"))
    return walk(
        node["items"], path + ".0", [&](const Json& value) { return scene_with(Json::array({value})); }, visit, depth + 1);
  if (node.value("type", "") != "object") return;
  if (!node.contains("properties"))
    return walk(
        node["additionalProperties"], path + ".thing",
        [&](const Json& value) {
          return scene_with(Json::object({{"thing", value}}));
        },
        visit, depth + 1);

  for (const auto& item : node["properties"].items()) {
    ++visit.keys;
    Json object = smallest_object(node, item.key());
    object[item.key()] = smallest(item.value());
    const std::string good = error_of(scene_with(object).dump());
    CHECK_MESSAGE(!disagrees(good, path), "accepted by the schema, refused by the reader: ", path, ".", item.key(), ": ", good);
    object["x_" + item.key()] = 0;
    const std::string bad = error_of(scene_with(object).dump());
    CHECK_MESSAGE(bad.find(path + ".x_" + item.key() + ": unknown key") != std::string::npos, "not refused: ", path, ".x_", item.key(),
                  ": ", bad);
    const auto with_key = [&](const Json& value) {
      Json parent = smallest_object(node, item.key());
      parent[item.key()] = value;
      return scene_with(parent);
    };
    walk(item.value(), path + "." + item.key(), with_key, visit, depth + 1);
  }
}

}  // namespace

TEST_CASE("schema: every key that it lists is read, and every other key is refused") {
  Visit visit;
  Json scene = Json::parse(sand_column, nullptr, true, true);
  for (const auto& item : schema()["properties"].items()) {
    const auto scene_with = [&](const Json& value) {
      Json changed_scene = scene;
      changed_scene[item.key()] = value;
      return changed_scene;
    };
    walk(item.value(), item.key(), scene_with, visit, 0);
  }
  CHECK(visit.keys > 300);  // the walk has really been everywhere
  CHECK(visit.alternatives > 50);
}

TEST_CASE("schema: numbers outside of its ranges are refused by the reader") {
  const Json& node = schema()["$defs"]["transfer"]["properties"]["flip_ratio"];
  CHECK(error_of(sand_column, {"solver.transfer.flip_ratio=" + std::to_string(node["maximum"].get<double>() + 0.1)}).find("out of range") !=
        std::string::npos);
  CHECK(error_of(sand_column, {"solver.transfer.flip_ratio=" + std::to_string(node["maximum"].get<double>())}).empty());
}

TEST_CASE("schema: defaults are those of the structs") {
  CHECK(schema()["properties"]["fps"]["default"] == SceneSpec{}.fps);
  CHECK(schema()["$defs"]["transfer"]["properties"]["flip_ratio"]["default"] == Transfer{}.flip_ratio);
  CHECK(schema()["properties"]["duration"].contains("default") == false);
  CHECK(schema()["required"] == Json::array({"knead", "duration", "solver"}));
}

TEST_CASE("resolved scene: defaults are filled in, and reading it gives the same scene again") {
  const std::vector<std::string> overrides{R"(materials.sand.elasticity.youngs_modulus={"keys":[[0,1e6],[1,2e6]]})",
                                           "colliders.0.motion.release=0.5"};
  const SceneSpec once = read_scene(sand_column, "scene.json", overrides);
  const SceneSpec twice = read_scene(once.resolved, "scene.json");
  CHECK(once.resolved == twice.resolved);
  CHECK(Json::parse(once.resolved)["solver"]["cfl"] == MpmParameters{}.cfl);
  CHECK(Json::parse(once.resolved)["materials"]["sand"]["elasticity"]["youngs_modulus"]["keys"].size() == 2);
}

TEST_CASE("tables: every law and every solver is in them") {
  for (const char* name : {"hencky", "fixed_corotated", "neo_hookean", "stvk", "eos", "linear", "von_mises", "drucker_prager", "snow",
                           "herschel_bulkley", "flow", "generalized"})
    CHECK(materials_table().find(std::string("\n  ") + name) != std::string::npos);
  for (const char* name : {"mpm", "sph", "points", "peridynamics"})
    CHECK(solvers_table().find(std::string("\n  ") + name) != std::string::npos);
  CHECK(materials_table().find("generalized  (not in this version)") == std::string::npos);
  CHECK(materials_table().find("linear  (not in this version)") == std::string::npos);
  CHECK(Json::parse(materials_json())["plasticity"].size() == 6);
  CHECK(Json::parse(solvers_json())["solver"][0]["available"] == true);
  CHECK(scene_markdown().find("| `youngs_modulus` | number > 0, animatable | Pa |") != std::string::npos);
}

TEST_CASE("docs/scene.md: its tables are those of the program") {
  std::ifstream stream(KNEAD_SOURCE_DIR "/docs/scene.md");
  const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  const std::string mark = "\n<!-- tables -->\n";
  const auto at = text.find(mark);
  REQUIRE(at != std::string::npos);
  const bool same = text.substr(at + mark.size()) == scene_markdown();
  CHECK_MESSAGE(same, "renew them: sed -i '/^<!-- tables -->/q' docs/scene.md && knead schema --markdown >> docs/scene.md");
}
