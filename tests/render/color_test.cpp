// Colours: sRGB, tone mapping and colour maps.
#include "render/color.h"

#include <doctest/doctest.h>

using namespace knead;

TEST_CASE("sRGB to linear light and back changes nothing") {
  for (int i = 0; i <= 255; ++i) {
    const float value = static_cast<float>(i) / 255;
    CHECK(to_srgb(to_linear(value)) == doctest::Approx(value).epsilon(1e-4));
  }
  CHECK(to_linear(0.5f) == doctest::Approx(0.2140).epsilon(1e-3));  // ((0.5 + 0.055) / 1.055)^2.4
}

TEST_CASE("the tone map keeps dark greys, never falls, and ends at white") {
  CHECK(tone_map({0.2f, 0.2f, 0.2f}).x == doctest::Approx(0.2));
  float before = -1;
  for (int i = 0; i <= 2000; ++i) {
    const float light = 0.005f * static_cast<float>(i);
    const Color shown = tone_map({light, light, light});
    CHECK(shown.x >= before);
    CHECK(shown.x <= 1);
    CHECK(shown.x == doctest::Approx(shown.z));
    before = shown.x;
  }
  CHECK(before > 0.99f);
}

TEST_CASE("a bright colour loses saturation but keeps its hue") {
  const Color shown = tone_map({4, 1, 0.2f});
  CHECK(shown.x > shown.y);
  CHECK(shown.y > shown.z);
  CHECK(shown.z > tone_map({0.2f, 0.2f, 0.2f}).z);
}

TEST_CASE("colour maps begin and end where they should and clamp what lies outside") {
  const Color first = map_color(ColorMap::viridis, 0), last = map_color(ColorMap::viridis, 1);
  CHECK(first.x * 255 == doctest::Approx(68));
  CHECK(first.z * 255 == doctest::Approx(84));
  CHECK(last.x * 255 == doctest::Approx(253));
  CHECK(last.z * 255 == doctest::Approx(37));
  CHECK(map_color(ColorMap::viridis, -3) == first);
  CHECK(map_color(ColorMap::viridis, 7) == last);
  // The middle of the diverging map is grey, its ends are blue and red.
  const Color middle = map_color(ColorMap::coolwarm, 0.5f);
  CHECK(middle.x == doctest::Approx(middle.z));
  CHECK(map_color(ColorMap::coolwarm, 0).z > map_color(ColorMap::coolwarm, 0).x);
  CHECK(map_color(ColorMap::coolwarm, 1).x > map_color(ColorMap::coolwarm, 1).z);
}

TEST_CASE("the brightness of viridis, inferno and gray grows all the way") {
  for (const ColorMap map : {ColorMap::viridis, ColorMap::inferno, ColorMap::gray}) {
    float before = -1;
    for (int i = 0; i <= 100; ++i) {
      const float brightness = luminance(to_linear(map_color(map, static_cast<float>(i) / 100)));
      CHECK(brightness > before);
      before = brightness;
    }
  }
}

TEST_CASE("a turned hue keeps the sum of the channels, and a full turn the colour") {
  const Color color{0.3f, 0.4f, 0.5f}, turned = turned_hue(color, 30), around = turned_hue(color, 360);
  CHECK(sum(turned) == doctest::Approx(sum(color)));
  CHECK(length(turned - color) > 0.02f);
  CHECK(length(around - color) < 1e-5f);
}
