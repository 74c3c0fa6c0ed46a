#include "render_job.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <set>
#include <thread>

#include "base/error.h"
#include "commands.h"
#include "render/movie.h"
#include "render/overlay.h"

namespace knead::cli {
namespace {

namespace fs = std::filesystem;

double seconds_now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

const char* unit_of(const std::string& attribute) {
  constexpr const char* units[][2] = {{"velocity", "m/s"}, {"position", "m"}, {"density", "kg/m^3"}, {"pressure", "Pa"},
                                      {"von_mises", "Pa"}, {"stress", "Pa"},  {"volume", "m^3"},     {"C", "1/s"}};
  for (const auto& [name, unit] : units)
    if (attribute == name) return unit;
  return "";
}

// Large pressures in kPa, MPa or GPa: short numbers at the marks.
Legend legend_of(const Drawing& drawing, const MotionPlan& plan) {
  Legend legend{drawing.attribute, unit_of(drawing.attribute), drawing.map, plan.low, plan.high};
  if (legend.unit != "Pa") return legend;
  const double largest = std::max(std::abs(plan.low), std::abs(plan.high));
  const auto [scale, unit] = largest >= 1e9   ? std::pair{1e9, "GPa"}
                             : largest >= 1e6 ? std::pair{1e6, "MPa"}
                             : largest >= 1e3 ? std::pair{1e3, "kPa"}
                                              : std::pair{1.0, "Pa"};
  legend.low /= scale, legend.high /= scale, legend.unit = unit;
  return legend;
}

class Renderer {
 public:
  Renderer(const RenderJob& job, const std::function<bool()>& stop)
      : job_(job), stop_(stop), aspect_(static_cast<double>(job.settings.width) / job.settings.height) {}

