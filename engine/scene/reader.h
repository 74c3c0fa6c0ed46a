// JSON to described structs: the visitor that checks types, ranges and names on the way. Internal to this room.
#pragma once
#include <algorithm>
#include <nlohmann/json.hpp>

#include "materials/moduli.h"
#include "scene/description.h"
#include "scene/source.h"
#include "scene/traits.h"

namespace knead {

struct ReadContext {
  Errors& errors;
  Path path = {};
  std::vector<std::pair<Path, Animated<double>>>* animations = nullptr;  // collects animated parameters, where asked for

  void fail(const std::string& message) const { errors.add(path, message); }
};

// One step down the path for as long as it lives.
class PathPart {
 public:
  PathPart(ReadContext& context, std::string part) : context_(context) { context.path.push_back(std::move(part)); }
  ~PathPart() { context_.path.pop_back(); }
  PathPart(const PathPart&) = delete;
  PathPart& operator=(const PathPart&) = delete;

 private:
  ReadContext& context_;
};

// What would be accepted, in words: "a number greater than 0 [Pa]".
std::string number_range_text(const std::string& noun, const ParameterInfo& info);
std::string one_of_text(const std::vector<std::string>& names);

void fail_type(ReadContext& context, const Json& json, const std::string& expected);
void fail_name(ReadContext& context, const Json& json, const std::vector<std::string>& accepted);
bool within(double value, const ParameterInfo& info);

void read(ReadContext& context, const Json& json, bool& value, const ParameterInfo& info);
void read(ReadContext& context, const Json& json, int& value, const ParameterInfo& info);
void read(ReadContext& context, const Json& json, double& value, const ParameterInfo& info);
void read(ReadContext& context, const Json& json, std::string& value, const ParameterInfo& info);
void read(ReadContext& context, const Json& json, Vec3d& value, const ParameterInfo& info);
void read(ReadContext& context, const Json& json, std::array<bool, 3>& value, const ParameterInfo& info);
void read(ReadContext& context, const Json& json, AutoOrNumber& value, const ParameterInfo& info);

// The keys of one object. Call describe() with it, then finish().
class ObjectReader {
 public:
  ObjectReader(ReadContext& context, const Json& object) : context_(context), object_(object) {}

  template <class T> void operator()(const char* key, T& value, const ParameterInfo& info = {});
  void moduli(Moduli& moduli, bool may_vanish = false);
  void also(const char* key) { known_.push_back({key, ""}); }  // a key that was read elsewhere
  void finish();                                               // unknown and missing keys

