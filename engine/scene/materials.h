// Materials as a scene describes them: the laws of the engine, and those that the format knows but no solver does yet.
#pragma once
#include <optional>
#include <string>
#include <variant>

#include "base/parameters.h"
#include "materials/material.h"

namespace knead {

struct LinearElasticity {
  static constexpr const char* name = "linear";
  static constexpr const char* text = "Corotated linear elasticity: small strains, any rotation.";
  Moduli moduli;

  template <class Visitor> void describe(Visitor& visit) { visit.moduli(moduli); }
};

struct HerschelBulkley {
  static constexpr const char* name = "herschel_bulkley";
  static constexpr const char* text = "Foam, paste, mud: above the yield stress it flows like a shear-thinning or shear-thickening fluid.";
  double yield_stress = 0;  // uniaxial [Pa]
  double consistency = 0;   // [Pa s^n]
  double power = 1;         // n

  template <class Visitor> void describe(Visitor& visit) {
    visit("yield_stress", yield_stress,
          {.unit = "Pa",
           .minimum = 0,
           .required = true,
           .animatable = true,
           .text = "Stress in uniaxial tension at which the material yields."});
    visit("consistency", consistency,
          {.unit = "Pa s^n",
           .minimum = 0,
           .required = true,
           .animatable = true,
           .text = "k of tau = yield_stress / sqrt(3) + k rate^n in simple shear."});
    visit("power", power, {.maximum = 4, .above = 0, .text = "n of the same law; below 1 it thins with the rate."});
  }
};

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
using ElasticitySpec = Extended<ElasticLaw, LinearElasticity>::type;
using PlasticitySpec = Extended<FlowLaw, HerschelBulkley, PlasticFlow>::type;

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

struct GeneralizedMaterial {
  static constexpr const char* name = "generalized";
  static constexpr const char* text =
      "One law from elastic solid to viscoplastic fluid: elastic (i) and relaxing (d) branches, flow and limits.";
  double density = 0;                                                                       // at rest [kg/m^3]
  double bulk_modulus_i = 0, shear_modulus_i = 0, bulk_modulus_d = 0, shear_modulus_d = 0;  // [Pa]
  double viscosity = 0;                                                                     // [Pa s]
  double yield_stress = 0;                                                                  // uniaxial [Pa]
  double consistency = 0;                                                                   // [Pa s^n]
  double power = 1;
  double hardening = 0;
  std::optional<double> stretch_limit, compression_limit;

  template <class Visitor> void describe(Visitor& visit) {
    const ParameterInfo modulus{.unit = "Pa", .minimum = 0, .animatable = true};
    auto with_text = [](ParameterInfo info, const char* words) { return info.text = words, info; };
    visit("density", density, {.unit = "kg/m^3", .above = 0, .required = true, .text = "Mass per volume at rest."});
    visit("bulk_modulus_i", bulk_modulus_i, with_text(modulus, "Bulk modulus of the elastic branch."));
    visit("shear_modulus_i", shear_modulus_i, with_text(modulus, "Shear modulus of the elastic branch."));
    visit("bulk_modulus_d", bulk_modulus_d, with_text(modulus, "Bulk modulus of the relaxing branch."));
    visit("shear_modulus_d", shear_modulus_d, with_text(modulus, "Shear modulus of the relaxing branch."));
    visit("viscosity", viscosity, {.unit = "Pa s", .minimum = 0, .animatable = true, .text = "Newtonian dynamic viscosity."});
    visit("yield_stress", yield_stress,
          {.unit = "Pa", .minimum = 0, .animatable = true, .text = "Stress in uniaxial tension at which the material yields."});
    visit("consistency", consistency,
          {.unit = "Pa s^n", .minimum = 0, .animatable = true, .text = "k of tau = yield_stress / sqrt(3) + k rate^n in simple shear."});
    visit("power", power, {.maximum = 4, .above = 0, .text = "n of the same law."});
    visit("hardening", hardening, {.text = "Growth of the yield stress with the plastic strain, relative to it."});
    visit("stretch_limit", stretch_limit, {.above = 1, .text = "Largest elastic stretch."});
    visit("compression_limit", compression_limit, {.above = 0, .below = 1, .text = "Smallest elastic stretch."});
  }
};

using MaterialSpec = std::variant<StandardMaterial, GeneralizedMaterial>;

}  // namespace knead
