#include "simulation/failure.h"

#include <cmath>
#include <sstream>

namespace knead {

namespace {

std::string advice(const Simulation& simulation, const Failure& failure) {
  std::string text = simulation.settings.fixed_dt ? "\"dt\": \"auto\" or a smaller \"dt\"" : "a smaller solver \"cfl\"";
  if (simulation.world.precision == Precision::single) text += ", \"precision\": \"double\"";
  if (failure.quantity.find("cell") != std::string::npos) text += ", slower colliders, pins and emitters, a larger \"dx\"";
  return text + ", and a look at the units of the material (Pa, kg/m^3) and at bodies that overlap at the start";
}

}  // namespace

std::string body_phrase(const World& world, int body) {
  if (body < 0 || static_cast<std::size_t>(body) >= world.bodies.size()) return "an unknown body";
  return "the body \"" + world.bodies[static_cast<std::size_t>(body)].name + "\"";
}

std::string failure_message(const Simulation& simulation, const Failure& failure) {
  const RunSettings& settings = simulation.settings;
  std::ostringstream text;
  text.precision(6);
  text << "The simulation could not go on in step " << simulation.state.step + 1 << " at time " << simulation.state.time << " s: in "
       << body_phrase(simulation.world, failure.body) << " the " << failure.quantity << " (" << failure.value << " at ("
       << failure.position.x << ", " << failure.position.y << ", " << failure.position.z << ") m)";
  if (failure.retries > 0) text << ", also after the time step was halved " << failure.retries << " times to " << failure.dt << " s";
  text << ".\nWhat usually helps: " << advice(simulation, failure) << ".\n";
  if (failure.checkpoint.empty()) {
    text << "There is no good checkpoint.";
    return text.str();
  }
  text << "The last good checkpoint is " << failure.checkpoint.string() << ".";
  if (!settings.replay_command.empty())
    text << "\nFor a bug report, this repeats the failing step from there: " << settings.replay_command << " --resume";
  return text.str();
}

bool is_finite(const State& state) {
  for (const char* name : {"position", "velocity"}) {
    const Column& column = state.column(name);
    for (int component = 0; component < column.components(); ++component)
      for (std::size_t i = 0; i < state.count; ++i)
        if (!std::isfinite(column.value(component, i))) return false;
  }
  for (const RigidState& body : state.rigid)
    if (!std::isfinite(sum(body.position) + sum(body.velocity) + sum(body.angular_velocity))) return false;
  return true;
}

}  // namespace knead
