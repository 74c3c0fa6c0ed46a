#include "viewer/server.h"

#include <httplib.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <charconv>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>

#include "base/error.h"
#include "scene/schema.h"
#include "viewer/frame_packing.h"
#include "viewer/packed_cache.h"
#include "viewer/page.h"
#include "viewer/shown_run.h"
#include "viewer/surface_packing.h"

namespace knead::viewer {
namespace {

using Json = nlohmann::json;
using httplib::Request;
using httplib::Response;

constexpr const char* host = "127.0.0.1";
constexpr std::size_t cache_bytes = 256u << 20;
constexpr std::size_t few_particles = 200'000;  // so many are sent and drawn at once on any machine
constexpr std::size_t request_threads = 24;     // a browser holds six connections per window, each of them one thread here

std::string random_token() {
  std::random_device device;
  std::string token;
  char word[9];
  for (int i = 0; i < 4; ++i) {  // 128 bits
    std::snprintf(word, sizeof word, "%08x", static_cast<unsigned>(device()));
    token += word;
  }
  return token;
}

// The parts of a path between its slashes; "a//b" has an empty one.
std::vector<std::string> parts_of_path(const std::string& path) {
  std::vector<std::string> parts(1);
  for (const char letter : path) {
    if (letter == '/') parts.emplace_back();
    else parts.back() += letter;
  }
  return parts;
}

// A whole number as it would be written, without sign, spaces or leading zeros.
std::optional<int> whole_number(const std::string& text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || std::to_string(number) != text) return {};
  return number;
}

// Changes whenever the file does.
std::string state_of_file(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return "none";
  return std::to_string(status.st_ino) + "." + std::to_string(status.st_size) + "." + std::to_string(status.st_mtim.tv_sec) + "." +
         std::to_string(status.st_mtim.tv_nsec);
}

// Through a provider: the library compresses plain contents, which on this machine's own network costs seconds and saves nothing.
template <class Bytes> void send_bytes(Response& response, std::shared_ptr<const Bytes> packed, const std::string& type) {
  const std::size_t size = packed->size();
  response.set_content_provider(size, type, [packed = std::move(packed)](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
    return sink.write(packed->data() + offset, std::min<std::size_t>(length, 1 << 20));
  });
}

void send_text(Response& response, std::string text, const std::string& type) {
  send_bytes(response, std::make_shared<const std::string>(std::move(text)), type);
}

void send_json(Response& response, const Json& json) {
  response.set_header("Cache-Control", "no-store");
  send_text(response, json.dump(-1, ' ', false, Json::error_handler_t::replace), "application/json");
}

void send_error(Response& response, int status, const std::string& message) {
  send_json(response, {{"error", message}});
  response.status = status;
}

void set_security_headers(Response& response) {
  response.set_header("Content-Security-Policy",
                      "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; connect-src 'self'; "
                      "img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
  response.set_header("X-Content-Type-Options", "nosniff");
  response.set_header("Referrer-Policy", "no-referrer");
  response.set_header("Cross-Origin-Opener-Policy", "same-origin");
  response.set_header("Cross-Origin-Resource-Policy", "same-origin");
}

}  // namespace

struct Server::Parts {
  std::vector<std::unique_ptr<ShownRun>> runs;
  std::string token = random_token(), version;
  int port = 0;
  PackedCache cache{cache_bytes};
  httplib::Server server;

