// Commands that have their name and place already, but not in this version.
#include "base/error.h"
#include "commands.h"

namespace knead::cli {
namespace {

Command later(const std::string& name, const std::string& operands, const std::string& text) {
  Command command{name, operands, text + " Not available in this version.", "", {{"--help", "", "this text", "-h"}}, 0, 1000, nullptr};
  return command;
}

}  // namespace

std::vector<Command> later_commands() {
  return {later("fit", "FIT.json -o DIR", "Recovers material parameters from observed point clouds."),
          later("compare", "SCENE.json --solvers a,b,c -o DIR", "Runs one scene under several solvers, with one report.")};
}

}  // namespace knead::cli
