// report: writes report.html of a run.
#include "report/report.h"

#include <cstdio>

#include "base/error.h"
#include "commands.h"
#include "simulation/files.h"

namespace knead::cli {
namespace {

int write_reports(const Arguments& arguments) {
  for (const std::string& name : arguments.positional) {
    const std::filesystem::path folder = name;
    const report::Report made = report::make_report(folder);
    write_whole(folder / "report.html", made.html);
    if (arguments.has("--quiet")) continue;
    for (const std::string& problem : made.problems) std::fprintf(stderr, "%s: %s\n", name.c_str(), problem.c_str());
    std::fprintf(stderr, "Done. %s (%s)\n", (folder / "report.html").c_str(), bytes_text(made.html.size()).c_str());
  }
  return done;
}

}  // namespace

Command report_command() {
  return {"report",
          "DIR...",
          "Writes report.html of a run.",
          "One file that can be mailed: the movie or some pictures that \"knead render\" made, the figures of the run, plots of\n"
          "the probes, where the time went, what limited the time step, warnings, materials and the scene. Nothing is loaded\n"
          "from elsewhere. Missing or damaged parts are named in the page and left out.",
          {{"--quiet", "", "say nothing but errors"}, {"--help", "", "this text", "-h"}},
          1,
          1000,
          write_reports};
}

}  // namespace knead::cli
