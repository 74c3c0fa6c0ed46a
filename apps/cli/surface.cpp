// surface: makes meshes from a run, frame by frame.
#include <charconv>
#include <csignal>
#include <sstream>

#include "base/error.h"
#include "commands.h"
#include "surface_job.h"

namespace knead::cli {
namespace {

volatile std::sig_atomic_t stop_requested = 0;

// The first signal ends after the frame in hand; the second one ends at once.
void stop_on_signal(int signal) {
  stop_requested = 1;
  std::signal(signal, SIG_DFL);
}

template <class Enum> Enum read_name(const std::string& option, const std::string& given) {
  const auto names = enum_names(Enum{});
  std::string list;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (given == names[i]) return static_cast<Enum>(i);
    list += (i ? ", " : "") + std::string(names[i]);
  }
  throw InputError("knead surface: " + option + " \"" + given + "\" is unknown; accepted are " + list);
}

// A number from `low` to `high`; what follows it is in `unit`.
double read_number(const Arguments& arguments, const std::string& option, double low, double high, std::string& unit) {
  const std::string text = arguments.value(option);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  unit.assign(end, text.data() + text.size());
  if (error != std::errc() || !(number >= low && number <= high))
    throw InputError("knead surface: " + option + " \"" + text + "\" is not a number from " + short_number(low) + " to " +
                     short_number(high));
  return number;
}

SurfaceJob read_job(const Arguments& arguments) {
  SurfaceJob job;
  job.folder = arguments.positional[0];
  if (arguments.has("--format")) {
    job.formats.clear();
    for (const std::string& list : arguments.values("--format")) {
      std::istringstream words(list);
      for (std::string word; std::getline(words, word, ',');) job.formats.push_back(read_name<SurfaceFormat>("--format", word));
    }
    if (job.formats.empty()) throw InputError("knead surface: --format names no format; accepted are ply, obj, vdb, glb");
  }
  if (arguments.has("--embed")) job.embed = read_name<Embed>("--embed", arguments.value("--embed"));
  if (arguments.has("--frame")) job.frame = arguments.whole_number("--frame", 0, 999999999);
  if (arguments.has("--every")) job.every = arguments.whole_number("--every", 1, 1000000);
  if (arguments.has("--smooth")) job.smooth = arguments.whole_number("--smooth", 0, 1000);
  job.bodies = arguments.values("--body");
  job.follow = arguments.has("--follow"), job.overwrite = arguments.has("--overwrite");
  job.quiet = arguments.has("--quiet"), job.json = arguments.has("--json");
  if (job.frame && job.follow) throw InputError("knead surface: --follow is for all frames; leave out --frame");
  std::string unit;
  if (arguments.has("--voxel")) {
    job.voxel = read_number(arguments, "--voxel", 1e-9, 1e9, unit);
    job.voxel_in_metres = unit == "m";
    if (!unit.empty() && unit != "m")
      throw InputError("knead surface: --voxel \"" + arguments.value("--voxel") +
                       "\" is no size; a factor of the particles' spacing such as 0.5, or metres such as 0.01m");
    if (!job.voxel_in_metres && !(job.voxel >= 0.1 && job.voxel <= 10))
      throw InputError("knead surface: --voxel \"" + arguments.value("--voxel") +
                       "\" is not from 0.1 to 10 times the particles' spacing; metres are written with an m, such as 0.01m");
  }
  if (arguments.has("--radius")) {
    job.radius = read_number(arguments, "--radius", 1.5, 6, unit);
    if (!unit.empty()) throw InputError("knead surface: --radius \"" + arguments.value("--radius") + "\" is not a number from 1.5 to 6");
  }
  return job;
}

int run_surface(const Arguments& arguments) {
  const SurfaceJob job = read_job(arguments);
  use_threads(arguments);
  std::signal(SIGINT, stop_on_signal);
  std::signal(SIGTERM, stop_on_signal);
  return make_surfaces(job, [] { return stop_requested != 0; });
}

}  // namespace

Command surface_command() {
  return {"surface",
          "DIR",
          "Makes meshes from a run, frame by frame.",
          "Fluids and grains get a smooth surface around their particles; solids get a mesh of their shape, with its sharp\n"
          "edges, that is carried by the particles. The files are DIR/surface/BODY/frame_000042.ply. Frames whose surfaces\n"
          "are there already, made with the same settings, are left alone.",
          {{"--format", "LIST", "ply,obj,vdb,glb: files to write for each frame; ply when absent"},
           {"--frame", "N", "this frame only"},
           {"--every", "N", "every Nth frame"},
           {"--body", "NAME", "this body only; repeatable"},
           {"--voxel", "SIZE", "lattice distance in spacings of the particles (0.5 when absent), or in metres such as 0.01m"},
           {"--radius", "FACTOR", "of a particle's bump inside a fluid, in spacings; 2 when absent, more is smoother"},
           {"--smooth", "N", "passes of the filter that takes ripples off the mesh; 16 when absent"},
           {"--embed", "MODE", "auto: solids carry a mesh of their shape; all: every body does; none: all are reconstructed"},
           {"--follow", "", "go on while the run does"},
           {"--overwrite", "", "make all anew"},
           {"--threads", "N", "number of threads; all cores when absent"},
           {"--quiet", "", "no progress"},
           {"--json", "", "one JSON object per line on stdout instead of progress"},
           {"--help", "", "this text", "-h"}},
          1,
          1,
          run_surface};
}

}  // namespace knead::cli
