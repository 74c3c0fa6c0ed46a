// view: shows runs in the browser.
#include "commands.h"

namespace knead::cli {

Command view_command() {
  return {"view", "DIR...", "Shows runs in the browser.", "", {{"--help", "", "this text", "-h"}}, 1, 1000, nullptr};
}

}  // namespace knead::cli
