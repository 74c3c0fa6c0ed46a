// run: a scene to a run folder.
#include <csignal>
#include <cstdio>
#include <filesystem>

#include "base/error.h"
#include "commands.h"
#include "progress.h"
#include "scene/build.h"
#include "scene/description.h"
#include "simulation/simulation.h"

namespace knead::cli {
namespace {

// The first signal ends the run well, with a checkpoint; the second one ends it at once.
void stop_on_signal(int signal) {
  request_stop();
  std::signal(signal, SIG_DFL);
}

// What stands in the folder is never lost by accident.
void check_folder(const std::filesystem::path& folder, bool resume, bool overwrite) {
  std::error_code error;
  const auto status = std::filesystem::status(folder, error);
  if (!std::filesystem::exists(status)) return;
  if (!std::filesystem::is_directory(status)) throw InputError(folder.string() + ": is a file; the run folder needs another name");
  if (std::filesystem::is_empty(folder, error)) return;
  const bool is_run = std::filesystem::exists(folder / "run.json", error);
  if (!is_run) throw InputError(folder.string() + ": the folder is not empty and no run of knead; choose another one");
  if (!resume && !overwrite)
    throw InputError(folder.string() +
                     ": there is a run in this folder; continue it with --resume, replace it with --overwrite, or choose another folder");
}

std::string quoted(const std::string& word) {
  const char* plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=,:+@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string result = "'";
  for (char c : word) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string replay_command(const Arguments& arguments) {
  std::string command = "knead run " + quoted(arguments.positional[0]) + " -o " + quoted(arguments.value("--output"));
  for (const char* name : {"--solver", "--threads", "--frames"})
    if (arguments.has(name)) command += std::string(" ") + name + " " + quoted(arguments.value(name));
  for (const char* name : {"--set", "--format"})
    for (const std::string& value : arguments.values(name)) command += std::string(" ") + name + " " + quoted(value);
  return command;
}

int run_scene(const Arguments& arguments) {
  if (!arguments.has("--output")) throw InputError("knead run: -o DIR is needed: the folder that the run is written to");
  const bool quiet = arguments.has("--quiet"), json = arguments.has("--json");
  const std::filesystem::path folder = arguments.value("--output");
  use_threads(arguments);
  const SceneSpec spec = load_scene(arguments.positional[0], scene_overrides(arguments));
  check_folder(folder, arguments.has("--resume"), arguments.has("--overwrite"));

  Simulation simulation = build_simulation(spec);
  simulation.settings.folder = folder;
  simulation.settings.resume = arguments.has("--resume");
  simulation.settings.version = KNEAD_VERSION;
  simulation.settings.replay_command = replay_command(arguments);
  if (arguments.has("--frames")) simulation.settings.frames = arguments.whole_number("--frames", 0, 10000000);
  ProgressReport report(progress_style(quiet, json));
  simulation.settings.progress = [&](const Progress& progress) { report(progress); };

  std::signal(SIGINT, stop_on_signal);
  std::signal(SIGTERM, stop_on_signal);
  const RunResult result = run(simulation);
  report.clear();
  if (json) {
    std::puts(result_json(result, folder.string()).c_str());
  } else if (!quiet) {
    const std::string words = result.status == RunStatus::interrupted ? "Interrupted with a checkpoint; --resume continues. " : "Done. ";
    std::fprintf(stderr, "%sFrames 0 to %d, %s steps, %s particles in %s (%s M particle-steps/s): %s\n", words.c_str(), result.frames,
                 count_text(result.steps).c_str(), count_text(result.particles).c_str(), seconds_text(result.wall_seconds).c_str(),
                 short_number(result.particle_steps_per_second / 1e6).c_str(), folder.c_str());
  }
  return result.status == RunStatus::interrupted ? interrupted : done;
}

}  // namespace

Command run_command() {
  Command command{"run",
                  "SCENE.json -o DIR",
                  "Simulates a scene into a run folder.",
                  "The folder gets run.json, stats.csv, frames/, probes/ and checkpoints/. Nothing is written before the whole\n"
                  "scene has been validated. Ctrl-C writes a checkpoint; --resume continues from the last one, and the frames\n"
                  "are those of an uninterrupted run, byte for byte.\n\n"
                  "Exit codes: 0 done; 1 internal error; 2 the input or the call is wrong; 3 the simulation could not go on;\n"
                  "130 interrupted, with a checkpoint written.",
                  scene_options(),
                  1,
                  1,
                  run_scene};
  const std::vector<Option> more{{"--output", "DIR", "the run folder", "-o"},
                                 {"--frames", "N", "this many frames after frame 0 instead of the scene's duration"},
                                 {"--resume", "", "continue the run in DIR from its last checkpoint"},
                                 {"--overwrite", "", "replace the run in DIR; without this, a folder that is not empty is refused"},
                                 {"--format", "LIST", "frame formats instead of the scene's, such as ply,bgeo,vtkhdf,vtu,usda,vdb"},
                                 {"--quiet", "", "no progress"}};
  command.options.insert(command.options.begin(), more.begin(), more.end());
  return command;
}

}  // namespace knead::cli