  int render() {
    for (bool first = true;; first = false) {
      run_ = open_run(job_.folder);
      const bool going_on = job_.follow && run_.status == "running" && !run_.died;
      const std::vector<FrameFile> frames = list_frames(job_.folder.string());
      if (frames.empty() && !going_on)
        throw InputError(job_.folder.string() + ": there are no frames to draw; PLY or VTKHDF frames are needed");
      if (!frames.empty()) {
        make_plan(frames, first);
        if (!draw_all(chosen(frames))) return interrupted;
      }
      if (job_.follow && run_.died) tell(job_.folder.string() + ": the run has died; no more frames will come");
      if (!going_on) return finish(chosen(frames));
      if (stop_()) return told_interrupted();
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
  }

 private:
  std::vector<FrameFile> chosen(const std::vector<FrameFile>& frames) const {
    std::vector<FrameFile> result;
    for (const FrameFile& file : frames)
      if (job_.frame ? file.index == *job_.frame : file.index % job_.every == 0) result.push_back(file);
    if (result.empty() && job_.frame)
      throw InputError(job_.folder.string() + ": there is no frame " + std::to_string(*job_.frame) + "; there are frames " +
                       std::to_string(frames.front().index) + " to " + std::to_string(frames.back().index));
    return result;
  }

  // While a run goes on the plan stays as it is until something leaves the picture; then all pictures are made anew.
  void make_plan(const std::vector<FrameFile>& frames, bool first) {
    if (!first && frames.size() == planned_frames_) return;
    planned_frames_ = frames.size();
    MotionPlan plan = plan_motion(run_, frames, {job_.drawing.attribute, aspect_, job_.low, job_.high});
    const double range = plan_.high - plan_.low;
    const bool like_before =
        has_plan_ && plan.fits(plan_.camera, aspect_) && std::abs(plan.low - plan_.low) + std::abs(plan.high - plan_.high) < 0.3 * range;
    if (like_before) return;
    for (const std::string& warning : plan.warnings)
      if (warned_.insert(warning).second) tell(warning);
    plan_ = std::move(plan);
    has_plan_ = true;
    drawn_.clear();
  }

  fs::path picture_path(int index) const {
    if (!job_.output.empty()) return job_.output;
    char name[32];
    std::snprintf(name, sizeof name, "frame_%06d.png", index);
    return job_.folder / "preview" / name;
  }

  // All that decides about a picture beside the frame itself; kept in the picture.
  std::string made_with(const FrameFile& file) const {
    char text[640];
    const Camera& c = plan_.camera;
    std::snprintf(text, sizeof text, "knead %s %dx%d %s camera %.9g %.9g %.9g %.9g %.9g %.9g %.9g size %.9g%s%s", KNEAD_VERSION,
                  job_.settings.width, job_.settings.height,
                  enum_names(job_.settings.quality)[static_cast<std::size_t>(job_.settings.quality)], c.position.x, c.position.y,
                  c.position.z, c.target.x, c.target.y, c.target.z, c.field_of_view, plan_.size, job_.time_stamp ? " time" : "",
                  job_.drawing.points ? " points" : "");
    std::string all = text;
    if (!job_.drawing.attribute.empty()) {
      std::snprintf(text, sizeof text, " color %s %s %.9g %.9g", job_.drawing.attribute.c_str(),
                    enum_names(job_.drawing.map)[static_cast<std::size_t>(job_.drawing.map)], plan_.low, plan_.high);
      all += text;
    }
    for (const auto& [name, time] : surfaces_of(file.index)) all += " surface " + name;
    return all;
  }

  std::vector<std::pair<std::string, fs::file_time_type>> surfaces_of(int index) const {
    std::vector<std::pair<std::string, fs::file_time_type>> found;
    if (job_.drawing.points || !job_.drawing.attribute.empty()) return found;
    for (const RunBody& body : bodies_of(run_.scene)) {
      std::error_code code;
      const auto time = fs::last_write_time(surface_path(job_.folder.string(), body.name, index, "ply"), code);
      if (!code) found.emplace_back(body.name, time);
    }
    return found;
  }

  bool up_to_date(const FrameFile& file) const {
    if (drawn_.contains(file.index)) return true;
    const fs::path picture = picture_path(file.index);
    std::error_code code;
    const auto made = fs::last_write_time(picture, code);
    if (code || fs::last_write_time(file.path, code) > made || code) return false;
    for (const auto& [name, time] : surfaces_of(file.index))
      if (time > made) return false;
    return png_made_with(picture.string()) == made_with(file);
  }

  void draw(const FrameFile& file) {
    const Frame frame = read_frame(file);
    Image image = take_picture(scene_of(frame, run_, plan_, job_.drawing), plan_.camera, job_.settings);
    if (!job_.drawing.attribute.empty()) draw_legend(image, legend_of(job_.drawing, plan_));
    if (job_.time_stamp) draw_time(image, frame.time);
    write_png(image, picture_path(file.index).string(), made_with(file));
    particles_ = frame.count;
  }

  // False when interrupted.
  bool draw_all(const std::vector<FrameFile>& files) {
    if (job_.output.empty()) {
      std::error_code code;
      fs::create_directories(job_.folder / "preview", code);
      if (code) throw InputError((job_.folder / "preview").string() + ": the folder cannot be made: " + code.message());
    }
    const double begin = seconds_now();
    std::size_t done = 0, made = 0;
    for (const FrameFile& file : files) {
      if (stop_()) return told_interrupted(), false;
      ++done;
      if (up_to_date(file) || failed_.contains(file.index)) continue;
      try {
        draw(file);
        drawn_.insert(file.index);
        ++made;
      } catch (const InputError& error) {
        if (job_.frame) throw;
        std::string reason = error.what();
        if (reason.ends_with('.')) reason.pop_back();
        tell(reason + "; the frame is skipped");
        failed_.insert(file.index);
        continue;
      }
      const double each = (seconds_now() - begin) / static_cast<double>(made);
      progress(file.index, files.back().index, each, each * static_cast<double>(files.size() - done));
    }
    return true;
  }

  void progress(int index, int last, double each, double left) {
    if (job_.quiet) return;
    const bool terminal = ::isatty(STDERR_FILENO);
    std::fprintf(stderr, "%spicture %d/%d  %s particles  %s s each  %s left%s", terminal ? "\r" : "", index, last,
                 count_text(particles_).c_str(), short_number(each).c_str(), seconds_text(left).c_str(), terminal ? "\x1b[K" : "\n");
    bar_shown_ = terminal;
  }

  void tell(const std::string& text) {
    if (bar_shown_) std::fputs("\r\x1b[K", stderr);
    bar_shown_ = false;
    std::fprintf(stderr, "%s\n", text.c_str());
  }

  int told_interrupted() {
    tell("Interrupted; the pictures that are done stay, and the next \"knead render\" goes on from them.");
    return interrupted;
  }

  // Above this a scene is slow motion, and the movie shows it as such.
  double movie_rate() const {
    const double rate = run_.fps / job_.every;
    return rate > 60 ? 30 : rate;
  }

  void make_movie(const std::vector<FrameFile>& files) {
    std::optional<MovieWriter> movie;
    for (const FrameFile& file : files) {
      if (failed_.contains(file.index)) continue;
      const Image image = read_png(picture_path(file.index).string());
      if (!movie) movie.emplace((job_.folder / "preview.mp4").string(), image.width, image.height, movie_rate());
      movie->add(image);
    }
    if (movie) movie->finish();
  }

  int finish(const std::vector<FrameFile>& files) {
    if (job_.frame) {
      if (!job_.quiet) tell("Done: " + picture_path(*job_.frame).string());
      return done;
    }
    if (failed_.size() == files.size()) throw InputError(job_.folder.string() + ": none of the frames can be drawn");
    std::string words = "Done. " + count_text(files.size() - failed_.size()) + " pictures in " + (job_.folder / "preview").string();
    try {
      make_movie(files);
      words += ", movie " + (job_.folder / "preview.mp4").string() + " (" + short_number(movie_rate()) + " pictures a second";
      words += movie_rate() < run_.fps / job_.every ? ", slow motion)" : ")";
    } catch (const InputError& error) {
      tell(std::string(error.what()) + "; the pictures are there");
      return wrong_input;
    }
    if (!job_.quiet) tell(words);
    return done;
  }

  const RenderJob& job_;
  const std::function<bool()>& stop_;
  double aspect_;
  RunFolder run_;
  MotionPlan plan_;
  bool has_plan_ = false, bar_shown_ = false;
  std::size_t planned_frames_ = 0, particles_ = 0;
  std::set<int> drawn_, failed_;
  std::set<std::string> warned_;
};

}  // namespace

int render(const RenderJob& job, const std::function<bool()>& stop_requested) { return Renderer(job, stop_requested).render(); }

}  // namespace knead::cli
