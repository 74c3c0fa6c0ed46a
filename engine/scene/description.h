// SceneSpec: a whole scene as plain structs. What each `describe` says is all there is: reader, schema and tables follow it.
#pragma once
#include <array>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/parameters.h"
#include "frames/capture.h"
#include "frames/writer.h"
#include "geometry/motion.h"
#include "geometry/sampling.h"
#include "geometry/shapes.h"
#include "math/animated.h"
#include "scene/materials.h"
#include "scene/solvers.h"
#include "simulation/probes.h"
#include "world/world.h"

namespace knead {

class Source;

enum class Outside { remove };
inline constexpr std::array<const char*, 1> enum_names(Outside) { return {"delete"}; }

struct DomainSpec {
  Vec3d min, max;
  std::array<bool, 3> periodic{};
  Outside outside = Outside::remove;

  template <class Visitor> void describe(Visitor& visit) {
    visit("min", min, {.unit = "m", .required = true, .text = "Corner with the smallest coordinates."});
    visit("max", max, {.unit = "m", .required = true, .text = "Corner with the largest coordinates."});
    visit("periodic", periodic,
          {.text = "Axes along which what leaves on one side enters on the other; their length is a multiple of 4 dx."});
    visit("outside", outside, {.text = "What happens to particles that leave along the other axes."});
  }
};

inline constexpr ParameterInfo color_info{
    .minimum = 0, .maximum = 1, .text = "In pictures: red, green, blue (sRGB); chosen by material when absent."};

struct PinSpec {
  ShapeSpec shape;
  Motion motion;

  template <class Visitor> void describe(Visitor& visit) {
    visit("shape", shape, {.required = true, .text = "Particles of the body that are inside at the start are held."});
    visit("motion", motion, {.text = "How the held particles move; they rest when absent."});
  }
};

struct BodySpec {
  std::string name;
  std::string material;
  ShapeSpec shape;
  Sampling sampling;
  Vec3d velocity;          // [m/s]
  Vec3d angular_velocity;  // [rad/s]
  std::vector<PinSpec> pinned;
  std::optional<Vec3d> color;

  template <class Visitor> void describe(Visitor& visit) {
    visit("name", name, {.text = "Unique; body_0, body_1, ... when absent."});
    visit("material", material, {.required = true, .text = "Name of a material."});
    visit("shape", shape, {.required = true, .text = "What is filled with particles."});
    visit("sampling", sampling, {.text = "How it is filled."});
    visit("velocity", velocity, {.unit = "m/s", .text = "At the start."});
    visit("angular_velocity", angular_velocity, {.unit = "rad/s", .text = "At the start, about the body's centre of mass."});
    visit("pinned", pinned, {.text = "Parts that are held, or follow a motion."});
    visit("color", color, color_info);
  }
};

struct ColliderSpec {
  std::string name;
  ShapeSpec shape;
  Contact contact = Contact::sticky;
  double friction = 0;
  Motion motion;
  std::optional<Vec3d> color;

  template <class Visitor> void describe(Visitor& visit) {
    visit("name", name, {.text = "Unique; collider_0, collider_1, ... when absent."});
    visit("shape", shape, {.required = true, .text = "What is in the way."});
    visit("contact", contact,
          {.text = "sticky: no relative motion; slip: no normal motion; separate: only approaching motion is stopped."});
    visit("friction", friction, {.minimum = 0, .text = "Coulomb coefficient, for `separate`."});
    visit("motion", motion, {.text = "How it moves; it rests when absent."});
    visit("color", color, color_info);
  }
};

struct EmitterSpec {
  std::string name;
  std::string material;
  ShapeSpec shape;
  Vec3d velocity;                        // [m/s]
  std::optional<Animated<double>> rate;  // [m^3/s]
  double start = 0;                      // [s]
  std::optional<double> end;             // [s]
  std::optional<int> max_particles;
  std::optional<double> spacing;  // [m]
  std::optional<Vec3d> color;

