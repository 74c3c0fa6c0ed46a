// The two errors that travel as exceptions: what the user got wrong, and a simulation that cannot go on.
#pragma once
#include <stdexcept>
#include <string>

namespace knead {

// The input or the call is wrong (exit code 2). The message is one complete sentence for the user.
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The simulation could not go on: diverged, out of memory, disk full (exit code 3).
struct SimulationError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace knead
