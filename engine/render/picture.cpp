#include "render/picture.h"

#include <algorithm>
#include <cmath>

#include "base/threads.h"
#include "render/denoise.h"
#include "render/shading.h"

namespace knead {
namespace {

struct Effort {
  // Samples of a pixel: always, where they show different things, and where light or reflections differ; powers of two.
  std::uint32_t first, edges, most;
  std::uint32_t ambient_rays;  // per sample; a power of two
  int passes;                  // of the filter
};
Effort effort_of(Quality quality) { return quality == Quality::final ? Effort{8, 32, 32, 4, 2} : Effort{2, 4, 8, 2, 3}; }

Vec3f to_float(const Vec3d& v) { return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)}; }

// The sum of a pixel's samples, and whether they show more than one thing.
struct Pixel {
  Color diffuse, rest, albedo;
  Vec3f normal;
  float depth = 0;
  int object = -1;
  bool fine = false, mixed = false;
  float darkest = 1e30f, brightest = -1;
  float least_sun = 1e30f, most_sun = -1;
  std::uint32_t count = 0;

  void add(const Shaded& sample) {
    const float light = luminance(sample.rest);
    darkest = std::min(darkest, light), brightest = std::max(brightest, light);
    least_sun = std::min(least_sun, sample.sun), most_sun = std::max(most_sun, sample.sun);
    if (count > 0)
      mixed |= sample.object != object || dot(sample.normal, normal) < 0.98f * static_cast<float>(count) ||
               std::fabs(sample.depth * static_cast<float>(count) - depth) > 0.05f * depth;
    object = sample.object;
    diffuse += sample.diffuse, rest += sample.rest, albedo += sample.albedo, normal += sample.normal;
    depth += sample.depth, fine |= sample.fine;
    ++count;
  }
  bool needs_more(const Effort& effort) const {
    if (count < effort.first) return true;
    if (count < effort.edges && (mixed || fine)) return true;
    return count < effort.most && !mixed && !fine && (brightest > 1.15f * darkest + 0.02f || most_sun - least_sun > 0.2f);
  }
};

void store(const Pixel& pixel, std::size_t i, PixelLayers& layers) {
  const float share = 1 / static_cast<float>(pixel.count);
  layers.diffuse[i] = pixel.diffuse * share, layers.rest[i] = pixel.rest * share, layers.albedo[i] = pixel.albedo * share;
  layers.normal[i] = pixel.normal * share, layers.depth[i] = pixel.depth * share;
  layers.object[i] = pixel.mixed ? -1 : pixel.object;
  layers.filtered[i] = !pixel.mixed && !pixel.fine && pixel.object >= 0;
}

PixelLayers trace_pixels(const PictureScene& scene, const View& view, const PictureSettings& settings, const Effort& effort) {
  PixelLayers layers;
  layers.width = settings.width, layers.height = settings.height;
  const std::size_t count = static_cast<std::size_t>(settings.width) * static_cast<std::size_t>(settings.height);
  layers.diffuse.resize(count), layers.rest.resize(count), layers.albedo.resize(count), layers.normal.resize(count);
  layers.depth.resize(count), layers.object.resize(count), layers.filtered.resize(count);

  const Tracer tracer(scene);
  const Shader shader(scene, tracer, effort.ambient_rays);
  const Vec3f origin = to_float(view.position);
  constexpr int tile = 16;  // [pixels]
  const int across = (settings.width + tile - 1) / tile, down = (settings.height + tile - 1) / tile;
  parallel_for(static_cast<std::size_t>(across * down), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      const int x0 = static_cast<int>(t) % across * tile, y0 = static_cast<int>(t) / across * tile;
      for (int y = y0; y < std::min(y0 + tile, settings.height); ++y)
        for (int x = x0; x < std::min(x0 + tile, settings.width); ++x) {
          Pixel pixel;
          for (std::uint32_t batch = 0; pixel.needs_more(effort); ++batch) {
            const PixelPoints points(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y), batch, effort.first,
                                     effort.ambient_rays);
            for (std::uint32_t sample = 0; sample < effort.first; ++sample) {
              const Point2 place = points.place(sample);
              const Vec3d direction = view.direction(x + static_cast<double>(place.x), y + static_cast<double>(place.y));
              pixel.add(shader.shade({origin, to_float(direction)}, points, sample));
            }
          }
          store(pixel, static_cast<std::size_t>(y) * static_cast<std::size_t>(settings.width) + static_cast<std::size_t>(x), layers);
        }
    }
  });
  return layers;
}

// Light to bytes. Rounding is spread by a pattern, so that slow gradients show no bands.
Image develop(const PixelLayers& layers) {
  Image image{layers.width, layers.height, {}};
  image.pixels.resize(3 * layers.diffuse.size());
  parallel_for(static_cast<std::size_t>(layers.height), 8, [&](std::size_t begin, std::size_t end) {
    for (std::size_t y = begin; y < end; ++y)
      for (std::size_t x = 0; x < static_cast<std::size_t>(layers.width); ++x) {
        const std::size_t i = y * static_cast<std::size_t>(layers.width) + x;
        const Color color = to_srgb(tone_map(layers.diffuse[i] + layers.rest[i]));
        const SamplePoints pattern(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y), 1000, 1);
        const float offset = pattern(0).x;
        for (int k = 0; k < 3; ++k)
          image.pixels[3 * i + static_cast<std::size_t>(k)] = static_cast<std::uint8_t>(std::clamp(color[k] * 255 + offset, 0.0f, 255.0f));
      }
  });
  return image;
}

}  // namespace

Image take_picture(const PictureScene& scene, const Camera& camera, const PictureSettings& settings) {
  const View view(camera, settings.width, settings.height);
  const Effort effort = effort_of(settings.quality);
  PixelLayers layers = trace_pixels(scene, view, settings, effort);
  smooth_light(layers, effort.passes, static_cast<float>(2 * view.scale / view.height));
  return develop(layers);
}

}  // namespace knead
