#include "surface_job.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "base/error.h"
#include "commands.h"
#include "frames/run_frames.h"
#include "geometry/tessellate.h"
#include "look.h"
#include "scene/names.h"
#include "scene/run_folder.h"
#include "surface/embedding.h"
#include "surface/reconstruct.h"

namespace knead::cli {
namespace {

double seconds_now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// Solids keep their neighbours, so that a mesh can follow them; what flows does not.
bool is_solid(const MaterialSpec& material) {
  if (const auto* law = std::get_if<GeneralizedMaterial>(&material)) return law->keeps_shape() && !law->is_limited() && !law->flows();
  const auto* standard = std::get_if<StandardMaterial>(&material);
  if (!standard || !standard->elasticity || std::holds_alternative<Eos>(*standard->elasticity) || standard->viscoelasticity) return false;
  return !standard->plasticity || std::holds_alternative<NoFlow>(*standard->plasticity) ||
         std::holds_alternative<VonMises>(*standard->plasticity);
}

CarrierParticles particles_of(const Frame& frame, int body) {
  const FrameColumn *position = frame.find("position"), *bodies = frame.find("body"), *ids = frame.find("id");
  if (!position || position->components != 3) throw InputError("it has no positions");
  if (!bodies || !ids) throw InputError("it does not say which body the particles belong to");
  CarrierParticles particles;
  for (std::size_t i = 0; i < frame.count; ++i) {
    if (bodies->ints[i] != body) continue;
    particles.positions.push_back({position->floats[3 * i], position->floats[3 * i + 1], position->floats[3 * i + 2]});
    particles.ids.push_back(ids->ints[i]);
  }
  return particles;
}

struct Body {
  int index = 0;
  std::string name;
  double spacing = 0, voxel = 0;  // [m]
  GltfLook look;
  const ShapeSpec* shape = nullptr;  // of those that carry a mesh
  std::unique_ptr<Embedding> embedding;
};

class SurfaceMaker {
 public:
  SurfaceMaker(const SurfaceJob& job, const std::function<bool()>& stop) : job_(job), stop_(stop), run_(open_run(job.folder)) {}

  int make() {
    choose_bodies();
    for (;;) {
      const bool going_on = job_.follow && run_.status == "running" && !run_.died;
      const std::vector<FrameFile> frames = list_frames(job_.folder.string());
      if (frames.empty() && !going_on)
        throw InputError(job_.folder.string() + ": there are no frames to make surfaces from; PLY, bgeo or VTKHDF frames are needed");
      if (!frames.empty() && !make_all(frames)) return tell_interrupted();
      if (!going_on) break;
      if (stop_()) return tell_interrupted();
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      const RunFolder now = open_run(job_.folder);
      run_.status = now.status, run_.died = now.died;
    }
    if (job_.follow && run_.died) tell(job_.folder.string() + ": the run has died; no more frames will come");
    tell_end();
    return done;
  }

 private:
  void choose_bodies() {
    const std::vector<RunBody> all = bodies_of(run_.scene);
    const std::vector<BodyLook> looks = looks_of(run_.scene, 1);
    std::vector<std::string> names;
    for (const RunBody& body : all) names.push_back(body.name);
    for (const std::string& wanted : job_.bodies)
      if (std::find(names.begin(), names.end(), wanted) == names.end()) {
        const std::string near = nearest_name(wanted, names);
        throw InputError("knead surface: the run has no body \"" + wanted + "\"" +
                         (near.empty() ? "" : "; did you mean \"" + near + "\"?"));
      }
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!job_.bodies.empty() && std::find(job_.bodies.begin(), job_.bodies.end(), all[i].name) == job_.bodies.end()) continue;
      Body body;
      body.index = static_cast<int>(i), body.name = all[i].name, body.spacing = all[i].spacing;
      body.voxel = job_.voxel_in_metres ? job_.voxel : job_.voxel * body.spacing;
      if (!(body.voxel >= 0.1 * body.spacing && body.voxel <= 10 * body.spacing))
        throw InputError("knead surface: --voxel " + short_number(job_.voxel) + "m is not from 0.1 to 10 times the spacing of body \"" +
                         body.name + "\", " + short_number(body.spacing) + " m");
      const Finish& finish = looks[i].finish;
      body.look = {body.name, {finish.color.x, finish.color.y, finish.color.z}, finish.roughness};
      if (i < run_.scene.bodies.size() && job_.embed != Embed::none) {
        const BodySpec& spec = run_.scene.bodies[i];
        const auto material = run_.scene.materials.find(spec.material);
        const bool has_shape = !std::holds_alternative<PointsFile>(spec.shape.kind);
        const bool may_melt = material != run_.scene.materials.end() && std::holds_alternative<GeneralizedMaterial>(material->second) &&
                              run_.scene.animated_materials.contains(spec.material);
        const bool solid = material != run_.scene.materials.end() && is_solid(material->second) && !may_melt;
        if (has_shape && (job_.embed == Embed::all || solid)) body.shape = &spec.shape;
      }
      bodies_.push_back(std::move(body));
    }
    for (Body& body : bodies_) {
      const std::string folder = std::filesystem::path(surface_path(job_.folder.string(), body.name, 0, "ply")).parent_path().string();
      const std::size_t removed = prepare_folder(folder, settings_of(body));
      if (removed > 0) note("body \"" + body.name + "\": " + count_text(removed) + " surfaces made with other settings are made anew");
    }
  }

