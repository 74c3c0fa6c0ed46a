// PLY: ascii, binary little and big endian, any elements and properties in any order.
#include <bit>
#include <cstring>

#include "geometry/mesh_text.h"

namespace knead {

namespace {

enum class Type { i8, u8, i16, u16, i32, u32, f32, f64 };
enum class Encoding { ascii, little, big };

struct Property {
  std::string_view name;
  Type type = Type::f32;
  bool is_list = false;
  Type count_type = Type::u8;
};
struct Element {
  std::string_view name;
  std::size_t count = 0;
  std::vector<Property> properties;
};
struct Header {
  Encoding encoding = Encoding::ascii;
  std::vector<Element> elements;
};

std::size_t size_of_type(Type type) {
  switch (type) {
    case Type::i8:
    case Type::u8: return 1;
    case Type::i16:
    case Type::u16: return 2;
    case Type::i32:
    case Type::u32:
    case Type::f32: return 4;
    case Type::f64: return 8;
  }
  return 8;
}

Type parse_type(std::string_view word) {
  constexpr std::pair<std::string_view, Type> names[] = {
      {"char", Type::i8},   {"uchar", Type::u8},   {"short", Type::i16},   {"ushort", Type::u16},
      {"int", Type::i32},   {"uint", Type::u32},   {"float", Type::f32},   {"double", Type::f64},
      {"int8", Type::i8},   {"uint8", Type::u8},   {"int16", Type::i16},   {"uint16", Type::u16},
      {"int32", Type::i32}, {"uint32", Type::u32}, {"float32", Type::f32}, {"float64", Type::f64}};
  for (const auto& [name, type] : names)
    if (word == name) return type;
  throw InputError(quoted(word) + " in the header is no type of PLY");
}

// A list counts itself with whole numbers.
Type parse_count_type(std::string_view word) {
  const Type type = parse_type(word);
  if (type == Type::f32 || type == Type::f64) throw InputError("the length of a list in the header must have a whole number type");
  return type;
}

Header parse_header(std::string_view& bytes) {
  if (next_line(bytes) != "ply") throw InputError("the file does not start with \"ply\"");
  Header header;
  bool has_format = false;
  while (!bytes.empty()) {
    std::string_view line = next_line(bytes);
    const std::string_view keyword = next_word(line);
    if (keyword == "end_header") {
      if (!has_format) throw InputError("the header names no format");
      return header;
    }
    if (keyword == "format") {
      const std::string_view format = next_word(line);
      has_format = true;
      if (format == "ascii") header.encoding = Encoding::ascii;
      else if (format == "binary_little_endian") header.encoding = Encoding::little;
      else if (format == "binary_big_endian") header.encoding = Encoding::big;
      else throw InputError(quoted(format) + " is no format of PLY");
    } else if (keyword == "element") {
      Element& element = header.elements.emplace_back();
      element.name = next_word(line);
      element.count = parse_number<std::uint64_t>(next_word(line));
    } else if (keyword == "property") {
      if (header.elements.empty()) throw InputError("the header has a property before any element");
      Property& property = header.elements.back().properties.emplace_back();
      std::string_view word = next_word(line);
      property.is_list = word == "list";
      if (property.is_list) property.count_type = parse_count_type(next_word(line)), word = next_word(line);
      property.type = parse_type(word);
      property.name = next_word(line);
    }
  }
  throw InputError("the header does not end");
}

// The values after the header, one by one.
class Values {
 public:
  Values(std::string_view bytes, Encoding encoding) : bytes_(bytes), encoding_(encoding) {}

  double next(Type type) {
    if (encoding_ == Encoding::ascii) {
      const std::string_view word = next_word(bytes_);
      if (word.empty()) throw InputError("the PLY file ends too early");
      return parse_number<double>(word);
    }
    const std::size_t size = size_of_type(type);
    if (bytes_.size() < size) throw InputError("the PLY file ends too early");
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < size; ++i)
      bits = bits << 8 | static_cast<unsigned char>(bytes_[encoding_ == Encoding::big ? i : size - 1 - i]);
    bytes_.remove_prefix(size);
    switch (type) {
      case Type::i8: return static_cast<std::int8_t>(bits);
      case Type::i16: return static_cast<std::int16_t>(bits);
      case Type::i32: return static_cast<std::int32_t>(bits);
      case Type::f32: return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
      case Type::f64: return std::bit_cast<double>(bits);
      default: return static_cast<double>(bits);
    }
  }

  // A whole number below `limit`.
  std::size_t next_whole(Type type, std::size_t limit, const char* what) {
    const double value = next(type);
    if (!(value >= 0) || value != std::floor(value) || !(value < static_cast<double>(limit)))
      throw InputError(std::string("the PLY file has a bad ") + what);
    return static_cast<std::size_t>(value);
  }

