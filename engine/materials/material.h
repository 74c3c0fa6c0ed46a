// A material: density, one elastic law, one flow law, viscosity, a viscoelastic branch; or density, viscosity and the generalized law.
// The two lists below name every law there is.
#pragma once
#include <optional>
#include <string>
#include <variant>

#include "materials/drucker_prager.h"
#include "materials/eos.h"
#include "materials/fixed_corotated.h"
#include "materials/generalized.h"
#include "materials/hencky.h"
#include "materials/herschel_bulkley.h"
#include "materials/linear.h"
#include "materials/neo_hookean.h"
#include "materials/no_flow.h"
#include "materials/snow.h"
#include "materials/stvk.h"
#include "materials/viscoelastic.h"
#include "materials/von_mises.h"

namespace knead {

using ElasticLaw = std::variant<Hencky, FixedCorotated, NeoHookean, StVenantKirchhoff, Linear, Eos>;
using FlowLaw = std::variant<NoFlow, VonMises, DruckerPrager, Snow, HerschelBulkley>;

struct Material {
  std::string name{};
  double density = 1000;  // at rest [kg/m^3]
  ElasticLaw elasticity{};
  FlowLaw plasticity{};
  double viscosity = 0;  // Newtonian [Pa s]
  std::optional<Viscoelasticity> viscoelasticity{};
  std::optional<Generalized> generalized{};  // in the place of elasticity and plasticity
};

// Which pairs make sense: no flow goes with everything, snow with every solid, the Hencky return maps with Hencky alone.
template <class Elastic, class Flow> constexpr bool compatible() {
  if constexpr (std::is_same_v<Flow, NoFlow>) return true;
  else if constexpr (Elastic::is_fluid) return false;
  else return !Flow::needs_hencky || std::is_same_v<Elastic, Hencky>;
}

}  // namespace knead
