// The camera: rays through pixels, and a place that shows all of a motion.
#pragma once
#include <functional>
#include <vector>

#include "geometry/shape.h"
#include "math/vec.h"

namespace knead {

struct Camera {
  Vec3d position{0, 0, 1}, target;  // [m]
  Vec3d up{0, 1, 0};                // roughly; made perpendicular
  double field_of_view = 35;        // vertical [degrees]
};

// The camera's axes for a picture of width x height pixels.
struct View {
  View(const Camera& camera, int width, int height);
  Vec3d direction(double pixel_x, double pixel_y) const;  // unit vector through a place of the picture; (0, 0) is its top left corner
  // Place in the picture, and the depth along the view [m]; negative when behind.
  Vec3d project(const Vec3d& point) const;
  Vec3d position, right, up, forward;
  double width, height, scale;  // scale: half the picture's height over its distance
};

// How an automatic camera looks: from the side that a horizontal angle names, from a little above.
struct ViewAngle {
  double azimuth = 30, elevation = 20;  // [degrees]; azimuth 0 looks against the third axis (z where y is up)
};

// Unit vector from the motion to the camera.
Vec3d view_direction(const Vec3d& up, const ViewAngle& angle);

// What a camera has to show, and where in the picture.
struct Framing {
  std::vector<Vec3d> points;  // [m]
  Vec3d up{0, 1, 0};
  double aspect = 16.0 / 9;  // of the picture
  double margin = 0.07;      // share of the picture's size that stays free on each side
  double right_margin = 0;   // more of it on the right, for a legend
};

// The nearest camera in that direction whose picture holds all points.
Camera camera_around(const Framing& framing, const ViewAngle& angle);

// The longest level extent lies across the picture, turned by a third of a right angle. `hidden` tells for a camera which share of the motion
// it cannot see; a camera that sees more wins.
Camera choose_camera(const Framing& framing, const std::function<double(const Camera&)>& hidden);

// The smallest box that holds all but a share of the points at each end of each axis: a few strays do not count.
Bounds3 robust_bounds(std::vector<Vec3d> points, double share);
std::vector<Vec3d> corners_of(const Bounds3& bounds);

}  // namespace knead
