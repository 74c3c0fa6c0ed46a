#include "scene/run_folder.h"

#include <cerrno>
#include <csignal>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "simulation/files.h"
#include "simulation/run_json.h"

namespace knead {

namespace {

// Process numbers mean something on the machine that gave them only.
bool process_is_gone(const nlohmann::json& json) {
  if (!json.contains("process")) return false;
  const std::string space = json["process"].value("space", "");
  const int number = json["process"].value("number", 0);
  return !space.empty() && space == process_space() && number > 0 && ::kill(number, 0) != 0 && errno == ESRCH;
}

}  // namespace

RunFolder open_run(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "run.json";
  std::string text;
  if (!read_whole(file, text)) throw InputError(folder.string() + ": there is no run.json here; the folder of a run is expected");
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("scene")) throw InputError(file.string() + ": is damaged; run the scene again");

  RunFolder run;
  run.folder = folder;
  try {
    run.status = json.value("status", "");
    run.died = run.status == "running" && process_is_gone(json);
    run.error = json.value("error", "");
    run.version = json.value("version", "");
    run.frames = json.value("frames", 0);
    run.frames_planned = json.value("frames_planned", run.frames);
    run.fps = json.value("fps", 24.0);
    const std::filesystem::path scene_folder = json.value("scene_folder", "");
    run.scene = read_scene(json["scene"].dump(), (scene_folder / "run.json").string());
  } catch (const nlohmann::json::exception&) {
    throw InputError(file.string() + ": is damaged; run the scene again");
  } catch (const InputError& error) {
    throw InputError(file.string() + ": its scene (written by knead " + run.version + ") cannot be read: " + error.what());
  }
  return run;
}

std::vector<RunBody> bodies_of(const SceneSpec& scene) {
  const double dx = grid_spacing(scene);
  std::vector<RunBody> bodies;
  for (const BodySpec& body : scene.bodies)
    bodies.push_back({body.name, body.material, particle_spacing(scene, body.sampling), body.color});
  for (const EmitterSpec& emitter : scene.emitters)
    bodies.push_back({emitter.name, emitter.material, emitter.spacing.value_or(dx / 2), emitter.color});
  return bodies;
}

std::vector<Collider> colliders_of(const SceneSpec& scene, std::vector<std::string>& warnings) {
  std::vector<Collider> colliders;
  for (const ColliderSpec& given : scene.colliders) {
    Collider collider{
        .name = given.name, .shape = {}, .motion = given.motion, .contact = given.contact, .friction = given.friction, .is_pin = false};
    try {
      collider.shape = make_shape(given.shape, scene.folder, grid_spacing(scene));
      colliders.push_back(std::move(collider));
    } catch (const InputError& error) {
      warnings.push_back("collider \"" + given.name + "\" is not shown: " + error.what());
    }
  }
  return colliders;
}

}  // namespace knead
