// stats.csv, a row per step, and convergence.csv, a row per iteration.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "simulation/files.h"
#include "solvers/solver.h"
#include "world/state.h"
#include "world/world.h"

namespace knead {

struct StepRecord {
  double dt = 0;       // [s]
  double wall_ms = 0;  // the step with its retries and what happens between steps
  StepLimit limit;     // what dt obeyed
  int retries = 0;
};

// The phase columns are those of the first step's report: a solver names the same phases in every step.
class StatsFile {
 public:
  explicit StatsFile(std::filesystem::path path) : path_(std::move(path)) {}
  void resume(std::uint64_t bytes);  // cut back to `bytes`; 0: start again
  void add(const World& world, const State& state, const StepReport& report, const StepRecord& record);
  void flush();
  std::uint64_t size() const { return file_ ? file_->size() : 0; }

 private:
  std::filesystem::path path_;
  std::vector<std::string> phases_;
  std::optional<CsvFile> file_;
};

// convergence.csv: a row per iteration of an implicit step, when the solver reports them. There is no file before the first row.
class ConvergenceFile {
 public:
  explicit ConvergenceFile(std::filesystem::path path) : path_(std::move(path)) {}
  void resume(std::uint64_t bytes);  // cut back to `bytes`; 0: start again
  void add(const State& state, const StepReport& report);
  void flush();
  std::uint64_t size() const { return file_ ? file_->size() : 0; }

 private:
  std::filesystem::path path_;
  std::optional<CsvFile> file_;
};

}  // namespace knead
