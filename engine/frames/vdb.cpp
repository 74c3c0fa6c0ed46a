#include "frames/vdb.h"

#include <openvdb/io/Archive.h>
#include <openvdb/openvdb.h>
#include <openvdb/points/PointConversion.h>
#include <openvdb/points/PointDataGrid.h>
#include <openvdb/tools/PointIndexGrid.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "frames/aside_file.h"
#include "frames/by_body.h"
#include "frames/ply.h"
#include "frames/vdb_archive.h"

namespace knead {

namespace {

using openvdb::points::PointDataGrid;

// The values of one component, or of one vector, of a body's particles, as OpenVDB's conversion asks for them.
template <class Value> class ColumnView {
 public:
  using PosType = Value;
  using value_type = Value;
  ColumnView(const FrameColumn& column, const BodyParticles& body, std::size_t first = 0) : column_(column), body_(body), first_(first) {}
  std::size_t size() const { return body_.particles.size(); }
  template <class T> void get(T& value, std::size_t i) const {
    const std::size_t at = body_.particles[i] * static_cast<std::size_t>(column_.components) + first_;
    if constexpr (std::is_same_v<T, std::int32_t>) value = column_.ints[at];
    else if constexpr (std::is_same_v<T, float>) value = column_.floats[at];
    else value = T(column_.floats[at], column_.floats[at + 1], column_.floats[at + 2]);
  }
  template <class T> void get(T& value, std::size_t i, openvdb::Index) const { get(value, i); }
  template <class T> void getPos(std::size_t i, T& value) const {
    openvdb::Vec3f position;
    get(position, i);
    value = T(position);
  }

 private:
  const FrameColumn& column_;
  const BodyParticles& body_;
  std::size_t first_;
};

template <class Value>
void add_attribute(PointDataGrid& grid, const openvdb::tools::PointIndexGrid& index, const std::string& name,
                   const ColumnView<Value>& view) {
  openvdb::points::appendAttribute<Value>(grid.tree(), name);
  openvdb::points::populateAttribute(grid.tree(), index.tree(), name, view);
}

// A column under its name; lists of 6 or 9 as that many scalars, F_00 ... or stress_xx ..., since attributes are at most vectors here.
void add_column(PointDataGrid& grid, const openvdb::tools::PointIndexGrid& index, const FrameColumn& column, const BodyParticles& body) {
  const std::string name = column.name == "velocity" ? "v" : column.name;  // Houdini's name, which moves the points between frames
  if (column.components == 3 && !column.is_integer) {
    add_attribute(grid, index, name, ColumnView<openvdb::Vec3f>(column, body));
    return;
  }
  for (int c = 0; c < column.components; ++c) {
    const std::string part = name + component_suffix(column.components, c);
    if (column.is_integer) add_attribute(grid, index, part, ColumnView<std::int32_t>(column, body, static_cast<std::size_t>(c)));
    else add_attribute(grid, index, part, ColumnView<float>(column, body, static_cast<std::size_t>(c)));
  }
}

openvdb::GridBase::Ptr point_grid(const Frame& frame, const BodyParticles& body) {
  const auto transform = openvdb::math::Transform::createLinearTransform(2.0 * body.spacing);
  const ColumnView<openvdb::Vec3f> positions(*frame.find("position"), body);
  const auto index = openvdb::tools::createPointIndexGrid<openvdb::tools::PointIndexGrid>(positions, *transform);
  const auto grid = openvdb::points::createPointDataGrid<openvdb::points::NullCodec, PointDataGrid>(*index, positions, *transform);
  for (const FrameColumn& column : frame.columns)
    if (column.name != "position" && column.name != "body") add_column(*grid, *index, column, body);
  grid->setName("points_" + body.identifier);
  grid->insertMeta("body", openvdb::StringMetadata(body.name));
  return grid;
}

// Each particle spreads its volume over the eight voxel centres around it: a linear hat as wide as two voxels.
void splat(openvdb::FloatGrid& fog, const FrameColumn& position, const FrameColumn* J, const BodyParticles& body) {
  auto voxels = fog.getAccessor();
  const double rest_share = std::pow(body.spacing / fog.voxelSize()[0], 3);  // of a voxel
  for (const std::uint32_t i : body.particles) {
    const openvdb::Vec3d x =
        fog.worldToIndex(openvdb::Vec3d(position.floats[3 * i], position.floats[3 * i + 1], position.floats[3 * i + 2]));
    const openvdb::Coord base = openvdb::Coord::floor(x);
    const double share = rest_share * (J ? std::clamp(std::abs(J->floats[i]), 0.1f, 10.0f) : 1.0f);
    for (int corner = 0; corner < 8; ++corner) {
      const openvdb::Coord cell = base.offsetBy(corner & 1, corner >> 1 & 1, corner >> 2);
      double weight = share;
      for (int axis = 0; axis < 3; ++axis) weight *= 1 - std::abs(x[axis] - cell[axis]);
      voxels.setValue(cell, voxels.getValue(cell) + static_cast<float>(weight));
    }
  }
}

openvdb::FloatGrid::Ptr fog_grid(const std::string& name, double voxel) {
  auto fog = openvdb::FloatGrid::create(0);
  fog->setTransform(openvdb::math::Transform::createLinearTransform(voxel));
  fog->setGridClass(openvdb::GRID_FOG_VOLUME);
  fog->setName(name);
  return fog;
}

// Splatting into voxels twice the spacing overshoots by some percent; a fog volume is at most 1.
void limit(openvdb::FloatGrid& fog) {
  for (auto value = fog.beginValueOn(); value; ++value)
    if (*value > 1) value.setValue(1);
}

openvdb::GridPtrVec grids_of(const Frame& frame) {
  const std::vector<BodyParticles> bodies = by_body(frame);
  const FrameColumn *position = frame.find("position"), *J = frame.find("J");
  float coarsest = 0;  // for the volume of all bodies: a finer one would show gaps between the particles of the coarsest body
  for (const BodyParticles& body : bodies) coarsest = std::max(coarsest, body.particles.empty() ? 0 : body.spacing);
  if (coarsest == 0) coarsest = bodies[0].spacing;

  openvdb::GridPtrVec grids;
  const auto all = fog_grid("density", 2.0 * coarsest);
  grids.push_back(all);
  for (const BodyParticles& body : bodies) {
    splat(*all, *position, J, body);
    if (bodies.size() == 1) continue;
    const auto fog = fog_grid("density_" + body.identifier, 2.0 * body.spacing);
    splat(*fog, *position, J, body);
    limit(*fog);
    grids.push_back(fog);
  }
  limit(*all);
  for (const BodyParticles& body : bodies) grids.push_back(point_grid(frame, body));
  return grids;
}

}  // namespace

void write_vdb(const Frame& frame, const std::string& path) {
  openvdb::initialize();
  openvdb::MetaMap metadata;
  metadata.insertMeta("creator", openvdb::StringMetadata("knead"));
  metadata.insertMeta("frame", openvdb::Int32Metadata(frame.index));
  metadata.insertMeta("time", openvdb::DoubleMetadata(frame.time));
  const std::string bytes = MemoryArchive<openvdb::io::Archive>().bytes(grids_of(frame), metadata);
  AsideFile file(path);
  file.write(bytes.data(), bytes.size());
  file.commit();
}

}  // namespace knead
