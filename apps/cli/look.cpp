#include "look.h"

#include <map>

namespace knead::cli {
namespace {

enum class Kind { water, honey, sand, snow, metal, clay, rubber };

constexpr double thick = 0.5;  // [Pa s]: above this a fluid is honey rather than water
constexpr double stiff = 5e8;  // [Pa] Young's modulus: above this a plastic solid is metal rather than clay

Kind kind_of(const StandardMaterial& material) {
  if (material.plasticity) {
    if (std::holds_alternative<DruckerPrager>(*material.plasticity)) return Kind::sand;
    if (std::holds_alternative<Snow>(*material.plasticity)) return Kind::snow;
    if (std::holds_alternative<HerschelBulkley>(*material.plasticity)) return Kind::clay;
    if (std::holds_alternative<VonMises>(*material.plasticity) || std::holds_alternative<PlasticFlow>(*material.plasticity)) {
      const auto* law = material.elasticity ? std::get_if<Hencky>(&*material.elasticity) : nullptr;
      return law && law->moduli.young() > stiff ? Kind::metal : Kind::clay;
    }
  }
  const bool fluid = material.elasticity && std::holds_alternative<Eos>(*material.elasticity);
  if (fluid) return material.viscosity > thick ? Kind::honey : Kind::water;
  return Kind::rubber;
}
Kind kind_of(const GeneralizedMaterial& material) {
  if (material.is_limited()) return Kind::snow;
  if (material.shear_modulus_i > 0) return Kind::rubber;
  if (material.flows()) return Kind::clay;
  return material.viscosity > thick ? Kind::honey : Kind::water;
}

// sRGB, as the scene's `color`; bodies of the same kind take them in turn.
const std::vector<Color>& palette_of(Kind kind) {
  static const std::map<Kind, std::vector<Color>> palettes{
      {Kind::water, {{0.36f, 0.72f, 0.86f}, {0.40f, 0.82f, 0.70f}, {0.55f, 0.62f, 0.92f}}},
      {Kind::honey, {{0.97f, 0.62f, 0.16f}, {0.80f, 0.40f, 0.22f}, {0.92f, 0.80f, 0.45f}}},
      {Kind::sand, {{0.81f, 0.65f, 0.43f}, {0.74f, 0.50f, 0.36f}, {0.62f, 0.60f, 0.56f}, {0.42f, 0.36f, 0.32f}}},
      {Kind::snow, {{0.84f, 0.87f, 0.91f}, {0.74f, 0.81f, 0.90f}}},
      {Kind::metal, {{0.80f, 0.81f, 0.83f}, {0.93f, 0.66f, 0.52f}, {0.92f, 0.80f, 0.50f}, {0.62f, 0.65f, 0.70f}}},
      {Kind::clay, {{0.72f, 0.38f, 0.27f}, {0.52f, 0.55f, 0.60f}, {0.80f, 0.70f, 0.58f}, {0.42f, 0.52f, 0.42f}}},
      {Kind::rubber,
       {{0.88f, 0.22f, 0.20f},
        {0.97f, 0.75f, 0.16f},
        {0.15f, 0.56f, 0.70f},
        {0.45f, 0.70f, 0.30f},
        {0.55f, 0.35f, 0.70f},
        {0.95f, 0.50f, 0.18f},
        {0.90f, 0.45f, 0.60f},
        {0.20f, 0.34f, 0.60f}}}};
  return palettes.at(kind);
}

Color to_color(const Vec3d& v) { return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)}; }

BodyLook base_look(Kind kind, double size) {
  BodyLook look;
  Finish& finish = look.finish;
  look.radius = 0.8f;
  switch (kind) {
    case Kind::water:
      finish = {
          .surface = Surface::liquid, .roughness = 0.12f, .depth = static_cast<float>(0.16 * size), .cloudiness = 0.30f, .smoothing = 1};
      break;
    case Kind::honey:
      finish = {
          .surface = Surface::liquid, .roughness = 0.10f, .depth = static_cast<float>(0.06 * size), .cloudiness = 0.40f, .smoothing = 1};
      break;
    case Kind::sand:
      finish = {.surface = Surface::matte};
      look.radius = 0.60f, look.variation = 0.22f;
      break;
    case Kind::snow:
      finish = {.surface = Surface::snow, .smoothing = 0.45f};
      look.radius = 0.66f, look.variation = 0.02f;
      break;
    case Kind::metal: finish = {.surface = Surface::metal, .roughness = 0.35f, .smoothing = 0.95f}; break;
    case Kind::clay: finish = {.surface = Surface::gloss, .roughness = 0.65f, .smoothing = 0.85f}; break;
    case Kind::rubber: finish = {.surface = Surface::gloss, .roughness = 0.35f, .smoothing = 0.85f}; break;
  }
  return look;
}

}  // namespace

std::vector<BodyLook> looks_of(const SceneSpec& scene, double size) {
  std::vector<BodyLook> looks;
  std::map<Kind, std::size_t> used;
  for (const RunBody& body : bodies_of(scene)) {
    const auto material = scene.materials.find(body.material);
    const Kind kind =
        material == scene.materials.end() ? Kind::rubber : std::visit([](const auto& m) { return kind_of(m); }, material->second);
    BodyLook look = base_look(kind, size);
    const std::vector<Color>& palette = palette_of(kind);
    const std::size_t turn = used[kind]++;
    const std::size_t round = turn / palette.size();  // a palette that is used up begins again with its hues turned
    const Color chosen = turned_hue(to_linear(palette[turn % palette.size()]), 40.0f * static_cast<float>(round));
    look.finish.color = body.color ? to_linear(to_color(*body.color)) : chosen;
    look.spacing = body.spacing;
    look.radius *= static_cast<float>(body.spacing);
    looks.push_back(look);
  }
  return looks;
}

Finish collider_finish(const ColliderSpec& collider) {
  Finish finish{.surface = Surface::gloss, .color = to_linear(Color{0.62f, 0.65f, 0.69f}), .roughness = 0.5f};
  if (collider.color) finish.color = to_linear(to_color(*collider.color));
  return finish;
}

Finish rigid_finish(const RigidBodySpec& body, std::size_t index) {
  static const std::vector<Color> colors{{0.78f, 0.52f, 0.28f}, {0.36f, 0.44f, 0.56f}, {0.82f, 0.78f, 0.66f}, {0.56f, 0.34f, 0.30f}};
  const Color chosen = body.color ? to_color(*body.color) : colors[index % colors.size()];
  return {.surface = Surface::gloss, .color = to_linear(chosen), .roughness = 0.4f};
}

}  // namespace knead::cli
