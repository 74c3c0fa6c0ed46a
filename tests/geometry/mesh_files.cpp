// Readers: files written here by hand come back as the same mesh.
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "geometry/mesh.h"
#include "geometry/shapes.h"
#include "geometry_support.h"

using namespace knead;
using namespace knead::test;
using doctest::Approx;

namespace {

const char* cube_obj = R"(# a cube of quads, one with texture and normal indices, one from the end
mtllib nothing.mtl
v 0 0 0
v 1 0 0
v 0 1 0
v 1 1 0
v 0 0 1
v 1 0 1 1.0
v 0 1 +1e0
v 1 1 1
vn 0 0 1
f 1 3 4 2
f 5/1/1 6/2/1 8/3/1 7/4/1
f 1//1 2//1 6//1 5//1
f -6 -2 -1 -5
f 1 5 \
  7 3
f 2 4 8 6
)";

template <class T> void append(std::string& bytes, T value, bool big) {
  char raw[sizeof(T)];
  std::memcpy(raw, &value, sizeof(T));
  if (big) std::reverse(raw, raw + sizeof(T));
  bytes.append(raw, sizeof(T));
}

// Properties out of order, of many types, with an element and a list that no one asked for.
std::string ply_of(const TriangleMesh& mesh, bool big) {
  std::string bytes = std::string("ply\nformat ") + (big ? "binary_big_endian" : "binary_little_endian") +
                      " 1.0\ncomment made by hand\r\nelement camera 1\nproperty list uchar short angles\n" + "element vertex " +
                      std::to_string(mesh.vertices.size()) +
                      "\nproperty uchar red\nproperty double z\nproperty float32 x\nproperty int8 flag\nproperty double y\n" +
                      "element face " + std::to_string(mesh.triangles.size()) +
                      "\nproperty float area\nproperty list uint16 int32 vertex_indices\nend_header\n";
  append<std::uint8_t>(bytes, 2, big), append<std::int16_t>(bytes, -5, big), append<std::int16_t>(bytes, 7, big);
  for (const Vec3d& v : mesh.vertices)
    append<std::uint8_t>(bytes, 200, big), append(bytes, v.z, big), append(bytes, static_cast<float>(v.x), big),
        append<std::int8_t>(bytes, -1, big), append(bytes, v.y, big);
  for (const Triangle& t : mesh.triangles) {
    append(bytes, 0.5f, big), append<std::uint16_t>(bytes, 3, big);
    for (const std::uint32_t corner : t) append(bytes, static_cast<std::int32_t>(corner), big);
  }
  return bytes;
}

std::string binary_stl_of(const TriangleMesh& mesh) {
  std::string bytes = "solid is what some binary files start with";
  bytes.resize(80, ' ');
  append(bytes, static_cast<std::uint32_t>(mesh.triangles.size()), false);
  for (const Triangle& t : mesh.triangles) {
    for (int i = 0; i < 3; ++i) append(bytes, 0.0f, false);
    for (const std::uint32_t corner : t)
      for (int i = 0; i < 3; ++i) append(bytes, static_cast<float>(mesh.vertices[corner][i]), false);
    append<std::uint16_t>(bytes, 0, false);
  }
  return bytes;
}

std::string ascii_stl_of(const TriangleMesh& mesh) {
  std::ostringstream text;
  text << "solid part\n";
  for (const Triangle& t : mesh.triangles) {
    text << "  facet normal 0 0 0\n    outer loop\n";
    for (const std::uint32_t corner : t)
      text << "      vertex " << mesh.vertices[corner].x << ' ' << mesh.vertices[corner].y << ' ' << mesh.vertices[corner].z << '\n';
    text << "    endloop\n  endfacet\n";
  }
  text << "endsolid part\n";
  return text.str();
}

void check_unit_cube(const TriangleMesh& mesh) {
  CHECK(mesh.vertices.size() == 8);
  CHECK(mesh.triangles.size() == 12);
  CHECK(signed_volume(mesh) == Approx(1).epsilon(1e-12));
  CHECK(surface_area(mesh) == Approx(6).epsilon(1e-12));
  CHECK(check_mesh(mesh).size() == 1);
}

std::filesystem::path write_file(const char* name, const std::string& bytes) {
  const auto path = std::filesystem::path(KNEAD_BINARY_DIR) / name;
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

}  // namespace

TEST_CASE("Mesh files: the same cube comes out of OBJ, PLY and STL in all their forms") {
  const TriangleMesh cube = box_mesh({0, 0, 0}, {1, 1, 1});
  check_unit_cube(read_mesh_bytes(cube_obj, MeshFormat::obj));
  check_unit_cube(read_mesh_bytes(ply_of(cube, false), MeshFormat::ply));
  check_unit_cube(read_mesh_bytes(ply_of(cube, true), MeshFormat::ply));
  check_unit_cube(read_mesh_bytes(binary_stl_of(cube), MeshFormat::stl));
  check_unit_cube(read_mesh_bytes(ascii_stl_of(cube), MeshFormat::stl));
  check_unit_cube(read_mesh(write_file("test_cube.OBJ", cube_obj)));
}

