// The light of a picture: a sun with soft edges and a clear sky that also is the background.
#pragma once
#include "render/color.h"

namespace knead {

struct Sky {
  Vec3f up{0, 1, 0};
  Vec3f sun{0.4f, 0.8f, 0.45f};          // unit vector towards the sun
  float sun_radius = 0.05f;              // [rad] half of its angle: larger than the real one, for soft shadows
  Color sun_light{1.60f, 1.47f, 1.28f};  // what a white matte surface that faces the sun sends out
  Color horizon{0.71f, 0.79f, 0.87f}, zenith{0.18f, 0.35f, 0.66f};
  Color ground{0.43f, 0.40f, 0.36f};  // matte colour of the ground and, in reflections, of what lies below the horizon

  Color radiance(const Vec3f& direction) const;  // without the sun itself
  Color background(const Vec3f& direction) const { return radiance(direction); }
  // What shiny things reflect: the sky, with large lamps and a dark side, for a plain sky leaves metal without shape.
  Color studio(const Vec3f& direction) const;
  // What a surface of this normal gets from the whole sky and the lit ground when nothing is in the way; as radiance of a white one.
  Color ambient(const Vec3f& normal) const;
  Color lit_ground() const;  // radiance of the ground in the sun
};

// Sun from the upper left, or right, of a camera that looks along `view`, so that shadows fall to the other side and away.
Sky sky_for(const Vec3d& up, const Vec3d& view, bool from_right = false);

}  // namespace knead
