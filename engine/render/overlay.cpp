#include "render/overlay.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "render/text.h"

namespace knead {
namespace {

constexpr Color dark{0.05f, 0.06f, 0.08f};

double letter_height(const Image& image) { return std::max(7.0, 0.0175 * std::min(image.height, image.width * 9 / 16)); }

// Tick marks at round numbers: 1, 2 or 5 times a power of ten apart, four to eight of them.
double tick_step(double range) {
  const double rough = range / 5, power = std::pow(10, std::floor(std::log10(rough)));
  const double lead = rough / power;
  return power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
}

}  // namespace

std::string legend_number(double value, double range) {
  char buffer[32];
  const double size = std::max(std::fabs(value), std::fabs(range));
  if (std::fabs(value) < 1e-9 * size) return "0";
  if (size >= 1e5 || size < 1e-3) {
    std::snprintf(buffer, sizeof buffer, "%.3g", value);
    return buffer;
  }
  const int digits = std::clamp(static_cast<int>(std::ceil(2 - std::log10(std::max(std::fabs(range), 1e-9)))), 0, 6);
  std::snprintf(buffer, sizeof buffer, "%.*f", digits, value);
  std::string text = buffer;
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text;
}

void draw_legend(Image& image, const Legend& legend) {
  const double h = letter_height(image), bar_width = 1.1 * h, bar_height = std::min(0.42 * image.height, 24 * h);
  const double range = legend.high - legend.low, step = range > 0 ? tick_step(range) : 1;
  const std::string title = legend.title + (legend.unit.empty() ? "" : " (" + legend.unit + ")");
  double widest = 0;
  const double first = std::ceil(legend.low / step - 1e-6) * step;
  for (double value = first; value <= legend.high + 1e-6 * step; value += step)
    widest = std::max(widest, text_width(legend_number(value, range), h));
  const double panel_width = std::max(bar_width + 0.9 * h + widest, text_width(title, h)) + 2 * h, panel_height = bar_height + 4.6 * h;
  const double right = image.width - 1.4 * h, top = 1.4 * h, left = right - panel_width;
  fill_rectangle(image, left, top, right, top + panel_height, dark, 0.55f);
  const TextStyle style{.height = h};
  draw_text(image, title, left + h, top + 2.1 * h, style);
  const double bar_top = top + 3.6 * h, x = left + h;
  for (int y = static_cast<int>(std::lround(bar_top)); y < static_cast<int>(std::lround(bar_top + bar_height)); ++y) {
    const double share = 1 - (y + 0.5 - bar_top) / bar_height;
    fill_rectangle(image, x, y, x + bar_width, y + 1, map_color(legend.map, static_cast<float>(share)), 1);
  }
  for (double value = first; range > 0 && value <= legend.high + 1e-6 * step; value += step) {
    const double y = bar_top + bar_height * (1 - (value - legend.low) / range);
    fill_rectangle(image, x + bar_width, y - 0.5, x + bar_width + 0.35 * h, y + 0.5, {1, 1, 1}, 1);
    draw_text(image, legend_number(value, range), x + bar_width + 0.8 * h, y + 0.5 * h, style);
  }
}

void draw_time(Image& image, double seconds) {
  char buffer[32];
  const double size = std::fabs(seconds);
  if (size < 0.0995 && size > 0) std::snprintf(buffer, sizeof buffer, "t = %.3f ms", seconds * 1e3);
  else std::snprintf(buffer, sizeof buffer, "t = %.3f s", seconds);
  const double h = letter_height(image), width = text_width(buffer, h);
  const double x = 2.2 * h, y = image.height - 2.2 * h;
  fill_rectangle(image, x - 0.9 * h, y - 1.9 * h, x + width + 0.9 * h, y + 0.9 * h, dark, 0.45f);
  draw_text(image, buffer, x, y, {.height = h});
}

}  // namespace knead