  template <class Visitor> void describe(Visitor& visit) {
    visit("name", name, {.text = "Unique; emitter_0, emitter_1, ... when absent. The particles form a body of this name."});
    visit("material", material, {.required = true, .text = "Name of a material."});
    visit("shape", shape, {.required = true, .text = "Where particles appear."});
    visit("velocity", velocity, {.unit = "m/s", .required = true, .text = "Of the new particles."});
    visit("rate", rate, {.unit = "m^3/s", .minimum = 0, .text = "Volume per time; when absent the shape is kept full as particles leave."});
    visit("start", start, {.unit = "s", .minimum = 0, .text = "From when on."});
    visit("end", end, {.unit = "s", .minimum = 0, .text = "Until when; without end when absent."});
    visit("max_particles", max_particles, {.minimum = 1, .text = "Stops after this many."});
    visit("spacing", spacing,
          {.unit = "m", .above = 0, .text = "Between particles; when absent dx / 2 in a solver with a grid and dx in others."});
    visit("color", color, color_info);
  }
};

struct RigidBodySpec {
  std::string name;
  ShapeSpec shape;
  double density = 0;      // [kg/m^3]
  Vec3d velocity;          // [m/s]
  Vec3d angular_velocity;  // [rad/s]
  Contact contact = Contact::separate;
  double friction = 0;
  std::optional<Vec3d> color;

  template <class Visitor> void describe(Visitor& visit) {
    visit("name", name, {.text = "Unique; rigid_body_0, rigid_body_1, ... when absent."});
    visit("shape", shape, {.required = true, .text = "Its form."});
    visit("density", density, {.unit = "kg/m^3", .above = 0, .required = true, .text = "Mass per volume."});
    visit("velocity", velocity, {.unit = "m/s", .text = "At the start."});
    visit("angular_velocity", angular_velocity, {.unit = "rad/s", .text = "At the start, about the centre of mass."});
    visit("contact", contact, {.text = "As for colliders; where two solids touch, the rougher one decides."});
    visit("friction", friction, {.minimum = 0, .text = "Coulomb coefficient, for `separate`."});
    visit("color", color, color_info);
  }
};

struct FieldTimes {
  double start = 0;           // [s]
  std::optional<double> end;  // [s]

  template <class Visitor> void describe_times(Visitor& visit) {
    visit("start", start, {.unit = "s", .minimum = 0, .text = "From when on."});
    visit("end", end, {.unit = "s", .minimum = 0, .text = "Until when; without end when absent."});
  }
};

struct UniformField : FieldTimes {
  static constexpr const char* name = "uniform";
  static constexpr const char* text = "The same acceleration everywhere, on top of gravity.";
  Vec3d acceleration;  // [m/s^2]

  template <class Visitor> void describe(Visitor& visit) {
    visit("acceleration", acceleration, {.unit = "m/s^2", .required = true, .text = "Force per mass."});
    describe_times(visit);
  }
};

struct RotationalField : FieldTimes {
  static constexpr const char* name = "rotational";
  static constexpr const char* text = "Swirl: strength * axis x (position - center), with the axis of unit length.";
  Vec3d center, axis{0, 1, 0};
  double strength = 0;  // [1/s^2]

  template <class Visitor> void describe(Visitor& visit) {
    visit("center", center, {.unit = "m", .text = "A point of the axis."});
    visit("axis", axis, {.text = "Direction of the axis; the length does not matter."});
    visit("strength", strength, {.unit = "1/s^2", .required = true, .text = "Acceleration per distance from the axis."});
    describe_times(visit);
  }
};

struct RadialField : FieldTimes {
  static constexpr const char* name = "radial";
  static constexpr const char* text = "Away from the center with the same acceleration everywhere; negative pulls inwards.";
  Vec3d center;
  double strength = 0;  // [m/s^2]

  template <class Visitor> void describe(Visitor& visit) {
    visit("center", center, {.unit = "m", .text = "Where it comes from."});
    visit("strength", strength, {.unit = "m/s^2", .required = true, .text = "Acceleration."});
    describe_times(visit);
  }
};

using FieldSpec = std::variant<UniformField, RotationalField, RadialField>;

// Attributes that frames can have beside the usual ones.
enum class ExtraAttribute { F, stress, C, volume };
inline constexpr auto enum_names(ExtraAttribute) { return extra_frame_attributes; }

struct OutputSpec {
  std::vector<FrameFormat> formats{FrameFormat::ply};
  std::vector<ExtraAttribute> attributes;
  double checkpoint_minutes = 5;
  int checkpoint_frames = 0;

