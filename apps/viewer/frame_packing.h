// A frame as the page draws it: 9 bytes per particle, little-endian, ready for the graphics card.
//
//     0  "KVF2"
//     4  uint32  particles
//     8  int32   frame index
//    12  uint32  flags: 1 = floats instead of 16-bit numbers, 2 = bodies are 16-bit
//    16  double  time [s]
//    24  double  origin[3], extent[3] [m]; position = origin + extent * xyz
//    72  double  value at a = 0 and at a = 65534 / 65535
//    88  double  least and greatest value of the frame
//   104  double  1st and 99th percentile of the values, from a sample
//   120  uint32  particles without a finite position; their body is hidden_body
//   124  uint32  particles of the frame per particle here: 1, or 16 in a sample of it
//   128  per particle x, y, z, a: uint16 of 65535, or floats; a of a value that is not finite is 65535 of 65535, or 2
//    ..  per particle its body: uint8 or uint16
//
// The first 1/16 of the particles, 1/8, 1/4 and 1/2 are each an even sample of all: a coarse picture is the beginning of a fine one.
// 16 bits are used unless they would move a particle by more than 1/16 of the particle spacing.
#pragma once
#include <string>
#include <vector>

#include "frames/run_frames.h"
#include "viewer/large_bytes.h"

namespace knead::viewer {

inline constexpr std::size_t packed_header_bytes = 128, packed_parts = 16;

// A scalar that particles can be coloured by: a column, or a component or the length of one.
struct Attribute {
  std::string name;  // density, velocity (its length), velocity.x, stress.xy, ...
  std::string column;
  int component = 0;  // -1: length of the vector
};

std::vector<Attribute> attributes_of(const Frame& frame);  // values are not needed: columns without data do

// The frame's columns without their values.
Frame read_frame_layout(const FrameFile& file);

// An empty name: no values, all 0. `spacing` [m] is that of the finest body, 0 when unknown.
// InputError when the file is damaged, names the file; and when the frame has no such attribute.
LargeBytes pack_frame(const FrameFile& file, const std::string& attribute, double spacing);

std::size_t packed_particles(const LargeBytes& packed);
LargeBytes sample_of(const LargeBytes& packed);  // the first sixteenth of a whole frame, as a frame

}  // namespace knead::viewer
