// Wavefront OBJ: `v` and `f` lines count, everything else is skipped.
#include "geometry/mesh_text.h"

namespace knead {

namespace {

// "7", "7/1", "7//3", "7/1/3", "-1/...": one-based, negative from the end of what was read so far.
std::uint32_t corner_index(std::string_view word, std::size_t vertices_so_far) {
  const auto index = parse_number<std::int64_t>(word.substr(0, word.find('/')));
  const std::int64_t zero_based = index > 0 ? index - 1 : static_cast<std::int64_t>(vertices_so_far) + index;
  if (index == 0 || zero_based < 0 || zero_based >= UINT32_MAX) throw InputError("there is no vertex number " + std::to_string(index));
  return static_cast<std::uint32_t>(zero_based);
}

// A backslash at the end of a line joins the next one.
std::string_view next_joined_line(std::string_view& text, std::string& joined, std::size_t& line_number) {
  std::string_view line = next_line(text);
  ++line_number;
  if (line.empty() || line.back() != '\\') return line;
  joined.clear();
  while (!line.empty() && line.back() == '\\') {
    joined.append(line.substr(0, line.size() - 1)).push_back(' ');
    line = next_line(text);
    ++line_number;
  }
  return joined.append(line);
}

}  // namespace

TriangleMesh read_obj(std::string_view bytes) {
  TriangleMesh mesh;
  struct Face {
    std::size_t first, count, line;
  };
  std::vector<std::uint32_t> corners;  // of all faces, which may name vertices that come later in the file
  std::vector<Face> faces;
  std::string joined;
  std::size_t line_number = 0;
  try {
    while (!bytes.empty()) {
      std::string_view line = next_joined_line(bytes, joined, line_number);
      const std::string_view keyword = next_word(line);
      if (keyword == "v") {
        Vec3d vertex;
        for (int i = 0; i < 3; ++i) vertex[i] = parse_number<double>(next_word(line));
        require_finite_vertex(vertex);
        mesh.vertices.push_back(vertex);
      } else if (keyword == "f") {
        faces.push_back({corners.size(), 0, line_number});
        for (std::string_view word = next_word(line); !word.empty() && word.front() != '#'; word = next_word(line))
          corners.push_back(corner_index(word, mesh.vertices.size()));
        faces.back().count = corners.size() - faces.back().first;
        if (faces.back().count < 3) throw InputError("a face needs at least three corners");
      }
    }
    std::vector<std::uint32_t> polygon;
    for (const Face& face : faces) {
      line_number = face.line;
      polygon.assign(corners.begin() + static_cast<std::ptrdiff_t>(face.first),
                     corners.begin() + static_cast<std::ptrdiff_t>(face.first + face.count));
      for (const std::uint32_t corner : polygon)
        if (corner >= mesh.vertices.size()) throw InputError("there is no vertex number " + std::to_string(std::uint64_t{corner} + 1));
      triangulate(mesh.vertices, polygon, mesh.triangles);
    }
  } catch (const InputError& error) {
    throw InputError("line " + std::to_string(line_number) + ": " + error.what());
  }
  if (faces.empty()) throw InputError("the OBJ file holds no faces");
  return mesh;
}

}  // namespace knead