  void listen_on(int wanted_port);
  void answer(const Request& request, Response& response);
  void answer_run(ShownRun& run, const std::vector<std::string>& parts, const Request& request, Response& response);
  template <class Pack>
  void answer_packed(const std::string& file, const std::string& what, const Request& request, Response& response, Pack pack,
                     bool sampled = false);
};

void Server::Parts::listen_on(int wanted_port) {
  server.new_task_queue = [] { return new httplib::ThreadPool(request_threads); };
  server.set_keep_alive_max_count(1'000'000);
  server.set_payload_max_length(1024);
  server.set_tcp_nodelay(true);
  // Not the library's own options: with SO_REUSEPORT a second server on the same port would take half of the requests.
  server.set_socket_options([](socket_t socket) {
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  // Every request ends here; the library's own routing is not used.
  server.set_pre_routing_handler([this](const Request& request, Response& response) {
    response.status = 404;
    set_security_headers(response);
    answer(request, response);
    return httplib::Server::HandlerResponse::Handled;
  });
  // What the library refuses itself, such as an address that is too long, looks like everything else that is not here.
  server.set_error_handler(httplib::Server::HandlerWithResponse([](const Request&, Response& response) {
    if (response.body.empty() && !response.content_provider_) {
      response.status = 404;
      response.set_content("Not found.\n", "text/plain");
    }
    return httplib::Server::HandlerResponse::Handled;
  }));
  server.set_exception_handler([](const Request&, Response& response, const std::exception_ptr& pointer) {
    try {
      std::rethrow_exception(pointer);
    } catch (const std::exception& error) {
      send_error(response, 500, error.what());
    }
  });
  if (wanted_port == 0) port = server.bind_to_any_port(host);
  else port = server.bind_to_port(host, wanted_port) ? wanted_port : -1;
  if (port <= 0) throw InputError("--port " + std::to_string(wanted_port) + ": the port is taken or not allowed; choose another one");
}

void Server::Parts::answer(const Request& request, Response& response) {
  // A page of another origin can make its own name point here; its requests then carry that name.
  const std::string name = request.get_header_value("Host"), suffix = std::string(":").append(std::to_string(port));
  if (name != host + suffix && name != "localhost" + suffix) return;
  if (request.method != "GET" && request.method != "HEAD") return;
  const std::vector<std::string> parts = parts_of_path(request.path);
  if (parts.size() < 3 || !parts[0].empty() || parts[1] != token) return;

  if (parts.size() == 3) {
    const std::string file = parts[2].empty() ? "index.html" : parts[2];
    for (const PageFile& page : page_files()) {
      if (page.name != file) continue;
      response.status = 200;
      response.set_header("Cache-Control", "no-cache");
      send_text(response, std::string(page.bytes), std::string(page.type));
    }
    return;
  }
  if (parts[2] != "api") return;
  if (parts.size() == 4 && parts[3] == "materials") {
    response.status = 200;
    send_text(response, materials_json(), "application/json");
  } else if (parts.size() == 4 && parts[3] == "runs") {
    Json list = Json::array();
    for (const auto& run : runs) list.push_back(run->summary());
    response.status = 200;
    send_json(response, {{"version", version}, {"runs", std::move(list)}});
  } else if (parts.size() >= 6 && parts[3] == "runs") {
    const std::optional<int> run = whole_number(parts[4]);
    if (run && *run >= 0 && static_cast<std::size_t>(*run) < runs.size())
      answer_run(*runs[static_cast<std::size_t>(*run)], parts, request, response);
  }
}

void Server::Parts::answer_run(ShownRun& run, const std::vector<std::string>& parts, const Request& request, Response& response) {
  const std::string& what = parts[5];
  const auto ready = [&](const Json& json) {
    response.status = 200;
    send_json(response, json);
  };
  if (parts.size() == 6 && what == "scene") ready(run.scene());
  else if (parts.size() == 6 && what == "colliders") ready(run.colliders());
  else if (parts.size() == 6 && what == "survey") ready(run.survey());
  else if (parts.size() == 6 && what == "plots") ready(run.plots());
  else if (parts.size() == 7 && what == "frames") {
    const std::optional<int> index = parts[6] == "first" ? run.first_frame() : whole_number(parts[6]);
    const std::optional<FrameFile> file = index ? run.frame(*index) : std::nullopt;
    if (!file && parts[6] == "first") response.status = 204;  // asked for before anything is known: no mistake
    if (!file) return;
    const std::string color = request.get_param_value("color");
    answer_packed(
        file->path, "frame " + parts[4] + "/" + std::to_string(*index) + "/" + color, request, response,
        [&] { return pack_frame(*file, color, run.spacing()); }, parts[6] == "first");
  } else if (parts.size() == 8 && what == "surfaces") {
    const std::optional<int> body = whole_number(parts[6]), index = whole_number(parts[7]);
    const std::optional<std::string> path = body && index ? run.surface(*body, *index) : std::nullopt;
    if (!path) return;
    answer_packed(*path, "surface " + parts[4] + "/" + parts[6] + "/" + parts[7], request, response,
                  [&] { return pack_mesh(read_mesh(*path)); });
  }
}

// From the browser's own cache, from ours, or packed now. A damaged file is said, with its name. `sampled`: of a large frame a sample is
// enough, since the page is about to show its first picture and asks for the whole right after.
template <class Pack>
void Server::Parts::answer_packed(const std::string& file, const std::string& what, const Request& request, Response& response, Pack pack,
                                  bool sampled) {
  const std::string key = what + " " + state_of_file(file);
  const std::string tag =
      std::string("\"").append(std::to_string(std::hash<std::string>{}(token + key + (sampled ? " sample" : "")))).append("\"");
  response.set_header("ETag", tag);
  response.set_header("Cache-Control", "private, no-cache");
  if (request.get_header_value("If-None-Match") == tag) {
    response.status = 304;
    return;
  }
  const auto start = std::chrono::steady_clock::now();
  Packed packed = cache.find(key);
  if (!packed) {
    try {
      packed = std::make_shared<const LargeBytes>(pack());
    } catch (const InputError& error) {
      // Messages of readers that only see bytes do not name the file.
      const std::string message = error.what();
      send_error(response, 422, message.find(file) == std::string::npos ? file + ": " + message : message);
      return;
    }
    cache.add(key, packed);
  }
  if (sampled && packed_particles(*packed) > few_particles) packed = std::make_shared<const LargeBytes>(sample_of(*packed));
  char timing[64];
  const double milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  std::snprintf(timing, sizeof timing, "pack;dur=%.1f", milliseconds);
  response.set_header("Server-Timing", timing);
  response.status = 200;
  send_bytes(response, std::move(packed), "application/octet-stream");
}

Server::Server(const ServerOptions& options) : parts_(std::make_unique<Parts>()) {
  for (const auto& folder : options.folders) parts_->runs.push_back(std::make_unique<ShownRun>(folder));
  parts_->version = options.version;
  parts_->listen_on(options.port);
}

Server::~Server() = default;

std::string Server::address() const {
  return "http://" + std::string(host) + ":" + std::to_string(parts_->port) + "/" + parts_->token + "/";
}

void Server::serve() { parts_->server.listen_after_bind(); }

}  // namespace knead::viewer
