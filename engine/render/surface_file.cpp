#include "render/surface_file.h"

#include <cstring>
#include <fstream>
#include <sstream>

#include "base/error.h"

namespace knead {
namespace {

// Where the vertices of a binary little-endian PLY lie, when it is of the plain kind: float coordinates, triangles.
struct Layout {
  std::size_t vertices = 0, faces = 0;
  std::size_t stride = 0;      // bytes of a vertex
  std::size_t places[6] = {};  // of x, y, z, nx, ny, nz in a vertex
  bool has[6] = {};
  bool plain = true;
};

std::size_t bytes_of(const std::string& type) {
  if (type == "float" || type == "float32" || type == "int" || type == "int32" || type == "uint" || type == "uint32") return 4;
  if (type == "double" || type == "float64") return 8;
  if (type == "short" || type == "ushort" || type == "int16" || type == "uint16") return 2;
  if (type == "char" || type == "uchar" || type == "int8" || type == "uint8") return 1;
  return 0;
}

void read_property(std::istringstream& words, bool in_faces, Layout& layout) {
  constexpr const char* names[] = {"x", "y", "z", "nx", "ny", "nz"};
  std::string type, name, count, index;
  words >> type;
  if (in_faces) {
    words >> count >> index;
    layout.plain &= type == "list" && bytes_of(count) == 1 && bytes_of(index) == 4;
    return;
  }
  words >> name;
  const std::size_t bytes = bytes_of(type);
  layout.plain &= bytes > 0;
  for (int i = 0; i < 6; ++i)
    if (name == names[i]) layout.places[i] = layout.stride, layout.has[i] = true, layout.plain &= type == "float" || type == "float32";
  layout.stride += bytes;
}

bool read_header(std::istream& file, Layout& layout) {
  std::string line, element;
  int properties = 0;
  bool little = false;
  if (!std::getline(file, line) || line != "ply") return false;
  while (std::getline(file, line) && line != "end_header") {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == "format") little = line.find("binary_little_endian") != std::string::npos;
    if (word == "element") words >> element >> (element == "vertex" ? layout.vertices : layout.faces);
    if (word == "property") read_property(words, element == "face", layout), properties += element == "face";
  }
  return line == "end_header" && little && layout.plain && properties <= 1 && layout.has[0] && layout.has[1] && layout.has[2];
}

bool read_plain(const std::string& path, MeshSurface& mesh) {
  std::ifstream file(path, std::ios::binary);
  Layout layout;
  if (!file || !read_header(file, layout)) return false;
  std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (layout.vertices > bytes.size() / layout.stride || layout.faces > bytes.size() / 13) return false;
  if (bytes.size() != layout.vertices * layout.stride + layout.faces * 13) return false;  // also: not all are triangles
  const char* at = bytes.data();
  const bool normals = layout.has[3] && layout.has[4] && layout.has[5];
  auto vector = [&](int first) {
    Vec3f v;
    for (int k = 0; k < 3; ++k) std::memcpy(&v[k], at + layout.places[first + k], 4);
    return v;
  };
  mesh.vertices.reserve(layout.vertices), mesh.triangles.reserve(layout.faces);
  for (std::size_t i = 0; i < layout.vertices; ++i, at += layout.stride) {
    mesh.vertices.push_back(vector(0));
    if (normals) mesh.normals.push_back(vector(3));
  }
  for (std::size_t i = 0; i < layout.faces; ++i, at += 13) {
    Triangle triangle;
    std::memcpy(triangle.data(), at + 1, 12);
    if (at[0] != 3) return false;
    for (std::uint32_t corner : triangle)
      if (corner >= layout.vertices) throw InputError(path + ": is damaged: a triangle has no vertex " + std::to_string(corner));
    mesh.triangles.push_back(triangle);
  }
  return true;
}

}  // namespace

MeshSurface read_surface(const std::string& path) {
  MeshSurface mesh;
  if (read_plain(path, mesh)) return mesh;
  // Any other mesh file, by the reader that knows them all.
  const TriangleMesh other = read_mesh(path);
  mesh = {};
  for (const Vec3d& v : other.vertices)
    mesh.vertices.push_back({static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)});
  mesh.triangles = other.triangles;
  return mesh;
}

}  // namespace knead
