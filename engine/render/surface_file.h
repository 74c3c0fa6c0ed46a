// Surface meshes of a run, DIR/surface/BODY/frame_000042.ply, as fast as the disk gives them.
#pragma once
#include <string>

#include "render/picture.h"

namespace knead {

// Vertices, triangles and, where the file has them, a normal per vertex; colours and finish stay as they are.
// InputError, with the file's name, when it is missing or damaged.
MeshSurface read_surface(const std::string& path);

}  // namespace knead
