#include "frames/run_frames.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <map>

#include "base/error.h"
#include "frames/bgeo.h"
#include "frames/ply.h"
#include "frames/vtkhdf.h"

namespace knead {

namespace fs = std::filesystem;

namespace {

// 42 of "frame_000042.ply"; -1 for any other name.
int index_of(const fs::path& path, const char* extension) {
  const std::string name = path.filename().string();
  int index = -1, length = 0;
  if (std::sscanf(name.c_str(), "frame_%9d%n", &index, &length) != 1 || index < 0) return -1;
  return name.substr(static_cast<std::size_t>(length)) == extension ? index : -1;
}

}  // namespace

std::vector<FrameFile> list_frames(const std::string& directory) {
  std::map<int, FrameFile> found;
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(fs::path(directory) / "frames", code)) {
    for (const FrameFormat format : {FrameFormat::ply, FrameFormat::bgeo}) {
      const int index = index_of(entry.path(), format == FrameFormat::ply ? ".ply" : ".bgeo");
      if (index < 0 || (found.contains(index) && found[index].format < format)) continue;
      found[index] = {index, format, entry.path().string()};
    }
  }
  const std::string all = frame_path(directory, FrameFormat::vtkhdf, 0);
  if (found.empty() && fs::exists(all, code)) {
    const std::size_t count = vtkhdf_frame_count(all);
    for (std::size_t i = 0; i < count; ++i) found[static_cast<int>(i)] = {static_cast<int>(i), FrameFormat::vtkhdf, all};
  }
  std::vector<FrameFile> files;
  for (auto& [index, file] : found) files.push_back(std::move(file));
  return files;
}

Frame read_frame(const FrameFile& file) {
  if (file.format == FrameFormat::vtkhdf) return read_vtkhdf_frame(file.path, static_cast<std::size_t>(file.index));
  if (file.format == FrameFormat::bgeo) return read_bgeo_frame(file.path);
  return read_ply_frame(file.path);
}

std::string file_name_of(const std::string& name) {
  std::string safe = name;
  for (char& c : safe)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_') c = '_';
  return safe;
}

std::string surface_path(const std::string& directory, const std::string& body, int index, const std::string& extension) {
  return (fs::path(directory) / "surface" / file_name_of(body) / numbered_frame(index, extension)).string();
}

}  // namespace knead
