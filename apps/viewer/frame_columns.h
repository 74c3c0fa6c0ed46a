// The few columns of a frame that the viewer needs, read without the others where the format allows it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "frames/run_frames.h"

namespace knead::viewer {

struct FrameColumns {
  int index = 0;
  double time = 0;  // [s]
  std::size_t count = 0;
  std::vector<float> position;     // x, y, z of each particle [m]
  std::vector<float> value;        // empty when no attribute is asked for
  std::vector<std::int32_t> body;  // empty when the frame has none
};

FrameColumns read_columns(const FrameFile& file, const std::string& attribute);

struct Attribute;

// The value of an attribute in one row of a PLY frame.
float scalar_of_row(const Frame& layout, const Attribute& attribute, const std::byte* row);

}  // namespace knead::viewer
