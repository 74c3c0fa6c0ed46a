// STL, ascii and binary. Normals in the file are ignored: the order of the corners says where outside is.
#include <bit>
#include <cstring>

#include "geometry/mesh_text.h"

namespace knead {

namespace {

constexpr std::size_t header_size = 84, triangle_size = 50;  // [bytes]; 80 bytes of text and the count, then 12 floats and 2 bytes each

std::uint32_t read_u32(const char* bytes) {
  std::uint32_t value = 0;
  for (int i = 3; i >= 0; --i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

void add_triangle(TriangleMesh& mesh, const std::array<Vec3d, 3>& corners) {
  const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
  for (const Vec3d& corner : corners) {
    require_finite_vertex(corner);
    mesh.vertices.push_back(corner);
  }
  mesh.triangles.push_back({first, first + 1, first + 2});
}

void require_indexable(std::size_t triangles) {
  if (triangles > UINT32_MAX / 3) throw InputError("the STL file holds too many triangles");
}

TriangleMesh read_binary(std::string_view bytes) {
  const std::size_t count = read_u32(bytes.data() + 80);
  if (count * triangle_size > bytes.size() - header_size)
    throw InputError("the STL file says that it holds " + std::to_string(count) + " triangles but ends before that");
  require_indexable(count);
  TriangleMesh mesh;
  mesh.vertices.reserve(3 * count), mesh.triangles.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::array<Vec3d, 3> corners;
    for (int k = 0; k < 9; ++k)
      corners[static_cast<std::size_t>(k / 3)][k % 3] =
          std::bit_cast<float>(read_u32(bytes.data() + header_size + i * triangle_size + 12 + 4 * static_cast<std::size_t>(k)));
    add_triangle(mesh, corners);
  }
  return mesh;
}

TriangleMesh read_ascii(std::string_view bytes) {
  TriangleMesh mesh;
  std::array<Vec3d, 3> corners;
  std::size_t corner = 0, line_number = 0;
  try {
    while (!bytes.empty()) {
      std::string_view line = next_line(bytes);
      ++line_number;
      const std::string_view keyword = next_word(line);
      if (keyword == "facet") corner = 0;
      if (keyword == "vertex") {
        if (corner == 3) throw InputError("a facet has more than three corners");
        for (int i = 0; i < 3; ++i) corners[corner][i] = parse_number<double>(next_word(line));
        ++corner;
      }
      if (keyword == "endfacet") {
        if (corner != 3) throw InputError("a facet has fewer than three corners");
        require_indexable(mesh.triangles.size() + 1);
        add_triangle(mesh, corners);
      }
    }
  } catch (const InputError& error) {
    throw InputError("line " + std::to_string(line_number) + ": " + error.what());
  }
  return mesh;
}

}  // namespace

// Binary files may start with "solid" too, so the size decides first.
TriangleMesh read_stl(std::string_view bytes) {
  const bool size_fits =
      bytes.size() >= header_size && bytes.size() == header_size + triangle_size * std::size_t{read_u32(bytes.data() + 80)};
  std::string_view start = bytes.substr(0, header_size);
  const bool says_solid = next_word(start) == "solid";
  if (!size_fits && !says_solid && bytes.size() < header_size) throw InputError("the file is neither ascii nor binary STL");
  TriangleMesh mesh = size_fits || !says_solid ? read_binary(bytes) : read_ascii(bytes);
  if (mesh.triangles.empty()) throw InputError("the STL file holds no triangles");
  return mesh;
}

}  // namespace knead
