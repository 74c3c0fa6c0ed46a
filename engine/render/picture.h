// What a picture shows, as plain data: balls, meshes, exact surfaces of shapes, ground and walls; and how it is taken.
#pragma once
#include <optional>
#include <vector>

#include "geometry/mesh.h"
#include "geometry/motion.h"
#include "geometry/shape.h"
#include "render/camera.h"
#include "render/color.h"
#include "render/image.h"
#include "render/sky.h"

namespace knead {

enum class Surface {
  matte,   // sand, soil, paper
  snow,    // matte, and light that went in comes out again nearby
  gloss,   // rubber, plastic, wet clay: matte under a clear coat
  metal,   // coloured reflection
  liquid,  // clear: refracts, reflects at grazing angles, takes its colour with depth
  glass,   // thin and clear, for what would hide the motion
};

struct Finish {
  Surface surface = Surface::matte;
  Color color{0.7f, 0.7f, 0.7f};  // of a liquid: what is left of white light after `depth`
  float roughness = 0.4f;         // of reflections, 0 to 1
  float depth = 0.1f;             // [m], liquids
  float cloudiness = 0.15f;       // liquids: share of the absorbed light that comes back scattered
  // Balls: 0 draws each one as it is, 1 takes the normal of the smooth surface that all of them together make.
  float smoothing = 0;
};

struct Balls {
  std::vector<Vec3f> centers;  // [m]
  std::vector<float> radii;    // [m]
  std::vector<Color> colors;   // one per ball, or none: the finish's
  float spacing = 0;           // [m] between neighbours at rest: the size of what smoothing smooths away
  Finish finish;
};

struct MeshSurface {
  std::vector<Vec3f> vertices;  // [m]
  std::vector<Triangle> triangles;
  std::vector<Vec3f> normals;  // one per vertex: smooth; three per triangle: creased; none: flat
  std::vector<Color> colors;   // one per vertex, or none
  Finish finish;
};

// The surface of a signed distance, as exact as its formula.
struct ShapeSurface {
  ShapePointer shape;
  Pose pose;
  Bounds3 bounds;  // finite, of the moved shape [m]; what lies outside is cut off
  Finish finish;
};

struct Ground {
  Vec3d point, normal{0, 1, 0};
};

// A thin clear pane, seen from the side its normal points to.
struct Pane {
  Vec3d corner, u, v;  // the pane is corner + a u + b v with a and b in [0, 1]
};

struct PictureScene {
  std::vector<Balls> balls;
  std::vector<MeshSurface> meshes;
  std::vector<ShapeSurface> shapes;
  std::vector<Pane> panes;
  std::optional<Ground> ground;
  Vec3d center;     // of the motion [m]
  double size = 1;  // of the motion [m]: where the ground fades, how near is near
  Sky sky;
};

enum class Quality { preview, final };
inline constexpr std::array<const char*, 2> enum_names(Quality) { return {"preview", "final"}; }

struct PictureSettings {
  int width = 1280, height = 720;
  Quality quality = Quality::preview;
};

// The same scene, camera and settings give the same bytes, whatever the number of threads.
Image take_picture(const PictureScene& scene, const Camera& camera, const PictureSettings& settings);

// Normals for a mesh that comes without: neighbouring triangles that meet at less than the angle [degrees] become one smooth surface,
// other edges stay sharp. Three normals per triangle.
std::vector<Vec3f> creased_normals(const std::vector<Vec3f>& vertices, const std::vector<Triangle>& triangles, float angle);

}  // namespace knead
