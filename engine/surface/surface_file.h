// Surfaces to files, each whole or not there at all, and whether those that are there are still good.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "geometry/mesh_write.h"

namespace knead {

enum class SurfaceFormat { ply, obj, vdb, glb };
inline constexpr std::array<const char*, 4> enum_names(SurfaceFormat) { return {"ply", "obj", "vdb", "glb"}; }

struct SurfaceInfo {
  std::string body;  // name in the scene
  int frame = 0;
  double time = 0;  // [s]
  GltfLook look;
  double voxel = 0;  // lattice distance of level sets [m]
};

// Throws SimulationError when the file cannot be written.
void write_surface(const SurfaceMesh& mesh, const SurfaceInfo& info, SurfaceFormat format, const std::string& path);

// A narrow-band level set as the bytes of an OpenVDB file: one grid with the body's name, the signed distance [m] up to three voxels on
// either side, and `time`, `frame` and `body` as metadata. The mesh must be closed.
std::string level_set_bytes(const SurfaceMesh& mesh, const SurfaceInfo& info);

// All surfaces in a folder are made with the same settings, which are written down in it, as one line of text. Where they are others
// than before, the files frame_*.ply, .obj, .vdb and .glb of the folder are removed. Makes the folder. Returns the number of files removed.
std::size_t prepare_folder(const std::string& folder, const std::string& settings);

// Whether a file is there and not older than the ones that it was made from.
bool is_up_to_date(const std::string& file, const std::vector<std::string>& made_from);

}  // namespace knead
