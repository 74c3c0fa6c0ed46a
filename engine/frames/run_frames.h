// The frames of a run folder, whatever their format, also while the run goes on.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "frames/frame.h"
#include "frames/writer.h"

namespace knead {

struct FrameFile {
  int index = 0;
  FrameFormat format = FrameFormat::ply;
  std::string path;
};

// One entry per frame, by index; where a frame has several files, the first format in the order of FrameFormat that can be read:
// ply, bgeo, vtkhdf. The others are for other programs alone.
std::vector<FrameFile> list_frames(const std::string& directory);

// InputError, with the file's name and what is wrong, when it is missing or damaged.
Frame read_frame(const FrameFile& file);

// A name as a part of a path: letters, digits, '-' and '_' stay, all else becomes '_'.
std::string file_name_of(const std::string& name);

// DIR/surface/BODY/frame_000042.EXT: where the surfaces of a body lie.
std::string surface_path(const std::string& directory, const std::string& body, int index, const std::string& extension);

}  // namespace knead