  // The most values of this type that the rest can hold.
  std::size_t room_for(Type type) const {
    return encoding_ == Encoding::ascii ? (bytes_.size() + 1) / 2 : bytes_.size() / size_of_type(type);
  }
  std::size_t bytes_left() const { return bytes_.size(); }
  Encoding encoding() const { return encoding_; }

 private:
  std::string_view bytes_;
  Encoding encoding_;
};

// A count that the rest of the file cannot hold is refused before anything is allocated for it.
void check_room(const Element& element, const Values& values) {
  std::size_t smallest = 0;  // bytes of one entry
  for (const Property& property : element.properties)
    smallest += values.encoding() == Encoding::ascii ? 2 : size_of_type(property.is_list ? property.count_type : property.type);
  if (smallest > 0 && element.count > (values.bytes_left() + 1) / smallest)
    throw InputError("the PLY file says that it holds " + std::to_string(element.count) + " of " + quoted(element.name) +
                     " but ends before that");
}

void skip(const Property& property, Values& values) {
  std::size_t count = 1;
  if (property.is_list) count = values.next_whole(property.count_type, values.room_for(property.type) + 1, "length of a list");
  for (std::size_t i = 0; i < count; ++i) values.next(property.type);
}

void read_vertices(const Element& element, Values& values, TriangleMesh& mesh) {
  int found = 0;
  for (const Property& property : element.properties)
    if (!property.is_list && (property.name == "x" || property.name == "y" || property.name == "z")) ++found;
  if (found != 3) throw InputError("the vertices have no properties x, y and z");
  if (element.count >= UINT32_MAX) throw InputError("the PLY file holds too many vertices");
  mesh.vertices.reserve(element.count);
  for (std::size_t i = 0; i < element.count; ++i) {
    Vec3d vertex;
    for (const Property& property : element.properties) {
      if (!property.is_list && property.name == "x") vertex.x = values.next(property.type);
      else if (!property.is_list && property.name == "y") vertex.y = values.next(property.type);
      else if (!property.is_list && property.name == "z") vertex.z = values.next(property.type);
      else skip(property, values);
    }
    require_finite_vertex(vertex);
    mesh.vertices.push_back(vertex);
  }
}

struct Faces {
  std::vector<std::uint32_t> corners;  // of all faces, one after the other
  std::vector<std::size_t> counts;
};

void read_faces(const Element& element, Values& values, Faces& faces) {
  for (std::size_t i = 0; i < element.count; ++i)
    for (const Property& property : element.properties) {
      if (!property.is_list || (property.name != "vertex_indices" && property.name != "vertex_index")) {
        skip(property, values);
        continue;
      }
      const std::size_t count = values.next_whole(property.count_type, values.room_for(property.type) + 1, "number of corners of a face");
      faces.counts.push_back(count);
      for (std::size_t corner = 0; corner < count; ++corner)
        faces.corners.push_back(static_cast<std::uint32_t>(values.next_whole(property.type, UINT32_MAX, "corner of a face")));
    }
}

}  // namespace

TriangleMesh read_ply(std::string_view bytes, bool need_faces) {
  const Header header = parse_header(bytes);
  Values values(bytes, header.encoding);
  TriangleMesh mesh;
  Faces faces;
  bool has_vertices = false;
  for (const Element& element : header.elements) {
    if (element.properties.empty()) continue;
    check_room(element, values);
    if (element.name == "vertex") {
      if (has_vertices) throw InputError("the header has two elements named \"vertex\"");
      has_vertices = true;
      read_vertices(element, values, mesh);
      if (!need_faces) return mesh;
    } else if (element.name == "face") {
      read_faces(element, values, faces);
    } else {
      for (std::size_t i = 0; i < element.count; ++i)
        for (const Property& property : element.properties) skip(property, values);
    }
  }
  if (!has_vertices) throw InputError("the PLY file has no element named \"vertex\"");
  if (!need_faces) return mesh;
  for (const std::uint32_t corner : faces.corners)
    if (corner >= mesh.vertices.size())
      throw InputError("a face names vertex " + std::to_string(corner) + " of " + std::to_string(mesh.vertices.size()));
  auto next = faces.corners.begin();
  std::vector<std::uint32_t> polygon;
  for (const std::size_t count : faces.counts) {
    polygon.assign(next, next + static_cast<std::ptrdiff_t>(count));
    next += static_cast<std::ptrdiff_t>(count);
    triangulate(mesh.vertices, polygon, mesh.triangles);
  }
  if (mesh.triangles.empty()) throw InputError("the PLY file holds no faces");
  return mesh;
}

}  // namespace knead
