#include "simulation/simulation.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <new>
#include <set>

#include "base/error.h"
#include "frames/capture.h"
#include "frames/writer.h"
#include "simulation/checkpoint.h"
#include "simulation/emitters.h"
#include "simulation/failure.h"
#include "simulation/files.h"
#include "simulation/rigid_file.h"
#include "simulation/run_json.h"
#include "simulation/stats.h"
#include "simulation/time_step.h"

namespace knead {

namespace {

// Set by signal handlers and by other threads.
std::atomic<bool> stop_flag = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only touch lock-free atomics");

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

class Runner {
 public:
  explicit Runner(Simulation& simulation)
      : simulation_(simulation),
        world_(simulation.world),
        state_(simulation.state),
        settings_(simulation.settings),
        owner_{settings_.version, hash_bytes(settings_.resolved_scene)},
        stats_(settings_.folder / "stats.csv"),
        convergence_(settings_.folder / "convergence.csv"),
        rigid_(settings_.folder / rigid_file_name),
        frames_(settings_.frame_count()) {}

  RunResult run();

 private:
  void prepare();
  void open_folder();
  void open_fresh();
  void warn_of_long_step() const;
  void open_resumed();
  RunStatus advance();
  void between_steps();
  bool step_towards(double target);
  void complete_frame(int frame);
  void sample_probes(ProbeEvery every);
  std::filesystem::path checkpoint();
  bool checkpoint_due(bool at_frame) const;
  [[noreturn]] void give_up(Failure failure);
  RunSummary summary(RunStatus status, const std::string& error = "") const;
  void record(RunStatus status, const std::string& error = "") { write_run_json(settings_, world_.precision, summary(status, error)); }
  void record_failure(const std::string& error) noexcept;
  void notify(ProgressEvent event, double dt, const std::string& message = "") const;
  double wall_seconds() const { return loop_.wall_seconds + seconds_since(start_); }

