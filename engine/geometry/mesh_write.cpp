#include "geometry/mesh_write.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>

namespace knead {

namespace {

static_assert(std::endian::native == std::endian::little, "PLY and glTF are written as the bytes lie in memory");

// A comment is one line, whatever the text.
std::string one_line(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 32) c = ' ';
  return text;
}

void append_number(std::string& text, float value) {
  char digits[24];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value);
  text.append(digits, error == std::errc() ? end : digits);
}

void append_number(std::string& text, std::uint32_t value) {
  char digits[12];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

std::string json_text(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += static_cast<unsigned char>(c) < 32 ? ' ' : c;
  }
  return quoted + "\"";
}

std::string json_vector(const Vec3f& v) {
  std::string text = "[";
  for (int i = 0; i < 3; ++i) {
    if (i > 0) text += ',';
    append_number(text, v[i]);
  }
  return text + "]";
}

// Everything but the numbers of the mesh.
std::string gltf_json(const SurfaceMesh& mesh, const GltfLook& look) {
  const std::string asset = R"({"asset":{"version":"2.0","generator":"knead"},"scene":0,"scenes":[{)";
  if (mesh.triangles.empty()) return asset + "}]}";
  Vec3f low = mesh.positions[0], high = low;
  for (const Vec3f& p : mesh.positions)
    for (int i = 0; i < 3; ++i) low[i] = std::min(low[i], p[i]), high[i] = std::max(high[i], p[i]);
  const std::size_t vertex_bytes = mesh.positions.size() * sizeof(Vec3f), index_bytes = mesh.triangles.size() * sizeof(Triangle);
  const std::string name = json_text(look.name), vertices = std::to_string(mesh.positions.size()), bytes = std::to_string(vertex_bytes);
  const Vec3f color{static_cast<float>(look.color.x), static_cast<float>(look.color.y), static_cast<float>(look.color.z)};
  std::string rgba = json_vector(color), roughness;
  rgba.insert(rgba.size() - 1, ",1");
  append_number(roughness, static_cast<float>(look.roughness));
  return asset + R"("nodes":[0]}],"nodes":[{"mesh":0,"name":)" + name + R"(}],"meshes":[{"name":)" + name +
         R"(,"primitives":[{"attributes":{"POSITION":0,"NORMAL":1},"indices":2,"material":0}]}],"materials":[{"name":)" + name +
         R"(,"pbrMetallicRoughness":{"baseColorFactor":)" + rgba + R"(,"metallicFactor":0,"roughnessFactor":)" + roughness +
         R"(}}],"accessors":[{"bufferView":0,"componentType":5126,"count":)" + vertices + R"(,"type":"VEC3","min":)" + json_vector(low) +
         R"(,"max":)" + json_vector(high) + R"(},{"bufferView":1,"componentType":5126,"count":)" + vertices +
         R"(,"type":"VEC3"},{"bufferView":2,"componentType":5125,"count":)" + std::to_string(mesh.triangles.size() * 3) +
         R"(,"type":"SCALAR"}],"bufferViews":[{"buffer":0,"byteOffset":0,"byteLength":)" + bytes +
         R"(,"target":34962},{"buffer":0,"byteOffset":)" + bytes + R"(,"byteLength":)" + bytes +
         R"(,"target":34962},{"buffer":0,"byteOffset":)" + std::to_string(2 * vertex_bytes) + R"(,"byteLength":)" +
         std::to_string(index_bytes) + R"(,"target":34963}],"buffers":[{"byteLength":)" + std::to_string(2 * vertex_bytes + index_bytes) +
         "}]}";
}

void append_word(std::string& bytes, std::size_t value) {
  const auto word = static_cast<std::uint32_t>(value);
  bytes.append(reinterpret_cast<const char*>(&word), sizeof word);
}

template <class T> void append_all(std::string& bytes, const std::vector<T>& values) {
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

}  // namespace

std::string ply_bytes(const SurfaceMesh& mesh, const std::vector<std::string>& comments) {
  std::string bytes = "ply\nformat binary_little_endian 1.0\n";
  for (const std::string& comment : comments) bytes += "comment " + one_line(comment) + "\n";
  bytes += "element vertex " + std::to_string(mesh.positions.size()) + "\n";
  for (const char* name : {"x", "y", "z", "nx", "ny", "nz"}) bytes += std::string("property float ") + name + "\n";
  bytes += "element face " + std::to_string(mesh.triangles.size()) + "\nproperty list uchar int vertex_indices\nend_header\n";
  const std::size_t header = bytes.size(), vertex_bytes = 2 * sizeof(Vec3f), face_bytes = 1 + sizeof(Triangle);
  bytes.resize(header + mesh.positions.size() * vertex_bytes + mesh.triangles.size() * face_bytes);
  char* next = bytes.data() + header;
  for (std::size_t i = 0; i < mesh.positions.size(); ++i, next += vertex_bytes) {
    std::memcpy(next, &mesh.positions[i], sizeof(Vec3f));
    std::memcpy(next + sizeof(Vec3f), &mesh.normals[i], sizeof(Vec3f));
  }
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i, next += face_bytes) {
    *next = 3;
    std::memcpy(next + 1, &mesh.triangles[i], sizeof(Triangle));
  }
  return bytes;
}

std::string obj_bytes(const SurfaceMesh& mesh, const std::vector<std::string>& comments) {
  std::string text;
  text.reserve(mesh.positions.size() * 72 + mesh.triangles.size() * 48);
  for (const std::string& comment : comments) text += "# " + one_line(comment) + "\n";
  const auto append_vectors = [&](const char* keyword, const std::vector<Vec3f>& vectors) {
    for (const Vec3f& v : vectors) {
      text += keyword;
      for (int i = 0; i < 3; ++i) {
        text += ' ';
        append_number(text, v[i]);
      }
      text += '\n';
    }
  };
  append_vectors("v", mesh.positions);
  append_vectors("vn", mesh.normals);
  for (const Triangle& triangle : mesh.triangles) {
    text += 'f';
    for (const std::uint32_t corner : triangle) {
      text += ' ';
      append_number(text, corner + 1);
      text += "//";
      append_number(text, corner + 1);
    }
    text += '\n';
  }
  return text;
}

std::string glb_bytes(const SurfaceMesh& mesh, const GltfLook& look) {
  std::string json = gltf_json(mesh, look);
  json.resize((json.size() + 3) / 4 * 4, ' ');
  const std::size_t binary =
      mesh.triangles.empty() ? 0 : mesh.positions.size() * 2 * sizeof(Vec3f) + mesh.triangles.size() * sizeof(Triangle);
  std::string bytes = "glTF";
  append_word(bytes, 2);
  append_word(bytes, 12 + 8 + json.size() + (binary > 0 ? 8 + binary : 0));
  append_word(bytes, json.size());
  bytes += "JSON" + json;
  if (binary == 0) return bytes;
  append_word(bytes, binary);
  bytes.append("BIN\0", 4);
  append_all(bytes, mesh.positions), append_all(bytes, mesh.normals), append_all(bytes, mesh.triangles);
  return bytes;
}

}  // namespace knead
