// Described structs to JSON and to JSON Schema. Internal to this room.
#pragma once
#include <cmath>
#include <nlohmann/json.hpp>
#include <typeindex>

#include "scene/description.h"
#include "scene/moduli_pairs.h"
#include "scene/source.h"
#include "scene/traits.h"

namespace knead {

using OrderedJson = nlohmann::ordered_json;  // keys in the order of describe

// ---- values ----

template <class T> OrderedJson to_json(T& value);

struct JsonWriter {
  OrderedJson object = OrderedJson::object();
  template <class T> void operator()(const char* key, T& value, const ParameterInfo& = {}) {
    OrderedJson json = to_json(value);
    if (!json.is_null()) object[key] = std::move(json);
  }
  void moduli(Moduli&, bool = false) {}  // there is no default, and several ways to say what was given
};

// Null for what the file would not mention: absent options, infinite numbers, unnamed things.
template <class T> OrderedJson to_json(T& value) {
  if constexpr (IsOptional<T>::value) {
    return value ? to_json(*value) : OrderedJson();
  } else if constexpr (IsAnimated<T>::value) {
    if (value.constant()) return to_json(value.keys.front().second);
    OrderedJson keys = OrderedJson::array();
    for (auto& [time, v] : value.keys) keys.push_back(OrderedJson::array({time, to_json(v)}));
    return OrderedJson::object({{"keys", keys}, {"interpolation", to_json(value.interpolation)}});
  } else if constexpr (IsVector<T>::value) {
    OrderedJson list = OrderedJson::array();
    for (auto& element : value) list.push_back(to_json(element));
    return list;
  } else if constexpr (IsMap<T>::value) {
    OrderedJson object = OrderedJson::object();
    for (auto& [key, element] : value) object[key] = to_json(element);
    return object;
  } else if constexpr (IsVariant<T>::value) {
    return std::visit(
        [](auto& alternative) {
          JsonWriter members;
          alternative.describe(members);
          members.object["type"] = std::remove_reference_t<decltype(alternative)>::name;
          return members.object;
        },
        value);
  } else if constexpr (std::is_same_v<T, ShapeSpec>) {
    OrderedJson json = to_json(value.kind);
    if (value.transform) json["transform"] = to_json(*value.transform);
    return json;
  } else if constexpr (std::is_enum_v<T>) {
    return names_of_enum<T>()[static_cast<std::size_t>(value)];
  } else if constexpr (Described<T>) {
    JsonWriter members;
    value.describe(members);
    return members.object;
  } else if constexpr (std::is_same_v<T, Vec3d>) {
    return OrderedJson::array({value.x, value.y, value.z});
  } else if constexpr (std::is_same_v<T, AutoOrNumber>) {
    return value.number ? OrderedJson(*value.number) : OrderedJson("auto");
  } else if constexpr (std::is_same_v<T, double>) {
    return std::isfinite(value) ? OrderedJson(value) : OrderedJson();
  } else if constexpr (std::is_same_v<T, std::string>) {
    return value.empty() ? OrderedJson() : OrderedJson(value);
  } else {
    return OrderedJson(value);
  }
}

// ---- schema ----

// Definitions that are referred to by name: what is used in several places, and shapes, which contain shapes.
struct SchemaContext {
  OrderedJson definitions = OrderedJson::object();
  std::map<std::type_index, std::string> names;
};

template <class T> OrderedJson schema_of(SchemaContext& context, const ParameterInfo& info, const char* key);

class ObjectSchema {
 public:
  explicit ObjectSchema(SchemaContext& context) : context_(context) {}
  template <class T> void operator()(const char* key, T& value, const ParameterInfo& info = {}) {
    OrderedJson node = schema_of<T>(context_, info, key);
    add_words(node, info);
    OrderedJson standard = to_json(value);
    if (!info.required && !standard.is_null() && !standard.is_structured()) node["default"] = std::move(standard);
    else if (!info.required && standard.is_array() && !standard.empty()) node["default"] = std::move(standard);
    properties_[key] = std::move(node);
    if (info.required) required_.push_back(key);
  }
  void moduli(Moduli&, bool may_vanish = false);
  void type(const char* name, bool required);
  OrderedJson finish() const;
  static void add_words(OrderedJson& node, const ParameterInfo& info);

