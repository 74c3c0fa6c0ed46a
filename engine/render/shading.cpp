#include "render/shading.h"

#include <algorithm>
#include <cmath>

namespace knead {
namespace {

constexpr Color white{1, 1, 1};

Vec3f to_float(const Vec3d& v) { return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)}; }

// Share of light that a smooth surface reflects (Schlick); f0 is the share at normal incidence.
Color fresnel(const Color& f0, float cosine) {
  const float m = 1 - std::clamp(cosine, 0.0f, 1.0f), m2 = m * m;
  return f0 + (white - f0) * (m2 * m2 * m);
}
float fresnel(float f0, float cosine) { return fresnel(Color{f0, f0, f0}, cosine).x; }

Vec3f reflected(const Vec3f& direction, const Vec3f& normal) { return direction - normal * (2 * dot(direction, normal)); }

// Snell's law; false for total reflection. `ratio` is the index on the ray's side over the other one.
bool refracted(const Vec3f& direction, const Vec3f& normal, float ratio, Vec3f& out) {
  const float cosine = -dot(direction, normal), k = 1 - ratio * ratio * (1 - cosine * cosine);
  if (k < 0) return false;
  out = normalized(direction * ratio + normal * (ratio * cosine - std::sqrt(k)));
  return true;
}

// Interpolated normals can look away from the viewer near a silhouette: they are turned until they just do not.
Vec3f facing(const Vec3f& normal, const Vec3f& direction) {
  const float away = dot(normal, direction) + 0.02f;
  return away > 0 ? normalized(normal - direction * away) : normal;
}

Color power(const Color& base, float exponent) {
  auto one = [&](float b) { return std::pow(std::max(b, 1e-4f), exponent); };
  return {one(base.x), one(base.y), one(base.z)};
}

}  // namespace

Shader::Shader(const PictureScene& scene, const Tracer& tracer, std::uint32_t ambient_rays)
    : scene_(scene), sky_(scene.sky), tracer_(tracer), ambient_rays_(ambient_rays), epsilon_(static_cast<float>(1e-5 * scene.size)) {
  // One tint for all of them: rays that only ask whether something is in the way stay cheap.
  Color sum{};
  float count = 0;
  auto include = [&](const Finish& finish) {
    if (finish.surface == Surface::liquid) sum += finish.color * 0.45f + Color{0.30f, 0.30f, 0.30f}, ++count;
    if (finish.surface == Surface::glass) sum += finish.color * 0.75f, ++count;
  };
  for (const Balls& balls : scene.balls) include(balls.finish);
  for (const MeshSurface& mesh : scene.meshes) include(mesh.finish);
  for (const ShapeSurface& shape : scene.shapes) include(shape.finish);
  clear_shadow_ = count > 0 ? sum / count : white;
}

float Shader::ground_fade(const Hit& hit) const {
  if (hit.object != 0) return 0;
  const float distance = length(hit.position - to_float(scene_.center)) / static_cast<float>(scene_.size);
  const float far = std::max(0.0f, distance - 0.8f) / 3.2f;
  return 1 - std::exp(-far * far);
}

Color Shader::sun_light(const Vec3f& position, const Vec3f& normal, float clearance, Point2 point, float wrap) const {
  const float cosine = (dot(normal, sky_.sun) + wrap) / (1 + wrap);
  if (cosine <= 0) return {};
  Vec3f u, v;
  frame_of(sky_.sun, u, v);
  const Point2 disc = on_disc(point);
  const Ray ray{position + normal * clearance, normalized(sky_.sun + (u * disc.x + v * disc.y) * sky_.sun_radius)};
  if (tracer_.blocked(ray)) return {};
  // Clear things let most of the light through.
  const Color tint = tracer_.has_clear() && tracer_.blocked_clear(ray) ? clear_shadow_ : white;
  return sky_.sun_light * tint * cosine;
}

// Light of the sky on a surface, by rays; blocked ones bring some light of the same colour from next door.
Color Shader::ambient_light(const Hit& hit, const PixelPoints& points, std::uint32_t sample, float& open) const {
  const Color bounce = hit.color * sky_.ambient(hit.normal) * (hit.finish->surface == Surface::snow ? 0.75f : 0.45f);
  const Vec3f origin = hit.position + hit.normal * hit.clearance;
  const Color ground = sky_.lit_ground() * 0.6f;
  Color light{};
  std::uint32_t free = 0;
  for (std::uint32_t i = 0; i < ambient_rays_; ++i) {
    const Ray ray{origin, cosine_direction(hit.normal, points.ambient(sample * ambient_rays_ + i))};
    if (tracer_.blocked(ray)) {
      light += bounce;
    } else {
      light += scene_.ground && dot(ray.direction, sky_.up) < 0 ? ground : sky_.radiance(ray.direction);
      ++free;
    }
  }
  open = static_cast<float>(free) / static_cast<float>(ambient_rays_);
  return light * (1 / static_cast<float>(ambient_rays_));
}

