// run.json: what a run is and how far it has come.
#pragma once
#include <filesystem>
#include <string>

#include "simulation/simulation.h"

namespace knead {

struct RunSummary {
  RunStatus status = RunStatus::running;
  std::string error;  // when failed
  int frame = 0;      // last complete frame
  std::uint64_t steps = 0;
  std::size_t particles = 0;
  std::uint64_t retries = 0;
  double time = 0;  // simulated [s]
  double wall_seconds = 0;
  double particle_steps_per_second = 0;
};

// Written aside, then renamed.
// A name of this start of this machine, and of the part of it (a container, say) in which process numbers count; empty where unknown.
std::string process_space();

void write_run_json(const RunSettings& settings, Precision precision, const RunSummary& summary);

std::size_t peak_memory_bytes();  // of this process

}  // namespace knead
