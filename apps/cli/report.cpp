// report: writes report.html of a run.
#include "commands.h"

namespace knead::cli {

Command report_command() {
  return {"report", "DIR", "Writes report.html of a run.", "", {{"--help", "", "this text", "-h"}}, 1, 1000, nullptr};
}

}  // namespace knead::cli
