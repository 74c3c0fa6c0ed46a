// Read back by OpenVDB itself.
#include "frames/vdb.h"

#include <doctest/doctest.h>
#include <openvdb/openvdb.h>
#include <openvdb/points/PointCount.h>
#include <openvdb/points/PointDataGrid.h>

#include <cmath>
#include <set>

#include "base/threads.h"
#include "frames/sample_frame.h"

using namespace knead;
using namespace knead::test;

namespace {

// A block of n^3 particles at distance 0.1, the upper half another body, in a cube at the origin.
Frame block(std::size_t n) {
  Frame frame = sample_frame(n * n * n, 6);
  frame.body_spacings = {0.1f, 0.1f};
  std::size_t i = 0;
  for (std::size_t z = 0; z < n; ++z)
    for (std::size_t y = 0; y < n; ++y)
      for (std::size_t x = 0; x < n; ++x, ++i) {
        const std::size_t place[3] = {x, y, z};
        for (std::size_t c = 0; c < 3; ++c) frame.columns[0].floats[3 * i + c] = 0.1f * (static_cast<float>(place[c]) + 0.5f);
        frame.columns[3].ints[i] = y < n / 2 ? 0 : 1;
        frame.columns[5].floats[i] = 1;  // J
      }
  return frame;
}

}  // namespace

TEST_CASE("VDB: OpenVDB reads back every particle with its attributes") {
  openvdb::initialize();
  const ScratchFolder folder("vdb");
  const Frame frame = block(12);
  write_vdb(frame, folder.file("frame.vdb"));
  openvdb::io::File file(folder.file("frame.vdb"));
  file.open();
  CHECK(file.getMetadata()->metaValue<double>("time") == 0.25);
  std::size_t total = 0, wrong = 0;
  std::set<std::int32_t> ids;
  for (const char* name : {"points_column", "points_left_ball"}) {
    const auto grid = openvdb::gridPtrCast<openvdb::points::PointDataGrid>(file.readGrid(name));
    total += openvdb::points::pointCount(grid->tree());
    for (auto leaf = grid->tree().cbeginLeaf(); leaf; ++leaf) {
      const openvdb::points::AttributeHandle<openvdb::Vec3f> position(leaf->constAttributeArray("P")),
          velocity(leaf->constAttributeArray("v"));
      const openvdb::points::AttributeHandle<std::int32_t> id(leaf->constAttributeArray("id"));
      const openvdb::points::AttributeHandle<float> pressure(leaf->constAttributeArray("pressure")),
          stress_zx(leaf->constAttributeArray("stress_zx"));
      for (auto point = leaf->beginIndexOn(); point; ++point) {
        const std::int32_t number = id.get(*point);
        ids.insert(number);
        const auto i = static_cast<std::size_t>(number - 2) / 3;  // as sample_frame numbers them
        const openvdb::Vec3d world = grid->indexToWorld(openvdb::Vec3d(position.get(*point)) + point.getCoord().asVec3d());
        bool right = pressure.get(*point) == frame.columns[6].floats[i] && stress_zx.get(*point) == frame.columns[10].floats[6 * i + 5];
        for (int c = 0; c < 3; ++c) {
          const std::size_t at = 3 * i + static_cast<std::size_t>(c);
          right = right && velocity.get(*point)[c] == frame.columns[1].floats[at];
          right = right && std::abs(world[c] - frame.columns[0].floats[at]) < 1e-6;  // stored relative to a voxel, in 32 bits
        }
        wrong += right ? 0 : 1;
      }
    }
  }
  CHECK(total == frame.count);
  CHECK(ids.size() == frame.count);
  CHECK(wrong == 0);
}

TEST_CASE("VDB: the fog volume is 1 inside and holds the volume of the particles") {
  openvdb::initialize();
  const ScratchFolder folder("vdb_fog");
  const Frame frame = block(12);
  write_vdb(frame, folder.file("frame.vdb"));
  openvdb::io::File file(folder.file("frame.vdb"));
  file.open();
  const auto fog = openvdb::gridPtrCast<openvdb::FloatGrid>(file.readGrid("density"));
  CHECK(fog->getGridClass() == openvdb::GRID_FOG_VOLUME);
  double volume = 0;
  for (auto value = fog->cbeginValueOn(); value; ++value) volume += *value * std::pow(fog->voxelSize()[0], 3);
  CHECK(volume == doctest::Approx(1.2 * 1.2 * 1.2).epsilon(1e-5));  // trilinear shares sum to one
  CHECK(fog->tree().getValue(openvdb::Coord(3, 3, 3)) == doctest::Approx(1).epsilon(1e-5));
  CHECK(fog->tree().getValue(openvdb::Coord(30, 3, 3)) == 0);
  CHECK(file.hasGrid("density_left_ball"));
}

TEST_CASE("VDB: the same bytes from one thread and from many, and again") {
  const ScratchFolder folder("vdb_bytes");
  const Frame frame = block(20);
  for (const int threads : {1, 4}) {
    set_thread_count(threads);
    write_vdb(frame, folder.file(std::to_string(threads) + ".vdb"));
  }
  set_thread_count(0);
  CHECK(read_bytes(folder.file("1.vdb")) == read_bytes(folder.file("4.vdb")));
}

TEST_CASE("VDB: no particles at all") {
  const ScratchFolder folder("vdb_empty");
  write_vdb(sample_frame(0, 0), folder.file("frame.vdb"));
  openvdb::io::File file(folder.file("frame.vdb"));
  file.open();
  CHECK(openvdb::gridPtrCast<openvdb::FloatGrid>(file.readGrid("density"))->activeVoxelCount() == 0);
}
