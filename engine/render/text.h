// Text drawn with the strokes of a small font of its own: legends and time stamps need no font file.
#pragma once
#include <string>

#include "render/color.h"
#include "render/image.h"

namespace knead {

struct TextStyle {
  double height = 16;    // of a capital letter [pixels]
  Color color{1, 1, 1};  // sRGB
  float opacity = 1;
};

// Width of the text [pixels]. The letter after a '^' is raised and small; what the font lacks becomes a box.
double text_width(const std::string& text, double height);
// (x, y): the left end of the base line.
void draw_text(Image& image, const std::string& text, double x, double y, const TextStyle& style);
void fill_rectangle(Image& image, double x0, double y0, double x1, double y1, const Color& srgb, float opacity);

}  // namespace knead
