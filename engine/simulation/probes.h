// Probes: small measurements of a run, one CSV file each. The structs below are the scene's `probes` entries.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/parameters.h"
#include "geometry/shapes.h"
#include "math/vec.h"
#include "world/state.h"
#include "world/world.h"

namespace knead {

enum class ProbeEvery { frame, step };
inline constexpr std::array<const char*, 2> enum_names(ProbeEvery) { return {"frame", "step"}; }

enum class Axis { x, y, z };
inline constexpr std::array<const char*, 3> enum_names(Axis) { return {"x", "y", "z"}; }

// What a profile averages over the particles of a bin, weighted by their current volume.
enum class Quantity {
  velocity_x,
  velocity_y,
  velocity_z,
  speed,
  density,
  J,
  pressure,
  von_mises,
  stress_xx,
  stress_yy,
  stress_zz,
  stress_xy,
  stress_yz,
  stress_zx,
  plastic_strain
};
inline constexpr std::array<const char*, 15> enum_names(Quantity) {
  return {"velocity_x", "velocity_y", "velocity_z", "speed",     "density",   "J",         "pressure",      "von_mises",
          "stress_xx",  "stress_yy",  "stress_zz",  "stress_xy", "stress_yz", "stress_zx", "plastic_strain"};
}

struct ProbeOptions {
  std::string label;  // `name` in the scene: the CSV file is probes/NAME.csv
  ProbeEvery every = ProbeEvery::frame;

  template <class Visitor> void describe_options(Visitor& visit) {
    visit("name", label, {.required = true, .text = "Name of the CSV file in `probes/`."});
    visit("every", every, {.text = "A row per frame or per step."});
  }
};

struct PointProbe : ProbeOptions {
  static constexpr const char* name = "point";
  static constexpr const char* text = "Position and velocity of the particle that is nearest to a point at the start.";
  Vec3d at;  // [m]

  template <class Visitor> void describe(Visitor& visit) {
    describe_options(visit);
    visit("at", at, {.unit = "m", .required = true, .text = "Reference position."});
  }
};

struct BoundsProbe : ProbeOptions {
  static constexpr const char* name = "bounds";
  static constexpr const char* text = "Smallest box around the particles, or around the surface points of a rigid body.";
  std::string body;  // empty: all particles

  template <class Visitor> void describe(Visitor& visit) {
    describe_options(visit);
    visit("body", body, {.text = "Name of a body or a rigid body; all particles when absent."});
  }
};

struct CenterProbe : ProbeOptions {
  static constexpr const char* name = "center";
  static constexpr const char* text = "Centre of mass and its velocity.";
  std::string body;  // empty: all particles

  template <class Visitor> void describe(Visitor& visit) {
    describe_options(visit);
    visit("body", body, {.text = "Name of a body or a rigid body; all particles when absent."});
  }
};

struct EnergyProbe : ProbeOptions {
  static constexpr const char* name = "energy";
  static constexpr const char* text = "Kinetic, elastic and gravitational energy, their total, and what has been dissipated.";

  template <class Visitor> void describe(Visitor& visit) { describe_options(visit); }
};

struct MomentumProbe : ProbeOptions {
  static constexpr const char* name = "momentum";
  static constexpr const char* text = "Linear and angular momentum about the origin.";

  template <class Visitor> void describe(Visitor& visit) { describe_options(visit); }
};

struct ForceProbe : ProbeOptions {
  static constexpr const char* name = "force";
  static constexpr const char* text = "Force on a collider, or of what touches a rigid body on it, in the last step.";
  std::string collider;

  template <class Visitor> void describe(Visitor& visit) {
    describe_options(visit);
    visit("collider", collider, {.required = true, .text = "Name of a collider or of a rigid body."});
  }
};

struct StressProbe : ProbeOptions {
  static constexpr const char* name = "stress";
  static constexpr const char* text = "Volume average of the Cauchy stress of a body, or of the particles inside a region.";
  std::string body;                 // empty: all
  std::optional<ShapeSpec> region;  // fixed in space

  template <class Visitor> void describe(Visitor& visit) {
    describe_options(visit);
    visit("body", body, {.text = "Name of a body; all bodies when absent."});
    visit("region", region, {.text = "Only particles that are inside this shape at the time."});
  }
};

struct ProfileProbe : ProbeOptions {
  static constexpr const char* name = "profile";
  static constexpr const char* text = "A quantity along an axis, averaged over the particles of each bin.";
  std::string body;                 // empty: all
  std::optional<ShapeSpec> region;  // fixed in space
  Axis axis = Axis::y;
  int bins = 20;
  Quantity quantity = Quantity::velocity_x;

  template <class Visitor> void describe(Visitor& visit) {
    describe_options(visit);
    visit("body", body, {.text = "Name of a body; all bodies when absent."});
    visit("region", region, {.text = "Only particles that are inside this shape; its bounds are the range of the bins."});
    visit("axis", axis, {.text = "Axis along which the bins lie."});
    visit("bins", bins, {.minimum = 1, .maximum = 10000, .text = "Number of bins."});
    visit("quantity", quantity, {.text = "What is averaged."});
  }
};

using ProbeKind = std::variant<PointProbe, BoundsProbe, CenterProbe, EnergyProbe, MomentumProbe, ForceProbe, StressProbe, ProfileProbe>;

inline const ProbeOptions& options(const ProbeKind& kind) {
  return std::visit([](const auto& probe) -> const ProbeOptions& { return probe; }, kind);
}

// A probe of a run. `kind` and `region` are given; the rest is found by start_probe and kept in checkpoints.
struct Probe {
  ProbeKind kind;
  ShapePointer region{};       // the shape that kind.region describes, where there is one
  int body = -1;               // index into World::bodies, or -1: all
  int rigid = -1;              // index into World::rigid_bodies, when that is what `body` names
  int collider = -1;           // index into World::colliders, or beyond them into World::rigid_bodies
  std::uint32_t particle = 0;  // id of the particle that a point probe follows
  double low = 0, high = 0;    // range of a profile's bins [m]
};

// Finds the names, the nearest particle and the range of the bins, from the initial state. InputError for unknown names.
void start_probe(Probe& probe, const World& world, const State& state);
std::string probe_header(const Probe& probe);                                       // "time,x,y,..." without line end
std::string probe_row(const Probe& probe, const World& world, const State& state);  // the matching values, %.9g

// Total energy of all particles and rigid bodies [J]: sum of the four terms of the energy probe.
struct Energy {
  double kinetic = 0, elastic = 0, gravity = 0;
  double total() const { return kinetic + elastic + gravity; }
};
Energy measure_energy(const World& world, const State& state);

}  // namespace knead
