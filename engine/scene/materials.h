// Materials as a scene describes them: the laws of the engine, and those that the format knows but no solver does yet.
#pragma once
#include <optional>
#include <string>
#include <variant>

#include "base/parameters.h"
#include "materials/material.h"

namespace knead {

struct PlasticFlow {
  static constexpr const char* name = "flow";
  static constexpr const char* text = "Multiplicative plastic flow: above the yield stress the rest shape follows at a rate.";
  double yield_stress = 0;  // uniaxial [Pa]
  double flow_rate = 1;     // [1/s]
  double hardening = 0;     // [-]

  template <class Visitor> void describe(Visitor& visit) {
    visit("yield_stress", yield_stress,
          {.unit = "Pa",
           .minimum = 0,
           .required = true,
           .animatable = true,
           .text = "Stress in uniaxial tension at which the material yields."});
    visit(
        "flow_rate", flow_rate,
        {.unit = "1/s", .minimum = 0, .required = true, .animatable = true, .text = "How fast the excess over the yield stress relaxes."});
    visit("hardening", hardening, {.minimum = 0, .text = "Growth of the yield stress with the plastic strain, relative to it."});
  }
};

template <class Variant, class... More> struct Extended;
template <class... T, class... More> struct Extended<std::variant<T...>, More...> { using type = std::variant<T..., More...>; };
using ElasticitySpec = ElasticLaw;
using PlasticitySpec = Extended<FlowLaw, PlasticFlow>::type;

struct StandardMaterial {
  static constexpr const char* name = "standard";
  static constexpr const char* text = "An elastic law, and what else is given: plasticity, viscosity, viscoelasticity.";
  static constexpr bool type_optional = true;
  double density = 0;  // at rest [kg/m^3]
  std::optional<ElasticitySpec> elasticity;
  std::optional<PlasticitySpec> plasticity;
  double viscosity = 0;  // Newtonian [Pa s]
  std::optional<Viscoelasticity> viscoelasticity;

  template <class Visitor> void describe(Visitor& visit) {
    visit("density", density, {.unit = "kg/m^3", .above = 0, .required = true, .text = "Mass per volume at rest."});
    visit("elasticity", elasticity, {.text = "How the material resists deformation."});
    visit("plasticity", plasticity, {.text = "When and how it deforms for good."});
    visit("viscosity", viscosity,
          {.unit = "Pa s", .minimum = 0, .animatable = true, .text = "Newtonian dynamic viscosity: shear stress over shear rate."});
    visit("viscoelasticity", viscoelasticity, {.text = "A second elastic branch whose stress relaxes."});
  }
};

struct GeneralizedMaterial : Generalized {
  static constexpr const char* name = "generalized";
  static constexpr const char* text =
      "One law from water over honey, rubber and paste to snow: an elastic branch (i) with limits, a flowing branch (d), viscosity.";
  double density = 0;    // at rest [kg/m^3]
  double viscosity = 0;  // Newtonian [Pa s]

  template <class Visitor> void describe(Visitor& visit) {
    visit("density", density, {.unit = "kg/m^3", .above = 0, .required = true, .text = "Mass per volume at rest."});
    Generalized::describe(visit);
    visit("viscosity", viscosity,
          {.unit = "Pa s", .minimum = 0, .animatable = true, .text = "Newtonian dynamic viscosity: shear stress over shear rate."});
  }
};

using MaterialSpec = std::variant<StandardMaterial, GeneralizedMaterial>;

}  // namespace knead
