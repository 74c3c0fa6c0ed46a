// Rays against a picture's scene, by Embree.
#pragma once
#include <memory>
#include <vector>

#include "render/density_grid.h"
#include "render/picture.h"

namespace knead {

struct Ray {
  Vec3f origin, direction;  // unit vector
  float far = 1e30f;
};

struct Hit {
  float distance = 1e30f;
  Vec3f position;
  Vec3f normal;     // for shading, towards the ray's origin unless `inside`
  Vec3f geometric;  // of the surface itself, out of the body
  Color color;
  const Finish* finish = nullptr;
  const DensityGrid* grid = nullptr;  // of balls that are smoothed
  float clearance = 0;                // [m] by which rays that leave the surface start off it
  int object = -1;                    // 0 is the ground
  bool is_ball = false;
};

class Tracer {
 public:
  explicit Tracer(const PictureScene& scene);
  ~Tracer();
  // The first opaque thing on the ray, the ground included; false: nothing.
  bool trace(const Ray& ray, Hit& hit) const;
  // The first clear thing, nearer than hit.distance.
  bool trace_clear(const Ray& ray, Hit& hit) const;
  bool blocked(const Ray& ray) const;        // by something opaque other than the ground
  bool blocked_clear(const Ray& ray) const;  // by something clear
  bool has_clear() const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace knead
