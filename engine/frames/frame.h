// A Frame: a copy of what a run shows at one time, as named columns of 32-bit values, independent of State.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace knead {

struct FrameColumn {
  std::string name;  // position, velocity, id, body, density, J, pressure, von_mises, plastic_strain, F, stress, C, ...
  int components = 1;
  std::vector<float> floats;  // interleaved: floats[particle * components + component]
  std::vector<std::int32_t> ints;
  bool is_integer = false;
};

struct Frame {
  int index = 0;
  double time = 0;  // [s]
  std::size_t count = 0;
  std::vector<std::string> body_names;
  std::vector<float> body_spacings;  // between particles at rest [m]; by capture() alone: files of frames do not hold it
  std::vector<FrameColumn> columns;  // particles in the order of their id
  const FrameColumn* find(const std::string& name) const;
};

// "frame_000042.ply"
std::string numbered_frame(int index, const std::string& extension);

}  // namespace knead
