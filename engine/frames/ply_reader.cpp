// The reader of PLY frames. Nothing in the file is trusted: sizes are checked against the file before memory is asked for.
#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "frames/ply.h"
#include "frames/reader_error.h"

namespace knead {

namespace {

struct Property {
  std::string name;
  bool is_integer;
};

struct Header {
  Frame frame;  // index, time, count, body names
  std::vector<Property> properties;
};

[[noreturn]] void fail(const std::string& path, const std::string& reason) { throw_damaged_frame(path, reason); }

constexpr std::size_t longest_line = 1 << 12, most_properties = 1 << 10, most_bodies = 1 << 16;

std::string read_line(std::istream& file, const std::string& path) {
  std::string line;
  for (int c = file.get(); c != '\n'; c = file.get()) {
    if (c == std::istream::traits_type::eof()) fail(path, "the header ends too early");
    if (line.size() == longest_line) fail(path, "a header line is longer than " + std::to_string(longest_line) + " characters");
    line += static_cast<char>(c);
  }
  return line;
}

template <class T> bool parse_number(const std::string& text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

void parse_comment(std::istringstream& words, Header& header, const std::string& path) {
  std::string key, value;
  words >> key;
  if (key == "time" && words >> value) {
    if (!parse_number(value, header.frame.time)) fail(path, "the time \"" + value + "\" is not a number");
  } else if (key == "frame" && words >> value) {
    if (!parse_number(value, header.frame.index)) fail(path, "the frame \"" + value + "\" is not a number");
  } else if (key == "body" && words >> value) {
    std::size_t body = 0;
    if (!parse_number(value, body) || body != header.frame.body_names.size() || body >= most_bodies)
      fail(path, "its bodies are not numbered from 0");
    words.get();
    std::string name;
    std::getline(words, name);
    header.frame.body_names.push_back(name);
  }
}

void parse_property(std::istringstream& words, Header& header, const std::string& path) {
  std::string type, name;
  words >> type >> name;
  const bool is_integer = type == "int" || type == "int32";
  if (!is_integer && type != "float" && type != "float32") fail(path, "the property type \"" + type + "\" is neither int nor float");
  if (name.empty()) fail(path, "a property has no name");
  if (header.properties.size() == most_properties) fail(path, "it has more than " + std::to_string(most_properties) + " properties");
  for (const Property& other : header.properties)
    if (other.name == name) fail(path, "the property \"" + name + "\" appears twice");
  header.properties.push_back({name, is_integer});
}

Header read_header(std::istream& file, const std::string& path) {
  Header header;
  if (read_line(file, path) != "ply") fail(path, "it does not begin with \"ply\"");
  if (read_line(file, path) != "format binary_little_endian 1.0") fail(path, "it is not binary little-endian PLY");
  bool in_vertex = false;
  for (;;) {
    const std::string line = read_line(file, path);
    std::istringstream words(line);
    std::string keyword;
    words >> keyword;
    if (keyword == "end_header") break;
    if (keyword == "comment") {
      parse_comment(words, header, path);
    } else if (keyword == "element") {
      std::string name, count;
      words >> name >> count;
      if (in_vertex || name != "vertex") fail(path, "it has elements other than one list of vertices");
      if (!parse_number(count, header.frame.count)) fail(path, "the number of vertices \"" + count + "\" is not a number");
      in_vertex = true;
    } else if (keyword == "property" && in_vertex) {
      parse_property(words, header, path);
    } else {
      fail(path, "the header line \"" + line.substr(0, 60) + "\" is not understood");
    }
  }
  if (header.properties.empty()) fail(path, "it has no properties");
  return header;
}

// Properties that belong together become one column: x,y,z; vx,vy,vz; and what component_suffix made of 3, 6 or 9 components.
std::vector<FrameColumn> group_properties(const std::vector<Property>& properties) {
  std::vector<FrameColumn> columns;
  const auto matches = [&](std::size_t first, int components, auto&& expected) {
    if (first + static_cast<std::size_t>(components) > properties.size()) return false;
    for (int c = 0; c < components; ++c) {
      const Property& property = properties[first + static_cast<std::size_t>(c)];
      if (property.is_integer != properties[first].is_integer || property.name != expected(c)) return false;
    }
    return true;
  };
  for (std::size_t first = 0; first < properties.size(); first += static_cast<std::size_t>(columns.back().components)) {
    FrameColumn column{
        .name = properties[first].name, .components = 1, .floats = {}, .ints = {}, .is_integer = properties[first].is_integer};
    if (matches(first, 3, [](int c) { return std::string(1, static_cast<char>('x' + c)); })) {
      column.name = "position", column.components = 3;
    } else if (matches(first, 3, [](int c) { return std::string{'v', static_cast<char>('x' + c)}; })) {
      column.name = "velocity", column.components = 3;
    } else {
      for (const int components : {9, 6, 3}) {
        const std::string suffix = component_suffix(components, 0), &name = properties[first].name;
        if (name.size() <= suffix.size() || name.compare(name.size() - suffix.size(), suffix.size(), suffix) != 0) continue;
        const std::string base = name.substr(0, name.size() - suffix.size());
        if (!matches(first, components, [&](int c) { return base + component_suffix(components, c); })) continue;
        column.name = base, column.components = components;
        break;
      }
    }
    columns.push_back(std::move(column));
  }
  return columns;
}

void scatter_rows(const std::byte* rows, std::size_t begin, std::size_t end, std::size_t row_bytes, std::vector<FrameColumn>& columns) {
  std::size_t at = 0;
  for (FrameColumn& column : columns) {
    const std::size_t bytes = 4 * static_cast<std::size_t>(column.components);
    auto* target = reinterpret_cast<std::byte*>(column.is_integer ? static_cast<void*>(column.ints.data()) : column.floats.data());
    for (std::size_t i = begin; i < end; ++i) std::memcpy(target + i * bytes, rows + (i - begin) * row_bytes + at, bytes);
    at += bytes;
  }
}

PlyLayout read_layout(std::istream& file, const std::string& path) {
  Header header = read_header(file, path);
  PlyLayout layout{.frame = std::move(header.frame), .data_offset = static_cast<std::size_t>(file.tellg()), .row_bytes = 0};
  layout.row_bytes = 4 * header.properties.size();
  std::error_code error;
  const std::uintmax_t file_bytes = std::filesystem::file_size(path, error), body_bytes = file_bytes - layout.data_offset;
  const std::size_t count = layout.frame.count;
  if (error || count > body_bytes / layout.row_bytes || count * layout.row_bytes != body_bytes)
    fail(path, "its header promises " + std::to_string(count) + " particles of " + std::to_string(layout.row_bytes) + " bytes, but " +
                   std::to_string(body_bytes) + " bytes follow");
  layout.frame.columns = group_properties(header.properties);
  return layout;
}

std::ifstream open_file(const std::string& path) {
  std::error_code error;
  [[maybe_unused]] const std::uintmax_t size = std::filesystem::file_size(path, error);  // says why where the stream does not
  std::ifstream file(path, std::ios::binary);
  if (error || !file) throw InputError(path + " cannot be opened" + (error ? ": " + error.message() : std::string()) + ".");
  return file;
}

}  // namespace

PlyLayout read_ply_layout(const std::string& path) {
  std::ifstream file = open_file(path);
  return read_layout(file, path);
}

Frame read_ply_frame(const std::string& path) {
  std::ifstream file = open_file(path);
  PlyLayout layout = read_layout(file, path);
  Frame frame = std::move(layout.frame);
  for (FrameColumn& column : frame.columns) {
    const std::size_t values = frame.count * static_cast<std::size_t>(column.components);
    if (column.is_integer) column.ints.resize(values);
    else column.floats.resize(values);
  }
  constexpr std::size_t batch = 8192;
  std::vector<std::byte> rows(std::min(batch, frame.count) * layout.row_bytes);
  for (std::size_t begin = 0; begin < frame.count; begin += batch) {
    const std::size_t end = std::min(begin + batch, frame.count);
    if (!file.read(reinterpret_cast<char*>(rows.data()), static_cast<std::streamsize>((end - begin) * layout.row_bytes)))
      fail(path, "it ends too early");
    scatter_rows(rows.data(), begin, end, layout.row_bytes, frame.columns);
  }
  return frame;
}

}  // namespace knead
