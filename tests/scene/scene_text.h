// Scenes as text for the tests of this room.
#pragma once
#include <string>
#include <vector>

#include "base/error.h"
#include "scene/description.h"

// The sample scene of the documentation.
inline const std::string sand_column = R"({
  "knead": 1,
  "name": "sand column",
  "duration": 1.0,                       // seconds
  "fps": 24,
  "gravity": [0, -9.81, 0],
  "seed": 1,
  "precision": "single",                 /* or
                                            "double" */
  "domain": { "min": [0,0,0], "max": [1,1,0.04], "periodic": [false,false,true], "outside": "delete" },
  "solver": { "type": "mpm", "integrator": "explicit", "dx": 0.01, "dt": "auto" },
  "materials": {
    "sand": {
      "density": 1600,
      "elasticity": { "type": "hencky", "youngs_modulus": 1e6, "poisson_ratio": 0.3 },
      "plasticity": { "type": "drucker_prager", "friction_angle": 32 }
    }
  },
  "bodies": [
    { "name": "column", "material": "sand",
      "shape": { "type": "box", "min": [0,0,0], "max": [0.1,0.2,0.1] },
      "sampling": { "method": "grid", "per_cell": 8 },
      "velocity": [0,0,0] }
  ],
  "colliders": [
    { "name": "floor", "shape": { "type": "plane", "point": [0,0,0], "normal": [0,1,0] }, "contact": "sticky" }
  ],
  "probes": [ { "name": "front", "type": "bounds", "body": "column" } ],
  "output": { "formats": ["ply"] }
})";

// The sample with one piece of its text replaced by another.
inline std::string changed(const std::string& from, const std::string& to) {
  std::string text = sand_column;
  const auto at = text.find(from);
  if (at == std::string::npos) throw std::logic_error("the sample has no " + from);
  return text.replace(at, from.size(), to);
}

// What is wrong with a scene; empty when nothing is.
inline std::string error_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  try {
    knead::read_scene(text, "scene.json", overrides);
  } catch (const knead::InputError& error) {
    return error.what();
  }
  return "";
}