// The sun's reflection in a rough surface (GGX lobe).
Color Shader::glint(const Vec3f& view, const Vec3f& normal, float roughness, const Color& f0) const {
  const float cosine = dot(normal, sky_.sun);
  if (cosine <= 0) return {};
  const Vec3f half = normalized(sky_.sun - view);
  const float a = std::max(0.02f, roughness * roughness), nh = std::max(0.0f, dot(normal, half)), d = nh * nh * (a * a - 1) + 1;
  const float lobe = std::min(a * a / (4 * d * d), 12.0f);  // a mirror's sun would only burn out
  return sky_.sun_light * fresnel(f0, dot(half, sky_.sun)) * (lobe * cosine);
}

Color Shader::plain(const Ray& ray, const Hit& hit, Point2 point) const {
  const Vec3f normal = dot(hit.normal, ray.direction) > 0 ? -hit.normal : hit.normal;
  const Color light = sun_light(hit.position, normal, hit.clearance, point, 0) + sky_.ambient(normal) * 0.8f;
  const float fade = ground_fade(hit);
  return hit.color * light * (1 - fade) + sky_.radiance(ray.direction) * fade;
}

Color Shader::seen(const Ray& ray, Point2 point) const {
  Hit hit;
  if (tracer_.trace(ray, hit)) return plain(ray, hit, point);
  return sky_.radiance(ray.direction);
}

void Shader::shade_opaque(const Ray& ray, const Hit& hit, const PixelPoints& points, std::uint32_t sample, Shaded& out) const {
  Hit local = hit;
  local.normal = facing(dot(hit.geometric, ray.direction) > 0 && !hit.is_ball ? -hit.normal : hit.normal, ray.direction);
  const Finish& finish = *hit.finish;
  const Point2 sun_point = points.sun(sample);
  float open = 1;
  out.albedo = hit.color, out.normal = local.normal;
  const float cosine = -dot(ray.direction, local.normal);
  const Vec3f mirror = reflected(ray.direction, local.normal);
  if (finish.surface == Surface::metal) {
    const Point2 spread = on_disc(points.gloss(sample));
    Vec3f u, v;
    frame_of(mirror, u, v);
    const float width = finish.roughness * finish.roughness;
    Vec3f direction = normalized(mirror + (u * spread.x + v * spread.y) * width);
    if (dot(direction, local.normal) < 0.02f) direction = mirror;
    const Color share = fresnel(hit.color, cosine);
    const Color sun = sun_light(local.position, local.normal, local.clearance, sun_point, 0);
    out.sun = luminance(sun);
    const Ray reflection{local.position + local.normal * local.clearance, direction};
    Hit met;
    const Color view = tracer_.trace(reflection, met) ? plain(reflection, met, sun_point) : sky_.studio(direction);
    out.rest = share * view + (out.sun > 0 ? glint(ray.direction, local.normal, finish.roughness, hit.color) : Color{});
    // What a brushed surface scatters out of the lobe.
    out.diffuse = hit.color * (sun + ambient_light(local, points, sample, open)) * 0.22f;
    out.rest = out.rest * (0.35f + 0.65f * open);
    return;
  }
  const bool snow = finish.surface == Surface::snow;
  const Color sun = sun_light(local.position, local.normal, local.clearance, sun_point, snow ? 0.3f : 0.0f);
  out.sun = luminance(sun);
  const Color ambient = ambient_light(local, points, sample, open);
  out.diffuse = hit.color * (sun + ambient);
  if (snow) out.diffuse += hit.color * Color{0.03f, 0.05f, 0.09f};  // light from within
  if (finish.surface == Surface::gloss) {
    const float share = fresnel(0.045f, cosine) * (1 - 0.6f * finish.roughness);
    out.diffuse = out.diffuse * (1 - share);
    out.rest = sky_.studio(mirror) * (share * open);
    if (out.sun > 0) out.rest += glint(ray.direction, local.normal, finish.roughness, {0.045f, 0.045f, 0.045f});
  }
}

// What is seen through a liquid: bent at the surface, coloured by the way, bent again where it leaves a mesh.
Color Shader::through_liquid(const Hit& hit, const Vec3f& normal, const Vec3f& direction, Point2 point, const Color& sun) const {
  Ray inside{hit.position - normal * (2 * epsilon_), direction};
  Hit behind;
  bool met = tracer_.trace(inside, behind);
  float way = 0;
  if (hit.grid) {
    way = hit.grid->thickness(hit.position, direction, std::min(behind.distance, 1e20f));
  } else {
    Hit exit;
    exit.distance = behind.distance;
    if (tracer_.trace_clear(inside, exit)) {
      way = exit.distance;
      const Vec3f out_normal = dot(exit.normal, direction) > 0 ? -exit.normal : exit.normal;
      Vec3f out = direction;
      refracted(direction, out_normal, 1.33f, out);  // total reflection: goes straight on
      inside = {exit.position - out_normal * (2 * epsilon_), out};
      behind = {};
      met = tracer_.trace(inside, behind);
    } else if (met) {
      way = behind.distance;
    }
  }
  const Color background = met ? plain(inside, behind, point) : sky_.radiance(inside.direction);
  const Color left = power(hit.color, way / hit.finish->depth);
  const Color scattered = (white - left) * hit.color * (sky_.ambient(normal) + sky_.sun_light * 0.1f + sun * 0.8f) * hit.finish->cloudiness;
  return background * left + scattered;
}

