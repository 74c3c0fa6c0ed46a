// The only file that sees OpenVDB, which finds out what is near the surface and what is inside.
#include "geometry/mesh_shape.h"

#include <openvdb/openvdb.h>
#include <openvdb/tools/MeshToVolume.h>

#include <algorithm>

#include "base/error.h"
#include "base/threads.h"
#include "geometry/level_set.h"
#include "geometry/primitives.h"
#include "geometry/triangle_tree.h"

namespace knead {

namespace {

constexpr double band_voxels = 4;
constexpr double most_voxels = 2.5e8, most_blocks = 3e7;  // about a gigabyte

// Some parts of a mesh as OpenVDB wants to see them, in units of the lattice.
struct PartsAdapter {
  const TriangleMesh& mesh;
  const std::vector<std::uint32_t>& triangles;
  Vec3d origin;
  double voxel;

  std::size_t polygonCount() const { return triangles.size(); }
  std::size_t pointCount() const { return mesh.vertices.size(); }
  std::size_t vertexCount(std::size_t) const { return 3; }
  void getIndexSpacePoint(std::size_t polygon, std::size_t corner, openvdb::Vec3d& position) const {
    const Vec3d p = (mesh.vertices[mesh.triangles[triangles[polygon]][corner]] - origin) / voxel;
    position = {p.x, p.y, p.z};
  }
};

void copy_leaves(const openvdb::FloatGrid& grid, LevelSet& level_set) {
  const auto& tree = grid.tree();
  openvdb::CoordBBox box;
  tree.evalLeafBoundingBox(box);
  for (int axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    level_set.first[a] = (box.min()[axis] >> 3) - 1;  // one empty block on each side: the distance has no jump at the border
    level_set.count[a] = (box.max()[axis] >> 3) - level_set.first[a] + 2;
  }
  const auto& [nx, ny, nz] = level_set.count;
  level_set.blocks.resize(static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny) * static_cast<std::size_t>(nz), LevelSet::outside);
  level_set.values.reserve(tree.leafCount() * LevelSet::block_values);
  openvdb::FloatGrid::ConstAccessor accessor = grid.getConstAccessor();
  std::int32_t stored = 0;
  for (int i = 0; i < nx; ++i)
    for (int j = 0; j < ny; ++j)
      for (int k = 0; k < nz; ++k) {
        const std::array<int, 3> block{level_set.first[0] + i, level_set.first[1] + j, level_set.first[2] + k};
        const openvdb::Coord corner(block[0] * 8, block[1] * 8, block[2] * 8);
        std::int32_t& slot = level_set.blocks[level_set.slot(block)];
        if (const auto* leaf = accessor.probeConstLeaf(corner)) {
          slot = stored++;
          const float* data = leaf->buffer().data();  // z runs fastest, as in LevelSet
          for (int v = 0; v < LevelSet::block_values; ++v) level_set.values.push_back(static_cast<float>(data[v] * level_set.voxel));
        } else {
          slot = accessor.getValue(corner) < 0 ? LevelSet::inside : LevelSet::outside;
        }
      }
}

// Away from the surface OpenVDB looks at the triangles that are nearest to neighbouring lattice points only, and finds distances up
// to half a lattice distance too long. Its values are good bounds to start the search for the nearest triangle from.
void make_exact(LevelSet& level_set, const TriangleTree& tree) {
  const int nx = level_set.count[0], ny = level_set.count[1], nz = level_set.count[2];
  parallel_for(static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t column = begin; column < end; ++column)
      for (int k = 0; k < nz; ++k) {
        const std::array<int, 3> block{level_set.first[0] + static_cast<int>(column) / ny,
                                       level_set.first[1] + static_cast<int>(column) % ny, level_set.first[2] + k};
        const std::int32_t index = level_set.blocks[level_set.slot(block)];
        for (int v = 0; index >= 0 && v < LevelSet::block_values; ++v) {
          float& value = level_set.values[static_cast<std::size_t>(index) * LevelSet::block_values + static_cast<std::size_t>(v)];
          const Vec3d point = Vec3d{block[0] * 8.0 + (v >> 6), block[1] * 8.0 + (v >> 3 & 7), block[2] * 8.0 + (v & 7)} * level_set.voxel +
                              level_set.origin;
          const double limit = std::min(std::abs(double(value)) * (1 + 1e-6), level_set.band);
          value = static_cast<float>(std::copysign(tree.distance(point, limit), value));
        }
      }
  });
}

