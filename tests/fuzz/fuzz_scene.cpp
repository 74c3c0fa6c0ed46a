// Arbitrary bytes as a scene, and as an override of a good one: never a crash, a hang or a flood, only InputError.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "scene/description.h"

namespace {

const char* const good_scene = R"({
  "knead": 1, "duration": 1, "solver": { "type": "mpm", "dx": 0.1 },
  "materials": { "m": { "density": 1, "elasticity": { "type": "hencky", "mu": 1, "lambda": 1 } } },
  "bodies": [ { "name": "b", "material": "m", "shape": { "type": "sphere", "center": [0,0,0], "radius": 1 } } ]
})";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::string resolved;
  try {
    resolved = knead::read_scene(text, "scene.json").resolved;
  } catch (const knead::InputError&) {}
  if (!resolved.empty()) knead::read_scene(resolved, "resolved.json");  // what was accepted must be readable again
  try {
    knead::read_scene(good_scene, "scene.json", {text});
  } catch (const knead::InputError&) {}
  return 0;
}
