// From the description of a shape to its signed distance.
#include <algorithm>

#include "base/error.h"
#include "geometry/combined.h"
#include "geometry/mesh.h"
#include "geometry/mesh_shape.h"
#include "geometry/primitives.h"
#include "geometry/shapes.h"

namespace knead {

namespace {

struct Maker {
  const std::filesystem::path& folder;
  double spacing;

  template <class Primitive> ShapePointer operator()(const Primitive& primitive) const { return make_primitive(primitive); }
  ShapePointer operator()(const MeshFile& mesh) const { return make_mesh_shape(read_mesh(folder / mesh.file), spacing); }
  ShapePointer operator()(const PointsFile&) const {
    throw InputError("a shape of type \"points\" is a list of particles, not a solid; it can only be the shape of a body.");
  }
  ShapePointer operator()(const Sheet&) const { refuse_thin("sheet"); }
  ShapePointer operator()(const Rod&) const { refuse_thin("rod"); }
  [[noreturn]] static void refuse_thin(const char* type) {
    throw InputError(std::string("a shape of type \"") + type +
                     "\" is one particle thick, not a solid; it can only be the shape of a body.");
  }
  ShapePointer operator()(const Union& all) const { return make_union(each(all.shapes)); }
  ShapePointer operator()(const Intersection& all) const { return make_intersection(each(all.shapes)); }
  ShapePointer operator()(const Difference& all) const { return make_difference(each(all.shapes)); }
  ShapePointer operator()(const SmoothUnion& all) const { return make_smooth_union(each(all.shapes), all.radius); }

  std::vector<ShapePointer> each(const std::vector<ShapeSpec>& specs) const {
    std::vector<ShapePointer> shapes;
    for (const auto& spec : specs) shapes.push_back(make_shape(spec, folder, spacing));
    return shapes;
  }
};

}  // namespace

ShapePointer make_shape(const ShapeSpec& spec, const std::filesystem::path& folder, double spacing) {
  if (!spec.transform) return std::visit(Maker{folder, spacing}, spec.kind);
  const Transform& transform = *spec.transform;
  check_transform(transform);
  if (const auto* file = std::get_if<MeshFile>(&spec.kind)) {  // moving the vertices keeps the distance true under any scale
    TriangleMesh mesh = read_mesh(folder / file->file);
    for (Vec3d& vertex : mesh.vertices) vertex = apply(transform, vertex);
    return make_mesh_shape(mesh, spacing);
  }
  const double largest = std::max({transform.scale.x, transform.scale.y, transform.scale.z});
  return make_transformed(std::visit(Maker{folder, spacing / largest}, spec.kind), transform);
}

std::vector<Vec3d> load_points(const ShapeSpec& spec, const std::filesystem::path& folder) {
  const auto* file = std::get_if<PointsFile>(&spec.kind);
  if (!file) throw InputError("only a shape of type \"points\" is a list of particles.");
  std::vector<Vec3d> points = read_points(folder / file->file);
  if (points.empty()) throw InputError(file->file + " holds no points.");
  if (spec.transform) {
    check_transform(*spec.transform);
    for (Vec3d& point : points) point = apply(*spec.transform, point);
  }
  return points;
}

}  // namespace knead
