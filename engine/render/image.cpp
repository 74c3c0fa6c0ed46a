#include "render/image.h"

#include <png.h>

#include <cstring>
#include <memory>

#include "base/error.h"
#include "frames/aside_file.h"

namespace knead {
namespace {

constexpr char text_key[] = "knead render";

[[noreturn]] void fail(png_structp png, png_const_charp message) {
  *static_cast<std::string*>(png_get_error_ptr(png)) = message;
  png_longjmp(png, 1);
}
void ignore(png_structp, png_const_charp) {}
void append(png_structp png, png_bytep data, png_size_t size) {
  static_cast<std::string*>(png_get_io_ptr(png))->append(reinterpret_cast<const char*>(data), size);
}

// libpng leaves by longjmp: nothing with a destructor may live in this function.
bool encode(const Image& image, const std::string& made_with, const std::vector<png_bytep>& rows, std::string& bytes, std::string& error) {
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &error, fail, ignore);
  png_infop info = png_create_info_struct(png);
  if (setjmp(png_jmpbuf(png))) {
    png_destroy_write_struct(&png, &info);
    return false;
  }
  png_set_write_fn(png, &bytes, append, nullptr);
  png_set_IHDR(png, info, static_cast<png_uint_32>(image.width), static_cast<png_uint_32>(image.height), 8, PNG_COLOR_TYPE_RGB,
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
  png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_SUB);
  png_set_compression_level(png, 2);  // a few percent larger than the default, several times faster
  png_text text{};
  text.compression = PNG_TEXT_COMPRESSION_NONE;
  text.key = const_cast<char*>(text_key);
  text.text = const_cast<char*>(made_with.c_str());
  if (!made_with.empty()) png_set_text(png, info, &text, 1);
  png_write_info(png, info);
  png_write_image(png, const_cast<png_bytepp>(rows.data()));
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  return true;
}

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using FilePointer = std::unique_ptr<std::FILE, CloseFile>;

// Reads the header and its text, and the pixels where `image` is wanted.
bool decode(std::FILE* file, Image* image, std::string& made_with, std::vector<png_bytep>& rows, std::string& error) {
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &error, fail, ignore);
  png_infop info = png_create_info_struct(png);
  if (setjmp(png_jmpbuf(png))) {
    png_destroy_read_struct(&png, &info, nullptr);
    return false;
  }
  png_init_io(png, file);
  png_set_user_limits(png, 1 << 15, 1 << 15);
  png_read_info(png, info);
  png_textp texts = nullptr;
  const int count = png_get_text(png, info, &texts, nullptr);
  for (int i = 0; i < count; ++i)
    if (std::strcmp(texts[i].key, text_key) == 0) made_with = texts[i].text;
  if (image) {
    if (png_get_color_type(png, info) != PNG_COLOR_TYPE_RGB || png_get_bit_depth(png, info) != 8) png_error(png, "no 8-bit colour picture");
    image->width = static_cast<int>(png_get_image_width(png, info)), image->height = static_cast<int>(png_get_image_height(png, info));
    image->pixels.resize(3 * static_cast<std::size_t>(image->width) * static_cast<std::size_t>(image->height));
    for (int y = 0; y < image->height; ++y) rows.push_back(image->at(0, y));
    png_read_image(png, rows.data());
  }
  png_destroy_read_struct(&png, &info, nullptr);
  return true;
}

}  // namespace

void write_png(const Image& image, const std::string& path, const std::string& made_with) {
  std::vector<png_bytep> rows;
  for (int y = 0; y < image.height; ++y) rows.push_back(const_cast<png_bytep>(image.at(0, y)));
  std::string bytes, error;
  if (!encode(image, made_with, rows, bytes, error)) throw SimulationError(path + ": the picture cannot be encoded: " + error);
  AsideFile file(path);
  file.write(bytes.data(), bytes.size());
  file.commit();
}

Image read_png(const std::string& path) {
  const FilePointer file(std::fopen(path.c_str(), "rb"));
  if (!file) throw InputError(path + ": the picture cannot be opened");
  Image image;
  std::string made_with, error;
  std::vector<png_bytep> rows;
  if (!decode(file.get(), &image, made_with, rows, error)) throw InputError(path + ": is no readable picture: " + error);
  return image;
}

std::string png_made_with(const std::string& path) {
  const FilePointer file(std::fopen(path.c_str(), "rb"));
  std::string made_with, error;
  std::vector<png_bytep> rows;
  if (!file || !decode(file.get(), nullptr, made_with, rows, error)) return "";
  return made_with;
}

}  // namespace knead
