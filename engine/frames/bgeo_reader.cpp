// The reader of bgeo frames. Nothing in the file is trusted: sizes are checked against the file before memory is asked for.
#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <vector>

#include "frames/bgeo.h"
#include "frames/reader_error.h"

namespace knead {

namespace {

constexpr std::size_t most_attributes = 1 << 10, most_components = 1 << 10, longest_name = 1 << 10;

std::uint32_t from_big_endian(std::uint32_t value) { return std::endian::native == std::endian::big ? value : __builtin_bswap32(value); }

// Big-endian values one after the other; every one that is missing is an InputError.
class ByteReader {
 public:
  ByteReader(std::istream& file, const std::string& path) : file_(file), path_(path) {}
  void bytes(void* target, std::size_t size) {
    if (!file_.read(static_cast<char*>(target), static_cast<std::streamsize>(size))) throw_damaged_frame(path_, "it ends too early");
  }
  std::string text(std::size_t size) {
    std::string result(size, '\0');
    bytes(result.data(), size);
    return result;
  }
  std::size_t u16() {
    unsigned char pair[2];
    bytes(pair, 2);
    return static_cast<std::size_t>(pair[0]) << 8 | pair[1];
  }
  std::int32_t i32() {
    std::uint32_t value = 0;
    bytes(&value, 4);
    return std::bit_cast<std::int32_t>(from_big_endian(value));
  }
  float f32() { return std::bit_cast<float>(i32()); }

 private:
  std::istream& file_;
  const std::string& path_;
};

FrameColumn read_attribute(ByteReader& reader, const std::string& path) {
  FrameColumn column;
  const std::size_t length = reader.u16();
  if (length == 0 || length > longest_name)
    throw_damaged_frame(path, "the name of an attribute has " + std::to_string(length) + " letters");
  column.name = reader.text(length);
  const std::size_t components = reader.u16();
  if (components == 0 || components > most_components)
    throw_damaged_frame(path, "the attribute \"" + column.name + "\" has " + std::to_string(components) + " components");
  column.components = static_cast<int>(components);
  const std::int32_t type = reader.i32();
  if (type != 0 && type != 1 && type != 5)
    throw_damaged_frame(path,
                        "the attribute \"" + column.name + "\" is of type " + std::to_string(type) + ", not float, integer or vector");
  column.is_integer = type == 1;
  for (std::size_t c = 0; c < components; ++c) reader.i32();  // the default, of no use here
  return column;
}

// Index, count and empty columns, the position first; returns the number of bytes per particle.
std::size_t read_header(ByteReader& reader, const std::string& path, Frame& frame) {
  if (reader.text(5) != "BgeoV") throw_damaged_frame(path, "it does not begin with \"BgeoV\"");
  if (reader.i32() != 5) throw_damaged_frame(path, "it is not of version 5");
  const std::int32_t points = reader.i32();
  if (points < 0) throw_damaged_frame(path, "it promises " + std::to_string(points) + " particles");
  frame.count = static_cast<std::size_t>(points);
  for (const char* name : {"primitives", "point groups", "primitive groups"})
    if (reader.i32() != 0) throw_damaged_frame(path, std::string("it has ") + name);
  const std::int32_t attributes = reader.i32();
  if (attributes < 0 || static_cast<std::size_t>(attributes) > most_attributes)
    throw_damaged_frame(path, "it promises " + std::to_string(attributes) + " attributes");
  for (const char* name : {"vertex attributes", "primitive attributes"})
    if (reader.i32() != 0) throw_damaged_frame(path, std::string("it has ") + name);
  if (reader.i32() != 2) throw_damaged_frame(path, "its detail attributes are not time and frame");

  frame.columns.push_back({.name = "position", .components = 3, .floats = {}, .ints = {}});
  std::size_t row_bytes = 16;
  for (std::int32_t k = 0; k < attributes; ++k) {
    FrameColumn column = read_attribute(reader, path);
    if (frame.find(column.name)) throw_damaged_frame(path, "the attribute \"" + column.name + "\" appears twice");
    row_bytes += 4 * static_cast<std::size_t>(column.components);
    frame.columns.push_back(std::move(column));
  }
  return row_bytes;
}

void read_footer(ByteReader& reader, const std::string& path, Frame& frame) {
  const FrameColumn time = read_attribute(reader, path), index = read_attribute(reader, path);
  const auto scalar = [](const FrameColumn& column) { return column.components == 1; };
  if (time.name != "time" || time.is_integer || !scalar(time) || index.name != "frame" || !index.is_integer || !scalar(index))
    throw_damaged_frame(path, "its detail attributes are not time and frame");
  frame.time = reader.f32();
  frame.index = reader.i32();
  if (reader.u16() != 0x00ff) throw_damaged_frame(path, "it does not end as a bgeo file does");
}

void scatter_rows(const std::uint32_t* rows, std::size_t begin, std::size_t end, std::size_t row_words, std::vector<FrameColumn>& columns) {
  std::size_t at = 0;
  for (FrameColumn& column : columns) {
    const auto components = static_cast<std::size_t>(column.components);
    const auto copy = [&](auto* values) {
      for (std::size_t i = begin; i < end; ++i)
        for (std::size_t c = 0; c < components; ++c) {
          const std::uint32_t value = from_big_endian(rows[(i - begin) * row_words + at + c]);
          std::memcpy(values + i * components + c, &value, 4);
        }
    };
    if (column.is_integer) copy(column.ints.data());
    else copy(column.floats.data());
    at += components + (at == 0 ? 1 : 0);  // the position has a fourth component, 1
  }
}

}  // namespace

Frame read_bgeo_frame(const std::string& path) {
  std::error_code error;
  const std::uintmax_t file_bytes = std::filesystem::file_size(path, error);
  std::ifstream file(path, std::ios::binary);
  if (error || !file) throw InputError(path + " cannot be opened" + (error ? ": " + error.message() : std::string()) + ".");
  ByteReader reader(file, path);
  Frame frame;
  const std::size_t row_bytes = read_header(reader, path, frame);

  // Two definitions of scalars (name, size, type, default), two values, the end mark.
  constexpr std::size_t footer_bytes = (2 + 4 + 2 + 4 + 4) + (2 + 5 + 2 + 4 + 4) + 4 + 4 + 2;
  const std::uintmax_t rest = file_bytes - static_cast<std::uintmax_t>(file.tellg());
  if (rest != frame.count * row_bytes + footer_bytes)
    throw_damaged_frame(path, "its header promises " + std::to_string(frame.count) + " particles of " + std::to_string(row_bytes) +
                                  " bytes, but " + std::to_string(rest) + " bytes follow");
  for (FrameColumn& column : frame.columns) {
    const std::size_t values = frame.count * static_cast<std::size_t>(column.components);
    if (column.is_integer) column.ints.resize(values);
    else column.floats.resize(values);
  }
  constexpr std::size_t batch = 8192;
  const std::size_t row_words = row_bytes / 4;
  std::vector<std::uint32_t> rows(std::min(batch, frame.count) * row_words);
  for (std::size_t begin = 0; begin < frame.count; begin += batch) {
    const std::size_t end = std::min(begin + batch, frame.count);
    reader.bytes(rows.data(), (end - begin) * row_bytes);
    scatter_rows(rows.data(), begin, end, row_words, frame.columns);
  }
  read_footer(reader, path, frame);
  return frame;
}

}  // namespace knead
