// The work of `render`: which pictures are to be made, making them, and the movie of them all.
#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "frame_picture.h"
#include "render/picture.h"

namespace knead::cli {

struct RenderJob {
  std::filesystem::path folder;
  PictureSettings settings;
  Drawing drawing;
  std::optional<double> low, high;  // range of the colours
  std::optional<int> frame;
  std::string output;  // of one picture
  int every = 1;
  bool time_stamp = false, follow = false, quiet = false;
};

int render(const RenderJob& job, const std::function<bool()>& stop_requested);  // returns the exit code

}  // namespace knead::cli
