// The loop: time step, retry, emitters, frames, probes, statistics and checkpoints of one run.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frames/writer.h"
#include "simulation/probes.h"
#include "solvers/solver.h"
#include "world/state.h"
#include "world/world.h"

namespace knead {

enum class RunStatus { running, finished, interrupted, failed };
inline constexpr std::array<const char*, 4> enum_names(RunStatus) { return {"running", "finished", "interrupted", "failed"}; }

enum class ProgressEvent { step, frame, retry, checkpoint, resumed, note };

// Handed to RunSettings::progress after every step and on the other events. Cheap to make: the receiver thins it out.
struct Progress {
  ProgressEvent event = ProgressEvent::step;
  int frame = 0;                  // last complete frame
  int frames = 0;                 // of the whole run, without frame 0
  double time = 0, duration = 0;  // simulated [s]
  std::uint64_t step = 0;
  std::uint64_t steps_in_frame = 0;  // so far in the current one; on `frame`: of the frame just completed
  std::size_t particles = 0;
  double dt = 0;            // [s]
  double wall_seconds = 0;  // of this process
  double particle_steps_per_second = 0;
  double seconds_left = -1;  // estimate; < 0: not known yet
  std::string message;       // one sentence, on retry, checkpoint, resumed and note
};

struct RunSettings {
  double duration = 1;  // [s]
  double fps = 24;
  std::optional<int> frames;       // instead of ceil(duration * fps)
  std::optional<double> fixed_dt;  // [s]; absent: the solver's stable step
  std::vector<FrameFormat> formats{FrameFormat::ply};
  std::vector<std::string> attributes;  // extra columns of the frames
  double checkpoint_minutes = 5;        // 0: not by time
  int checkpoint_frames = 0;            // 0: not by frames
  std::filesystem::path folder;         // the run folder, created when absent
  bool resume = false;                  // continue from the newest good checkpoint; from the start when there is none
  int max_retries = 6;
  std::string resolved_scene = "{}";   // JSON text; goes into run.json, and its hash ties checkpoints to the scene
  std::filesystem::path scene_folder;  // where the scene's relative file names start; for whoever draws the run later
  std::string version = "0";
  std::string replay_command;  // without --resume, e.g. "knead run scene.json -o out"; for the message on failure
  std::function<void(const Progress&)> progress;

  int frame_count() const;             // frames after frame 0
  double frame_time(int frame) const;  // [s], computed from the index, never accumulated
};

struct Simulation {
  World world;
  State state;  // columns of all particle solvers filled; run() lets the solver add its own
  std::unique_ptr<Solver> solver;
  RunSettings settings;
  std::vector<Probe> probes;
};

struct RunResult {
  RunStatus status = RunStatus::finished;  // finished or interrupted: failure throws
  int frames = 0;                          // last frame written
  std::uint64_t steps = 0;
  std::size_t particles = 0;
  double wall_seconds = 0;  // all processes of a resumed run together
  double particle_steps_per_second = 0;
  int retries = 0;
};

// Runs to the end, or to request_stop(). Throws SimulationError when the run cannot go on, InputError when the folder, a
// checkpoint or a probe's name is wrong. In each case run.json says what happened, if the folder can be written.
RunResult run(Simulation& simulation);

// Asks a running run() to finish its step, write a checkpoint and return `interrupted`. Safe to call from a signal handler.
void request_stop();
bool stop_requested();
void clear_stop();

}  // namespace knead
