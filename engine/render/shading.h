// How surfaces look: the light that comes back along a camera ray.
#pragma once
#include "render/sample_points.h"
#include "render/tracer.h"

namespace knead {

// The sample points of one pixel, one stream per decision. Samples come in batches that each cover everything evenly by themselves, for
// some pixels take more of them than others.
struct PixelPoints {
  PixelPoints(std::uint32_t x, std::uint32_t y, std::uint32_t batch, std::uint32_t samples, std::uint32_t ambient_rays)
      : place(x, y, 4 * batch, samples),
        sun(x, y, 4 * batch + 1, samples),
        ambient(x, y, 4 * batch + 2, samples * ambient_rays),
        gloss(x, y, 4 * batch + 3, samples) {}
  SamplePoints place, sun, ambient, gloss;
};

struct Shaded {
  Color diffuse;  // light that a filter may smooth: it varies slowly over a surface
  Color rest;     // reflections and what is seen through something clear, as sharp as they are
  Color albedo;
  Vec3f normal;
  float depth = 1e30f;
  float sun = 1;      // share of the sun that arrives
  int object = -1;    // -1: the sky
  bool fine = false;  // details smaller than what the filter should touch: balls, clear things
};

class Shader {
 public:
  Shader(const PictureScene& scene, const Tracer& tracer, std::uint32_t ambient_rays);

  Shaded shade(const Ray& ray, const PixelPoints& points, std::uint32_t sample) const;

 private:
  struct Clear {
    Color added, through{1, 1, 1};
    float distance = 1e30f;  // of the liquid that ends the ray
    bool met = false;
  };
  Clear pass_clear(const Ray& ray, float distance, const PixelPoints& points, std::uint32_t sample) const;
  Color shade_liquid(const Ray& ray, const Hit& hit, const PixelPoints& points, std::uint32_t sample) const;
  Color through_liquid(const Hit& hit, const Vec3f& normal, const Vec3f& direction, Point2 point, const Color& sun) const;
  void shade_opaque(const Ray& ray, const Hit& hit, const PixelPoints& points, std::uint32_t sample, Shaded& out) const;
  void add_panes(const Ray& ray, float distance, Shaded& out) const;
  Color ambient_light(const Hit& hit, const PixelPoints& points, std::uint32_t sample, float& open) const;
  Color sun_light(const Vec3f& position, const Vec3f& normal, float clearance, Point2 point, float wrap) const;
  Color plain(const Ray& ray, const Hit& hit, Point2 point) const;  // in reflections and behind clear things
  Color seen(const Ray& ray, Point2 point) const;                   // what a reflected or refracted ray meets
  Color glint(const Vec3f& view, const Vec3f& normal, float roughness, const Color& f0) const;
  float ground_fade(const Hit& hit) const;

  const PictureScene& scene_;
  const Sky& sky_;
  const Tracer& tracer_;
  std::uint32_t ambient_rays_;
  float epsilon_;
  Color clear_shadow_;  // what clear things leave of the sun's light
};

}  // namespace knead
