// The particles of a frame body by body, for formats that hold one object per body.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "frames/frame.h"

namespace knead {

struct BodyParticles {
  std::string name;        // as in the scene
  std::string identifier;  // letters, digits and '_', not beginning with a digit; no two are the same
  float spacing = 0;       // between particles at rest [m], estimated where the frame does not say; > 0
  std::vector<std::uint32_t> particles;
};

// Bodies without particles are there too, so that every frame of a run has the same objects.
std::vector<BodyParticles> by_body(const Frame& frame);

// The frame rate that a frame's index and time tell, to 9 digits; 24 at time 0, which does not tell.
double frame_rate(const Frame& frame);

}  // namespace knead
