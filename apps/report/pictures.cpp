#include <algorithm>

#include "report/sections.h"
#include "simulation/files.h"

namespace knead::report {

namespace fs = std::filesystem;

namespace {

// What a mail server lets pass, after base64 has made it a third larger.
constexpr std::uintmax_t most_movie_bytes = 10 << 20, most_picture_bytes = 3 << 20, most_strip_bytes = 8 << 20;
constexpr std::size_t most_pictures = 6;

std::string base64(const std::string& bytes) {
  static constexpr char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) group = group << 8 | (k < left ? static_cast<unsigned char>(bytes[i + k]) : 0);
    for (std::size_t k = 0; k < 4; ++k) text += k <= left ? letters[group >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

std::string relative_name(const Run& run, const fs::path& path) { return path.lexically_relative(run.folder).string(); }

// The bytes as a data address; empty, with a problem said, when the file is not what its name says or too large.
std::string embedded(Run& run, const fs::path& path, const std::string& type, std::uintmax_t most_bytes) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  if (error) return "";
  const std::string name = relative_name(run, path);
  if (size > most_bytes) {
    run.problems.push_back(name + " has " + std::to_string(size >> 20) + " MB, too much for a page to be mailed: left out.");
    return "";
  }
  std::string bytes;
  const bool is_png = type == "image/png";
  const bool good = read_whole(path, bytes) && (is_png ? bytes.rfind("\x89PNG\r\n\x1a\n", 0) == 0 && bytes.find("IEND") != std::string::npos
                                                       : bytes.find("ftyp") == 4 && bytes.find("moov") != std::string::npos);
  if (!good) {
    run.problems.push_back(name + " is damaged: left out.");
    return "";
  }
  return "data:" + type + ";base64," + base64(bytes);
}

std::vector<fs::path> preview_pictures(const Run& run) {
  std::vector<fs::path> pictures;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(run.folder / "preview", error))
    if (entry.path().extension() == ".png" && entry.path().filename().string().rfind("frame_", 0) == 0) pictures.push_back(entry.path());
  std::sort(pictures.begin(), pictures.end());
  return pictures;
}

std::string strip(Run& run, const std::vector<fs::path>& pictures) {
  const double fps = run.number("fps");
  std::string html;
  std::uintmax_t bytes = 0;
  const std::size_t count = std::min(most_pictures, pictures.size());
  for (std::size_t k = 0; k < count; ++k) {
    const fs::path& path = pictures[count == 1 ? pictures.size() - 1 : k * (pictures.size() - 1) / (count - 1)];
    const std::string data = embedded(run, path, "image/png", most_picture_bytes);
    if (data.empty() || (bytes += data.size()) > most_strip_bytes) continue;
    const int index = std::atoi(path.filename().string().c_str() + 6);
    const std::string time = fps > 0 ? ", " + short_text(index / fps) + " s" : "";
    html += "<figure><img alt=\"frame " + std::to_string(index) + "\" src=\"" + data + "\"><figcaption>frame " + std::to_string(index) +
            time + "</figcaption></figure>\n";
  }
  return html.empty() ? "" : "<section class=\"strip\">\n" + html + "</section>\n";
}

}  // namespace

std::string pictures_section(Run& run) {
  std::error_code error;
  const fs::path movie = run.folder / "preview.mp4";
  const std::vector<fs::path> pictures = preview_pictures(run);
  if (fs::exists(movie, error)) {
    const std::string data = embedded(run, movie, "video/mp4", most_movie_bytes);
    if (!data.empty()) {
      // A picture for the moment before it plays, and for paper.
      const std::string poster = pictures.empty() ? "" : embedded(run, pictures[pictures.size() / 2], "image/png", most_picture_bytes);
      return "<section class=\"movie\"><video controls loop muted playsinline" + (poster.empty() ? "" : " poster=\"" + poster + "\"") +
             " src=\"" + data + "\"></video></section>\n";
    }
  }
  const std::string html = strip(run, pictures);
  if (html.empty()) run.problems.push_back("There is no movie and no picture; \"knead render\" makes them.");
  return html;
}

}  // namespace knead::report
