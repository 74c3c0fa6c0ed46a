#include "progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "commands.h"

namespace knead::cli {

ProgressStyle progress_style(bool quiet, bool json) {
  if (json) return ProgressStyle::json;
  if (quiet) return ProgressStyle::quiet;
  return ::isatty(STDERR_FILENO) ? ProgressStyle::bar : ProgressStyle::lines;
}

std::string progress_line(const Progress& progress) {
  std::string line = "frame " + std::to_string(progress.frame) + "/" + std::to_string(progress.frames);
  line += "  " + short_number(progress.time) + " of " + short_number(progress.duration) + " s";
  line += "  " + count_text(progress.steps_in_frame) + " steps/frame";
  line += "  " + count_text(progress.particles) + " particles";
  if (progress.particle_steps_per_second > 0) line += "  " + short_number(progress.particle_steps_per_second / 1e6) + " M particle-steps/s";
  if (progress.seconds_left >= 0) line += "  " + seconds_text(progress.seconds_left) + " left";
  return line;
}

std::string progress_json(const Progress& progress) {
  const char* names[] = {"step", "frame", "retry", "checkpoint", "resumed", "note"};
  nlohmann::ordered_json line{{"event", names[static_cast<std::size_t>(progress.event)]},
                              {"frame", progress.frame},
                              {"frames", progress.frames},
                              {"time", progress.time},
                              {"step", progress.step},
                              {"steps_in_frame", progress.steps_in_frame},
                              {"particles", progress.particles},
                              {"dt", progress.dt},
                              {"wall_seconds", progress.wall_seconds},
                              {"particle_steps_per_second", progress.particle_steps_per_second}};
  if (progress.seconds_left >= 0) line["seconds_left"] = progress.seconds_left;
  if (!progress.message.empty()) line["message"] = progress.message;
  return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string result_json(const RunResult& result, const std::string& folder) {
  const nlohmann::ordered_json line{{"event", "end"},
                                    {"status", enum_names(result.status)[static_cast<std::size_t>(result.status)]},
                                    {"folder", folder},
                                    {"frames", result.frames},
                                    {"steps", result.steps},
                                    {"particles", result.particles},
                                    {"retries", result.retries},
                                    {"wall_seconds", result.wall_seconds},
                                    {"particle_steps_per_second", result.particle_steps_per_second}};
  return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

void ProgressReport::clear() {
  if (bar_shown_) std::fputs("\r\x1b[K", stderr);
  bar_shown_ = false;
}

void ProgressReport::write_bar(const Progress& progress) {
  constexpr double period = 0.1;  // [s]; more often only costs time
  if (bar_shown_ && progress.wall_seconds - last_seconds_ < period && progress.frame < progress.frames) return;
  last_seconds_ = progress.wall_seconds;
  winsize window{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0;
  const std::size_t columns = known ? window.ws_col : 100;
  std::string line = progress_line(progress);
  if (line.size() + 14 < columns) {  // room for the bar itself
    const std::size_t width = std::min<std::size_t>(columns - line.size() - 4, 30);
    const double share = progress.duration > 0 ? std::clamp(progress.time / progress.duration, 0.0, 1.0) : 1.0;
    const auto filled = static_cast<std::size_t>(share * static_cast<double>(width));
    std::string bar(width + 3, ' ');
    bar.front() = '[', bar[width + 1] = ']';
    std::fill_n(bar.begin() + 1, filled, '#');
    line.insert(0, bar);
  }
  std::fprintf(stderr, "\r%s\x1b[K", line.substr(0, columns - 1).c_str());
  std::fflush(stderr);
  bar_shown_ = true;
}

void ProgressReport::operator()(const Progress& progress) {
  const bool has_message = !progress.message.empty();
  if (style_ == ProgressStyle::json) {
    if (progress.event == ProgressEvent::step) return;
    std::puts(progress_json(progress).c_str());
    std::fflush(stdout);
    return;
  }
  if (has_message && (style_ != ProgressStyle::quiet || progress.event == ProgressEvent::retry)) {
    clear();
    std::fprintf(stderr, "%s\n", progress.message.c_str());
  }
  if (style_ == ProgressStyle::bar) write_bar(progress);
  if (style_ == ProgressStyle::lines && progress.event == ProgressEvent::frame)
    std::fprintf(stderr, "%s\n", progress_line(progress).c_str());
}

}  // namespace knead::cli
