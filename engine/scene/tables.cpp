// Tables for people, made from the schema.
#include <algorithm>

#include "scene/names.h"
#include "scene/schema.h"
#include "scene/schema_writer.h"

namespace knead {
namespace {

struct Row {
  std::string key, type, standard, unit, text;
};

std::string number_type(const OrderedJson& node) {
  std::string range;
  const auto limit = [&](const char* key, const char* sign) {
    if (node.contains(key)) range += (range.empty() ? " " : ", ") + std::string(sign) + " " + number_text(node[key].get<double>());
  };
  limit("exclusiveMinimum", ">");
  limit("minimum", ">=");
  limit("exclusiveMaximum", "<");
  limit("maximum", "<=");
  return (node["type"] == "integer" ? "whole number" : "number") + range;
}

std::string type_text(const OrderedJson& node) {
  if (node.contains("const")) return "\"" + node["const"].get<std::string>() + "\"";
  if (node.contains("$ref")) return node["$ref"].get<std::string>().substr(std::string("#/$defs/").size());
  if (node.contains("enum")) {
    std::vector<std::string> names = node["enum"].get<std::vector<std::string>>();
    return quoted_list(names);
  }
  if (node.contains("anyOf")) {  // a value, or keys in time, or a word
    const OrderedJson& other = node["anyOf"][1];
    return type_text(node["anyOf"][0]) + (other.contains("const") ? " or \"auto\"" : ", animatable");
  }
  const std::string type = node.value("type", "");
  if (type == "number" || type == "integer") return number_type(node);
  if (type == "array" && node.value("maxItems", 0) == 3) return "3 x " + type_text(node["items"]);
  if (type == "array") return "list of " + type_text(node["items"]);
  if (type == "object" && node["additionalProperties"].is_object())
    return "object of " + type_text(node["additionalProperties"]) + " by name";
  if (type == "boolean") return "true or false";
  return type;
}

std::vector<Row> rows_of(const OrderedJson& object) {
  std::vector<Row> rows;
  const OrderedJson required = object.value("required", OrderedJson::array());
  for (const auto& item : object["properties"].items()) {
    const OrderedJson& node = item.value();
    if (item.key() == "type" && node.contains("const")) continue;
    std::string standard;
    if (std::find(required.begin(), required.end(), item.key()) != required.end()) standard = "required";
    else if (node.contains("default")) standard = node["default"].is_number_float() ? number_text(node["default"]) : node["default"].dump();
    rows.push_back({item.key(), type_text(node), standard, node.value("x-unit", ""), node.value("description", "")});
  }
  return rows;
}

std::string plain_rows(const std::vector<Row>& rows) {
  std::string text;
  for (const Row& row : rows) {
    std::string line = "      " + row.key;
    line.resize(std::max<std::size_t>(line.size() + 1, 30), ' ');
    line += row.type + (row.unit.empty() ? "" : " [" + row.unit + "]");
    if (!row.standard.empty()) line += row.standard == "required" ? ", required" : ", default " + row.standard;
    text += line + "\n" + (row.text.empty() ? "" : std::string(30, ' ') + row.text + "\n");
  }
  return text;
}

std::string markdown_rows(const std::vector<Row>& rows) {
  if (rows.empty()) return "No parameters.\n";
  std::string text = "| key | value | unit | default | meaning |\n|---|---|---|---|---|\n";
  for (const Row& row : rows)
    text += "| `" + row.key + "` | " + row.type + " | " + row.unit + " | " + row.standard + " | " + row.text + " |\n";
  return text;
}

template <class... T> bool names_one_of(const std::string& name, std::type_identity<std::variant<T...>>) {
  return ((name == T::name) || ...);
}

// What the solvers of this version can do: the engine's own lists, and its solvers.
bool is_available(const std::string& name) {
  return names_one_of(name, std::type_identity<ElasticLaw>{}) || names_one_of(name, std::type_identity<FlowLaw>{}) ||
         name == StandardMaterial::name || name == GeneralizedMaterial::name || name == MpmSolver::name || name == SphSolver::name;
}

std::string plain_alternatives(const OrderedJson& schema, const std::string& definition) {
  std::string text = definition + "\n";
  for (const OrderedJson& alternative : schema["$defs"][definition]["oneOf"]) {
    const std::string name = alternative["title"];
    text += "  " + name + (is_available(name) ? "" : "  (not in this version)") + "\n      " +
            alternative["description"].get<std::string>() + "\n";
    text += plain_rows(rows_of(alternative)) + "\n";
  }
  return text;
}

OrderedJson json_alternatives(const OrderedJson& schema, const std::string& definition) {
  OrderedJson list = OrderedJson::array();
  for (const OrderedJson& alternative : schema["$defs"][definition]["oneOf"]) {
    OrderedJson parameters = OrderedJson::array();
    for (const Row& row : rows_of(alternative)) {
      OrderedJson node = alternative["properties"][row.key];
      parameters.push_back(OrderedJson::object(
          {{"name", row.key}, {"unit", row.unit}, {"required", row.standard == "required"}, {"text", row.text}, {"schema", node}}));
    }
    const std::string name = alternative["title"];
    list.push_back(OrderedJson::object(
        {{"name", name}, {"text", alternative["description"]}, {"available", is_available(name)}, {"parameters", parameters}}));
  }
  return list;
}

}  // namespace

std::string materials_table() {
  const OrderedJson schema = scene_schema_json();
  std::string text =
      plain_alternatives(schema, "material") + plain_alternatives(schema, "elasticity") + plain_alternatives(schema, "plasticity");
  text += "viscoelasticity\n" + plain_rows(rows_of(schema["$defs"]["viscoelasticity"]));
  text +=
      "\nModuli: any one complete pair of youngs_modulus + poisson_ratio, shear_modulus + bulk_modulus, or mu + lambda.\n"
      "Animatable: a number, or { \"keys\": [[time, value], ...], \"interpolation\": \"linear\" | \"smooth\" | \"step\" }.\n";
  return text;
}

std::string solvers_table() {
  const OrderedJson schema = scene_schema_json();
  std::string text = plain_alternatives(schema, "solver") + "transfer (of mpm)\n" + plain_rows(rows_of(schema["$defs"]["transfer"]));
  std::string laws[2];
  const char* definitions[2] = {"elasticity", "plasticity"};
  for (int i = 0; i < 2; ++i)
    for (const OrderedJson& alternative : schema["$defs"][definitions[i]]["oneOf"])
      if (is_available(alternative["title"])) laws[i] += (laws[i].empty() ? "" : ", ") + alternative["title"].get<std::string>();
  return text + "\nmpm can do\n  elasticity: " + laws[0] + "\n  plasticity: " + laws[1] +
         "\n  viscosity, pinned parts, emitters, fields, periodic domains\n";
}

std::string materials_json() {
  const OrderedJson schema = scene_schema_json();
  return OrderedJson::object({{"material", json_alternatives(schema, "material")},
                              {"elasticity", json_alternatives(schema, "elasticity")},
                              {"plasticity", json_alternatives(schema, "plasticity")}})
             .dump(2) +
         "\n";
}

std::string solvers_json() { return OrderedJson::object({{"solver", json_alternatives(scene_schema_json(), "solver")}}).dump(2) + "\n"; }

std::string scene_markdown() {
  const OrderedJson schema = scene_schema_json();
  std::string text = "### scene\n\n" + markdown_rows(rows_of(schema)) + "\n";
  for (const auto& item : schema["$defs"].items()) {
    text += "### " + item.key() + "\n\n";
    if (!item.value().contains("oneOf") || item.value().contains("properties")) {
      text += markdown_rows(rows_of(item.value())) + "\n";
      continue;
    }
    for (const OrderedJson& alternative : item.value()["oneOf"])
      text += "**`" + alternative["title"].get<std::string>() + "`**: " + alternative["description"].get<std::string>() + "\n\n" +
              markdown_rows(rows_of(alternative)) + "\n";
  }
  return text;
}

}  // namespace knead
