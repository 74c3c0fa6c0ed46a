// What all pictures of a run have in common: camera, ground, extent and the range of the colours.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "frames/run_frames.h"
#include "render/picture.h"
#include "scene/run_folder.h"
#include "simulation/rigid_file.h"

namespace knead::cli {

// A collider or a rigid body.
struct DrawnCollider {
  Finish finish;
  ShapePointer shape;
  Motion motion;
  bool is_rigid = false;  // a rigid body: moved by `poses`, one per frame
  std::vector<Pose> poses;
  bool is_plane = false;
  bool glass = false;   // would hide the motion
  Vec3d point, normal;  // of a plane at time 0

  Pose pose(int frame, double time) const { return is_rigid ? pose_at_frame(poses, frame) : motion.pose(time); }
};

struct MotionPlan {
  Vec3d up{0, 1, 0};
  Bounds3 bounds{};            // of the motion, without strays [m]
  std::vector<Vec3d> corners;  // what the camera must show
  double size = 1;             // [m]
  Camera camera;
  bool sun_from_right = false;
  double ground_gap = 0;     // [m] below the motion, where there is no floor
  double low = 0, high = 1;  // range of the colours
  std::vector<DrawnCollider> colliders;
  std::vector<std::string> warnings;

  bool has_floor() const;
  // In a run that goes on: is all that this plan found also in the picture of that camera?
  bool fits(const Camera& other, double aspect) const;
};

struct PlanRequest {
  std::string attribute;  // of the colours; empty: by body
  double aspect = 16.0 / 9;
  std::optional<double> low, high;
};

// Looks at some of the frames, first and last among them. Damaged ones are left out here: whoever draws them names them.
MotionPlan plan_motion(const RunFolder& run, const std::vector<FrameFile>& frames, const PlanRequest& request);

// A scalar column as it is, of a vector or matrix its norm. InputError when no frame column has the name.
std::vector<float> attribute_values(const Frame& frame, const std::string& attribute);

}  // namespace knead::cli
