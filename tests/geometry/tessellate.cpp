// Meshes of shapes, and meshes as files.
#include "geometry/tessellate.h"

#include <cstring>
#include <map>
#include <numbers>

#include "base/threads.h"
#include "geometry/mesh_write.h"
#include "geometry_support.h"

using namespace knead;
using namespace knead::test;
using doctest::Approx;

namespace {

TriangleMesh mesh_of(const ShapeKind& kind, double spacing) { return make_surface({kind, {}}, ".", spacing); }

// Every edge is run through once each way.
bool is_closed(const TriangleMesh& mesh) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> uses;
  for (const Triangle& t : mesh.triangles)
    for (std::size_t i = 0; i < 3; ++i) ++uses[{t[i], t[(i + 1) % 3]}];
  return std::all_of(uses.begin(), uses.end(), [&](const auto& use) {
    const auto back = uses.find({use.first.second, use.first.first});
    return use.second == 1 && back != uses.end() && back->second == 1;
  });
}

int count_near(const TriangleMesh& mesh, const Vec3d& place, double distance) {
  return static_cast<int>(
      std::count_if(mesh.vertices.begin(), mesh.vertices.end(), [&](const Vec3d& v) { return length(v - place) < distance; }));
}

SurfaceMesh tetrahedron() {
  SurfaceMesh mesh;
  mesh.positions = {{0.1f, 0, 0}, {1.3f, 0, 0}, {0, 2.7f, 0}, {0, 0, 1e-7f}};
  mesh.normals = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, -1, 0}};
  mesh.triangles = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
  return mesh;
}

std::uint32_t word_at(const std::string& bytes, std::size_t place) {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes.data() + place, sizeof word);
  return word;
}

// The number behind a key of the JSON text; `nth` counts its occurrences.
double json_number(const std::string& json, const std::string& key, int nth = 0) {
  std::size_t place = 0;
  for (int i = 0; i <= nth; ++i) place = json.find("\"" + key + "\":", place) + key.size() + 3;
  return std::stod(json.substr(place));
}

}  // namespace

TEST_CASE("dual contouring: a box has its eight corners, its edges and its volume, to rounding") {
  const Vec3d low{-0.3, 0.1, 0.2}, high{0.5, 0.8, 1.3};
  const TriangleMesh mesh = mesh_of(Box{low, high}, 0.07);
  CHECK(is_closed(mesh));
  CHECK(signed_volume(mesh) == Approx(0.8 * 0.7 * 1.1).epsilon(1e-9));
  for (int c = 0; c < 8; ++c) {
    const Vec3d corner{c & 1 ? high.x : low.x, c & 2 ? high.y : low.y, c & 4 ? high.z : low.z};
    CHECK(count_near(mesh, corner, 1e-9) == 1);
  }
  // Each vertex is on a face, and where the surface bends, on the edge itself.
  const ShapePointer shape = make_shape({Box{low, high}, {}}, ".", 0.07);
  for (const Vec3d& v : mesh.vertices) REQUIRE(std::abs(shape->distance(v)) < 1e-9);
  int on_edges = 0;
  for (const Vec3d& v : mesh.vertices) {
    int faces = 0;
    for (int i = 0; i < 3; ++i) faces += std::abs(v[i] - low[i]) < 1e-6 || std::abs(v[i] - high[i]) < 1e-6;
    on_edges += faces >= 2;
  }
  CHECK(on_edges >= 4 * (11 + 10 + 15));  // one in each cell that an edge passes through: as many as it has whole spacings, or more
}

TEST_CASE("dual contouring: a difference keeps the edges of both shapes and loses the volume of the second") {
  const ShapeSpec block{Box{{0, 0, 0}, {1, 1, 1}}, {}}, notch{Box{{0.4, 0.5, -1}, {0.7, 2, 2}}, {}};
  const TriangleMesh mesh = mesh_of(Difference{{block, notch}}, 0.06);
  CHECK(is_closed(mesh));
  CHECK(signed_volume(mesh) == Approx(1 - 0.3 * 0.5).epsilon(1e-9));
  for (const Vec3d corner : {Vec3d{0.4, 0.5, 0}, Vec3d{0.7, 0.5, 1}, Vec3d{0.4, 1, 1}}) CHECK(count_near(mesh, corner, 1e-9) == 1);
}

TEST_CASE("dual contouring: round shapes are closed, and their volume errs with the square of the spacing") {
  const double spacing = 0.05, pi = std::numbers::pi;
  const auto check = [&](const ShapeKind& kind, double volume, double smallest_radius) {
    const TriangleMesh mesh = mesh_of(kind, spacing);
    CHECK(is_closed(mesh));
    // A chord of length c errs by c^2 / 8r; the diagonals of the cells are up to sqrt(3) spacings long.
    CHECK(std::abs(signed_volume(mesh) - volume) < surface_area(mesh) * 3 * spacing * spacing / (8 * smallest_radius));
  };
  check(Sphere{{0.1, 0.2, 0.3}, 0.6}, 4 * pi / 3 * 0.216, 0.6);
  check(Torus{{0, 0, 0}, {1, 2, 3}, 0.7, 0.2}, 2 * pi * pi * 0.7 * 0.04, 0.2);
  check(Cylinder{{0, 0, 0}, {0.3, 0.9, 0.1}, 0.4}, pi * 0.16 * std::sqrt(0.91), 0.4);
  check(Cone{{0, 0, 0}, {0, 1, 0}, 0.5}, pi / 3 * 0.25, 0.25);
}