TEST_CASE("Mesh files: ascii PLY with polygons, and points as they are") {
  const std::string ply =
      "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
      "element face 2\nproperty list uchar int vertex_index\nend_header\n"
      "0 0 0\n1 0 0 1 1 0\n0 1 0\n4 0 1 2 3\n3 0 1 2\n";
  CHECK(read_mesh_bytes(ply, MeshFormat::ply).triangles.size() == 3);
  CHECK(read_points_bytes(ply).size() == 4);
  write_file("test_points.ply",
             "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\nend_header\n1 2 3\n1 2 3\n");
  const auto points = load_points({PointsFile{"test_points.ply"}, Transform{.translate = {1, 0, 0}, .scale = {2, 2, 2}}}, KNEAD_BINARY_DIR);
  REQUIRE(points.size() == 2);  // equal points stay two particles
  CHECK(points[1] == Vec3d{3, 4, 6});
}

TEST_CASE("Mesh files: a concave polygon is cut into triangles that cover it once") {
  // An L, whose fan from the first corner would leave it.
  const char* text = "v 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\nv 0 0 0\nv 2 0 0\nf 1 2 3 4 5 6\n";
  const TriangleMesh mesh = read_mesh_bytes(text, MeshFormat::obj);
  CHECK(mesh.triangles.size() == 4);
  CHECK(surface_area(mesh) == Approx(3));
  // A comb with many teeth; its area is that of the back (20 x 1) and of ten teeth (2 x 2 / 2 each).
  std::ostringstream comb;
  for (int i = 0; i < 10; ++i) comb << "v " << 2 * i << " 1 0\nv " << 2 * i + 1 << " 3 0\n";
  comb << "v 20 1 0\nv 20 0 0\nv 0 0 0\nf";
  for (int i = 23; i >= 1; --i) comb << ' ' << i;
  CHECK(surface_area(read_mesh_bytes(comb.str(), MeshFormat::obj)) == Approx(20 + 10 * 2));
}

TEST_CASE("Mesh files: what is wrong with a file is said with its place") {
  const auto obj = [](const char* text) { return message_of([&] { read_mesh_bytes(text, MeshFormat::obj); }); };
  CHECK(obj("v 0 0 0\nv 1 0 zero\n") == "line 2: \"zero\" is not a number that can be used here");
  CHECK(obj("v 0 0 0\nf 1 2 3\n") == "line 2: there is no vertex number 2");
  CHECK(obj("v 0 0 0\nf 1 -2 1\n") == "line 2: there is no vertex number -2");
  CHECK(obj("v 0 0 0\nf 1 1\n") == "line 2: a face needs at least three corners");
  CHECK(obj("v 0 0 nan\n") == "line 1: a vertex is not finite");
  CHECK(obj("") == "the OBJ file holds no faces");
  const auto ply = [](const std::string& text) { return message_of([&] { read_mesh_bytes(text, MeshFormat::ply); }); };
  CHECK(ply("plx\n") == "the file does not start with \"ply\"");
  CHECK(holds(ply("ply\nformat ascii 1.0\nelement vertex 4000000000\nproperty float x\nend_header\n1\n"), "says that it holds 4000000000"));
  CHECK(holds(
      ply("ply\nformat binary_little_endian 1.0\nelement face 1\nproperty list uint int vertex_indices\nend_header\n\xff\xff\xff\xff"),
      "bad number of corners"));
  CHECK(holds(ply("ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n1\n"), "no properties x, y and z"));
  const auto stl = [](const std::string& bytes) { return message_of([&] { read_mesh_bytes(bytes, MeshFormat::stl); }); };
  CHECK(stl("abc") == "the file is neither ascii nor binary STL");
  CHECK(holds(stl(std::string(80, 'x') + "\xff\xff\xff\x7f" + std::string(100, 'y')), "ends before that"));
  CHECK(stl("solid\nfacet\nvertex 0 0 0\nendfacet\n") == "line 4: a facet has fewer than three corners");
  CHECK(holds(message_of([] { read_mesh(KNEAD_BINARY_DIR); }), "must end in"));
  std::filesystem::create_directories(std::filesystem::path(KNEAD_BINARY_DIR) / "folder.ply");
  CHECK(holds(message_of([] { read_mesh(std::filesystem::path(KNEAD_BINARY_DIR) / "folder.ply"); }), "not a file that can be read"));
}

TEST_CASE("Mesh files: broken bytes give a mesh or an InputError, nothing else") {
  const TriangleMesh cube = box_mesh({0, 0, 0}, {1, 1, 1});
  const std::pair<std::string, MeshFormat> files[] = {{cube_obj, MeshFormat::obj},
                                                      {ply_of(cube, false), MeshFormat::ply},
                                                      {ply_of(cube, true), MeshFormat::ply},
                                                      {binary_stl_of(cube), MeshFormat::stl},
                                                      {ascii_stl_of(cube), MeshFormat::stl}};
  int refused = 0, read = 0;
  for (const auto& [bytes, format] : files)
    for (std::uint64_t trial = 0; trial < 2000; ++trial) {
      std::string broken = bytes;
      for (std::uint64_t change = 0; change < 1 + trial % 7; ++change)
        broken[static_cast<std::size_t>(random_uniform(trial, change, 0) * static_cast<double>(broken.size()))] =
            static_cast<char>(static_cast<unsigned char>(256 * random_uniform(trial, change, 1)));
      if (trial % 3 == 0) broken.resize(static_cast<std::size_t>(random_uniform(trial, 99, 0) * static_cast<double>(broken.size())));
      try {
        const TriangleMesh mesh = read_mesh_bytes(broken, format);
        for (const Triangle& t : mesh.triangles) REQUIRE(std::max({t[0], t[1], t[2]}) < mesh.vertices.size());
        ++read;
        check_mesh(mesh);
      } catch (const InputError&) {
        ++refused;
      }
    }
  CHECK(refused > 1000);
  CHECK(read > 1000);
}