LevelSet make_level_set(const TriangleMesh& mesh, const std::vector<std::uint32_t>& triangles, const TriangleTree& tree,
                        const Vec3d& origin, double voxel) {
  LevelSet level_set;
  level_set.origin = origin, level_set.voxel = voxel, level_set.band = band_voxels * voxel;
  // Values in units of the lattice: a unit transform. One unit more on each side, as the distances found may be too long.
  const auto transform = openvdb::math::Transform::createLinearTransform(1.0);
  const auto grid = openvdb::tools::meshToVolume<openvdb::FloatGrid>(
      PartsAdapter{mesh, triangles, origin, voxel}, *transform, static_cast<float>(band_voxels + 1), static_cast<float>(band_voxels + 1),
      openvdb::tools::DISABLE_RENORMALIZATION);
  copy_leaves(*grid, level_set);
  make_exact(level_set, tree);
  return level_set;
}

class MeshShape final : public Shape {
 public:
  // depths[0]: solids, depths[1]: the cavities in them, depths[2]: solids in those cavities, and so on.
  MeshShape(std::vector<LevelSet> depths, const Bounds3& bounds, double volume)
      : depths_(std::move(depths)), bounds_(bounds), box_(make_primitive(Box{bounds.minimum, bounds.maximum})), volume_(volume) {}

  double distance(const Vec3d& point) const override {
    double d = depths_[0].distance(point);
    for (std::size_t i = 1; i < depths_.size(); ++i)
      d = i % 2 == 1 ? std::max(d, -depths_[i].distance(point)) : std::min(d, depths_[i].distance(point));
    // The distance to the box around the mesh is smaller than that to the mesh everywhere, and grows on beyond the band.
    return std::max(d, box_->distance(point));
  }
  Bounds3 bounds() const override { return bounds_; }
  Vec3d normal(const Vec3d& point) const override {
    const double step = depths_[0].voxel / 2;
    // In the flat middle of a thick mesh the box around it is the best guess of the way out.
    return std::abs(distance(point)) < depths_[0].band - step ? numerical_normal(*this, point, step) : box_->normal(point);
  }
  std::optional<double> volume() const override { return volume_; }

 private:
  std::vector<LevelSet> depths_;
  Bounds3 bounds_;
  ShapePointer box_;
  double volume_;
};

double choose_voxel(const TriangleMesh& mesh, const Bounds3& box, double spacing) {
  const Vec3d size = box.maximum - box.minimum;
  const double voxel = std::min({spacing, std::max({size.x, size.y, size.z}) / 32, std::min({size.x, size.y, size.z}) / 6});
  const double voxels = surface_area(mesh) / (voxel * voxel) * 2 * (band_voxels + 2),
               blocks = (size.x / voxel / 8 + 2) * (size.y / voxel / 8 + 2) * (size.z / voxel / 8 + 2);
  if (voxels > most_voxels || blocks > most_blocks)
    throw InputError("the mesh is " + std::to_string(size.x) + " x " + std::to_string(size.y) + " x " + std::to_string(size.z) +
                     " m large, too large for a resolution of " + std::to_string(voxel) +
                     " m; is it in metres? transform.scale can shrink it.");
  return voxel;
}

}  // namespace

ShapePointer make_mesh_shape(const TriangleMesh& mesh, double spacing) {
  require_positive(spacing, "the resolution of a mesh");
  const std::vector<MeshPart> parts = check_mesh(mesh);
  const Bounds3 box = bounds_of(mesh);
  const double voxel = choose_voxel(mesh, box, spacing);
  std::vector<std::vector<std::uint32_t>> triangles_at;
  for (const MeshPart& part : parts) {
    const auto depth = static_cast<std::size_t>(part.depth);
    if (triangles_at.size() <= depth) triangles_at.resize(depth + 1);
    triangles_at[depth].insert(triangles_at[depth].end(), part.triangles.begin(), part.triangles.end());
  }
  const TriangleTree tree(mesh);
  std::vector<LevelSet> depths;
  for (const auto& triangles : triangles_at) depths.push_back(make_level_set(mesh, triangles, tree, box.minimum, voxel));
  return std::make_shared<MeshShape>(std::move(depths), box, signed_volume(mesh));
}

}  // namespace knead
