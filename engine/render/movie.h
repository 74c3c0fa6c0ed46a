// Movies, by the program ffmpeg: H.264 in an MP4 file that browsers play and begin to play before it is all there.
#pragma once
#include <string>

#include "render/image.h"

namespace knead {

class MovieWriter {
 public:
  // The file appears at finish(), whole. Sizes are made even by leaving out the last row or column. InputError when ffmpeg is missing.
  MovieWriter(std::string path, int width, int height, double frames_per_second);
  ~MovieWriter();  // removes what is not finished
  MovieWriter(const MovieWriter&) = delete;
  MovieWriter& operator=(const MovieWriter&) = delete;

  void add(const Image& image);  // SimulationError when ffmpeg gave up
  void finish();

 private:
  int close();  // ends ffmpeg; returns its exit code
  std::string path_, aside_;
  int width_, height_;
  int pipe_ = -1, process_ = -1;
};

}  // namespace knead
