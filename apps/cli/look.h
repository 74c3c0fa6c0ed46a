// How the bodies and colliders of a scene look in pictures.
#pragma once
#include <vector>

#include "render/picture.h"
#include "scene/run_folder.h"

namespace knead::cli {

struct BodyLook {
  Finish finish;
  double spacing = 0;   // between particles at rest [m]
  float radius = 0;     // of a particle [m]
  float variation = 0;  // of colour and size from particle to particle: grains
};

// By material: fluids are water, or honey when viscous; Drucker-Prager is sand, snow is snow, von Mises is metal when stiff and clay when
// soft, all else is rubber. Bodies that share a material take turns in its palette; `color` in the scene wins. `size` [m] is that
// of the motion: clear liquids take their colour over a part of it.
std::vector<BodyLook> looks_of(const SceneSpec& scene, double size);

Finish collider_finish(const ColliderSpec& collider);
Finish rigid_finish(const RigidBodySpec& body, std::size_t index);  // colours take turns

}  // namespace knead::cli
