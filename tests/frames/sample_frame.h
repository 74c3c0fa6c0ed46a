// A frame whose every value is known, and a folder that goes away with its test.
#pragma once
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "frames/frame.h"

namespace knead::test {

inline float sample_value(std::size_t column, std::size_t particle, int component, int index) {
  return static_cast<float>(column * 1000) + static_cast<float>(particle) * 0.25f + static_cast<float>(component) * 0.0625f -
         static_cast<float>(index);
}

inline Frame sample_frame(std::size_t count, int index) {
  Frame frame;
  frame.index = index;
  frame.time = index / 24.0;
  frame.count = count;
  frame.body_names = {"column", "left ball"};
  const auto add = [&](const char* name, int components, bool is_integer) {
    FrameColumn column{.name = name, .components = components, .floats = {}, .ints = {}, .is_integer = is_integer};
    for (std::size_t i = 0; i < count; ++i)
      for (int c = 0; c < components; ++c) {
        if (is_integer) column.ints.push_back(static_cast<std::int32_t>(i * 3 + frame.columns.size()));
        else column.floats.push_back(sample_value(frame.columns.size(), i, c, index));
      }
    frame.columns.push_back(std::move(column));
  };
  add("position", 3, false);
  add("velocity", 3, false);
  add("id", 1, true);
  add("body", 1, true);
  add("density", 1, false);
  add("J", 1, false);
  add("pressure", 1, false);
  add("von_mises", 1, false);
  add("plastic_strain", 1, false);
  add("F", 9, false);
  add("stress", 6, false);
  return frame;
}

inline bool same(const Frame& a, const Frame& b) {
  if (a.index != b.index || a.time != b.time || a.count != b.count || a.body_names != b.body_names || a.columns.size() != b.columns.size())
    return false;
  for (std::size_t k = 0; k < a.columns.size(); ++k) {
    const FrameColumn &x = a.columns[k], &y = b.columns[k];
    if (x.name != y.name || x.components != y.components || x.is_integer != y.is_integer || x.floats != y.floats || x.ints != y.ints)
      return false;
  }
  return true;
}

struct ScratchFolder {
  std::filesystem::path path;
  explicit ScratchFolder(const std::string& name)
      : path(std::filesystem::temp_directory_path() / ("knead_" + name + "_" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(path);
    std::filesystem::create_directories(path);
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  std::string file(const std::string& name) const { return (path / name).string(); }
};

inline std::string read_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

inline std::vector<std::string> listing(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) names.push_back(std::filesystem::relative(entry.path(), folder).string());
  return names;
}

}  // namespace knead::test
