// The server of the viewer: on 127.0.0.1 only, everything below a random token, nothing but the page and the runs it was given.
//
//   /TOKEN/                           the page, and its files
//   /TOKEN/api/materials              every material law with the units of its parameters
//   /TOKEN/api/runs                   all runs: status, frames, warnings
//   /TOKEN/api/runs/R/scene           scene, bodies, attributes
//   /TOKEN/api/runs/R/colliders       colliders
//   /TOKEN/api/runs/R/survey          what its particles span, and the usual range of every attribute
//   /TOKEN/api/runs/R/plots           stats and probes
//   /TOKEN/api/runs/R/frames/K?color=ATTRIBUTE      frame_packing.h; 422 with { "error" } when the file is damaged;
//                                                   K may be "first"
//   /TOKEN/api/runs/R/surfaces/B/K                  surface_packing.h, of body B
//
// R, K and B are whole numbers, looked up in lists: no part of an address ever becomes a part of a path. All else is 404.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace knead::viewer {

struct ServerOptions {
  std::vector<std::filesystem::path> folders;
  int port = 0;  // 0: any that is free
  std::string version;
};

class Server {
 public:
  explicit Server(const ServerOptions& options);  // InputError for a folder that is none of a run, or a port that is taken
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::string address() const;  // http://127.0.0.1:PORT/TOKEN/
  void serve();                 // until the process ends

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace knead::viewer
