// view: shows runs in the browser.
#include "base/error.h"
#include "commands.h"

#ifdef KNEAD_VIEWER
#include <spawn.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "viewer/server.h"
#endif

namespace knead::cli {
namespace {

#ifdef KNEAD_VIEWER

// Nothing is left half done, so the end may come at any moment; and it is the usual one.
void end_on_signal(int) { ::_exit(done); }

void open_browser(const std::string& address) {
  std::string program = "xdg-open", operand = address;
  char* words[]{program.data(), operand.data(), nullptr};
  pid_t process = 0;
  if (::posix_spawnp(&process, "xdg-open", nullptr, nullptr, words, environ) != 0)
    std::fputs("There is no xdg-open here to open the browser with; please open the address yourself.\n", stderr);
}

int view(const Arguments& arguments) {
  viewer::ServerOptions options;
  options.version = KNEAD_VERSION;
  for (const std::string& folder : arguments.positional) options.folders.emplace_back(folder);
  if (arguments.has("--port")) options.port = arguments.whole_number("--port", 1, 65535);
  use_threads(arguments);
  viewer::Server server(options);
  std::signal(SIGINT, end_on_signal);
  std::signal(SIGTERM, end_on_signal);
  std::signal(SIGCHLD, SIG_IGN);  // nobody waits for xdg-open
  std::printf("%s\n", server.address().c_str());
  std::fflush(stdout);
  std::fputs("Open this address in a browser on this machine. Ctrl-C ends.\n", stderr);
  if (arguments.has("--open")) open_browser(server.address());
  server.serve();
  return done;
}

#else

int view(const Arguments&) {
  throw InputError(
      "knead view: this knead was built without the viewer; install node, npm and cpp-httplib (scripts/setup.sh does), then configure and "
      "build again with -DKNEAD_VIEWER=ON");
}

#endif

}  // namespace

Command view_command() {
  return {"view",
          "DIR...",
          "Shows runs in the browser.",
          "Serves a page on 127.0.0.1 and prints its address, which holds a random token: other users and other web pages cannot\n"
          "guess it. Several runs are shown side by side, with one clock and one camera. A run may still be going on: new frames\n"
          "appear as they are written. Nothing is written, and nothing but these runs can be read.",
          {{"--port", "N", "this port instead of any that is free"},
           {"--open", "", "open the browser, with xdg-open"},
           {"--threads", "N", "number of threads; all cores when absent"},
           {"--help", "", "this text", "-h"}},
          1,
          16,
          view};
}

}  // namespace knead::cli
