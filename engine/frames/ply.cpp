#include "frames/ply.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <vector>

#include "frames/aside_file.h"

namespace knead {

static_assert(std::endian::native == std::endian::little, "PLY frames are written as they lie in memory");

std::string component_suffix(int components, int component) {
  static constexpr const char* vector[] = {"_x", "_y", "_z"};
  static constexpr const char* symmetric[] = {"_xx", "_yy", "_zz", "_xy", "_yz", "_zx"};
  if (components == 1) return "";
  if (components == 3) return vector[component];
  if (components == 6) return symmetric[component];
  if (components == 9) return {'_', static_cast<char>('0' + component / 3), static_cast<char>('0' + component % 3)};
  return std::string("_").append(std::to_string(component));
}

namespace {

std::string property_name(const FrameColumn& column, int component) {
  if (column.name == "position") return std::string(1, static_cast<char>('x' + component));
  if (column.name == "velocity") return {'v', static_cast<char>('x' + component)};
  return column.name + component_suffix(column.components, component);
}

std::string single_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 32; }, ' ');
  return text;
}

std::string ply_header(const Frame& frame) {
  char time[40];
  std::snprintf(time, sizeof time, "%.17g", frame.time);
  std::string header = "ply\nformat binary_little_endian 1.0\ncomment knead\n";
  header += std::string("comment time ") + time + "\ncomment frame " + std::to_string(frame.index) + "\n";
  for (std::size_t body = 0; body < frame.body_names.size(); ++body)
    header += "comment body " + std::to_string(body) + " " + single_line(frame.body_names[body]) + "\n";
  header += "element vertex " + std::to_string(frame.count) + "\n";
  for (const FrameColumn& column : frame.columns)
    for (int c = 0; c < column.components; ++c)
      header += std::string("property ") + (column.is_integer ? "int " : "float ") + property_name(column, c) + "\n";
  return header + "end_header\n";
}

// Columns (particle-major each) to rows that hold all columns of a particle.
void gather_rows(const Frame& frame, std::size_t begin, std::size_t end, std::size_t row_bytes, std::byte* rows) {
  std::size_t at = 0;
  for (const FrameColumn& column : frame.columns) {
    const std::size_t bytes = 4 * static_cast<std::size_t>(column.components);
    const auto* source =
        reinterpret_cast<const std::byte*>(column.is_integer ? static_cast<const void*>(column.ints.data()) : column.floats.data());
    for (std::size_t i = begin; i < end; ++i) std::memcpy(rows + (i - begin) * row_bytes + at, source + i * bytes, bytes);
    at += bytes;
  }
}

}  // namespace

void write_ply(const Frame& frame, const std::string& path) {
  AsideFile file(path);
  const std::string header = ply_header(frame);
  file.write(header.data(), header.size());
  std::size_t row_bytes = 0;
  for (const FrameColumn& column : frame.columns) row_bytes += 4 * static_cast<std::size_t>(column.components);
  constexpr std::size_t batch = 8192;  // rows that stay in the cache while the columns are gathered
  std::vector<std::byte> rows(std::min(batch, frame.count) * row_bytes);
  for (std::size_t begin = 0; begin < frame.count; begin += batch) {
    const std::size_t end = std::min(begin + batch, frame.count);
    gather_rows(frame, begin, end, row_bytes, rows.data());
    file.write(rows.data(), (end - begin) * row_bytes);
  }
  file.commit();
}

}  // namespace knead
