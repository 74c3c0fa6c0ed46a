// What the format knows and the chosen solver cannot do (yet).
#include "geometry/thin.h"
#include "scene/build.h"
#include "scene/checks.h"
#include "scene/names.h"
#include "scene/source.h"

namespace knead {
namespace {

// True when one of the engine's laws is meant, false for those that only the format knows.
template <class T, class Variant> struct IsAlternative;
template <class T, class... U> struct IsAlternative<T, std::variant<U...>> : std::bool_constant<(std::is_same_v<T, U> || ...)> {};

class Availability {
 public:
  explicit Availability(const SceneSpec& spec) : spec_(spec), errors_(*spec.source) {}

  void check() {
    for (const auto& [name, material] : spec_.materials)
      std::visit([&, &key = name](const auto& m) { this->material({"materials", key}, m); }, material);
    for (std::size_t i = 0; i < spec_.bodies.size(); ++i) {
      const Path path{"bodies", std::to_string(i)};
      body_shape(below(path, "shape"), spec_.bodies[i].shape);
      for (std::size_t k = 0; k < spec_.bodies[i].pinned.size(); ++k)
        shape(below(below(below(path, "pinned"), std::to_string(k)), "shape"), spec_.bodies[i].pinned[k].shape);
    }
    for (std::size_t i = 0; i < spec_.colliders.size(); ++i) shape({"colliders", std::to_string(i), "shape"}, spec_.colliders[i].shape);
    for (std::size_t i = 0; i < spec_.emitters.size(); ++i) shape({"emitters", std::to_string(i), "shape"}, spec_.emitters[i].shape);
    for (std::size_t i = 0; i < spec_.rigid_bodies.size(); ++i)
      shape({"rigid_bodies", std::to_string(i), "shape"}, spec_.rigid_bodies[i].shape);
    if (!spec_.rigid_bodies.empty() && on_grid()) missing({"rigid_bodies"}, "rigid bodies", "\"sph\" can do it");
    sph_scene();
    errors_.raise();
  }

 private:
  static Path below(Path path, const std::string& key) {
    path.push_back(key);
    return path;
  }
  void missing(const Path& path, const std::string& what, const std::string& instead = "no solver of this version can do it") {
    errors_.add(path, "not available in this solver: " + what + "; " + instead);
  }

  void material(const Path& path, const StandardMaterial& material) {
    if (std::holds_alternative<SphSolver>(spec_.solver)) return sph_material(path, material);
    if (material.elasticity) law<ElasticLaw>(below(below(path, "elasticity"), "type"), *material.elasticity, "elasticity");
    if (material.plasticity) law<FlowLaw>(below(below(path, "plasticity"), "type"), *material.plasticity, "plasticity");
  }
  void material(const Path& path, const GeneralizedMaterial&) {
    if (std::holds_alternative<SphSolver>(spec_.solver)) missing(below(path, "type"), "the type \"generalized\"", only_mpm);
  }

  static constexpr const char* only_mpm = "\"mpm\" can do it";
  void sph_material(const Path& path, const StandardMaterial& material) {
    const auto check = [&](const auto& elastic) {
      using Law = std::decay_t<decltype(elastic)>;
      if constexpr (!std::is_same_v<Law, Linear> && !std::is_same_v<Law, Eos>)
        missing(below(below(path, "elasticity"), "type"), std::string("the elasticity ") + in_quotes(Law::name),
                "\"linear\" can do solids and \"eos\" fluids; all laws are in \"mpm\"");
    };
    if (material.elasticity) std::visit(check, *material.elasticity);
    const bool plastic =
        material.plasticity &&
        std::visit([](const auto& flow) { return !std::is_same_v<std::decay_t<decltype(flow)>, NoFlow>; }, *material.plasticity);
    if (plastic) missing(below(path, "plasticity"), "plasticity", only_mpm);
    if (material.viscoelasticity) missing(below(path, "viscoelasticity"), "viscoelasticity", only_mpm);
  }
  void sph_scene() {
    if (!std::holds_alternative<SphSolver>(spec_.solver)) return;
    for (std::size_t i = 0; i < spec_.emitters.size(); ++i) {
      const auto* material = std::get_if<StandardMaterial>(&spec_.materials.at(spec_.emitters[i].material));
      if (material && material->elasticity && !std::holds_alternative<Eos>(*material->elasticity))
        missing({"emitters", std::to_string(i), "material"}, "emitters of solids, which have no shape at rest",
                "emitters of fluids can be had");
    }
    if (spec_.domain)
      for (std::size_t axis = 0; axis < 3; ++axis)
        if (spec_.domain->periodic[axis]) missing({"domain", "periodic", std::to_string(axis)}, "periodic axes", only_mpm);
    const auto& sph = std::get<SphSolver>(spec_.solver);
    if (sph.elasticity.strain == ElasticStrain::green && sph.elasticity.integration == ElasticIntegration::implicit)
      errors_.add({"solver", "elasticity", "strain"}, "\"green\" is not linear in the positions and needs \"integration\": \"explicit\"");
  }

  template <class Available, class Variant> void law(const Path& path, const Variant& variant, const char* noun) {
    const auto check = [&](const auto& alternative) {
      if constexpr (!IsAlternative<std::decay_t<decltype(alternative)>, Available>::value)
        missing(path, std::string("the ") + noun + " " + in_quotes(alternative.name));
    };
    std::visit(check, variant);
  }

  bool on_grid() const { return std::holds_alternative<MpmSolver>(spec_.solver); }

  // Sheets and rods are bodies of particles without a grid, and nothing else.
  void body_shape(const Path& path, const ShapeSpec& spec) {
    if (on_grid() || !is_thin(spec)) shape(path, spec);
  }
  void shape(const Path& path, const ShapeSpec& spec) {
    const auto check = [&](const auto& kind) {
      using Kind = std::decay_t<decltype(kind)>;
      if constexpr (std::is_same_v<Kind, Sheet> || std::is_same_v<Kind, Rod>) thin_shape(path, Kind::name);
      if constexpr (requires { kind.shapes; })
        for (std::size_t i = 0; i < kind.shapes.size(); ++i) shape(below(below(path, "shapes"), std::to_string(i)), kind.shapes[i]);
    };
    std::visit(check, spec.kind);
  }

  void thin_shape(const Path& path, const char* name) {
    if (on_grid()) return missing(below(path, "type"), "the shape " + in_quotes(name), "\"sph\" can do it");
    errors_.add(path, in_quotes(name) + " is one particle thick, not a solid; it can only be the shape of a body");
  }

  const SceneSpec& spec_;
  Errors errors_;
};

}  // namespace

void check_solver_available(const SceneSpec& spec, Errors& errors) {
  if (std::holds_alternative<MpmSolver>(spec.solver) || std::holds_alternative<SphSolver>(spec.solver)) return;
  const std::string name = std::visit([](const auto& solver) { return std::string(solver.name); }, spec.solver);
  errors.add_first({"solver", "type"},
                   "not available in this solver: the type " + in_quotes(name) + "; \"mpm\" and \"sph\" are available in this version");
}

void check_available(const SceneSpec& spec) {
  Errors errors(*spec.source);
  check_solver_available(spec, errors);
  errors.raise();  // nothing else can be said about a solver that is not there
  Availability(spec).check();
}

}  // namespace knead