TEST_CASE("dual contouring: parts that touch in a lattice cell stay apart") {
  // The gap is a third of a cell wide, so many cells are passed by two sheets of the surface.
  const ShapeSpec a{Box{{0, 0, 0}, {0.5, 1, 1}}, {}}, b{Box{{0.52, 0, 0}, {1, 1, 1}}, {}};
  const TriangleMesh mesh = mesh_of(Union{{a, b, {Sphere{{0.51, 1.2, 0.5}, 0.1}, {}}}}, 0.06);
  CHECK(is_closed(mesh));
}

TEST_CASE("dual contouring: the mesh is the same for one and two threads") {
  const Torus ring{{0, 0, 0}, {1, 1, 0}, 0.5, 0.2};
  set_thread_count(1);
  const TriangleMesh one = mesh_of(ring, 0.04);
  set_thread_count(2);
  const TriangleMesh two = mesh_of(ring, 0.04);
  set_thread_count(0);
  CHECK(one.vertices == two.vertices);
  CHECK(one.triangles == two.triangles);
}

TEST_CASE("dual contouring: a plane has no bounds and is refused") {
  CHECK(holds(message_of([] { mesh_of(Plane{}, 0.1); }), "not bounded"));
}

TEST_CASE("mesh files: PLY and OBJ give back the same floats and triangles") {
  const SurfaceMesh mesh = tetrahedron();
  const TriangleMesh ply = read_mesh_bytes(ply_bytes(mesh, {"time 1", "two\nlines"}), MeshFormat::ply);
  const TriangleMesh obj = read_mesh_bytes(obj_bytes(mesh, {"a comment"}), MeshFormat::obj);
  for (const TriangleMesh& read : {ply, obj}) {
    REQUIRE(read.triangles.size() == 4);
    for (std::size_t t = 0; t < 4; ++t)
      for (std::size_t c = 0; c < 3; ++c) {
        const Vec3f& p = mesh.positions[mesh.triangles[t][c]];
        const Vec3d& q = read.vertices[read.triangles[t][c]];
        CHECK(Vec3f{static_cast<float>(q.x), static_cast<float>(q.y), static_cast<float>(q.z)} == p);
      }
  }
}

TEST_CASE("mesh files: a glb has the parts, lengths, counts and bounds that glTF 2.0 asks for") {
  const SurfaceMesh mesh = tetrahedron();
  const std::string bytes = glb_bytes(mesh, {"a \"name\"", {0.25, 0.5, 1}, 0.5});
  CHECK(bytes.substr(0, 4) == "glTF");
  CHECK(word_at(bytes, 4) == 2);
  CHECK(word_at(bytes, 8) == bytes.size());
  const std::uint32_t json_size = word_at(bytes, 12);
  CHECK(json_size % 4 == 0);
  CHECK(bytes.substr(16, 4) == "JSON");
  const std::string json = bytes.substr(20, json_size);
  const std::size_t binary = 20 + json_size;
  REQUIRE(word_at(bytes, binary) == 2 * 4 * 12 + 4 * 12);
  CHECK(bytes.substr(binary + 4, 4) == std::string("BIN\0", 4));
  CHECK(bytes.size() == binary + 8 + word_at(bytes, binary));
  CHECK(json_number(json, "count", 0) == 4);
  CHECK(json_number(json, "count", 1) == 4);
  CHECK(json_number(json, "count", 2) == 12);
  CHECK(holds(json, "\"min\":[0,0,0]"));
  CHECK(holds(json, "\"max\":[1.3,2.7,1e-07]"));
  CHECK(holds(json, R"("name":"a \"name\"")"));
  const std::size_t offset = static_cast<std::size_t>(json_number(json, "byteOffset", 2));
  CHECK(offset % 4 == 0);
  CHECK(word_at(bytes, binary + 8 + offset) == 0);
  CHECK(word_at(bytes, binary + 8 + offset + 4) == 2);
  float x = 0;
  std::memcpy(&x, bytes.data() + binary + 8, sizeof x);
  CHECK(x == 0.1f);
}

TEST_CASE("mesh files: a mesh without triangles is a PLY of nothing and a glb without meshes") {
  CHECK(holds(ply_bytes({}), "element vertex 0\n"));
  const std::string bytes = glb_bytes({}, {});
  CHECK(word_at(bytes, 8) == bytes.size());
  CHECK(!holds(bytes, "meshes"));
}
