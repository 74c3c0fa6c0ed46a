// Mesh files: opening, choosing the reader, welding.
#include <cctype>
#include <cstring>
#include <fstream>
#include <unordered_map>

#include "base/random.h"
#include "geometry/mesh_text.h"

namespace knead {

namespace {

struct VertexHash {
  std::size_t operator()(const Vec3d& vertex) const {
    std::uint64_t hash = 0;
    for (int i = 0; i < 3; ++i) {
      std::uint64_t bits;
      std::memcpy(&bits, &vertex[i], sizeof bits);
      hash = mix_bits(hash ^ bits);
    }
    return hash;
  }
};

// One vertex per place, in the order of first use; unused vertices and triangles with equal corners go.
TriangleMesh weld(const TriangleMesh& mesh) {
  TriangleMesh welded;
  std::unordered_map<Vec3d, std::uint32_t, VertexHash> index_of;
  std::vector<std::uint32_t> renumbered(mesh.vertices.size(), UINT32_MAX);
  for (const Triangle& triangle : mesh.triangles) {
    Triangle result;
    for (int corner = 0; corner < 3; ++corner) {
      std::uint32_t& index = renumbered[triangle[corner]];
      if (index == UINT32_MAX) {
        const Vec3d place = mesh.vertices[triangle[corner]] + Vec3d{};  // -0 becomes 0
        const auto [entry, is_new] = index_of.try_emplace(place, static_cast<std::uint32_t>(welded.vertices.size()));
        if (is_new) welded.vertices.push_back(place);
        index = entry->second;
      }
      result[corner] = index;
    }
    if (result[0] != result[1] && result[1] != result[2] && result[2] != result[0]) welded.triangles.push_back(result);
  }
  return welded;
}

std::string read_bytes(const std::filesystem::path& file) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (status.type() == std::filesystem::file_type::not_found) throw InputError(file.string() + ": there is no such file.");
  if (!std::filesystem::is_regular_file(status)) throw InputError(file.string() + ": this is not a file that can be read.");
  std::ifstream stream(file, std::ios::binary);
  std::string bytes(stream ? std::filesystem::file_size(file, error) : 0, '\0');
  if (!stream || error || !stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size())))
    throw InputError(file.string() + ": the file cannot be read.");
  return bytes;
}

std::string lower_ending(const std::filesystem::path& file) {
  std::string ending = file.extension().string();
  for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return ending;
}

// Calls a reader; a message of its own gets the file name and a full stop.
template <class Reader> auto with_file_name(const std::filesystem::path& file, Reader&& reader) {
  const std::string bytes = read_bytes(file);
  try {
    return reader(std::string_view(bytes));
  } catch (const InputError& error) {
    throw InputError(file.string() + ": " + error.what() + ".");
  }
}

}  // namespace

TriangleMesh read_mesh_bytes(std::string_view bytes, MeshFormat format) {
  const TriangleMesh mesh = format == MeshFormat::obj   ? read_obj(bytes)
                            : format == MeshFormat::ply ? read_ply(bytes, true)
                                                        : read_stl(bytes);
  return weld(mesh);
}

TriangleMesh read_mesh(const std::filesystem::path& file) {
  const std::string ending = lower_ending(file);
  MeshFormat format;
  if (ending == ".obj") format = MeshFormat::obj;
  else if (ending == ".ply") format = MeshFormat::ply;
  else if (ending == ".stl") format = MeshFormat::stl;
  else throw InputError(file.string() + ": a mesh file must end in .obj, .ply or .stl.");
  return with_file_name(file, [&](std::string_view bytes) { return read_mesh_bytes(bytes, format); });
}

std::vector<Vec3d> read_points_bytes(std::string_view ply) { return read_ply(ply, false).vertices; }

std::vector<Vec3d> read_points(const std::filesystem::path& file) {
  if (lower_ending(file) != ".ply") throw InputError(file.string() + ": a file of points must end in .ply.");
  return with_file_name(file, read_points_bytes);
}

}  // namespace knead
