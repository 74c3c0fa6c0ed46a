// Meshes as OpenVDB level sets; in a file of its own, because it takes long to compile.
#include <openvdb/io/Archive.h>
#include <openvdb/openvdb.h>
#include <openvdb/tools/MeshToVolume.h>

#include <cmath>

#include "base/threads.h"
#include "frames/vdb_archive.h"
#include "geometry/triangle_tree.h"
#include "surface/surface_file.h"

namespace knead {

namespace {

constexpr float band_voxels = 3;

struct MeshAdapter {
  const SurfaceMesh& mesh;
  double voxel;
  std::size_t polygonCount() const { return mesh.triangles.size(); }
  std::size_t pointCount() const { return mesh.positions.size(); }
  std::size_t vertexCount(std::size_t) const { return 3; }
  void getIndexSpacePoint(std::size_t polygon, std::size_t corner, openvdb::Vec3d& position) const {
    const Vec3f& p = mesh.positions[mesh.triangles[polygon][corner]];
    position = {p.x / voxel, p.y / voxel, p.z / voxel};
  }
};

// Away from the surface OpenVDB looks at the triangles that are nearest to neighbouring lattice points only, and finds distances a
// quarter of a voxel too large. It knows best what is near and what is inside; the distance itself is found anew.
void make_exact(openvdb::FloatGrid& grid, const SurfaceMesh& mesh, double voxel) {
  TriangleMesh triangles;
  for (const Vec3f& p : mesh.positions) triangles.vertices.push_back({p.x, p.y, p.z});
  triangles.triangles = mesh.triangles;
  const TriangleTree tree(triangles);
  std::vector<openvdb::FloatTree::LeafNodeType*> leaves;
  grid.tree().getNodes(leaves);
  parallel_for(leaves.size(), 4, [&](std::size_t begin, std::size_t end) {
    for (std::size_t l = begin; l < end; ++l)
      for (auto value = leaves[l]->beginValueOn(); value; ++value) {
        const openvdb::Coord at = value.getCoord();
        const double found = std::abs(static_cast<double>(*value));
        const double distance = tree.distance(Vec3d{double(at.x()), double(at.y()), double(at.z())} * voxel, found);
        value.setValue(static_cast<float>(*value < 0 ? -distance : distance));
      }
  });
}

}  // namespace

std::string level_set_bytes(const SurfaceMesh& mesh, const SurfaceInfo& info) {
  openvdb::initialize();
  const auto transform = openvdb::math::Transform::createLinearTransform(info.voxel);
  openvdb::FloatGrid::Ptr grid;
  if (mesh.triangles.empty()) {
    grid = openvdb::FloatGrid::create(static_cast<float>(band_voxels * info.voxel));
    grid->setTransform(transform);
    grid->setGridClass(openvdb::GRID_LEVEL_SET);
  } else {
    grid = openvdb::tools::meshToVolume<openvdb::FloatGrid>(MeshAdapter{mesh, info.voxel}, *transform, band_voxels, band_voxels);
    make_exact(*grid, mesh, info.voxel);
  }
  grid->setName(info.body);
  openvdb::MetaMap metadata;
  for (openvdb::MetaMap* map : std::initializer_list<openvdb::MetaMap*>{&metadata, grid.get()}) {
    map->insertMeta("creator", openvdb::StringMetadata("knead"));
    map->insertMeta("body", openvdb::StringMetadata(info.body));
    map->insertMeta("frame", openvdb::Int32Metadata(info.frame));
    map->insertMeta("time", openvdb::DoubleMetadata(info.time));
  }
  return MemoryArchive<openvdb::io::Archive>().bytes(openvdb::GridPtrVec{grid}, metadata);
}

}  // namespace knead
