// The shapes of a scene file: one described struct per `shape.type`, and how they become signed distances.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/parameters.h"
#include "geometry/shape.h"
#include "math/vec.h"

namespace knead {

struct Box {
  static constexpr const char* name = "box";
  static constexpr const char* text = "Box along the axes.";
  Vec3d min, max;
  template <class Visitor> void describe(Visitor& visit) {
    visit("min", min, {.unit = "m", .required = true, .text = "Corner with the smallest coordinates."});
    visit("max", max, {.unit = "m", .required = true, .text = "Corner with the largest coordinates."});
  }
};

struct Sphere {
  static constexpr const char* name = "sphere";
  static constexpr const char* text = "Ball.";
  Vec3d center;
  double radius = 1;
  template <class Visitor> void describe(Visitor& visit) {
    visit("center", center, {.unit = "m", .required = true, .text = "Centre."});
    visit("radius", radius, {.unit = "m", .above = 0, .required = true, .text = "Radius."});
  }
};

struct Ellipsoid {
  static constexpr const char* name = "ellipsoid";
  static constexpr const char* text = "Ellipsoid along the axes.";
  Vec3d center, radii{1, 1, 1};
  template <class Visitor> void describe(Visitor& visit) {
    visit("center", center, {.unit = "m", .required = true, .text = "Centre."});
    visit("radii", radii, {.unit = "m", .above = 0, .required = true, .text = "Half axes along x, y and z."});
  }
};

struct Cylinder {
  static constexpr const char* name = "cylinder";
  static constexpr const char* text = "Round cylinder with flat ends.";
  Vec3d base, axis{0, 1, 0};
  double radius = 1;
  template <class Visitor> void describe(Visitor& visit) {
    visit("base", base, {.unit = "m", .required = true, .text = "Centre of one end."});
    visit("axis", axis, {.unit = "m", .required = true, .text = "From the base to the centre of the other end; its length is the height."});
    visit("radius", radius, {.unit = "m", .above = 0, .required = true, .text = "Radius."});
  }
};

struct Capsule {
  static constexpr const char* name = "capsule";
  static constexpr const char* text = "Everything within the radius of a straight segment.";
  Vec3d base, axis{0, 1, 0};
  double radius = 1;
  template <class Visitor> void describe(Visitor& visit) {
    visit("base", base, {.unit = "m", .required = true, .text = "Centre of one end ball."});
    visit("axis", axis, {.unit = "m", .required = true, .text = "From the base to the centre of the other end ball."});
    visit("radius", radius, {.unit = "m", .above = 0, .required = true, .text = "Radius."});
  }
};

struct Cone {
  static constexpr const char* name = "cone";
  static constexpr const char* text = "Round cone: a flat base disc and a tip.";
  Vec3d base, axis{0, 1, 0};
  double radius = 1;
  template <class Visitor> void describe(Visitor& visit) {
    visit("base", base, {.unit = "m", .required = true, .text = "Centre of the base disc."});
    visit("axis", axis, {.unit = "m", .required = true, .text = "From the base to the tip; its length is the height."});
    visit("radius", radius, {.unit = "m", .above = 0, .required = true, .text = "Radius of the base disc."});
  }
};

struct Torus {
  static constexpr const char* name = "torus";
  static constexpr const char* text = "Ring: a tube around a circle.";
  Vec3d center, axis{0, 1, 0};
  double radius = 1, tube = 0.25;
  template <class Visitor> void describe(Visitor& visit) {
    visit("center", center, {.unit = "m", .required = true, .text = "Centre."});
    visit("axis", axis, {.required = true, .text = "Direction of the axis; the length does not matter."});
    visit("radius", radius, {.unit = "m", .above = 0, .required = true, .text = "Radius of the circle in the middle of the tube."});
    visit("tube", tube, {.unit = "m", .above = 0, .required = true, .text = "Radius of the tube, at most `radius`."});
  }
};

struct Plane {
  static constexpr const char* name = "plane";
  static constexpr const char* text = "Half space below a plane; colliders, or cut with other shapes.";
  Vec3d point, normal{0, 1, 0};
  template <class Visitor> void describe(Visitor& visit) {
    visit("point", point, {.unit = "m", .required = true, .text = "A point of the plane."});
    visit("normal", normal, {.required = true, .text = "Points out of the solid half; the length does not matter."});
  }
};

struct MeshFile {
  static constexpr const char* name = "mesh";
  static constexpr const char* text = "The inside of a closed triangle mesh.";
  std::string file;
  template <class Visitor> void describe(Visitor& visit) {
    visit("file", file, {.required = true, .text = "OBJ, PLY or STL file, relative to the scene file."});
  }
};

struct PointsFile {
  static constexpr const char* name = "points";
  static constexpr const char* text = "One particle at each point of a file.";
  std::string file;
  template <class Visitor> void describe(Visitor& visit) {
    visit("file", file, {.required = true, .text = "PLY file, relative to the scene file."});
  }
};

struct Sheet {
  static constexpr const char* name = "sheet";
  static constexpr const char* text = "Thin rectangular sheet.";
  Vec3d center, u{1, 0, 0}, v{0, 0, 1};
  template <class Visitor> void describe(Visitor& visit) {
    visit("center", center, {.unit = "m", .required = true, .text = "Centre."});
    visit("u", u, {.unit = "m", .required = true, .text = "Half of one edge."});
    visit("v", v, {.unit = "m", .required = true, .text = "Half of the other edge."});
  }
};

struct Rod {
  static constexpr const char* name = "rod";
  static constexpr const char* text = "Thin rod along a line of points.";
  std::vector<Vec3d> points;
  template <class Visitor> void describe(Visitor& visit) {
    visit("points", points, {.unit = "m", .required = true, .text = "Corners of the centre line."});
  }
};

struct ShapeSpec;

struct Union {
  static constexpr const char* name = "union";
  static constexpr const char* text = "All of the shapes together.";
  std::vector<ShapeSpec> shapes;
  template <class Visitor> void describe(Visitor& visit) { visit("shapes", shapes, {.required = true, .text = "One shape or more."}); }
};

struct Intersection {
  static constexpr const char* name = "intersection";
  static constexpr const char* text = "What all of the shapes have in common.";
  std::vector<ShapeSpec> shapes;
  template <class Visitor> void describe(Visitor& visit) { visit("shapes", shapes, {.required = true, .text = "One shape or more."}); }
};

struct Difference {
  static constexpr const char* name = "difference";
  static constexpr const char* text = "The first shape minus the others.";
  std::vector<ShapeSpec> shapes;
  template <class Visitor> void describe(Visitor& visit) {
    visit("shapes", shapes, {.required = true, .text = "The first is kept, the others are cut away."});
  }
};

struct SmoothUnion {
  static constexpr const char* name = "smooth_union";
  static constexpr const char* text = "All of the shapes together, with rounded seams.";
  std::vector<ShapeSpec> shapes;
  double radius = 0.1;
  template <class Visitor> void describe(Visitor& visit) {
    visit("shapes", shapes, {.required = true, .text = "One shape or more, blended in this order."});
    visit("radius", radius, {.unit = "m", .above = 0, .required = true, .text = "Shapes closer than this to each other grow together."});
  }
};

// x = translate + R * (scale * X) with R = Rz * Ry * Rx.
struct Transform {
  Vec3d translate{};     // [m]
  Vec3d rotate{};        // [degrees] about x, then y, then z
  Vec3d scale{1, 1, 1};  // applied first
  template <class Visitor> void describe(Visitor& visit) {
    visit("translate", translate, {.unit = "m", .text = "Displacement, applied last."});
    visit("rotate", rotate, {.unit = "deg", .text = "Rotation about x, then y, then z, through the origin."});
    visit("scale", scale, {.above = 0, .text = "Factors along x, y and z, applied first."});
  }
};

using ShapeKind = std::variant<Box, Sphere, Ellipsoid, Cylinder, Capsule, Cone, Torus, Plane, MeshFile, PointsFile, Sheet, Rod, Union,
                               Intersection, Difference, SmoothUnion>;

// In the scene file `type` and the keys of the chosen kind stand beside `transform`, in one object.
struct ShapeSpec {
  ShapeKind kind;
  std::optional<Transform> transform;
};

// Builds the signed distance. `folder` is where relative file names start, `spacing` [m] the resolution at which meshes
// become level sets. Throws InputError with a sentence that names no scene file: the caller knows the place.
ShapePointer make_shape(const ShapeSpec& spec, const std::filesystem::path& folder, double spacing);

// Positions of a `points` shape, transformed; they become particles as they are.
std::vector<Vec3d> load_points(const ShapeSpec& spec, const std::filesystem::path& folder);

}  // namespace knead
