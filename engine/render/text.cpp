#include "render/text.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace knead {
namespace {

// Strokes as pairs of digits: x to the right, y up. The base line is at y = 2, capitals reach 8, small letters 6, tails 0.
struct Glyph {
  char letter;
  const char* strokes;
};
constexpr Glyph glyphs[] = {
    {'0', "120307183847433212"},
    {'1', "072822"},
    {'2', "071838474602 0242"},
    {'3', "07183847463515 354443321203"},
    {'4', "32380444"},
    {'5', "480805354443321203"},
    {'6', "473818070312324344351504"},
    {'7', "084812"},
    {'8', "15060718384746351504031232434435"},
    {'9', "031232434738180706154546"},
    {'.', "0202"},
    {'-', "0535"},
    {'+', "0545 2327"},
    {'/', "0148"},
    {':', "0303 0606"},
    {'=', "0444 0646"},
    {'_', "0141"},
    {'(', "18070312"},
    {')', "08171302"},
    {'%', "0248 07180807 3243"},
    {',', "0301"},
    {'A', "0228 2842 0444"},
    {'B', "0208383746353505 3544433202"},
    {'C', "473818070312324 3"},
    {'D', "0208284644220 2"},
    {'E', "48080242 0535"},
    {'F', "480802 0535"},
    {'G', "47381807031232434525"},
    {'H', "0208 4248 0545"},
    {'I', "0208"},
    {'J', "38331202"},
    {'K', "0208 480542"},
    {'L', "080242"},
    {'M', "0208254842"},
    {'N', "02084248"},
    {'O', "120307183847433212"},
    {'P', "02083847463505"},
    {'Q', "120307183847433212 2442"},
    {'R', "02083847463505 2542"},
    {'S', "4738180706153544433212 1203"},
    {'T', "0848 2822"},
    {'U', "080312324348"},
    {'V', "082248"},
    {'W', "0812253248"},
    {'X', "0248 0842"},
    {'Y', "082548 2522"},
    {'Z', "08480242"},
    {'a', "0516364542 44140312324 4"},
    {'b', "0208 0516364543321203"},
    {'c', "4536160503123243"},
    {'d', "4248 4536160503123243"},
    {'e', "0444453616050312324 2"},
    {'f', "3828171602 0636"},
    {'g', "4641301001 4536160503123243"},
    {'h', "0208 0516364542"},
    {'i', "0206 0808"},
    {'j', "16110000 1818"},
    {'k', "0208 360432"},
    {'l', "080212"},
    {'m', "0206 05162522 2536454 2"},
    {'n', "0206 0516364542"},
    {'o', "120305163645433212"},
    {'p', "0006 0516364543321203"},
    {'q', "4046 4536160503123243"},
    {'r', "0206 051636"},
    {'s', "4536160514344332120 3"},
    {'t', "18132232 0636"},
    {'u', "060312324 3 4642"},
    {'v', "062246"},
    {'w', "0612243246"},
    {'x', "0246 0642"},
    {'y', "0622 461000"},
    {'z', "06460242"},
    {'?', "0718384746352524 2222"},
};
constexpr const char* box = "0208484202";
constexpr double unit = 1.0 / 6;  // of a capital's height

const char* strokes_of(char letter) {
  for (const Glyph& glyph : glyphs)
    if (glyph.letter == letter) return glyph.strokes;
  return letter == ' ' ? "" : box;
}

struct Segment {
  double x0, y0, x1, y1;
};

// Line segments of a letter in units of the font, and how far to go on.
std::vector<Segment> segments_of(char letter, double& advance) {
  std::vector<Segment> segments;
  double widest = letter == ' ' ? 1.2 : 0, x = 0, y = 0;
  bool pen = false;
  const char* strokes = strokes_of(letter);
  std::string digits;
  auto finish = [&] {
    pen = false;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
      const double nx = digits[i] - '0', ny = digits[i + 1] - '0' - 2;
      if (pen) segments.push_back({x, y, nx, ny});
      x = nx, y = ny, pen = true;
      widest = std::max(widest, x);
    }
    digits.clear();
  };
  for (const char* s = strokes; *s; ++s) {
    // A blank between whole pairs lifts the pen.
    if (*s == ' ' && digits.size() % 2 == 0) finish();
    else if (*s != ' ') digits += *s;
  }
  finish();
  advance = widest + 1.9;
  return segments;
}

double distance_to(const Segment& s, double x, double y) {
  const double dx = s.x1 - s.x0, dy = s.y1 - s.y0, square = dx * dx + dy * dy;
  const double t = square > 0 ? std::clamp(((x - s.x0) * dx + (y - s.y0) * dy) / square, 0.0, 1.0) : 0;
  return std::hypot(x - s.x0 - t * dx, y - s.y0 - t * dy);
}

void blend(Image& image, int x, int y, const Color& srgb, float opacity) {
  if (x < 0 || y < 0 || x >= image.width || y >= image.height) return;
  std::uint8_t* pixel = image.at(x, y);
  for (int k = 0; k < 3; ++k)
    pixel[k] = static_cast<std::uint8_t>(
        std::lround(static_cast<float>(pixel[k]) * (1 - opacity) + 255 * std::clamp(srgb[k], 0.0f, 1.0f) * opacity));
}

// Calls body(letter, x, y, scale) for each letter; returns the width.
template <class Body> double lay_out(const std::string& text, double height, Body&& body) {
  double x = 0;
  bool raised = false;
  for (char letter : text) {
    if (letter == '^') {
      raised = true;
      continue;
    }
    const double scale = height * unit * (raised ? 0.62 : 1), lift = raised ? 0.5 * height : 0;
    double advance = 0;
    const std::vector<Segment> segments = segments_of(letter, advance);
    body(segments, x, lift, scale);
    x += advance * scale;
    raised = false;
  }
  return x;
}

}  // namespace

double text_width(const std::string& text, double height) {
  const double width = lay_out(text, height, [](const std::vector<Segment>&, double, double, double) {});
  return text.empty() ? 0 : width - 1.9 * height * unit;
}

void draw_text(Image& image, const std::string& text, double x, double y, const TextStyle& style) {
  const double pen = std::max(0.55, 0.065 * style.height);  // half the width of a stroke [pixels]
  lay_out(text, style.height, [&](const std::vector<Segment>& segments, double dx, double lift, double scale) {
    for (int py = static_cast<int>(y - lift - 7 * scale - 2); py <= static_cast<int>(y - lift + 3 * scale + 2); ++py)
      for (int px = static_cast<int>(x + dx - 2); px <= static_cast<int>(x + dx + 5 * scale + 2); ++px) {
        double nearest = 1e9;
        for (const Segment& s : segments)
          nearest = std::min(nearest, scale * distance_to(s, (px + 0.5 - x - dx) / scale, (y - lift - py - 0.5) / scale));
        const double cover = std::clamp(pen - nearest + 0.5, 0.0, 1.0);
        if (cover > 0) blend(image, px, py, style.color, static_cast<float>(cover) * style.opacity);
      }
  });
}

void fill_rectangle(Image& image, double x0, double y0, double x1, double y1, const Color& srgb, float opacity) {
  for (int y = static_cast<int>(std::lround(y0)); y < static_cast<int>(std::lround(y1)); ++y)
    for (int x = static_cast<int>(std::lround(x0)); x < static_cast<int>(std::lround(x1)); ++x) blend(image, x, y, srgb, opacity);
}

}  // namespace knead
