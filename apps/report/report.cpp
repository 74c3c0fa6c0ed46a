#include "report/report.h"

#include <cmath>
#include <limits>
#include <set>

#include "base/error.h"
#include "frames/run_frames.h"
#include "report/sections.h"
#include "simulation/files.h"

namespace knead::report {

namespace fs = std::filesystem;

namespace {

std::string grouped(double value) {
  if (!std::isfinite(value)) return "?";
  std::string digits = std::to_string(static_cast<long long>(std::llround(std::min(std::max(value, 0.0), 1e15))));
  for (int i = static_cast<int>(digits.size()) - 3; i > 0; i -= 3) digits.insert(static_cast<std::size_t>(i), 1, ',');
  return digits;
}

std::string duration(double seconds) {
  if (!std::isfinite(seconds)) return "?";
  if (seconds < 60) return short_text(seconds) + " s";
  char text[48];
  const auto whole = std::llround(std::min(seconds, 1e12));
  if (whole < 3600) std::snprintf(text, sizeof text, "%lld:%02lld min", whole / 60, whole % 60);
  else std::snprintf(text, sizeof text, "%lld:%02lld h", whole / 3600, whole / 60 % 60);
  return text;
}

std::string tile(const std::string& value, const std::string& label) {
  return "<div><b>" + escaped(value) + "</b><span>" + escaped(label) + "</span></div>\n";
}

std::string summary(const Run& run) {
  const auto known = [](double value, const std::string& text) { return std::isfinite(value) ? text : std::string("?"); };
  const double frames = run.number("frames"), planned = run.number("frames_planned"), wall = run.number("wall_seconds"),
               time = run.number("time"), speed = run.number("particle_steps_per_second"), memory = run.number("peak_memory_bytes");
  std::string html = "<section><div class=\"tiles\">\n" + tile(grouped(run.number("particles")), "particles");
  html += tile(known(time, short_text(time) + " s"), "simulated");
  html += tile(grouped(frames) + (planned > frames ? " of " + grouped(planned) : ""),
               "frames at " + known(run.number("fps"), short_text(run.number("fps"))) + " per second");
  html += tile(duration(wall), "wall time");
  html += tile(grouped(run.number("steps")), "steps");
  html += tile(known(speed, short_text(speed / 1e6) + " M"), "particle-steps per second");
  html += tile(known(memory, memory < 1e9 ? short_text(memory / 1e6) + " MB" : short_text(memory / 1e9) + " GB"), "memory at most");
  const nlohmann::json machine = run.json.contains("machine") ? run.json["machine"] : nlohmann::json();
  const bool told = machine.is_object() && machine.contains("cpu");
  html += tile(grouped(run.number("threads")),
               "threads, " + run.text("precision") + " precision" + (told ? ", " + plain_text(machine["cpu"]) : ""));
  return html + "</div></section>\n";
}

std::string scene_value(const Run& run, const char* key) {
  if (!run.json.contains("scene") || !run.json["scene"].is_object() || !run.json["scene"].contains(key)) return "";
  return plain_text(run.json["scene"][key]);
}

std::string header(const Run& run, const std::string& title) {
  const std::string status = run.text("status");
  std::string solver;
  if (run.json.contains("scene") && run.json["scene"].is_object() && run.json["scene"].contains("solver")) {
    const nlohmann::json& given = run.json["scene"]["solver"];
    if (given.is_object() && given.contains("type")) solver = plain_text(given["type"]);
    if (given.is_object() && given.contains("dx")) solver += ", dx = " + plain_text(given["dx"]) + " m";
  }
  const std::string command = run.text("command");
  return "<header><h1>" + escaped(title) + "<span class=\"status " + escaped(file_name_of(status)) + "\">" + escaped(status) +
         "</span></h1>\n<p>" + escaped(solver) + (solver.empty() ? "" : " · ") + "knead " + escaped(run.text("version")) + "</p>\n" +
         (command.empty() ? "" : "<p><code>" + escaped(command) + "</code></p>\n") + "</header>\n";
}

// What the user should know before the pictures.
std::string notes(const Run& run) {
  std::string html;
  const std::string status = run.text("status");
  const auto add = [&](const std::string& text, bool is_error = false) {
    html += std::string("<li") + (is_error ? " class=\"error\"" : "") + ">" + escaped(text) + "</li>\n";
  };
  if (status == "failed") add(run.text("error").empty() ? "The run failed." : run.text("error"), true);
  if (status == "interrupted") add("The run was interrupted; knead run --resume continues it from its last checkpoint.");
  if (status == "running") add("The run goes on, or was killed: this is what there was when the report was written.");
  if (run.number("retries") > 0)
    add("The simulation diverged and went back to try a smaller time step: " + grouped(run.number("retries")) + " retries.");
  for (const std::string& problem : run.problems) add(problem);
  return html.empty() ? "" : "<ul class=\"notes\">\n" + html + "</ul>\n";
}

// Frames that run.json promises and that are not there.
void find_missing_frames(Run& run) {
  const double frames = run.number("frames");
  std::set<int> present;
  try {
    for (const FrameFile& file : list_frames(run.folder.string())) present.insert(file.index);
  } catch (const InputError& error) {
    run.problems.push_back(error.what());
    return;
  }
  if (!(frames >= 0 && frames < 1e7) || present.empty()) return;
  std::vector<int> missing;
  for (int index = 0; index <= static_cast<int>(frames); ++index)
    if (!present.contains(index)) missing.push_back(index);
  if (missing.empty()) return;
  std::string list;
  for (std::size_t k = 0; k < std::min<std::size_t>(missing.size(), 10); ++k) list += (k == 0 ? "" : ", ") + std::to_string(missing[k]);
  run.problems.push_back("Missing frames: " + list +
                         (missing.size() > 10 ? " and " + std::to_string(missing.size() - 10) + " more." : "."));
}

}  // namespace

std::string Run::text(const char* key) const {
  return json.contains(key) && !json[key].is_structured() && !json[key].is_null() ? plain_text(json[key]) : "";
}

double Run::number(const char* key) const {
  return json.contains(key) && json[key].is_number() ? json[key].get<double>() : std::numeric_limits<double>::quiet_NaN();
}

Report make_report(const fs::path& folder) {
  std::string text;
  if (!read_whole(folder / "run.json", text))
    throw InputError(folder.string() + ": there is no run.json here; the folder of a run is expected");
  Run run{.folder = folder, .json = nlohmann::json::parse(text, nullptr, false), .problems = {}};
  if (!run.json.is_object()) throw InputError((folder / "run.json").string() + ": is damaged; run the scene again");

  std::string title = scene_value(run, "name");
  if (title.empty()) title = fs::absolute(folder).lexically_normal().filename().string();
  const std::string pictures = pictures_section(run), probes = probes_section(run), stats = stats_section(run);
  find_missing_frames(run);
  Report report;
  report.html =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      // Nothing from outside, and no script, whatever the run folder holds.
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; media-src data:; style-src "
      "'unsafe-inline'\">\n<title>" +
      escaped(title) + "</title>\n<style>" + style() + "</style></head>\n<body><main>\n" + header(run, title) + notes(run) + pictures +
      summary(run) + probes + stats + materials_section(run) + scene_section(run) +
      "<footer>Written by knead report. The file holds everything; nothing is loaded from elsewhere.</footer>\n</main></body></html>\n";
  report.problems = run.problems;
  return report;
}

}  // namespace knead::report
