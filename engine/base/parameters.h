// How a parameter struct describes itself, once: the parser, the JSON Schema, `knead materials` and the docs all read it.
//
//   struct VonMises {
//     static constexpr const char* name = "von_mises";              // the `type` in the scene file
//     static constexpr const char* text = "Metal plasticity: ...";
//     double yield_stress = 1e4;                                     // [Pa]
//     template <class Visitor> void describe(Visitor& visit) {
//       visit("yield_stress", yield_stress, {.unit = "Pa", .above = 0, .required = true, .text = "..."});
//     }
//   };
//
// The default of a parameter is its value in a default-constructed struct. A visitor accepts: bool, int, double, AutoOrNumber, std::string,
// Vec3d, std::array<bool, 3>, enums with an `enum_names` overload, Animated<double>, Animated<Vec3d>, std::optional<T>,
// std::vector<T>, other described structs, and std::variant of described structs (told apart by the key `type`).
#pragma once
#include <limits>
#include <optional>

namespace knead {

struct ParameterInfo {
  const char* unit = "";
  double minimum = -std::numeric_limits<double>::infinity();  // smallest accepted value
  double maximum = std::numeric_limits<double>::infinity();   // largest accepted value
  double above = -std::numeric_limits<double>::infinity();    // accepted values are strictly greater
  double below = std::numeric_limits<double>::infinity();     // accepted values are strictly smaller
  bool required = false;
  bool animatable = false;  // may be given as keys in time (materials; Animated<T> fields always may)
  const char* text = "";
};

// A number, or the word "auto".
struct AutoOrNumber {
  std::optional<double> number;
};

}  // namespace knead
