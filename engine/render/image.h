// Pictures of 8-bit sRGB pixels, and PNG files that carry a line of text.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace knead {

struct Image {
  int width = 0, height = 0;
  std::vector<std::uint8_t> pixels;  // red, green, blue; row by row from the top
  std::uint8_t* at(int x, int y) {
    return pixels.data() + 3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x));
  }
  const std::uint8_t* at(int x, int y) const { return const_cast<Image*>(this)->at(x, y); }
};

// The file appears whole or not at all; SimulationError when it cannot be written. `made_with` is kept in the file as text.
void write_png(const Image& image, const std::string& path, const std::string& made_with = "");
// InputError, with the file's name, for what is no PNG of 8-bit colours.
Image read_png(const std::string& path);
// The text that write_png was given; empty when there is no such file, or nothing in it.
std::string png_made_with(const std::string& path);

}  // namespace knead