  // All that decides about a surface beside the frames.
  std::string settings_of(const Body& body) const {
    char text[256];
    std::snprintf(text, sizeof text, "knead %s voxel %.9g spacing %.9g radius %.9g smooth %d %s", KNEAD_VERSION, body.voxel, body.spacing,
                  job_.radius, job_.smooth,
                  !body.shape                ? "reconstructed"
                  : job_.embed == Embed::all ? "embedded"
                                             : "embedded unless torn");
    return text;
  }

  // False when interrupted.
  bool make_all(const std::vector<FrameFile>& frames) {
    std::vector<FrameFile> chosen;
    for (const FrameFile& file : frames)
      if (job_.frame ? file.index == *job_.frame : file.index % job_.every == 0) chosen.push_back(file);
    if (chosen.empty() && job_.frame)
      throw InputError(job_.folder.string() + ": there is no frame " + std::to_string(*job_.frame) + "; there are frames " +
                       std::to_string(frames.front().index) + " to " + std::to_string(frames.back().index));
    name_missing(frames);
    const double begin = seconds_now();
    std::size_t seen = 0, made = 0;
    for (const FrameFile& file : chosen) {
      ++seen;
      if (!finished_.insert(file.index).second) continue;
      if (stop_()) return false;
      const std::vector<Body*> due = due_bodies(file, frames.front());
      if (due.empty()) {
        ++reused_;
        continue;
      }
      try {
        make_frame(file, frames.front(), due);
      } catch (const InputError& error) {
        std::string what = error.what();
        if (what.ends_with('.')) what.pop_back();
        note(what + "; the frame is skipped");
        ++skipped_;
        continue;
      }
      const double each = (seconds_now() - begin) / static_cast<double>(++made);
      progress(file.index, chosen.back().index, each, each * static_cast<double>(chosen.size() - seen));
    }
    return true;
  }

  void name_missing(const std::vector<FrameFile>& frames) {
    for (std::size_t i = 1; i < frames.size(); ++i)
      for (int index = frames[i - 1].index + 1; index < frames[i].index; ++index)
        if ((job_.frame ? index == *job_.frame : index % job_.every == 0) && missing_.insert(index).second && missing_.size() <= 20)
          note("frame " + std::to_string(index) + " is missing; it is skipped");
  }

  std::vector<Body*> due_bodies(const FrameFile& file, const FrameFile& first) {
    std::vector<Body*> due;
    for (Body& body : bodies_) {
      std::vector<std::string> made_from{file.path};
      if (body.shape && first.index == 0) made_from.push_back(first.path);
      bool is_good = !job_.overwrite;
      for (const SurfaceFormat format : job_.formats) is_good = is_good && is_up_to_date(path_of(body, file.index, format), made_from);
      if (!is_good) due.push_back(&body);
    }
    return due;
  }

  std::string path_of(const Body& body, int index, SurfaceFormat format) const {
    return surface_path(job_.folder.string(), body.name, index, enum_names(format)[static_cast<std::size_t>(format)]);
  }

