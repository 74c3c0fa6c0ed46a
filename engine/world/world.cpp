#include "world/world.h"

namespace knead {

Vec3d acceleration(const Field& field, const Vec3d& x, double time) {
  if (time < field.start || time >= field.end) return {};
  const Vec3d arm = x - field.center;
  switch (field.type) {
    case FieldType::uniform: return field.vector;
    case FieldType::rotational: return field.strength * cross(field.axis, arm);
    case FieldType::radial: break;
  }
  const double distance = length(arm);
  return distance > 0 ? arm * (field.strength / distance) : Vec3d{};  // no direction in the centre itself
}

}  // namespace knead
