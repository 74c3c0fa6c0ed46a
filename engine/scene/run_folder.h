// A run folder as its readers see it: what run.json says, and the scene that was run.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "scene/description.h"

namespace knead {

struct RunFolder {
  std::filesystem::path folder;
  std::string status;   // running, finished, interrupted, failed
  bool died = false;    // the status is running, but the process that says so is gone; false where that cannot be known
  std::string error;    // of a failed run
  std::string version;  // of the program that wrote it
  int frames = 0;       // index of the last frame written
  int frames_planned = 0;
  double fps = 24;
  SceneSpec scene;
};

// InputError when there is no run.json, when it is damaged, or when its scene is of another version and cannot be read.
RunFolder open_run(const std::filesystem::path& folder);

// What the column `body` of the frames points at: bodies, then emitters.
struct RunBody {
  std::string name;
  std::string material;
  double spacing = 0;  // between particles at rest [m]
  std::optional<Vec3d> color;
};
std::vector<RunBody> bodies_of(const SceneSpec& scene);

// The colliders with their shapes. One whose mesh cannot be read any more is left out and said in `warnings`.
std::vector<Collider> colliders_of(const SceneSpec& scene, std::vector<std::string>& warnings);

}  // namespace knead
