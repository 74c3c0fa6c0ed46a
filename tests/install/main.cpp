// What an outside program may do with an installed knead: include root-relative headers and link the rooms.
#include <cstdio>

#include "base/parameters.h"
#include "base/threads.h"
#include "math/vec.h"
#include "world/state.h"

int main() {
  knead::State state;
  state.add("position", knead::ScalarType::f32, 3);
  state.resize(2);
  state.column("position").set_value(1, 1, 0.5);

  const knead::Vec3d up{0, 1, 0};
  const bool linked = knead::thread_count() > 0 && state.column("position").value(1, 1) == 0.5;
  const bool computed = knead::dot(up, knead::cross(knead::Vec3d{0, 0, 1}, knead::Vec3d{1, 0, 0})) == 1;
  const bool described = knead::ParameterInfo{.unit = "Pa"}.required == false;
  std::printf("%s\n", linked && computed && described ? "knead is installed and works" : "wrong result");
  return linked && computed && described ? 0 : 1;
}
