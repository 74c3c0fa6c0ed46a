// check: validates a scene and tells what a run of it will need, and what will limit its time step.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/threads.h"
#include "commands.h"
#include "scene/build.h"
#include "scene/description.h"
#include "simulation/emitters.h"
#include "simulation/simulation.h"

namespace knead::cli {
namespace {

using OrderedJson = nlohmann::ordered_json;

struct Outlook {
  SolverEstimate estimate;
  std::vector<std::pair<std::string, std::size_t>> bodies;    // name and particles
  std::vector<std::pair<std::string, std::size_t>> emitters;  // name and particles until the end
  std::size_t particles_at_end = 0;
  double dx = 0, dt = 0, frame_seconds = 0;
  int frames = 0;
  std::size_t memory_installed = 0;
};

std::string body_name(const World& world, int body) { return body < 0 ? "" : world.bodies[static_cast<std::size_t>(body)].name; }

// What makes the step of this rule longer.
std::string advice(const std::string& rule) {
  if (rule == "wave") return "a coarser dx, softer moduli or a higher density";
  if (rule == "particle") return "a coarser dx, lower speeds or a larger cfl";
  if (rule == "accuracy") return "a larger solver.max_dt";
  if (rule == "viscosity") return "a coarser dx or a lower viscosity";
  if (rule == "fixed") return "another solver.dt, or \"auto\"";
  return "";
}

Outlook look_ahead(const SceneSpec& spec, Simulation& simulation) {
  Outlook outlook;
  simulation.solver->prepare(simulation.world, simulation.state);
  outlook.estimate = simulation.solver->estimate(simulation.world, simulation.state);
  std::erase_if(outlook.estimate.limits, [](const StepLimit& limit) { return !std::isfinite(limit.dt); });
  for (const Body& body : simulation.world.bodies) outlook.bodies.push_back({body.name, 0});
  const Column& group = simulation.state.column("group");
  for (std::size_t i = 0; i < simulation.state.count; ++i) {
    const Group& of = simulation.world.groups[group.data<std::uint16_t>()[i]];
    ++outlook.bodies[static_cast<std::size_t>(of.body)].second;
  }
  const std::vector<std::size_t> emitted =
      count_emissions(simulation.world, simulation.settings.frame_time(simulation.settings.frame_count()), 1 / simulation.settings.fps);
  outlook.particles_at_end = outlook.estimate.particles;
  std::size_t per_particle = 0;
  for (const Column& column : simulation.state.columns) per_particle += column.components() * size_of(column.type());
  for (std::size_t i = 0; i < emitted.size(); ++i) {
    outlook.emitters.push_back({simulation.world.emitters[i].name, emitted[i]});
    outlook.particles_at_end += emitted[i];
    outlook.estimate.memory_bytes += emitted[i] * per_particle;
  }
  outlook.dx = grid_spacing(spec);
  outlook.frames = simulation.settings.frame_count();
  outlook.frame_seconds = 1 / simulation.settings.fps;
  if (simulation.settings.fixed_dt) {
    outlook.estimate.limits.push_back({*simulation.settings.fixed_dt, "fixed", -1});
    std::stable_sort(outlook.estimate.limits.begin(), outlook.estimate.limits.end(),
                     [](const StepLimit& a, const StepLimit& b) { return a.dt < b.dt; });
  }
  outlook.dt = simulation.settings.fixed_dt      ? *simulation.settings.fixed_dt
               : outlook.estimate.limits.empty() ? 0
                                                 : outlook.estimate.limits[0].dt;
  outlook.memory_installed = static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return outlook;
}

// What the scene says and the solver does not use.
std::vector<std::string> unused(const SceneSpec& spec, const World& world) {
  std::vector<std::string> notes;
  if (!std::holds_alternative<SphSolver>(spec.solver)) return notes;
  for (const Material& material : world.materials)
    if (std::holds_alternative<Eos>(material.elasticity))
      notes.push_back("the fluid \"" + material.name + "\" is incompressible in sph: its bulk modulus is not used");
  return notes;
}

double steps_per_frame(const Outlook& outlook) { return outlook.dt > 0 ? std::ceil(outlook.frame_seconds / outlook.dt * (1 - 1e-9)) : 0; }

void print_text(const SceneSpec& spec, const Simulation& simulation, const Outlook& outlook) {
  std::printf("%s: the scene is valid\n\n", spec.name.empty() ? "unnamed" : spec.name.c_str());
  std::printf("particles     %s\n", count_text(outlook.estimate.particles).c_str());
  for (const auto& [name, count] : outlook.bodies) std::printf("                %s: %s\n", name.c_str(), count_text(count).c_str());
  for (const auto& [name, count] : outlook.emitters)
    std::printf("                %s: %s emitted until the end\n", name.c_str(), count_text(count).c_str());
  for (std::size_t i = 0; i < simulation.world.rigid_bodies.size(); ++i)
    std::printf("%s%s: %s kg\n", i == 0 ? "rigid bodies  " : "              ", simulation.world.rigid_bodies[i].name.c_str(),
                short_number(simulation.world.rigid_bodies[i].mass).c_str());
  if (std::holds_alternative<SphSolver>(spec.solver))
    std::printf("neighbours    dx %s m, kernels reach %s m, %s pairs at rest in solids\n", short_number(outlook.dx).c_str(),
                short_number(2 * outlook.dx).c_str(), count_text(outlook.estimate.pairs).c_str());
  else
    std::printf("grid          dx %s m, %s nodes at the start\n", short_number(outlook.dx).c_str(),
                count_text(outlook.estimate.grid_nodes).c_str());
  std::printf("memory        %s of %s\n", bytes_text(outlook.estimate.memory_bytes).c_str(), bytes_text(outlook.memory_installed).c_str());
  std::printf("frames        %d, %s s each\n", outlook.frames, short_number(outlook.frame_seconds).c_str());
  if (outlook.dt > 0)
    std::printf("time step     %s s: %s steps per frame, %s in all\n", short_number(outlook.dt).c_str(),
                short_number(steps_per_frame(outlook)).c_str(), short_number(steps_per_frame(outlook) * outlook.frames).c_str());
  if (outlook.estimate.explicit_dt > 0)
    std::printf("                explicit steps would be %s s\n", short_number(outlook.estimate.explicit_dt).c_str());
  const std::size_t shown = std::min<std::size_t>(outlook.estimate.limits.size(), 5);
  for (std::size_t i = 0; i < shown; ++i) {
    const StepLimit& limit = outlook.estimate.limits[i];
    const std::string body = body_name(simulation.world, limit.body);
    std::printf("                %s: %s s%s\n", limit.rule.c_str(), short_number(limit.dt).c_str(),
                body.empty() ? "" : (", of " + body).c_str());
  }
  if (shown == 0) return;
  const StepLimit& first = outlook.estimate.limits[0];
  if (const std::string help = advice(first.rule); !help.empty())
    std::printf("                the rule \"%s\" limits the step; longer steps need %s\n", first.rule.c_str(), help.c_str());
  if (simulation.settings.fixed_dt && first.rule != "fixed")
    std::printf("                the fixed dt of %s s is longer than that: the run may fail\n", short_number(outlook.dt).c_str());
  for (const std::string& note : unused(spec, simulation.world)) std::printf("note          %s\n", note.c_str());
  if (outlook.estimate.memory_bytes > outlook.memory_installed) std::printf("\nThis machine has not enough memory for the scene.\n");
}

void print_json(const SceneSpec& spec, const Simulation& simulation, const Outlook& outlook) {
  OrderedJson bodies = OrderedJson::array(), limits = OrderedJson::array();
  for (const auto& [name, count] : outlook.bodies) bodies.push_back({{"name", name}, {"particles", count}});
  for (const StepLimit& limit : outlook.estimate.limits)
    limits.push_back(
        {{"rule", limit.rule}, {"dt", limit.dt}, {"body", body_name(simulation.world, limit.body)}, {"helps", advice(limit.rule)}});
  OrderedJson emitters = OrderedJson::array();
  for (const auto& [name, count] : outlook.emitters) emitters.push_back({{"name", name}, {"particles", count}});
  OrderedJson rigid = OrderedJson::array();
  for (const RigidBody& body : simulation.world.rigid_bodies) rigid.push_back({{"name", body.name}, {"mass", body.mass}});
  const OrderedJson object{{"valid", true},
                           {"name", spec.name},
                           {"particles", outlook.estimate.particles},
                           {"particles_at_end", outlook.particles_at_end},
                           {"bodies", bodies},
                           {"emitters", emitters},
                           {"rigid_bodies", rigid},
                           {"dx", outlook.dx},
                           {"grid_nodes", outlook.estimate.grid_nodes},
                           {"pairs", outlook.estimate.pairs},
                           {"notes", unused(spec, simulation.world)},
                           {"memory_bytes", outlook.estimate.memory_bytes},
                           {"memory_installed_bytes", outlook.memory_installed},
                           {"frames", outlook.frames},
                           {"dt", outlook.dt},
                           {"steps_per_frame", steps_per_frame(outlook)},
                           {"limits", limits}};
  std::puts(object.dump(-1, ' ', false, OrderedJson::error_handler_t::replace).c_str());
}

int check_scene_file(const Arguments& arguments) {
  use_threads(arguments);
  const SceneSpec spec = load_scene(arguments.positional[0], scene_overrides(arguments));
  Simulation simulation = build_simulation(spec);
  const Outlook outlook = look_ahead(spec, simulation);
  if (arguments.has("--json")) print_json(spec, simulation, outlook);
  else print_text(spec, simulation, outlook);
  return done;
}

}  // namespace

Command check_command() {
  return {"check",
          "SCENE.json",
          "Validates a scene and estimates particles, grid, memory and time step; writes nothing.",
          "Tells which rule and which body will limit the time step, and what would help.",
          scene_options(),
          1,
          1,
          check_scene_file};
}

}  // namespace knead::cli
