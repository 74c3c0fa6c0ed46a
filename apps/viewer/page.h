// The files of the page, part of the program.
#pragma once
#include <span>
#include <string_view>

namespace knead::viewer {

struct PageFile {
  std::string_view name, type;  // "app.js", "text/javascript"
  std::string_view bytes;
};

std::span<const PageFile> page_files();

}  // namespace knead::viewer
