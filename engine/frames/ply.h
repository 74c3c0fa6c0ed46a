// Frames as binary little-endian PLY: one vertex per particle, one property per component.
//
// Properties: x,y,z (position), vx,vy,vz (velocity), id, body, density, ...; components of other columns take suffixes:
// _x,_y,_z (3), _xx,_yy,_zz,_xy,_yz,_zx (6, symmetric), _00 ... _22 (9, row by row), _0,_1,... (otherwise).
// Comment lines carry what PLY has no place for: "time 0.25", "frame 6", "body 0 column".
#pragma once
#include <cstddef>
#include <string>

#include "frames/frame.h"

namespace knead {

void write_ply(const Frame& frame, const std::string& path);  // throws SimulationError when the file cannot be written

// Reads what write_ply writes. Anything else, however broken, is an InputError.
Frame read_ply_frame(const std::string& path);

// What comes before the particles, for readers that want a few columns of a large file: the data follow from `data_offset` on,
// frame.count rows of `row_bytes` each, with the columns one after the other. The columns of `frame` have names and no values.
// The file has been found as long as its header promises.
struct PlyLayout {
  Frame frame;
  std::size_t data_offset = 0, row_bytes = 0;
};
PlyLayout read_ply_layout(const std::string& path);

// The suffix of a component in PLY, empty for a scalar.
std::string component_suffix(int components, int component);

}  // namespace knead
