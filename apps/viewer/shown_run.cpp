#include "viewer/shown_run.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "simulation/files.h"
#include "viewer/collider_meshes.h"
#include "viewer/frame_packing.h"
#include "viewer/survey.h"
#include "viewer/tables.h"

namespace knead::viewer {

namespace fs = std::filesystem;
using Json = nlohmann::json;

struct ShownRun::Contents {
  std::string text;  // of run.json; empty when there is none
  nlohmann::ordered_json json;
  std::optional<RunFolder> run;  // empty when the scene cannot be read
  std::vector<RunBody> bodies;
  std::vector<FrameFile> frames;
  std::vector<std::vector<int>> surfaces;  // per body: frames that have a mesh
  std::vector<std::string> warnings;
};

namespace {

constexpr auto reread_after = std::chrono::milliseconds(200);
constexpr std::size_t most_plot_rows = 500;

// 0, 1, 2, 5 as [[0, 2], [5, 5]].
Json ranges_json(const std::vector<int>& numbers) {
  Json ranges = Json::array();
  for (const int number : numbers) {
    if (!ranges.empty() && ranges.back()[1] == number - 1) ranges.back()[1] = number;
    else ranges.push_back({number, number});
  }
  return ranges;
}

std::vector<int> surface_frames(const fs::path& folder, const std::string& body) {
  std::vector<int> frames;
  std::error_code code;
  const fs::path first = surface_path(folder.string(), body, 0, "ply");
  for (const auto& entry : fs::directory_iterator(first.parent_path(), code)) {
    int index = -1;
    char rest = 0;
    if (std::sscanf(entry.path().filename().c_str(), "frame_%9d.pl%c", &index, &rest) != 2 || index < 0) continue;
    if (entry.path() == surface_path(folder.string(), body, index, "ply")) frames.push_back(index);
  }
  std::sort(frames.begin(), frames.end());
  return frames;
}

// Bodies as the frames name them, for a run whose scene cannot be read.
std::vector<RunBody> bodies_of_frame(const FrameFile& file) {
  std::vector<RunBody> bodies;
  try {
    for (const std::string& name : read_frame_layout(file).body_names) bodies.push_back({name, "", 0, {}});
  } catch (const InputError&) {  // the frame itself is shown as broken
  }
  return bodies;
}

double seconds_since_change(const fs::path& file) {
  std::error_code code;
  const auto changed = fs::last_write_time(file, code);
  if (code) return 0;
  return std::chrono::duration<double>(fs::file_time_type::clock::now() - changed).count();
}

template <class T> T value_or(const nlohmann::ordered_json& json, const char* key, T standard) {
  if (!json.is_object() || !json.contains(key)) return standard;
  try {
    return json[key].get<T>();
  } catch (const nlohmann::json::exception&) {
    return standard;
  }
}

// The folder's own name, also of "runs/default/" and ".".
std::string name_of(const fs::path& folder) {
  const fs::path whole = fs::absolute(folder).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

Json vector_json(const Vec3d& v) { return {v.x, v.y, v.z}; }

}  // namespace

ShownRun::ShownRun(fs::path folder) : folder_(std::move(folder)) {
  std::error_code code;
  if (!fs::is_directory(folder_, code)) throw InputError(folder_.string() + ": there is no such folder; the folder of a run is expected");
  const bool is_run = fs::exists(folder_ / "run.json", code) || fs::exists(folder_ / "frames", code);
  if (!is_run && !fs::is_empty(folder_, code))
    throw InputError(folder_.string() + ": there is no run.json here; the folder of a run is expected");
}

ShownRun::~ShownRun() = default;

std::shared_ptr<const ShownRun::Contents> ShownRun::contents() {
  const std::lock_guard lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (contents_ && now - read_at_ < reread_after) return contents_;
  auto fresh = std::make_shared<Contents>();
  if (read_whole(folder_ / "run.json", fresh->text)) {
    if (contents_ && contents_->text == fresh->text) {
      fresh->json = contents_->json, fresh->run = contents_->run, fresh->warnings = contents_->warnings;
    } else {
      fresh->json = nlohmann::ordered_json::parse(fresh->text, nullptr, false);
      try {
        fresh->run = open_run(folder_);
      } catch (const InputError& error) {
        fresh->warnings.push_back(error.what());
      }
    }
  } else {
    fresh->warnings.push_back(folder_.string() + ": there is no run.json yet; a run into this folder appears here when it starts");
  }
  try {
    fresh->frames = list_frames(folder_.string());
  } catch (const std::exception& error) {
    fresh->warnings.push_back(error.what());
  }
  if (fresh->run) fresh->bodies = bodies_of(fresh->run->scene);
  else if (!fresh->frames.empty()) fresh->bodies = bodies_of_frame(fresh->frames.front());
  for (const RunBody& body : fresh->bodies) fresh->surfaces.push_back(surface_frames(folder_, body.name));
  contents_ = fresh;
  read_at_ = now;
  return contents_;
}

Json ShownRun::summary() {
  const auto now = contents();
  const auto& json = now->json;
  std::vector<int> numbers;
  for (const FrameFile& file : now->frames) numbers.push_back(file.index);
  Json summary{{"folder", name_of(folder_)},
               {"name", now->run ? now->run->scene.name : ""},
               {"status", value_or<std::string>(json, "status", "empty")},
               {"error", value_or<std::string>(json, "error", "")},
               {"version", value_or<std::string>(json, "version", "")},
               {"fps", std::max(1e-6, value_or(json, "fps", 24.0))},
               {"frames", ranges_json(numbers)},
               {"frames_planned", value_or(json, "frames_planned", 0)},
               {"surfaces", Json::array()},
               {"warnings", now->warnings},
               {"scene_key", std::to_string(std::hash<std::string>{}(value_or(json, "scene", nlohmann::ordered_json()).dump()))}};
  for (const char* key : {"particles", "steps", "time", "wall_seconds", "particle_steps_per_second", "peak_memory_bytes", "threads"})
    if (json.is_object() && json.contains(key) && json[key].is_number()) summary[key] = json[key].get<double>();
  for (const auto& frames : now->surfaces) summary["surfaces"].push_back(ranges_json(frames));
  if (summary["status"] == "running") summary["quiet_seconds"] = seconds_since_change(folder_ / "run.json");
  return summary;
}

Json ShownRun::scene() {
  const auto now = contents();
  Json result{{"text", nullptr}, {"bodies", Json::array()}, {"attributes", Json::array()}};
  if (now->json.is_object() && now->json.contains("scene")) result["text"] = now->json["scene"].dump();  // text: the order of keys stays
  for (const RunBody& body : now->bodies) {
    result["bodies"].push_back({{"name", body.name}, {"material", body.material}, {"spacing", body.spacing}, {"color", nullptr}});
    if (body.color) result["bodies"].back()["color"] = vector_json(*body.color);
  }
  for (const FrameFile& file : now->frames) {  // of the first frame that can be read
    try {
      for (const Attribute& attribute : attributes_of(read_frame_layout(file))) result["attributes"].push_back(attribute.name);
      break;
    } catch (const InputError&) {}
  }
  if (now->run && now->run->scene.camera) {
    const CameraSpec& camera = *now->run->scene.camera;
    result["camera"] = {
        {"position", vector_json(camera.position)}, {"target", vector_json(camera.target)}, {"field_of_view", camera.field_of_view}};
  }
  return result;
}

Json ShownRun::colliders() {
  const auto now = contents();
  if (!now->run) return {{"colliders", Json::array()}, {"warnings", Json::array()}};
  return collider_meshes(*now->run);
}

Json ShownRun::survey() { return survey_frames(contents()->frames); }

Json ShownRun::plots() {
  Json tables = Json::array();
  std::string text;
  std::vector<fs::path> probes;
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(folder_ / "probes", code))
    if (entry.path().extension() == ".csv") probes.push_back(entry.path());
  std::sort(probes.begin(), probes.end());
  for (const fs::path& probe : probes)
    if (read_whole(probe, text)) tables.push_back(read_table(text, "probe " + probe.stem().string(), most_plot_rows));
  if (read_whole(folder_ / "stats.csv", text)) tables.push_back(read_table(text, "stats", most_plot_rows, "limit_rule"));
  return {{"tables", std::move(tables)}};
}

std::optional<int> ShownRun::first_frame() {
  const auto now = contents();
  if (now->frames.empty()) return {};
  return now->frames.front().index;
}

std::optional<FrameFile> ShownRun::frame(int index) {
  const auto now = contents();
  const auto found = std::lower_bound(now->frames.begin(), now->frames.end(), index,
                                      [](const FrameFile& file, int wanted) { return file.index < wanted; });
  if (found == now->frames.end() || found->index != index) return {};
  return *found;
}

std::optional<std::string> ShownRun::surface(int body, int index) {
  const auto now = contents();
  const auto number = static_cast<std::size_t>(body);
  if (body < 0 || number >= now->bodies.size() || !std::binary_search(now->surfaces[number].begin(), now->surfaces[number].end(), index))
    return {};
  return surface_path(folder_.string(), now->bodies[number].name, index, "ply");
}

double ShownRun::spacing() {
  double finest = 0;
  for (const RunBody& body : contents()->bodies)
    if (body.spacing > 0 && (finest == 0 || body.spacing < finest)) finest = body.spacing;
  return finest;
}

}  // namespace knead::viewer
