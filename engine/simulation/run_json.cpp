#include "simulation/run_json.h"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/threads.h"
#include "simulation/files.h"

namespace knead {

namespace {

std::string cpu_model() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.rfind("model name", 0) == 0 && line.find(": ") != std::string::npos) return line.substr(line.find(": ") + 2);
  return "unknown";
}

}  // namespace

std::size_t peak_memory_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

std::string process_space() {
  std::error_code code;
  std::string boot;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot);
  const std::string space = std::filesystem::read_symlink("/proc/self/ns/pid", code).string();
  return boot.empty() || code ? "" : boot.append(" ").append(space);
}

void write_run_json(const RunSettings& settings, Precision precision, const RunSummary& summary) {
  using Json = nlohmann::ordered_json;
  static const std::string model = cpu_model();
  Json json;
  json["status"] = enum_names(summary.status)[static_cast<std::size_t>(summary.status)];
  if (!summary.error.empty()) json["error"] = summary.error;
  json["version"] = settings.version;
  json["threads"] = thread_count();
  json["precision"] = enum_names(precision)[static_cast<std::size_t>(precision)];
  json["machine"] = {{"cpu", model}, {"cores", std::thread::hardware_concurrency()}};
  json["process"] = {{"number", ::getpid()}, {"space", process_space()}};  // readers can tell whether the run still goes on
  json["frames"] = summary.frame;
  json["frames_planned"] = settings.frame_count();
  json["fps"] = settings.fps;
  json["time"] = summary.time;
  json["steps"] = summary.steps;
  json["retries"] = summary.retries;
  json["particles"] = summary.particles;
  json["wall_seconds"] = summary.wall_seconds;
  json["particle_steps_per_second"] = summary.particle_steps_per_second;
  json["peak_memory_bytes"] = peak_memory_bytes();
  json["command"] = settings.replay_command;
  json["scene_folder"] = settings.scene_folder.string();
  json["formats"] = Json::array();
  for (const FrameFormat format : settings.formats) json["formats"].push_back(enum_names(format)[static_cast<std::size_t>(format)]);
  json["scene"] = nullptr;
  // The scene goes in as it is written: the last key's null gives way to it.
  std::string text = json.dump(2, ' ', false, Json::error_handler_t::replace);
  const std::size_t place = text.rfind("null");
  text.replace(place, 4, settings.resolved_scene.empty() ? "{}" : settings.resolved_scene);
  write_whole(settings.folder / "run.json", text + "\n");
}

}  // namespace knead
