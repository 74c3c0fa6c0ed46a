// render: makes pictures and a movie from a run.
#include "commands.h"

namespace knead::cli {

Command render_command() {
  return {"render", "DIR", "Makes pictures and a movie from a run.", "", {{"--help", "", "this text", "-h"}}, 1, 1000, nullptr};
}

}  // namespace knead::cli