 private:
  SchemaContext& context_;
  OrderedJson properties_ = OrderedJson::object(), required_ = OrderedJson::array(), one_of_ = OrderedJson::array();
};

OrderedJson number_schema(const char* type, const ParameterInfo& info);
OrderedJson keyed(const OrderedJson& constant);  // the value, or keys in time
std::string definition_name(const std::string& key);

template <class T> OrderedJson alternative_schema(SchemaContext& context, bool with_transform, bool type_required) {
  ObjectSchema members(context);
  members.type(T::name, type_required);
  T value;
  value.describe(members);
  if (with_transform) {
    ShapeSpec spec;
    describe_shape_extras(members, spec);
  }
  OrderedJson node = members.finish();
  node["title"] = T::name;
  node["description"] = T::text;
  return node;
}

template <class... T> OrderedJson variant_schema(SchemaContext& context, std::type_identity<std::variant<T...>>, bool with_transform) {
  using First = std::variant_alternative_t<0, std::variant<T...>>;
  OrderedJson list = OrderedJson::array();
  (list.push_back(alternative_schema<T>(context, with_transform, !(std::is_same_v<T, First> && TypeOptional<T>))), ...);
  return OrderedJson::object({{"oneOf", list}});
}

// A reference to the definition of T, which is made on the first call.
template <class T, class Make> OrderedJson reference(SchemaContext& context, const std::string& name, Make make) {
  const auto [entry, is_new] = context.names.try_emplace(std::type_index(typeid(T)), name);
  if (is_new) {
    while (context.definitions.contains(entry->second)) entry->second += "_2";
    context.definitions[entry->second] = nullptr;  // keeps its place while it refers to others, or to itself
    OrderedJson definition = make();
    context.definitions[entry->second] = std::move(definition);
  }
  return OrderedJson::object({{"$ref", "#/$defs/" + entry->second}});
}

template <class T> OrderedJson schema_of(SchemaContext& context, const ParameterInfo& info, const char* key) {
  if constexpr (IsOptional<T>::value) {
    return schema_of<typename T::value_type>(context, info, key);
  } else if constexpr (IsAnimated<T>::value) {
    ParameterInfo animatable = info;
    animatable.animatable = true;
    return schema_of<decltype(T{}.at(0))>(context, animatable, key);
  } else if constexpr (IsVector<T>::value) {
    return OrderedJson::object({{"type", "array"}, {"items", schema_of<typename T::value_type>(context, info, key)}});
  } else if constexpr (IsMap<T>::value) {
    return OrderedJson::object({{"type", "object"}, {"additionalProperties", schema_of<typename T::mapped_type>(context, info, key)}});
  } else if constexpr (std::is_same_v<T, ShapeSpec>) {
    return reference<T>(context, "shape", [&] { return variant_schema(context, std::type_identity<ShapeKind>{}, true); });
  } else if constexpr (IsVariant<T>::value) {
    return reference<T>(context, definition_name(key), [&] { return variant_schema(context, std::type_identity<T>{}, false); });
  } else if constexpr (std::is_enum_v<T>) {
    return OrderedJson::object({{"enum", names_of_enum<T>()}});
  } else if constexpr (Described<T>) {
    std::string name = definition_name(key);
    if constexpr (requires { T::definition; }) name = T::definition;  // where the key means something else elsewhere
    return reference<T>(context, name, [&] {
      ObjectSchema members(context);
      T value;
      value.describe(members);
      return members.finish();
    });
  } else if constexpr (std::is_same_v<T, std::array<bool, 3>>) {
    return OrderedJson::object({{"type", "array"}, {"items", {{"type", "boolean"}}}, {"minItems", 3}, {"maxItems", 3}});
  } else if constexpr (std::is_same_v<T, Vec3d>) {
    const OrderedJson vector =
        OrderedJson::object({{"type", "array"}, {"items", number_schema("number", info)}, {"minItems", 3}, {"maxItems", 3}});
    return info.animatable ? keyed(vector) : vector;
  } else if constexpr (std::is_same_v<T, AutoOrNumber>) {
    return OrderedJson::object({{"anyOf", OrderedJson::array({number_schema("number", info), {{"const", "auto"}}})}});
  } else if constexpr (std::is_same_v<T, double>) {
    return info.animatable ? keyed(number_schema("number", info)) : number_schema("number", info);
  } else if constexpr (std::is_same_v<T, int>) {
    return number_schema("integer", info);
  } else if constexpr (std::is_same_v<T, bool>) {
    return OrderedJson::object({{"type", "boolean"}});
  } else {
    static_assert(std::is_same_v<T, std::string>);
    return OrderedJson::object({{"type", "string"}});
  }
}

OrderedJson scene_schema_json();  // of the whole scene file

}  // namespace knead
