// What the readers of frames say about a file that is not as knead writes it.
#pragma once
#include <algorithm>
#include <string>

#include "base/error.h"

namespace knead {

[[noreturn]] inline void throw_damaged_frame(const std::string& path, std::string reason) {
  // The reason may quote the file: whatever is in there, the message stays one printable line.
  std::replace_if(
      reason.begin(), reason.end(), [](unsigned char c) { return c < 32 || c > 126; }, '?');
  throw InputError(path + " is not a frame that knead wrote: " + reason + ".");
}

}  // namespace knead