  // Meshes of the bodies' shapes, bound to the particles of frame 0; a body that cannot have one is reconstructed.
  void embed_bodies(const FrameFile& first) {
    if (embedding_done_) return;
    embedding_done_ = true;
    std::optional<Frame> rest;
    for (Body& body : bodies_) {
      if (!body.shape) continue;
      try {
        if (first.index != 0) throw InputError("frame 0, the body at rest, is missing");
        if (!rest) rest = read_frame(first);
        CarrierParticles particles = particles_of(*rest, body.index);
        if (particles.ids.empty()) throw InputError("frame 0 has no particles of it");
        TriangleMesh mesh = make_surface(*body.shape, run_.scene.folder, body.voxel);
        body.embedding = std::make_unique<Embedding>(subdivide(std::move(mesh), body.spacing), std::move(particles), body.spacing);
      } catch (const InputError& error) {
        note("body \"" + body.name + "\" is reconstructed from its particles: " + error.what());
        body.shape = nullptr;
      }
    }
  }

  SurfaceMesh surface_of(const Body& body, const CarrierParticles& particles) {
    if (body.embedding) {
      constexpr double most_torn = 0.01;
      SurfaceMesh mesh = body.embedding->carried_by(particles);
      if (job_.embed == Embed::all || body.embedding->torn_share(mesh) <= most_torn) return mesh;
      if (torn_.insert(body.index).second) note("body \"" + body.name + "\" is torn; frames in which it is are reconstructed");
    }
    return reconstruct(particles.positions, {.spacing = body.spacing, .voxel = body.voxel, .radius = job_.radius, .smooth = job_.smooth});
  }

  void make_frame(const FrameFile& file, const FrameFile& first, const std::vector<Body*>& due) {
    embed_bodies(first);
    const Frame frame = read_frame(file);
    triangles_ = 0;
    for (Body* body : due) {
      CarrierParticles particles;
      try {
        particles = particles_of(frame, body->index);
      } catch (const InputError& error) {
        throw InputError(file.path + ": " + error.what());
      }
      const SurfaceMesh mesh = surface_of(*body, particles);
      triangles_ += mesh.triangles.size();
      const SurfaceInfo info{body->name, file.index, frame.time, body->look, body->voxel};
      for (const SurfaceFormat format : job_.formats) write_surface(mesh, info, format, path_of(*body, file.index, format));
    }
    ++made_;
  }

  void progress(int index, int last, double each, double left) {
    if (job_.json) {
      const nlohmann::ordered_json line{
          {"event", "frame"}, {"frame", index}, {"frames", last}, {"triangles", triangles_}, {"seconds", each}};
      std::puts(line.dump().c_str());
      std::fflush(stdout);
      return;
    }
    if (job_.quiet) return;
    const bool terminal = ::isatty(STDERR_FILENO);
    std::fprintf(stderr, "%ssurface %d/%d  %s triangles  %s s each  %s left%s", terminal ? "\r" : "", index, last,
                 count_text(triangles_).c_str(), short_number(each).c_str(), seconds_text(left).c_str(), terminal ? "\x1b[K" : "\n");
    std::fflush(stderr);
    bar_shown_ = terminal;
  }

  void note(const std::string& text) {
    if (job_.json)
      std::puts(nlohmann::ordered_json{{"event", "note"}, {"message", text}}
                    .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)
                    .c_str());
    else tell(text);
  }

  void tell(const std::string& text) {
    std::fprintf(stderr, "%s%s\n", bar_shown_ ? "\r\x1b[K" : "", text.c_str());
    bar_shown_ = false;
  }

  int tell_interrupted() {
    tell("Interrupted; the surfaces that are done stay, and the next \"knead surface\" goes on from them.");
    return interrupted;
  }

  void tell_end() {
    if (job_.json)
      std::puts(nlohmann::ordered_json{{"event", "end"}, {"made", made_}, {"reused", reused_}, {"skipped", skipped_}}.dump().c_str());
    else if (!job_.quiet)
      tell("Done. Surfaces of " + count_text(made_) + " frames" + (reused_ ? ", " + count_text(reused_) + " were there already" : "") +
           (skipped_ ? ", " + count_text(skipped_) + " skipped" : "") + ": " + (job_.folder / "surface").string());
  }

  const SurfaceJob& job_;
  const std::function<bool()>& stop_;
  RunFolder run_;
  std::vector<Body> bodies_;
  bool embedding_done_ = false, bar_shown_ = false;
  std::set<int> finished_, missing_, torn_;
  std::size_t made_ = 0, reused_ = 0, skipped_ = 0, triangles_ = 0;
};

}  // namespace

int make_surfaces(const SurfaceJob& job, const std::function<bool()>& stop_requested) { return SurfaceMaker(job, stop_requested).make(); }

}  // namespace knead::cli
