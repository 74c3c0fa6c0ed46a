// How the visitors of `describe` tell the kinds of fields apart. Internal to this room.
#pragma once
#include <array>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/parameters.h"
#include "geometry/shapes.h"
#include "math/animated.h"
#include "math/vec.h"

namespace knead {

template <class T> struct IsOptional : std::false_type {};
template <class T> struct IsOptional<std::optional<T>> : std::true_type {};
template <class T> struct IsVector : std::false_type {};
template <class T> struct IsVector<std::vector<T>> : std::true_type {};
template <class T> struct IsMap : std::false_type {};
template <class T> struct IsMap<std::map<std::string, T>> : std::true_type {};
template <class T> struct IsAnimated : std::false_type {};
template <class T> struct IsAnimated<Animated<T>> : std::true_type {};
template <class T> struct IsVariant : std::false_type {};
template <class... T> struct IsVariant<std::variant<T...>> : std::true_type {};

struct AnyVisitor {
  template <class T> void operator()(const char*, T&, const ParameterInfo& = {}) {}
  template <class T> void moduli(T&, bool = false) {}
};
template <class T>
concept Described = requires(T& value, AnyVisitor& visit) {
  value.describe(visit);
};

// What a shape has beside the keys of its kind.
template <class Visitor> void describe_shape_extras(Visitor& visit, ShapeSpec& shape) {
  visit("transform", shape.transform, {.text = "Moves, turns and scales the shape."});
}

// The first alternative of a variant with this mark is meant when `type` is absent.
template <class T>
concept TypeOptional = requires {
  requires T::type_optional;
};

template <class Enum> std::vector<std::string> names_of_enum() {
  const auto names = enum_names(Enum{});
  return {names.begin(), names.end()};
}

}  // namespace knead
