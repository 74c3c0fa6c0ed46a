// The few columns of a frame that the viewer needs, read without the others where the format allows it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "frames/run_frames.h"
#include "viewer/large_bytes.h"

namespace knead::viewer {

inline constexpr std::uint16_t no_body = 65535;  // of a particle without a finite position, or with a body that cannot be

// x, y, z [m] and the value of the attribute, 0 when none is asked for: one register.
typedef float FrameRow __attribute__((vector_size(16)));

struct RowRange {
  FrameRow low, high;  // of the finite numbers; low > high where there are none
};

struct FrameColumns {
  int index = 0;
  double time = 0;  // [s]
  std::size_t count = 0;
  bool has_values = false;
  LargeVector<FrameRow> rows;
  LargeVector<std::uint16_t> bodies;
  RowRange range{};
  std::uint16_t last_body = 0;  // beside no_body
  std::uint32_t hidden = 0;     // particles without a finite position; their rows are 0
};

FrameColumns read_columns(const FrameFile& file, const std::string& attribute);

struct Attribute;

// The value of an attribute in one row of a PLY frame.
float scalar_of_row(const Frame& layout, const Attribute& attribute, const std::byte* row);

}  // namespace knead::viewer
