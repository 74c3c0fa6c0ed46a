// Moduli of the bodies now, as linear elasticity in a rotated frame takes them. A fluid has none.
#pragma once
#include <vector>

#include "materials/moduli.h"
#include "world/world.h"

namespace knead {

inline Moduli solid_moduli(const Material& material) {
  return std::visit(
      [](const auto& law) -> Moduli {
        if constexpr (requires { law.moduli; }) return law.moduli;
        else return {};
      },
      material.elasticity);
}

inline std::vector<Moduli> body_moduli(const World& world) {
  std::vector<Moduli> moduli;
  for (const Body& body : world.bodies) moduli.push_back(solid_moduli(world.materials[static_cast<std::size_t>(body.material)]));
  return moduli;
}

}  // namespace knead
