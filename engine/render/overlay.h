// What is written over a picture: the legend of its colours and the time.
#pragma once
#include <string>

#include "render/color.h"
#include "render/image.h"

namespace knead {

struct Legend {
  std::string title;  // "pressure"
  std::string unit;   // "Pa"; may be empty
  ColorMap map = ColorMap::viridis;
  double low = 0, high = 1;
};

void draw_legend(Image& image, const Legend& legend);
void draw_time(Image& image, double seconds);

// A round number with as many digits as the range asks for: 0.25, 1200, 3.5e+06.
std::string legend_number(double value, double range);

}  // namespace knead
