// Frames as Houdini's classic binary geometry, version 5, which Houdini and Partio read. Everything is big-endian:
//
//   "Bgeo" 'V' int32 version = 5, points, primitives = 0, point groups = 0, primitive groups = 0,
//   point attributes, vertex attributes = 0, primitive attributes = 0, detail attributes
//   per point attribute: uint16 length of name, name, uint16 size, int32 type (0 float, 1 int, 5 vector), size x 4 bytes of default
//   per point: position as x y z w (w = 1), then the values of its attributes in that order, 4 bytes each
//   the detail attributes `time` (float) and `frame` (int): their definitions as above, then their values
//   0x00 0xff (no extra section)
//
// The position is the implicit attribute P; all others keep their names in the frame (`velocity` is a vector).
#pragma once
#include <string>

#include "frames/frame.h"

namespace knead {

void write_bgeo(const Frame& frame, const std::string& path);  // throws SimulationError when the file cannot be written

// Reads what write_bgeo writes; the names of the bodies are not in there. Anything else, however broken, is an InputError.
Frame read_bgeo_frame(const std::string& path);

}  // namespace knead
