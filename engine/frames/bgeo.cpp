#include "frames/bgeo.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <vector>

#include "base/error.h"
#include "frames/aside_file.h"

namespace knead {

namespace {

enum class HoudiniType : std::int32_t { real = 0, integer = 1, vector = 5 };

std::uint32_t big_endian(std::uint32_t value) { return std::endian::native == std::endian::big ? value : __builtin_bswap32(value); }

struct Bytes {
  std::string data;
  void u16(std::size_t value) { data += {static_cast<char>(value >> 8 & 0xff), static_cast<char>(value & 0xff)}; }
  void i32(std::size_t value) {
    const std::uint32_t swapped = big_endian(static_cast<std::uint32_t>(value));
    data.append(reinterpret_cast<const char*>(&swapped), 4);
  }
  void f32(float value) { i32(std::bit_cast<std::uint32_t>(value)); }
  void attribute(const std::string& name, int size, HoudiniType type) {
    u16(name.size());
    data += name;
    u16(static_cast<std::size_t>(size));
    i32(static_cast<std::size_t>(type));
    for (int c = 0; c < size; ++c) i32(0);
  }
};

HoudiniType houdini_type(const FrameColumn& column) {
  if (column.is_integer) return HoudiniType::integer;
  return column.name == "velocity" ? HoudiniType::vector : HoudiniType::real;
}

std::string bgeo_header(const Frame& frame) {
  Bytes bytes;
  bytes.data = "BgeoV";
  const std::size_t point_attributes = frame.columns.size() - 1, detail_attributes = 2;
  for (const std::size_t value : {std::size_t(5), frame.count, std::size_t(0), std::size_t(0), std::size_t(0), point_attributes,
                                  std::size_t(0), std::size_t(0), detail_attributes})
    bytes.i32(value);
  for (const FrameColumn& column : frame.columns)
    if (column.name != "position") bytes.attribute(column.name, column.components, houdini_type(column));
  return bytes.data;
}

std::string bgeo_footer(const Frame& frame) {
  Bytes bytes;
  bytes.attribute("time", 1, HoudiniType::real);
  bytes.attribute("frame", 1, HoudiniType::integer);
  bytes.f32(static_cast<float>(frame.time));
  bytes.i32(static_cast<std::size_t>(frame.index));
  bytes.data += {'\x00', '\xff'};
  return bytes.data;
}

void gather_column(const FrameColumn& column, std::size_t begin, std::size_t end, std::size_t row_words, std::uint32_t* rows) {
  const auto components = static_cast<std::size_t>(column.components);
  const auto copy = [&](const auto* values) {
    for (std::size_t i = begin; i < end; ++i)
      for (std::size_t c = 0; c < components; ++c)
        rows[(i - begin) * row_words + c] = big_endian(std::bit_cast<std::uint32_t>(values[i * components + c]));
  };
  if (column.is_integer) copy(column.ints.data());
  else copy(column.floats.data());
}

}  // namespace

void write_bgeo(const Frame& frame, const std::string& path) {
  const FrameColumn* position = frame.find("position");
  if (!position || frame.count > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
    throw SimulationError("cannot write " + path + ": bgeo holds between 0 and 2147483647 points with positions.");
  AsideFile file(path);
  const std::string header = bgeo_header(frame), footer = bgeo_footer(frame);
  file.write(header.data(), header.size());

  std::size_t row_words = 4;
  for (const FrameColumn& column : frame.columns)
    if (&column != position) row_words += static_cast<std::size_t>(column.components);
  constexpr std::size_t batch = 8192;  // rows that stay in the cache while the columns are gathered
  std::vector<std::uint32_t> rows(std::min(batch, frame.count) * row_words);
  for (std::size_t begin = 0; begin < frame.count; begin += batch) {
    const std::size_t end = std::min(begin + batch, frame.count);
    gather_column(*position, begin, end, row_words, rows.data());
    for (std::size_t i = 0; i < end - begin; ++i) rows[i * row_words + 3] = big_endian(std::bit_cast<std::uint32_t>(1.0f));
    std::size_t at = 4;
    for (const FrameColumn& column : frame.columns) {
      if (&column == position) continue;
      gather_column(column, begin, end, row_words, rows.data() + at);
      at += static_cast<std::size_t>(column.components);
    }
    file.write(rows.data(), (end - begin) * row_words * sizeof(std::uint32_t));
  }
  file.write(footer.data(), footer.size());
  file.commit();
}

}  // namespace knead
