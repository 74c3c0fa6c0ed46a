#include "simulation/stats.h"

#include <algorithm>
#include <cstdarg>

namespace knead {

namespace {

constexpr const char* first_columns = "step,time,dt,particles,wall_ms";
constexpr const char* last_columns = ",limit_rule,limit_body,retries,grid_blocks,iterations,linear_iterations,residual";
constexpr const char* phase_suffix = "_ms";

// The phase names in a header row: the columns between the fixed ones.
std::vector<std::string> phases_of(const std::string& header) {
  std::vector<std::string> phases;
  const std::size_t begin = std::string(first_columns).size(), end = header.rfind(last_columns);
  std::size_t position = begin;
  while (end != std::string::npos && position < end) {
    const std::size_t next = std::min(header.find(',', position + 1), end);
    phases.push_back(header.substr(position + 1, next - position - 1 - std::string(phase_suffix).size()));
    position = next;
  }
  return phases;
}

[[gnu::format(printf, 2, 3)]] void append(std::string& text, const char* format, ...) {
  char buffer[128];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(buffer, sizeof buffer, format, arguments);
  va_end(arguments);
  text += buffer;
}

// A name as a CSV cell: quoted where it has to be.
std::string cell(const std::string& name) {
  if (name.find_first_of(",\"\n") == std::string::npos) return name;
  std::string quoted = "\"";
  for (const char letter : name) quoted.append(letter == '"' ? 2 : 1, letter);
  return quoted + "\"";
}

}  // namespace

void StatsFile::resume(std::uint64_t bytes) {
  if (bytes == 0) return;
  file_ = CsvFile::resume(path_, bytes);
  std::string text;
  read_whole(path_, text);
  phases_ = phases_of(text.substr(0, text.find('\n')));
}

void StatsFile::add(const World& world, const State& state, const StepReport& report, const StepRecord& record) {
  if (!file_) {
    std::string header = first_columns;
    for (const PhaseTime& phase : report.phases) {
      phases_.push_back(phase.name);
      header += "," + phases_.back() + phase_suffix;
    }
    file_ = CsvFile::create(path_, header + last_columns);
  }
  std::string row;
  append(row, "%llu,%.9g,%.9g,%zu,%.4g", static_cast<unsigned long long>(state.step), state.time, record.dt, state.count, record.wall_ms);
  for (const std::string& name : phases_) {
    double milliseconds = 0;
    for (const PhaseTime& phase : report.phases)
      if (name == phase.name) milliseconds += phase.milliseconds;
    append(row, ",%.4g", milliseconds);
  }
  row += "," + record.limit.rule + ",";
  if (record.limit.body >= 0 && static_cast<std::size_t>(record.limit.body) < world.bodies.size())
    row += cell(world.bodies[static_cast<std::size_t>(record.limit.body)].name);
  append(row, ",%d,%zu,%d,%d,%.4g", record.retries, report.grid_blocks, report.iterations, report.linear_iterations, report.residual);
  file_->add_row(row);
}

void StatsFile::flush() {
  if (file_) file_->flush();
}

void ConvergenceFile::resume(std::uint64_t bytes) {
  if (bytes > 0) file_ = CsvFile::resume(path_, bytes);
}

void ConvergenceFile::add(const State& state, const StepReport& report) {
  if (report.convergence.empty()) return;
  if (!file_) file_ = CsvFile::create(path_, "step,iteration,primal,dual,residual,rho,cg_iterations");
  for (std::size_t k = 0; k < report.convergence.size(); ++k) {
    const SolveIteration& now = report.convergence[k];
    std::string row;
    append(row, "%llu,%zu,%.6g,%.6g,%.6g,%.6g,%d", static_cast<unsigned long long>(state.step), k + 1, now.primal, now.dual, now.residual,
           now.penalty, now.linear_iterations);
    file_->add_row(row);
  }
}

void ConvergenceFile::flush() {
  if (file_) file_->flush();
}

}  // namespace knead