 private:
  struct Known {
    const char* key;
    const char* unit;
  };
  struct Missing {
    std::vector<std::string> keys;  // any of these would do
    std::string message;
  };
  ReadContext& context_;
  const Json& object_;
  std::vector<Known> known_;
  std::vector<Missing> missing_;
};

template <class T> void read_value(ReadContext& context, const Json& json, T& value, const ParameterInfo& info);

// ---- what is accepted, per type ----

template <class T> std::string expected_text(const ParameterInfo& info) {
  if constexpr (IsOptional<T>::value) return expected_text<typename T::value_type>(info);
  else if constexpr (std::is_same_v<T, bool>) return "true or false";
  else if constexpr (std::is_same_v<T, int>) return number_range_text("a whole number", info);
  else if constexpr (std::is_same_v<T, double> || std::is_same_v<T, Animated<double>>) return number_range_text("a number", info);
  else if constexpr (std::is_same_v<T, AutoOrNumber>) return number_range_text("\"auto\" or a number", info);
  else if constexpr (std::is_same_v<T, Vec3d> || std::is_same_v<T, Animated<Vec3d>>) return number_range_text("a list of 3 numbers", info);
  else if constexpr (std::is_same_v<T, std::array<bool, 3>>) return "a list of 3 times true or false";
  else if constexpr (std::is_same_v<T, std::string>) return "a string";
  else if constexpr (std::is_enum_v<T>) return one_of_text(names_of_enum<T>());
  else if constexpr (IsVector<T>::value) return "a list";
  else return "an object";
}

// ---- composite types ----

template <class T> void read_keys(ReadContext& context, const Json& json, Animated<T>& value, const ParameterInfo& info) {
  ObjectReader members(context, json);
  members("interpolation", value.interpolation, {});
  members.also("keys");
  members.finish();
  const auto keys = json.find("keys");
  if (keys == json.end())
    return context.fail("missing \"keys\"; " + expected_text<T>(info) + " or { \"keys\": [[time, value], ...] } is accepted");
  PathPart part(context, "keys");
  if (!keys->is_array() || keys->empty()) return fail_type(context, *keys, "a list of [time, value] pairs");
  value.keys.clear();
  for (std::size_t i = 0; i < keys->size(); ++i) {
    PathPart index(context, std::to_string(i));
    const Json& pair = (*keys)[i];
    if (!pair.is_array() || pair.size() != 2) return fail_type(context, pair, "a pair [time, value]");
    std::pair<double, T> key;
    ParameterInfo constant = info;
    constant.animatable = false;
    read_value(context, pair[0], key.first, {.unit = "s"});
    read_value(context, pair[1], key.second, constant);
    if (!value.keys.empty() && !(key.first > value.keys.back().first))
      return context.fail("the time " + number_text(key.first) + " does not come after " + number_text(value.keys.back().first) +
                          "; times must increase");
    value.keys.push_back(key);
  }
}

template <class T, class More> void read_alternative(ReadContext& context, const Json& json, T& value, More more) {
  ObjectReader members(context, json);
  members.also("type");
  value.describe(members);
  more(members);
  members.finish();
}

// `more` reads keys that stand beside those of the alternative.
template <class More, class... T> void read_variant(ReadContext& context, const Json& json, std::variant<T...>& value, More more) {
  if (!json.is_object()) return fail_type(context, json, "an object");
  using First = std::variant_alternative_t<0, std::variant<T...>>;
  const std::vector<std::string> names{T::name...};
  const auto type = json.find("type");
  if (type == json.end()) {
    if constexpr (TypeOptional<First>) return read_alternative(context, json, value.template emplace<First>(), more);
    PathPart part(context, "type");
    return context.fail("missing; " + one_of_text(names) + " is required");
  }
  bool found = false;
  const auto try_one = [&]<class Alternative>(std::type_identity<Alternative>) {
    if (found || !type->is_string() || type->template get_ref<const std::string&>() != Alternative::name) return;
    found = true;
    Alternative alternative;
    read_alternative(context, json, alternative, more);
    value = std::move(alternative);
  };
  (try_one(std::type_identity<T>{}), ...);
  if (found) return;
  PathPart part(context, "type");
  fail_name(context, *type, names);
}

template <class T> void read_list(ReadContext& context, const Json& json, std::vector<T>& value, const ParameterInfo& info) {
  if (!json.is_array()) return fail_type(context, json, "a list");
  value.clear();
  for (std::size_t i = 0; i < json.size() && !context.errors.full(); ++i) {
    PathPart part(context, std::to_string(i));
    read_value(context, json[i], value.emplace_back(), info);
  }
}

template <class T> void read_map(ReadContext& context, const Json& json, std::map<std::string, T>& value, const ParameterInfo& info) {
  if (!json.is_object()) return fail_type(context, json, "an object");
  for (const auto& item : json.items()) {
    if (context.errors.full()) return;
    PathPart part(context, item.key());
    read_value(context, item.value(), value[item.key()], info);
  }
}

template <class T> void read_enum(ReadContext& context, const Json& json, T& value) {
  const std::vector<std::string> names = names_of_enum<T>();
  for (std::size_t i = 0; i < names.size(); ++i)
    if (json.is_string() && json.get_ref<const std::string&>() == names[i]) {
      value = static_cast<T>(i);
      return;
    }
  fail_name(context, json, names);
}

template <class T> void read_value(ReadContext& context, const Json& json, T& value, const ParameterInfo& info) {
  if constexpr (IsOptional<T>::value) {
    read_value(context, json, value.emplace(), info);
  } else if constexpr (IsAnimated<T>::value) {
    if (json.is_object()) return read_keys(context, json, value, info);
    read_value(context, json, value.keys.front().second, info);
  } else if constexpr (IsVector<T>::value) {
    read_list(context, json, value, info);
  } else if constexpr (IsMap<T>::value) {
    read_map(context, json, value, info);
  } else if constexpr (IsVariant<T>::value) {
    read_variant(context, json, value, [](ObjectReader&) {});
  } else if constexpr (std::is_same_v<T, ShapeSpec>) {
    read_variant(context, json, value.kind, [&](ObjectReader& members) { describe_shape_extras(members, value); });
  } else if constexpr (std::is_enum_v<T>) {
    read_enum(context, json, value);
  } else if constexpr (Described<T>) {
    if (!json.is_object()) return fail_type(context, json, "an object");
    ObjectReader members(context, json);
    value.describe(members);
    members.finish();
  } else if constexpr (std::is_same_v<T, double>) {
    if (!info.animatable || !json.is_object()) return read(context, json, value, info);
    Animated<double> animated;
    read_keys(context, json, animated, info);
    value = animated.at(0);
    if (context.animations) context.animations->push_back({context.path, animated});
  } else {
    read(context, json, value, info);
  }
}

template <class T> void ObjectReader::operator()(const char* key, T& value, const ParameterInfo& info) {
  known_.push_back({key, info.unit});
  const auto member = object_.find(key);
  if (member == object_.end()) {
    if (info.required) missing_.push_back({{key}, "missing; " + expected_text<T>(info) + " is required"});
    return;
  }
  PathPart part(context_, key);
  read_value(context_, *member, value, info);
}

}  // namespace knead
