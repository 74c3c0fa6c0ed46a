// One frame of a run as the scene of a picture.
#pragma once
#include <optional>
#include <string>

#include "frames/frame.h"
#include "look.h"
#include "motion_plan.h"

namespace knead::cli {

struct Drawing {
  std::string attribute;  // colours by its values; empty: by body
  ColorMap map = ColorMap::viridis;
  bool points = false;          // particles even where there are surfaces
  std::string surfaces_folder;  // the run folder whose surface/ is used
};

// Throws InputError for a damaged surface file, and when the frame lacks positions.
PictureScene scene_of(const Frame& frame, const RunFolder& run, const MotionPlan& plan, const Drawing& drawing);

}  // namespace knead::cli
