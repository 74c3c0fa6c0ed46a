// The work of `surface`: which surfaces are to be made, and making them.
#pragma once
#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "surface/surface_file.h"

namespace knead::cli {

// Which bodies carry a mesh of their shape: by material, all that have a shape, none.
enum class Embed { automatic, all, none };
inline constexpr std::array<const char*, 3> enum_names(Embed) { return {"auto", "all", "none"}; }

struct SurfaceJob {
  std::filesystem::path folder;
  std::vector<SurfaceFormat> formats{SurfaceFormat::ply};
  std::vector<std::string> bodies;  // names; all when empty
  std::optional<int> frame;
  int every = 1;
  double voxel = 0.5;  // in spacings of the particles, or [m]
  bool voxel_in_metres = false;
  double radius = 2;  // in spacings
  int smooth = 16;
  Embed embed = Embed::automatic;
  bool follow = false, overwrite = false, quiet = false, json = false;
};

int make_surfaces(const SurfaceJob& job, const std::function<bool()>& stop_requested);  // returns the exit code

}  // namespace knead::cli
