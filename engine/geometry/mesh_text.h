// Reading numbers and words from text and bytes of any quality. Internal to the mesh readers.
#pragma once
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

#include "base/error.h"
#include "geometry/mesh.h"

namespace knead {

inline bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f'; }

// Cuts the first word off `text`; empty at the end.
inline std::string_view next_word(std::string_view& text) {
  std::size_t begin = 0;
  while (begin < text.size() && is_space(text[begin])) ++begin;
  std::size_t end = begin;
  while (end < text.size() && !is_space(text[end])) ++end;
  const std::string_view word = text.substr(begin, end - begin);
  text.remove_prefix(end);
  return word;
}

// Cuts the first line off `text`, without its end.
inline std::string_view next_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

// A word for a message: short and printable, whatever the bytes are.
inline std::string quoted(std::string_view word) {
  std::string text = "\"";
  for (const char c : word.substr(0, 24)) text += c >= 32 && c < 127 ? c : '?';
  return text + (word.size() > 24 ? "...\"" : "\"");
}

template <class Number> Number parse_number(std::string_view word) {
  std::string_view digits = word;
  if (!digits.empty() && digits.front() == '+') digits.remove_prefix(1);
  Number value{};
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  // Numbers too small for a double count as zero.
  if constexpr (std::is_floating_point_v<Number>)
    if (error == std::errc::result_out_of_range &&
        (digits.find("e-") != std::string_view::npos || digits.find("E-") != std::string_view::npos))
      return 0;
  if (error != std::errc() || end != digits.data() + digits.size())
    throw InputError(word.empty() ? std::string("a number is missing") : quoted(word) + " is not a number that can be used here");
  return value;
}

inline void require_finite_vertex(const Vec3d& vertex) {
  if (!std::isfinite(vertex.x) || !std::isfinite(vertex.y) || !std::isfinite(vertex.z)) throw InputError("a vertex is not finite");
}

// Cuts a polygon into triangles, ears first if it is not convex, and appends them.
void triangulate(const std::vector<Vec3d>& vertices, const std::vector<std::uint32_t>& polygon, std::vector<Triangle>& triangles);

// The readers, one per format; vertices as in the file.
TriangleMesh read_obj(std::string_view bytes);
TriangleMesh read_ply(std::string_view bytes, bool need_faces);
TriangleMesh read_stl(std::string_view bytes);

}  // namespace knead
