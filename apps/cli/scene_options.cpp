#include <cmath>
#include <cstdio>

#include "base/error.h"
#include "base/threads.h"
#include "commands.h"

namespace knead::cli {

std::vector<Option> scene_options() {
  return {{"--set", "PATH=VALUE", "override a value of the scene, e.g. solver.dx=0.005 or bodies.ball.velocity=[0,-1,0]; repeatable"},
          {"--solver", "NAME", "override solver.type"},
          {"--threads", "N", "number of threads; all cores when absent"},
          {"--json", "", "one JSON object per line on stdout instead of text"},
          {"--help", "", "this text", "-h"}};
}

std::vector<std::string> scene_overrides(const Arguments& arguments) {
  std::vector<std::string> overrides;
  if (arguments.has("--solver")) overrides.push_back("solver.type=\"" + arguments.value("--solver") + "\"");
  for (const std::string& list : arguments.values("--format")) {
    std::string json = "[\"";
    for (char c : list) json += c == ',' ? std::string("\",\"") : c == '"' || c == '\\' ? std::string("?") : std::string(1, c);
    overrides.push_back("output.formats=" + json + "\"]");
  }
  for (const std::string& assignment : arguments.values("--set")) overrides.push_back(assignment);
  return overrides;
}

void use_threads(const Arguments& arguments) {
  set_thread_count(arguments.has("--threads") ? arguments.whole_number("--threads", 1, 1024) : 0);
}

std::string count_text(std::size_t count) {
  std::string digits = std::to_string(count);
  for (int i = static_cast<int>(digits.size()) - 3; i > 0; i -= 3) digits.insert(static_cast<std::size_t>(i), 1, ',');
  return digits;
}

std::string short_number(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.3g", value);
  return buffer;
}

std::string bytes_text(std::size_t bytes) {
  const double value = static_cast<double>(bytes);
  return value < 1e6   ? short_number(value / 1e3) + " kB"
         : value < 1e9 ? short_number(value / 1e6) + " MB"
                       : short_number(value / 1e9) + " GB";
}

std::string seconds_text(double seconds) {
  char buffer[32];
  const auto whole = static_cast<long long>(std::llround(std::max(0.0, std::min(seconds, 1e12))));
  if (whole < 60) std::snprintf(buffer, sizeof buffer, "%lld s", whole);
  else if (whole < 3600) std::snprintf(buffer, sizeof buffer, "%lld:%02lld min", whole / 60, whole % 60);
  else std::snprintf(buffer, sizeof buffer, "%lld:%02lld h", whole / 3600, whole / 60 % 60);
  return buffer;
}

}  // namespace knead::cli
