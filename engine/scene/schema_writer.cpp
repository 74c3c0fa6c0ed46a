#include "scene/schema_writer.h"

namespace knead {

OrderedJson number_schema(const char* type, const ParameterInfo& info) {
  OrderedJson node = OrderedJson::object({{"type", type}});
  const auto limit = [&](const char* key, double value) {
    if (std::isfinite(value)) node[key] = value;
  };
  limit("minimum", info.minimum);
  limit("maximum", info.maximum);
  limit("exclusiveMinimum", info.above);
  limit("exclusiveMaximum", info.below);
  return node;
}

OrderedJson keyed(const OrderedJson& constant) {
  const OrderedJson time = OrderedJson::object({{"type", "number"}});
  const OrderedJson pair = OrderedJson::object(
      {{"type", "array"}, {"prefixItems", OrderedJson::array({time, constant})}, {"items", false}, {"minItems", 2}, {"maxItems", 2}});
  const OrderedJson interpolation = OrderedJson::object({{"enum", names_of_enum<Interpolation>()}, {"default", "linear"}});
  const OrderedJson keys = OrderedJson::object({{"type", "array"}, {"items", pair}, {"minItems", 1}});
  const OrderedJson animated = OrderedJson::object({{"type", "object"},
                                                    {"properties", OrderedJson::object({{"keys", keys}, {"interpolation", interpolation}})},
                                                    {"required", OrderedJson::array({"keys"})},
                                                    {"additionalProperties", false}});
  return OrderedJson::object({{"anyOf", OrderedJson::array({constant, animated})}});
}

std::string definition_name(const std::string& key) {
  if (key.ends_with("bodies")) return key.substr(0, key.size() - 3) + "y";
  if (key == "pinned") return "pin";
  return key.ends_with("s") ? key.substr(0, key.size() - 1) : key;
}

void ObjectSchema::add_words(OrderedJson& node, const ParameterInfo& info) {
  if (*info.text) node["description"] = info.text;
  if (*info.unit) node["x-unit"] = info.unit;
}

void ObjectSchema::type(const char* name, bool required) {
  properties_["type"] = OrderedJson::object({{"const", name}});
  if (required) required_.push_back("type");
}

void ObjectSchema::moduli(Moduli&, bool may_vanish) {
  for (const auto& pair : moduli_pairs) {
    OrderedJson others = OrderedJson::object();
    for (const auto& other : moduli_pairs)
      for (const ModuliParameter& parameter : other)
        if (std::string(pair[0].key) != other[0].key) others[parameter.key] = false;
    one_of_.push_back(OrderedJson::object({{"required", OrderedJson::array({pair[0].key, pair[1].key})}, {"properties", others}}));
    for (const ModuliParameter& parameter : pair) {
      const ParameterInfo info = moduli_info(parameter, may_vanish);
      OrderedJson node = keyed(number_schema("number", info));
      add_words(node, info);
      properties_[parameter.key] = std::move(node);
    }
  }
}

OrderedJson ObjectSchema::finish() const {
  OrderedJson node = OrderedJson::object({{"type", "object"}, {"properties", properties_}});
  if (!required_.empty()) node["required"] = required_;
  node["additionalProperties"] = false;
  if (!one_of_.empty()) node["oneOf"] = one_of_;
  return node;
}

}  // namespace knead
