#include "scene/description.h"

#include <fstream>
#include <iterator>
#include <sstream>

#include "scene/checks.h"
#include "scene/reader.h"
#include "scene/schema_writer.h"
#include "scene/source.h"

namespace knead {
namespace {

using Animations = std::vector<std::pair<Path, Animated<double>>>;

MaterialSpec read_material(const Source& source, const std::string& name, const Json& json, Animations* animations) {
  Errors errors(source);
  ReadContext context{errors, {"materials", name}, animations};
  MaterialSpec material;
  read_value(context, json, material, {});
  errors.raise();
  return material;
}

// A material with keys in time, as a function of time: the keys are replaced by their values then, and it is read again.
class AnimatedMaterial {
 public:
  AnimatedMaterial(std::shared_ptr<const Source> source, std::string name, Animations animations)
      : source_(std::move(source)),
        name_(std::move(name)),
        animations_(std::move(animations)),
        json_(source_->json().at("materials").at(name_)) {
    replace_keys(json_, 0);  // once, so that the keys are not copied at every time
  }
  MaterialSpec operator()(double time) const {
    Json json = json_;
    replace_keys(json, time);
    return read_material(*source_, name_, json, nullptr);
  }

 private:
  void replace_keys(Json& json, double time) const {
    for (const auto& [path, animated] : animations_) {
      Json* place = &json;
      for (std::size_t level = 2; level < path.size(); ++level) place = &place->at(path[level]);  // below materials.NAME
      *place = animated.at(time);
    }
  }
  std::shared_ptr<const Source> source_;
  std::string name_;
  Animations animations_;
  Json json_;
};

// Tries every animated material at every key: between two keys all values lie between theirs.
void read_animated_materials(SceneSpec& spec) {
  for (const auto& [name, material] : spec.materials) {
    Animations animations;
    read_material(*spec.source, name, spec.source->json().at("materials").at(name), &animations);
    if (animations.empty()) continue;
    const AnimatedMaterial animated_material(spec.source, name, animations);
    for (const auto& [path, animated] : animations)
      for (const auto& [time, value] : animated.keys) animated_material(time);
    spec.animated_materials[name] = animated_material;
  }
}

void merge(OrderedJson& complete, const Json& given) {
  if (complete.is_object() && given.is_object()) {
    for (const auto& item : given.items()) merge(complete[item.key()], item.value());
  } else if (complete.is_array() && given.is_array() && complete.size() == given.size()) {
    for (std::size_t i = 0; i < given.size(); ++i) merge(complete[i], given[i]);
  } else {
    complete = given;
  }
}

// The names of what the user left unnamed.
template <class T> void name_all(std::vector<T>& list, const std::string& prefix) {
  for (std::size_t i = 0; i < list.size(); ++i)
    if (list[i].name.empty()) list[i].name = prefix + std::to_string(i);
}

}  // namespace

SceneSpec read_scene(const std::string& text, const std::string& file, const std::vector<std::string>& overrides) {
  auto source = std::make_shared<Source>(file, text);
  for (const std::string& assignment : overrides) source->set(assignment);

  SceneSpec spec;
  spec.source = source;
  spec.folder = std::filesystem::path(file).parent_path();
  Errors errors(*source);
  ReadContext context{.errors = errors};
  read_value(context, source->json(), spec, {});
  if (errors.any()) check_solver_available(spec, errors);  // a better answer to keys of another solver
  errors.raise();

  name_all(spec.bodies, "body_");
  name_all(spec.colliders, "collider_");
  name_all(spec.emitters, "emitter_");
  name_all(spec.rigid_bodies, "rigid_body_");
  check_scene(spec);
  read_animated_materials(spec);
  check_available(spec);

  OrderedJson complete = to_json(spec);
  merge(complete, source->json());
  spec.resolved = complete.dump(2, ' ', false, OrderedJson::error_handler_t::replace);
  return spec;
}

SceneSpec load_scene(const std::filesystem::path& file, const std::vector<std::string>& overrides) {
  if (std::filesystem::is_directory(file)) throw InputError(file.string() + ": is a folder; the path of a scene file is expected");
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw InputError(file.string() + ": cannot be read; the path of a scene file is expected");
  std::error_code unknown;
  const auto size = std::filesystem::file_size(file, unknown);
  if (!unknown && size > (64u << 20))
    throw InputError(file.string() + ": the scene has " + std::to_string(size) + " bytes; that is no scene file");
  std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  return read_scene(text, file.string(), overrides);
}

double particle_spacing(const SceneSpec& spec, const Sampling& sampling) {
  const bool has_grid = std::holds_alternative<MpmSolver>(spec.solver);
  return has_grid || sampling.per_cell || sampling.spacing ? sampling_spacing(sampling, grid_spacing(spec)) : grid_spacing(spec);
}

double grid_spacing(const SceneSpec& spec) {
  return std::visit([](const auto& solver) { return solver.spacing(); }, spec.solver);
}

}  // namespace knead
