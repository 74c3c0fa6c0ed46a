// A run folder as the page sees it: what can be read is shown, what cannot is said. Safe to use from several threads.
#pragma once
#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "frames/run_frames.h"
#include "scene/run_folder.h"

namespace knead::viewer {

class ShownRun {
 public:
  explicit ShownRun(std::filesystem::path folder);  // InputError when this cannot be a run folder
  ~ShownRun();
  ShownRun(const ShownRun&) = delete;
  ShownRun& operator=(const ShownRun&) = delete;

  nlohmann::json summary();    // status, frames, surfaces, warnings: what changes while the run goes on
  nlohmann::json scene();      // the resolved scene, bodies, attributes, camera
  nlohmann::json colliders();  // as planes and triangle meshes, with their poses at every frame
  nlohmann::json survey();     // survey.h
  nlohmann::json plots();      // stats and probes

  std::optional<int> first_frame();                         // empty when there is none
  std::optional<FrameFile> frame(int index);                // empty when there is no such frame
  std::optional<std::string> surface(int body, int index);  // the file's path
  double spacing();                                         // of the finest body [m], 0 when unknown

 private:
  struct Contents;
  std::shared_ptr<const Contents> contents();  // read again when it may have changed

  std::filesystem::path folder_;
  std::mutex mutex_;
  std::shared_ptr<const Contents> contents_;
  std::chrono::steady_clock::time_point read_at_;
};

}  // namespace knead::viewer
