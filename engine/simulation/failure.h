// The message of a run that cannot go on.
#pragma once
#include <filesystem>
#include <string>

#include "simulation/simulation.h"

namespace knead {

struct Failure {
  std::string quantity{};  // "grid velocity is not finite"
  double value = 0;
  Vec3d position{};  // [m]
  int body = -1;     // index into World::bodies, or -1
  double dt = 0;     // the last one tried [s]
  int retries = 0;
  std::filesystem::path checkpoint{};  // the last good one; empty: none
};

std::string failure_message(const Simulation& simulation, const Failure& failure);

// "the body "column"", or "an unknown body".
std::string body_phrase(const World& world, int body);

// Whether position and velocity of all particles are finite.
bool is_finite(const State& state);

}  // namespace knead
