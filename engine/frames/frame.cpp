#include "frames/frame.h"

#include <cstdio>

namespace knead {

const FrameColumn* Frame::find(const std::string& name) const {
  for (const FrameColumn& column : columns)
    if (column.name == name) return &column;
  return nullptr;
}

std::string numbered_frame(int index, const std::string& extension) {
  char name[32];
  std::snprintf(name, sizeof name, "frame_%06d.", index);
  return name + extension;
}

}  // namespace knead