  Simulation& simulation_;
  World& world_;
  State& state_;
  RunSettings& settings_;
  CheckpointOwner owner_;
  LoopState loop_;
  std::unique_ptr<FrameWriter> writer_;
  StatsFile stats_;
  ConvergenceFile convergence_;
  RigidFile rigid_;
  std::vector<CsvFile> probe_files_;
  int frames_ = 0;
  bool opened_ = false;    // from then on run.json is ours
  double start_time_ = 0;  // simulated time at which this process began [s]
  Clock::time_point start_ = Clock::now(), last_checkpoint_ = start_;
};

std::string probe_file(const Probe& probe) { return "probes/" + options(probe.kind).label + ".csv"; }

RunResult Runner::run() {
  try {
    prepare();
    open_folder();
    const RunStatus status = advance();
    if (status == RunStatus::interrupted || loop_.next_frame > 1) checkpoint();
    writer_->finish();
    record(status);
    const RunSummary end = summary(status);
    return {status, end.frame, end.steps, end.particles, end.wall_seconds, end.particle_steps_per_second, static_cast<int>(loop_.retries)};
  } catch (const std::bad_alloc&) {
    const std::string message = "The simulation could not go on: out of memory in step " + std::to_string(state_.step + 1) + " with " +
                                std::to_string(state_.count) + " particles; fewer particles or a larger \"dx\" need less.";
    record_failure(message);
    throw SimulationError(message);
  } catch (const std::exception& error) {
    record_failure(error.what());
    throw;
  }
}

// Everything that can refuse the scene happens here, before anything is written.
void Runner::prepare() {
  std::set<std::string> labels;
  for (const Probe& probe : simulation_.probes)
    if (!labels.insert(options(probe.kind).label).second)
      throw InputError("Two probes have the name \"" + options(probe.kind).label + "\"; each needs its own.");
  check_emitters(world_);
  simulation_.solver->prepare(world_, state_);
  for (const Probe& probe : simulation_.probes)
    if (std::holds_alternative<EnergyProbe>(probe.kind)) state_.initial_energy = measure_energy(world_, state_).total();
  between_steps();
  for (Probe& probe : simulation_.probes) start_probe(probe, world_, state_);
}

void Runner::open_folder() {
  make_run_folder(settings_.folder);
  std::vector<std::string> notes;
  const bool resumed =
      settings_.resume && read_last_checkpoint(settings_.folder, owner_, state_, simulation_.probes, loop_, notes) == CheckpointRead::good;
  for (const std::string& note : notes) notify(ProgressEvent::note, 0, note);
  start_time_ = state_.time;
  if (resumed) open_resumed();
  else open_fresh();
}

void Runner::open_fresh() {
  if (settings_.resume) notify(ProgressEvent::note, 0, "There is no checkpoint to resume from: starting at the beginning.");
  warn_of_long_step();
  clear_run_folder(settings_.folder);
  opened_ = true;
  record(RunStatus::running);
  for (const Probe& probe : simulation_.probes)
    probe_files_.push_back(CsvFile::create(settings_.folder / probe_file(probe), probe_header(probe)));
  writer_ = std::make_unique<FrameWriter>(settings_.folder.string(), settings_.formats);
  sample_probes(ProbeEvery::step);
  complete_frame(0);
}

// A fixed step beyond the stable one is the user's choice, but not a silent one.
void Runner::warn_of_long_step() const {
  if (!settings_.fixed_dt) return;
  const StepLimit stable = simulation_.solver->stable_dt(world_, state_);
  if (*settings_.fixed_dt <= stable.dt) return;
  char text[160];
  std::snprintf(text, sizeof text, "The fixed dt of %.3g s is longer than the stable step of %.3g s (rule %s", *settings_.fixed_dt,
                stable.dt, stable.rule.c_str());
  notify(ProgressEvent::note, 0,
         text + (", " + body_phrase(world_, stable.body)) + "): expect retries and wrong results; \"auto\" avoids both.");
}

void Runner::open_resumed() {
  for (const auto& [name, size] : loop_.files)
    if (name == "stats.csv") stats_.resume(size);
    else if (name == "convergence.csv") convergence_.resume(size);
    else if (name == rigid_file_name) rigid_.resume(size);
    else probe_files_.push_back(CsvFile::resume(settings_.folder / name, size));
  opened_ = true;
  writer_ = std::make_unique<FrameWriter>(settings_.folder.string(), settings_.formats, loop_.next_frame);
  between_steps();
  record(RunStatus::running);
  notify(ProgressEvent::resumed, 0, "Resumed from " + checkpoint_path(settings_.folder, state_.step).string() + ".");
}

RunStatus Runner::advance() {
  while (loop_.next_frame <= frames_) {
    if (stop_flag) return RunStatus::interrupted;
    const bool landed = step_towards(settings_.frame_time(loop_.next_frame));
    between_steps();
    sample_probes(ProbeEvery::step);
    if (landed) {
      complete_frame(loop_.next_frame++);
      loop_.steps_in_frame = 0;
    }
    if (loop_.next_frame <= frames_ && checkpoint_due(landed)) checkpoint();
  }
  return RunStatus::finished;
}

// Key-framed materials and emitters act at the time that State has reached. Doing it twice changes nothing.
void Runner::between_steps() {
  for (std::size_t n = 0; n < world_.animated_materials.size(); ++n)
    if (world_.animated_materials[n]) {
      world_.materials[n] = world_.animated_materials[n](state_.time);
      state_.measure.valid = false;  // the wave speeds were those of the old moduli
    }
  advance_emitters(world_, state_);
}

// One step towards the frame at `target`; true when it was reached. A diverged step leaves State as it was: try a shorter one.
bool Runner::step_towards(double target) {
  const Clock::time_point begin = Clock::now();
  const double time = state_.time;
  const std::uint64_t step = state_.step;
  const StepLimit allowed =
      settings_.fixed_dt ? StepLimit{*settings_.fixed_dt, "fixed", -1} : simulation_.solver->stable_dt(world_, state_);
  if (!(time + allowed.dt > time))
    give_up({.quantity = "stable time step is too small to advance the time", .value = allowed.dt, .body = allowed.body, .dt = allowed.dt});
  StepChoice choice = fit_step(allowed, target - time);
  StepRecord record;
  StepReport report = simulation_.solver->step(world_, state_, choice.limit.dt);
  while (report.status == StepStatus::diverged) {
    state_.time = time, state_.step = step;
    if (record.retries >= settings_.max_retries)
      give_up({report.quantity, report.value, report.position, report.body, choice.limit.dt, record.retries, {}});
    ++record.retries;
    ++loop_.retries;
    choice = {{0.5 * choice.limit.dt, "retry", report.body}, false};
    notify(ProgressEvent::retry, choice.limit.dt,
           "Step " + std::to_string(step + 1) + ": in " + body_phrase(world_, report.body) + " the " + report.quantity + "; retry " +
               std::to_string(record.retries) + " of " + std::to_string(settings_.max_retries) + " with half the time step.");
    report = simulation_.solver->step(world_, state_, choice.limit.dt);
  }
  if (report.dt > 0 && report.dt < choice.limit.dt) choice = {{report.dt, "particle", report.body}, false};
  state_.time = choice.lands ? target : time + choice.limit.dt;
  state_.step = step + 1;
  ++loop_.steps_in_frame;
  loop_.particle_steps += state_.count;
  record.dt = choice.limit.dt;
  record.limit = choice.limit;
  record.wall_ms = 1e3 * seconds_since(begin);
  stats_.add(world_, state_, report, record);
  convergence_.add(state_, report);
  notify(ProgressEvent::step, record.dt);
  return choice.lands;
}

void Runner::complete_frame(int frame) {
  sample_probes(ProbeEvery::frame);
  rigid_.add(world_, state_, frame);
  rigid_.flush();   // before the frame itself appears
  writer_->wait();  // so that never more than one frame is in memory; it was written while the steps to this one ran
  writer_->push(capture(world_, state_, frame, settings_.attributes));
  stats_.flush();
  convergence_.flush();
  for (CsvFile& file : probe_files_) file.flush();
  if (frame > 0) record(RunStatus::running);
  notify(ProgressEvent::frame, 0);
}

void Runner::sample_probes(ProbeEvery every) {
  for (std::size_t n = 0; n < simulation_.probes.size(); ++n)
    if (options(simulation_.probes[n].kind).every == every) probe_files_[n].add_row(probe_row(simulation_.probes[n], world_, state_));
}

bool Runner::checkpoint_due(bool at_frame) const {
  if (at_frame && settings_.checkpoint_frames > 0 && (loop_.next_frame - 1) % settings_.checkpoint_frames == 0) return true;
  return settings_.checkpoint_minutes > 0 && seconds_since(last_checkpoint_) >= 60 * settings_.checkpoint_minutes;
}

// What comes before the checkpoint must be on disk before it: a resumed run writes only what comes after.
std::filesystem::path Runner::checkpoint() {
  writer_->wait();
  stats_.flush();
  convergence_.flush();
  rigid_.flush();
  LoopState loop = loop_;
  loop.wall_seconds = wall_seconds();
  loop.files = {{"stats.csv", stats_.size()}, {"convergence.csv", convergence_.size()}, {rigid_file_name, rigid_.size()}};
  for (std::size_t n = 0; n < probe_files_.size(); ++n) {
    probe_files_[n].flush();
    loop.files.emplace_back(probe_file(simulation_.probes[n]), probe_files_[n].size());
  }
  const std::filesystem::path path = write_checkpoint(settings_.folder, owner_, state_, simulation_.probes, loop);
  last_checkpoint_ = Clock::now();
  notify(ProgressEvent::checkpoint, 0, "Wrote " + path.string() + ".");
  return path;
}

void Runner::give_up(Failure failure) {
  try {
    if (is_finite(state_)) failure.checkpoint = checkpoint();
  } catch (const SimulationError&) {  // the disk is full, too: the older checkpoint stays
  }
  throw SimulationError(failure_message(simulation_, failure));
}

RunSummary Runner::summary(RunStatus status, const std::string& error) const {
  const double wall = wall_seconds();
  return {.status = status,
          .error = error,
          .frame = loop_.next_frame - 1,
          .steps = state_.step,
          .particles = state_.count,
          .retries = loop_.retries,
          .time = state_.time,
          .wall_seconds = wall,
          .particle_steps_per_second = wall > 0 ? static_cast<double>(loop_.particle_steps) / wall : 0};
}

// The reason for the failure matters more than one in writing it down (a full disk, usually both).
void Runner::record_failure(const std::string& error) noexcept {
  if (!opened_) return;
  try {
    record(RunStatus::failed, error);
  } catch (const std::exception&) {}
}

void Runner::notify(ProgressEvent event, double dt, const std::string& message) const {
  if (!settings_.progress) return;
  const double wall = seconds_since(start_), done = state_.time - start_time_, end = settings_.frame_time(frames_);
  Progress progress{.event = event,
                    .frame = loop_.next_frame - 1,
                    .frames = frames_,
                    .time = state_.time,
                    .duration = end,
                    .step = state_.step,
                    .steps_in_frame = loop_.steps_in_frame,
                    .particles = state_.count,
                    .dt = dt,
                    .wall_seconds = wall,
                    .message = message};
  progress.particle_steps_per_second = static_cast<double>(loop_.particle_steps) / std::max(wall_seconds(), 1e-9);
  if (done > 0) progress.seconds_left = wall * std::max(0.0, end - state_.time) / done;
  settings_.progress(progress);
}

}  // namespace

RunResult run(Simulation& simulation) { return Runner(simulation).run(); }

void request_stop() { stop_flag = true; }
bool stop_requested() { return stop_flag; }
void clear_stop() { stop_flag = false; }

}  // namespace knead
