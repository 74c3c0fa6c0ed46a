// surface: makes meshes from a run, frame by frame.
#include "commands.h"

namespace knead::cli {

Command surface_command() {
  return {"surface", "DIR", "Makes meshes from a run, frame by frame.", "", {{"--help", "", "this text", "-h"}}, 1, 1000, nullptr};
}

}  // namespace knead::cli
