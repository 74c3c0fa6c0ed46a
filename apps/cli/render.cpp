// render: makes pictures and a movie from a run.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "base/error.h"
#include "commands.h"
#include "render_job.h"
#include "scene/names.h"

namespace knead::cli {
namespace {

volatile std::sig_atomic_t stop_requested = 0;

// The first signal ends after the picture in hand; the second one ends at once.
void stop_on_signal(int signal) {
  stop_requested = 1;
  std::signal(signal, SIG_DFL);
}

// "a,b" or "axb": two numbers around a separator, and nothing else.
bool read_pair(const std::string& text, char separator, double& first, double& second) {
  char* end = nullptr;
  first = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || *end != separator) return false;
  const char* rest = end + 1;
  second = std::strtod(rest, &end);
  return end != rest && *end == '\0';
}

template <class Enum> Enum read_choice(const Arguments& arguments, const std::string& option, Enum fallback) {
  if (!arguments.has(option)) return fallback;
  const std::string given = arguments.value(option);
  const auto names = enum_names(fallback);
  std::string list;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (given == names[i]) return static_cast<Enum>(i);
    list += (i ? ", " : "") + std::string(names[i]);
  }
  throw InputError("knead render: " + option + " " + given + " is unknown; accepted are " + list);
}

RenderJob read_job(const Arguments& arguments) {
  RenderJob job;
  job.folder = arguments.positional[0];
  job.settings.quality = read_choice(arguments, "--quality", Quality::preview);
  job.drawing.map = read_choice(arguments, "--colormap", ColorMap::viridis);
  job.drawing.surfaces_folder = job.folder.string();
  job.drawing.points = arguments.has("--points");
  job.time_stamp = arguments.has("--time-stamp"), job.follow = arguments.has("--follow");
  job.quiet = arguments.has("--quiet");
  if (arguments.has("--color")) job.drawing.attribute = arguments.value("--color");
  if (arguments.has("--every")) job.every = arguments.whole_number("--every", 1, 1000000);
  if (arguments.has("--frame")) job.frame = arguments.whole_number("--frame", 0, 999999999);
  if (arguments.has("--output")) job.output = arguments.value("--output");
  if (!job.output.empty() && !job.frame) throw InputError("knead render: -o FILE goes with --frame N; all pictures go to DIR/preview");
  if (job.frame && job.follow) throw InputError("knead render: --follow is for all frames; leave out --frame");
  double first = 0, second = 0;
  if (arguments.has("--size")) {
    if (!read_pair(arguments.value("--size"), 'x', first, second) || first < 16 || second < 16 || first > 16384 || second > 16384)
      throw InputError("knead render: --size " + arguments.value("--size") +
                       " is no size; WIDTHxHEIGHT is expected, such as 1280x720, each from 16 to 16384");
    job.settings.width = static_cast<int>(first), job.settings.height = static_cast<int>(second);
  }
  if (arguments.has("--range")) {
    if (job.drawing.attribute.empty()) throw InputError("knead render: --range goes with --color ATTRIBUTE");
    if (!read_pair(arguments.value("--range"), ',', first, second) || !(first < second))
      throw InputError("knead render: --range " + arguments.value("--range") +
                       " is no range; MIN,MAX is expected with MIN below MAX, such as 0,2.5");
    job.low = first, job.high = second;
  }
  return job;
}

int render_run(const Arguments& arguments) {
  use_threads(arguments);
  const RenderJob job = read_job(arguments);
  std::signal(SIGINT, stop_on_signal);
  std::signal(SIGTERM, stop_on_signal);
  return render(job, [] { return stop_requested != 0; });
}

}  // namespace

Command render_command() {
  return {"render",
          "DIR",
          "Makes pictures and a movie from a run.",
          "Pictures go to DIR/preview/frame_000042.png, the movie to DIR/preview.mp4. Bodies are drawn as particles, or as\n"
          "surfaces where \"knead surface\" has made them. Pictures that are up to date are kept. Ctrl-C keeps what is done.",
          {{"--frame", "N", "only this frame"},
           {"--output", "FILE", "with --frame: the picture's name, instead of DIR/preview/frame_N.png", "-o"},
           {"--size", "WxH", "of the pictures; 1280x720 when absent"},
           {"--quality", "NAME", "preview (when absent) or final: more rays, many times slower"},
           {"--color", "ATTRIBUTE", "colour by a frame attribute (of a vector: its length), with a legend"},
           {"--range", "MIN,MAX", "of the colours; when absent, most of what occurs in the run"},
           {"--colormap", "NAME", "viridis (when absent), inferno, coolwarm or gray"},
           {"--time-stamp", "", "write the time into the pictures"},
           {"--every", "N", "only each N-th frame"},
           {"--points", "", "particles also where there are surfaces"},
           {"--follow", "", "go on while the run goes on, a frame behind"},
           {"--threads", "N", "number of threads; all cores when absent"},
           {"--quiet", "", "no progress"},
           {"--help", "", "this text", "-h"}},
          1,
          1,
          render_run};
}

}  // namespace knead::cli
