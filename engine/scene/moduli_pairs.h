// The three pairs of moduli that a scene may give, for reader and schema alike. Internal to this room.
#pragma once
#include <array>
#include <string>

#include "base/parameters.h"
#include "materials/moduli.h"

namespace knead {

struct ModuliParameter {
  const char* key;
  ParameterInfo info;
};

inline constexpr std::array<std::array<ModuliParameter, 2>, 3> moduli_pairs{{
    {{{"youngs_modulus", {.unit = "Pa", .above = 0, .animatable = true, .text = "Stiffness in uniaxial tension; with `poisson_ratio`."}},
      {"poisson_ratio",
       {.above = -1, .below = 0.5, .animatable = true, .text = "Lateral contraction over extension; with `youngs_modulus`."}}}},
    {{{"shear_modulus", {.unit = "Pa", .above = 0, .animatable = true, .text = "Stiffness in shear; with `bulk_modulus`."}},
      {"bulk_modulus",
       {.unit = "Pa", .above = 0, .animatable = true, .text = "Stiffness against change of volume; with `shear_modulus`."}}}},
    {{{"mu", {.unit = "Pa", .above = 0, .animatable = true, .text = "Second Lame parameter, the shear modulus; with `lambda`."}},
      {"lambda", {.unit = "Pa", .animatable = true, .text = "First Lame parameter; with `mu`."}}}},
}};

// Where a material may melt, all moduli may be zero together.
inline ParameterInfo moduli_info(const ModuliParameter& parameter, bool may_vanish) {
  ParameterInfo info = parameter.info;
  if (may_vanish && info.above == 0) info.above = ParameterInfo{}.above, info.minimum = 0;
  return info;
}

inline Moduli moduli_from_pair(std::size_t pair, double first, double second) {
  return pair == 0 ? Moduli::from_young(first, second) : pair == 1 ? Moduli::from_bulk(first, second) : Moduli{first, second};
}

inline std::string moduli_text() {
  return "one pair of \"youngs_modulus\" [Pa] and \"poisson_ratio\", \"shear_modulus\" and \"bulk_modulus\" [Pa], or \"mu\" and \"lambda\" [Pa]";
}

}  // namespace knead
