// PNG files, movies, and what is written over pictures.
#include "render/image.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "render/movie.h"
#include "render/overlay.h"
#include "render/text.h"

using namespace knead;
namespace fs = std::filesystem;

namespace {

struct Folder {
  fs::path path;
  Folder() {
    std::string name = (fs::temp_directory_path() / "knead_render_XXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path); }
  std::string file(const std::string& name) const { return (path / name).string(); }
};

Image plain(int width, int height, std::uint8_t value) {
  return {width, height, std::vector<std::uint8_t>(static_cast<std::size_t>(3 * width * height), value)};
}

}  // namespace

TEST_CASE("a PNG file decodes to the pixels and the text that were written") {
  const Folder folder;
  Image image = plain(37, 23, 0);
  for (std::size_t i = 0; i < image.pixels.size(); ++i) image.pixels[i] = static_cast<std::uint8_t>(i * 7919 % 251);
  write_png(image, folder.file("a.png"), "made with care");
  const Image back = read_png(folder.file("a.png"));
  CHECK(back.width == 37);
  CHECK(back.height == 23);
  CHECK(back.pixels == image.pixels);
  CHECK(png_made_with(folder.file("a.png")) == "made with care");
  CHECK_FALSE(fs::exists(folder.file("a.png.part")));
}

TEST_CASE("a damaged or missing PNG is an input error with the file's name, and has no text") {
  const Folder folder;
  write_png(plain(64, 64, 9), folder.file("a.png"), "x");
  std::ifstream whole(folder.file("a.png"), std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(whole)), std::istreambuf_iterator<char>());
  std::ofstream(folder.file("cut.png"), std::ios::binary) << bytes.substr(0, bytes.size() / 2);
  std::ofstream(folder.file("text.png")) << "no picture";
  for (const char* name : {"cut.png", "text.png", "missing.png"}) {
    const std::string path = folder.file(name);
    try {
      read_png(path);
      FAIL("read what is no picture");
    } catch (const InputError& error) {
      CHECK(std::string(error.what()).find(path) != std::string::npos);
    }
  }
  CHECK(png_made_with(folder.file("text.png")).empty());
  CHECK(png_made_with(folder.file("missing.png")).empty());
}

TEST_CASE("a picture that cannot be written is an error and leaves nothing") {
  CHECK_THROWS_AS(write_png(plain(4, 4, 0), "/nonexistent/folder/a.png"), SimulationError);
}

TEST_CASE("a legend shows the map from its low end at the bottom to its high end at the top") {
  Image image = plain(640, 360, 128);
  draw_legend(image, {"pressure", "Pa", ColorMap::viridis, 0, 2000});
  const Color low = map_color(ColorMap::viridis, 0), high = map_color(ColorMap::viridis, 1);
  auto row_of = [&](const Color& color) {  // the middle of the rows that show a colour
    double sum = 0, count = 0;
    for (int y = 0; y < image.height; ++y)
      for (int x = 0; x < image.width; ++x) {
        const std::uint8_t* p = image.at(x, y);
        if (std::abs(p[0] - 255 * color.x) + std::abs(p[1] - 255 * color.y) + std::abs(p[2] - 255 * color.z) < 8) sum += y, ++count;
      }
    REQUIRE(count > 0);
    return sum / count;
  };
  CHECK(row_of(high) + 100 < row_of(low));
  // It stays in its corner: the left half is untouched.
  for (int y = 0; y < image.height; ++y) CHECK(image.at(100, y)[0] == 128);
  // White letters are there too.
  int white = 0;
  for (std::size_t i = 0; i < image.pixels.size(); ++i) white += image.pixels[i] > 240;
  CHECK(white > 300);
}

TEST_CASE("the time stamp is in the lower left corner, and other times look different") {
  Image first = plain(640, 360, 128), second = first;
  draw_time(first, 0.25);
  draw_time(second, 0.75);
  CHECK(first.pixels != second.pixels);
  for (int x = 0; x < 640; ++x) CHECK(first.at(x, 100)[1] == 128);
  for (int y = 0; y < 360; ++y) CHECK(first.at(500, y)[1] == 128);
}

TEST_CASE("text is as wide as it is drawn, and grows with its height") {
  Image image = plain(400, 60, 0);
  draw_text(image, "velocity (m/s)", 20, 40, {.height = 20});
  int left = 400, right = 0;
  for (int y = 0; y < 60; ++y)
    for (int x = 0; x < 400; ++x)
      if (image.at(x, y)[0] > 100) left = std::min(left, x), right = std::max(right, x);
  CHECK(left == doctest::Approx(20).epsilon(0.1));
  CHECK(right - 20 == doctest::Approx(text_width("velocity (m/s)", 20)).epsilon(0.02));
  CHECK(text_width("abc", 40) == doctest::Approx(2 * text_width("abc", 20)));
}

TEST_CASE("legend numbers are short and keep what the range needs") {
  CHECK(legend_number(0.25, 1) == "0.25");
  CHECK(legend_number(1200, 2000) == "1200");
  CHECK(legend_number(0, 5) == "0");
  CHECK(legend_number(2500000, 5e6) == "2.5e+06");
  CHECK(legend_number(1000.02, 0.1) == "1000.02");
}

TEST_CASE("a movie appears whole, also from pictures of odd size") {
  const Folder folder;
  const std::string path = folder.file("preview.mp4");
  {
    MovieWriter movie(path, 65, 49, 24);
    for (int i = 0; i < 5; ++i) movie.add(plain(65, 49, static_cast<std::uint8_t>(50 * i)));
    CHECK_FALSE(fs::exists(path));
    movie.finish();
  }
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  CHECK(bytes.substr(4, 4) == "ftyp");
  // The index comes before the pictures, so that playing begins before all is loaded.
  CHECK(bytes.find("moov") < bytes.find("mdat"));
  CHECK(bytes.find("avc1") != std::string::npos);
  CHECK_FALSE(fs::exists(path + ".part"));
}

TEST_CASE("a movie that is not finished leaves no file") {
  const Folder folder;
  { MovieWriter movie(folder.file("a.mp4"), 64, 48, 24); }
  CHECK(fs::is_empty(folder.path));
}

TEST_CASE("without ffmpeg the movie says so") {
  const Folder folder;
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", folder.path.c_str(), 1);
  std::string message;
  try {
    MovieWriter movie(folder.file("a.mp4"), 64, 48, 24);
  } catch (const InputError& error) {
    message = error.what();
  }
  ::setenv("PATH", path.c_str(), 1);
  CHECK(message.find("ffmpeg is missing") != std::string::npos);
}