Color Shader::shade_liquid(const Ray& ray, const Hit& hit, const PixelPoints& points, std::uint32_t sample) const {
  const Vec3f normal = facing(dot(hit.normal, ray.direction) > 0 && !hit.is_ball ? -hit.normal : hit.normal, ray.direction);
  const float cosine = -dot(ray.direction, normal), share = fresnel(0.02f, cosine);
  const Point2 point = points.sun(sample);
  Vec3f down = ray.direction;
  refracted(ray.direction, normal, 1 / 1.33f, down);
  const Ray reflection{hit.position + normal * hit.clearance, reflected(ray.direction, normal)};
  const bool lit = !tracer_.blocked({hit.position + normal * hit.clearance, sky_.sun});
  const Color sun = lit ? sky_.sun_light * std::max(0.0f, dot(normal, sky_.sun)) : Color{};
  const Color color = through_liquid(hit, normal, down, point, sun) * (1 - share) + seen(reflection, point) * share;
  return lit ? color + glint(ray.direction, normal, hit.finish->roughness, {0.02f, 0.02f, 0.02f}) : color;
}

Shader::Clear Shader::pass_clear(const Ray& ray, float distance, const PixelPoints& points, std::uint32_t sample) const {
  Clear clear;
  Ray rest = ray;
  float gone = 0;
  for (int layer = 0; layer < 8; ++layer) {
    Hit hit;
    hit.distance = distance - gone;
    if (!tracer_.trace_clear(rest, hit)) break;
    clear.met = true;
    if (hit.finish->surface == Surface::liquid) {
      clear.added += clear.through * shade_liquid(rest, hit, points, sample);
      clear.through = {};
      clear.distance = gone + hit.distance;
      break;
    }
    const Vec3f normal = dot(hit.normal, rest.direction) > 0 ? -hit.normal : hit.normal;
    const float share = 0.8f * fresnel(0.04f, -dot(rest.direction, normal));
    clear.added += clear.through * sky_.studio(reflected(rest.direction, normal)) * share;
    clear.through = clear.through * hit.color * (1 - share);
    const float step = hit.distance + 3 * hit.clearance;
    rest.origin += rest.direction * step;
    gone += step;
  }
  return clear;
}

void Shader::add_panes(const Ray& ray, float distance, Shaded& out) const {
  const float edge = static_cast<float>(0.0035 * scene_.size);
  for (const Pane& pane : scene_.panes) {
    const Vec3f u = to_float(pane.u), v = to_float(pane.v), normal = normalized(cross(u, v));
    const float fall = dot(ray.direction, normal), away = dot(to_float(pane.corner) - ray.origin, normal) / fall;
    if (!(away > 0) || away >= distance) continue;
    const Vec3f place = ray.origin + ray.direction * away - to_float(pane.corner);
    const float lu = length(u), lv = length(v), a = dot(place, u) / lu, b = dot(place, v) / lv;
    if (a < 0 || b < 0 || a > lu || b > lv) continue;
    const bool rim = std::min(std::min(a, lu - a), std::min(b, lv - b)) < edge;
    const float share = rim ? 0.42f : 0.04f + 0.25f * fresnel(0.04f, std::fabs(fall));
    out.diffuse = out.diffuse * (1 - share);
    out.rest = out.rest * (1 - share) + Color{0.93f, 0.97f, 1.0f} * share;
    out.fine |= rim;
  }
}

Shaded Shader::shade(const Ray& ray, const PixelPoints& points, std::uint32_t sample) const {
  Shaded out;
  Hit hit;
  const bool met = tracer_.trace(ray, hit);
  out.depth = hit.distance;
  const Clear clear = tracer_.has_clear() ? pass_clear(ray, hit.distance, points, sample) : Clear{};
  if (!met) {
    out.rest = sky_.background(ray.direction);
  } else if (luminance(clear.through) > 0) {
    shade_opaque(ray, hit, points, sample, out);
    out.object = hit.object;
    const float fade = ground_fade(hit);
    out.diffuse = out.diffuse * (1 - fade);
    out.rest = out.rest * (1 - fade) + sky_.background(ray.direction) * fade;
  }
  out.fine = clear.met || (hit.is_ball && hit.finish->smoothing < 0.5f);
  out.diffuse = out.diffuse * clear.through;
  out.rest = out.rest * clear.through + clear.added;
  out.depth = std::min(out.depth, clear.distance);
  add_panes(ray, out.depth, out);
  return out;
}

}  // namespace knead
