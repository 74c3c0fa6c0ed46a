// rigid_bodies.csv: a row per frame and rigid body, and its reader.
#pragma once
#include <filesystem>
#include <optional>
#include <vector>

#include "simulation/files.h"
#include "world/state.h"
#include "world/world.h"

namespace knead {

// There is no file in a run without rigid bodies.
class RigidFile {
 public:
  explicit RigidFile(std::filesystem::path path) : path_(std::move(path)) {}
  void resume(std::uint64_t bytes);  // cut back to `bytes`; 0: start again
  void add(const World& world, const State& state, int frame);
  void flush();
  std::uint64_t size() const { return file_ ? file_->size() : 0; }

 private:
  std::filesystem::path path_;
  std::optional<CsvFile> file_;
};

inline constexpr const char* rigid_file_name = "rigid_bodies.csv";

// Poses relative to that at time 0, [body][frame], for as many frames as the file holds without a gap; empty where there is no file.
std::vector<std::vector<Pose>> read_rigid_poses(const std::filesystem::path& folder, std::size_t bodies);

// Of a frame that the file does not hold (yet), the last one before it.
Pose pose_at_frame(const std::vector<Pose>& poses, int frame);

}  // namespace knead