  template <class Visitor> void describe(Visitor& visit) {
    visit("formats", formats, {.text = "Files that are written for each frame; none when empty."});
    visit("attributes", attributes,
          {.text = "Attributes on top of position, velocity, id, body, density, J, pressure, von_mises and plastic_strain."});
    visit("checkpoint_minutes", checkpoint_minutes,
          {.unit = "min", .minimum = 0, .text = "A checkpoint after this much computing time; 0: not by time."});
    visit("checkpoint_frames", checkpoint_frames, {.minimum = 0, .text = "A checkpoint after this many frames; 0: not by frames."});
  }
};

struct CameraSpec {
  Vec3d position, target;     // [m]
  double field_of_view = 35;  // [degrees]

  template <class Visitor> void describe(Visitor& visit) {
    visit("position", position, {.unit = "m", .required = true, .text = "Where the eye is."});
    visit("target", target, {.unit = "m", .required = true, .text = "The point in the middle of the picture."});
    visit("field_of_view", field_of_view, {.unit = "degrees", .above = 0, .below = 160, .text = "Vertical opening angle."});
  }
};

struct SceneSpec {
  int knead = 1;
  std::string name;
  double duration = 1;  // [s]
  double fps = 24;
  Animated<Vec3d> gravity = Vec3d{0, -9.81, 0};  // [m/s^2]
  int seed = 1;
  Precision precision = Precision::single;
  std::optional<DomainSpec> domain;
  SolverSpec solver;
  std::map<std::string, MaterialSpec> materials;
  std::vector<BodySpec> bodies;
  std::vector<ColliderSpec> colliders;
  std::vector<EmitterSpec> emitters;
  std::vector<RigidBodySpec> rigid_bodies;
  std::vector<FieldSpec> fields;
  std::vector<ProbeKind> probes;
  OutputSpec output;
  std::optional<CameraSpec> camera;

  // Not in the file.
  std::map<std::string, std::function<MaterialSpec(double time)>> animated_materials;  // those with keys in time
  std::filesystem::path folder;                                                        // where relative file names start
  std::string resolved;                  // JSON text with overrides applied and defaults filled in
  std::shared_ptr<const Source> source;  // knows the place of every value

  template <class Visitor> void describe(Visitor& visit) {
    visit("knead", knead, {.minimum = 1, .maximum = 1, .required = true, .text = "Version of the scene format."});
    visit("name", name, {.text = "For people."});
    visit("duration", duration, {.unit = "s", .minimum = 0, .required = true, .text = "Simulated time."});
    visit("fps", fps, {.unit = "1/s", .above = 0, .text = "Frames per simulated second; frame 0 is the initial state."});
    visit("gravity", gravity, {.unit = "m/s^2", .text = "Acceleration of everything."});
    visit("seed", seed, {.minimum = 0, .text = "Of all random numbers."});
    visit("precision", precision, {.text = "Of the simulation's numbers."});
    visit("domain", domain, {.text = "Box outside of which particles are deleted; unbounded when absent."});
    visit("solver", solver, {.required = true, .text = "How the motion is computed."});
    visit("materials", materials, {.text = "By name."});
    visit("bodies", bodies, {.text = "What is simulated."});
    visit("colliders", colliders, {.text = "What is in the way."});
    visit("emitters", emitters, {.text = "Where material flows in."});
    visit("rigid_bodies", rigid_bodies, {.text = "Two-way coupled rigid bodies."});
    visit("fields", fields, {.text = "Extra body forces."});
    visit("probes", probes, {.text = "Measurements, one CSV file each."});
    visit("output", output, {.text = "What is written."});
    visit("camera", camera, {.text = "From where pictures are taken; one that frames the whole motion when absent."});
  }
};

// Reads, applies the overrides ("path.to.key=value"), checks everything; InputError with file, line and path otherwise.
// Nothing is sampled and no mesh is opened yet.
SceneSpec load_scene(const std::filesystem::path& file, const std::vector<std::string>& overrides = {});
SceneSpec read_scene(const std::string& text, const std::string& file, const std::vector<std::string>& overrides = {});

double grid_spacing(const SceneSpec& spec);                                // dx of the solver [m]
double particle_spacing(const SceneSpec& spec, const Sampling& sampling);  // dx, or half of it in a solver with a grid, unless given [m]

}  // namespace knead
