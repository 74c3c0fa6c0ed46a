#include "surface/surface_file.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/error.h"
#include "frames/aside_file.h"

namespace knead {

namespace fs = std::filesystem;

namespace {

void write_file(const std::string& path, const std::string& bytes) {
  AsideFile file(path);
  file.write(bytes.data(), bytes.size());
  file.commit();
}

bool is_surface_file(const fs::path& path) {
  if (!path.filename().string().starts_with("frame_")) return false;
  for (const char* extension : enum_names(SurfaceFormat{}))
    if (path.extension() == std::string(".") + extension) return true;
  return false;
}

}  // namespace

void write_surface(const SurfaceMesh& mesh, const SurfaceInfo& info, SurfaceFormat format, const std::string& path) {
  char time[40];
  std::snprintf(time, sizeof time, "time %.9g", info.time);
  const std::vector<std::string> comments{time, "frame " + std::to_string(info.frame), "body " + info.body};
  switch (format) {
    case SurfaceFormat::ply: return write_file(path, ply_bytes(mesh, comments));
    case SurfaceFormat::obj: return write_file(path, obj_bytes(mesh, comments));
    case SurfaceFormat::vdb: return write_file(path, level_set_bytes(mesh, info));
    case SurfaceFormat::glb: return write_file(path, glb_bytes(mesh, info.look));
  }
}

std::size_t prepare_folder(const std::string& folder, const std::string& settings) {
  std::error_code code;
  fs::create_directories(folder, code);
  if (code) throw_write_error(folder, code.value());
  const fs::path note = fs::path(folder) / "settings.txt";
  std::stringstream before;
  before << std::ifstream(note).rdbuf();
  if (before.str() == settings + "\n") return 0;
  std::size_t removed = 0;
  std::vector<fs::path> old;
  for (const auto& entry : fs::directory_iterator(folder, code))
    if (is_surface_file(entry.path())) old.push_back(entry.path());
  for (const fs::path& path : old) removed += fs::remove(path, code);
  write_file(note.string(), settings + "\n");
  return removed;
}

bool is_up_to_date(const std::string& file, const std::vector<std::string>& made_from) {
  std::error_code code;
  const auto made = fs::last_write_time(file, code);
  if (code) return false;
  for (const std::string& source : made_from) {
    const auto changed = fs::last_write_time(source, code);
    if (code || changed > made) return false;
  }
  return true;
}

}  // namespace knead
