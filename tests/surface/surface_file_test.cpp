// Files of surfaces, read back.
#include "surface/surface_file.h"

#include <openvdb/io/Stream.h>
#include <openvdb/openvdb.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "geometry/tessellate.h"
#include "surface/smoothing.h"
#include "surface_support.h"

using namespace knead;
using namespace knead::test;
using doctest::Approx;
namespace fs = std::filesystem;

namespace {

SurfaceMesh ball(double radius) {
  const TriangleMesh mesh = make_surface({Sphere{{0.2, 0.1, -0.3}, radius}, {}}, ".", 0.02);
  SurfaceMesh result;
  for (const Vec3d& v : mesh.vertices)
    result.positions.push_back({static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)});
  result.triangles = mesh.triangles;
  result.normals = vertex_normals(result.positions, result.triangles);
  return result;
}

struct Folder {
  fs::path path = fs::path(KNEAD_BINARY_DIR) / "surface_file_test";
  Folder() { fs::remove_all(path); }
  ~Folder() { fs::remove_all(path); }
};

}  // namespace

TEST_CASE("level sets: OpenVDB reads back the signed distance of a ball, its name, time and frame") {
  const double radius = 0.4, voxel = 0.02;
  const SurfaceInfo info{"red ball", 7, 0.25, {}, voxel};
  const std::string bytes = level_set_bytes(ball(radius), info);
  CHECK(bytes == level_set_bytes(ball(radius), info));
  openvdb::initialize();
  Folder folder;
  fs::create_directories(folder.path);
  std::ofstream(folder.path / "ball.vdb", std::ios::binary) << bytes;
  openvdb::io::File file((folder.path / "ball.vdb").string());
  file.open();
  const auto grid = openvdb::gridPtrCast<openvdb::FloatGrid>(file.readGrid("red ball"));
  REQUIRE(grid);
  CHECK(grid->getGridClass() == openvdb::GRID_LEVEL_SET);
  CHECK(grid->metaValue<double>("time") == 0.25);
  CHECK(grid->metaValue<std::int32_t>("frame") == 7);
  CHECK(grid->voxelSize()[0] == Approx(voxel));
  CHECK(grid->background() == Approx(3 * voxel));
  double error = 0;
  for (auto value = grid->cbeginValueOn(); value; ++value) {
    const openvdb::Vec3d p = grid->indexToWorld(value.getCoord());
    const double expected = length(Vec3d{p.x(), p.y(), p.z()} - Vec3d{0.2, 0.1, -0.3}) - radius;
    error = std::max(error, std::abs(expected - *value));
  }
  CHECK(grid->activeVoxelCount() > 10000);
  // Triangles reach over up to two cells: chords of c = 2 sqrt(3) voxels lie c^2 / 8r = 0.075 voxels below the sphere.
  CHECK(error < 0.075 * voxel);
  CHECK(openvdb::FloatGrid::ConstPtr(grid)->getConstAccessor().getValue({10, 5, -15}) < 0);  // the middle, far from the band
}

TEST_CASE("level sets: a mesh without triangles is an empty level set") {
  std::istringstream stream(level_set_bytes({}, {"nothing", 0, 0, {}, 0.1}));
  openvdb::initialize();
  openvdb::io::Stream file(stream);
  const auto grid = openvdb::gridPtrCast<openvdb::FloatGrid>(file.getGrids()->front());
  CHECK(grid->activeVoxelCount() == 0);
  CHECK(grid->background() == Approx(0.3));
}

TEST_CASE("surface files: every format is written whole, and PLY and OBJ are read back") {
  Folder folder;
  fs::create_directories(folder.path);
  const SurfaceMesh mesh = ball(0.1);
  for (const auto format : {SurfaceFormat::ply, SurfaceFormat::obj, SurfaceFormat::vdb, SurfaceFormat::glb}) {
    const std::string extension = enum_names(format)[static_cast<std::size_t>(format)];
    write_surface(mesh, {"b", 1, 0.5, {}, 0.02}, format, (folder.path / ("frame_000001." + extension)).string());
  }
  for (const char* name : {"frame_000001.ply", "frame_000001.obj"}) {
    const TriangleMesh read = read_mesh(folder.path / name);
    CHECK(read.triangles.size() == mesh.triangles.size());
    CHECK(signed_volume(read) == Approx(signed_volume(plain(mesh))).epsilon(1e-6));
  }
  CHECK(fs::file_size(folder.path / "frame_000001.glb") == glb_bytes(mesh, {}).size());
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder.path)) ++files;
  CHECK(files == 4);  // nothing is left aside
}

TEST_CASE("surface files: other settings remove the surfaces of the old ones and nothing else") {
  Folder folder;
  const std::string path = folder.path.string();
  CHECK(prepare_folder(path, "voxel 1") == 0);
  for (const char* name : {"frame_000001.ply", "frame_000002.glb", "mine.ply", "frame_000001.txt"})
    std::ofstream(folder.path / name) << "x";
  CHECK(prepare_folder(path, "voxel 1") == 0);
  CHECK(fs::exists(folder.path / "frame_000001.ply"));
  CHECK(prepare_folder(path, "voxel 2") == 2);
  CHECK(!fs::exists(folder.path / "frame_000001.ply"));
  CHECK(fs::exists(folder.path / "mine.ply"));
  CHECK(fs::exists(folder.path / "frame_000001.txt"));
}

TEST_CASE("surface files: a file is up to date when it is not older than what it was made from") {
  Folder folder;
  fs::create_directories(folder.path);
  const std::string source = (folder.path / "frame.ply").string(), made = (folder.path / "surface.ply").string();
  CHECK(!is_up_to_date(made, {source}));
  std::ofstream(source) << "x", std::ofstream(made) << "x";
  fs::last_write_time(source, fs::last_write_time(made) - std::chrono::seconds(1));
  CHECK(is_up_to_date(made, {source}));
  fs::last_write_time(source, fs::last_write_time(made) + std::chrono::seconds(1));
  CHECK(!is_up_to_date(made, {source}));
}
