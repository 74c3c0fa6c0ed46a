// knead: the command line. Finds the command, runs it, and turns every outcome into an exit code.
#include <malloc.h>

#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/threads.h"
#include "commands.h"
#include "scene/names.h"

namespace {

using namespace knead;
using namespace knead::cli;

std::vector<Command> all_commands() {
  std::vector<Command> commands{run_command(),    check_command(),     surface_command(), render_command(), view_command(),
                                report_command(), materials_command(), solvers_command(), schema_command(), bench_command()};
  for (Command& command : later_commands()) commands.push_back(std::move(command));
  return commands;
}

std::string overview(const std::vector<Command>& commands) {
  std::string text =
      "knead " KNEAD_VERSION ": a particle simulator for solids, fluids and everything in between.\n\nknead COMMAND [options]\n\n";
  for (const Command& command : commands) {
    std::string left = "  " + command.name;
    left.resize(14, ' ');
    text += left + command.text + "\n";
  }
  return text + "\n\"knead COMMAND --help\" tells more. Start with: knead run scenes/NAME.json -o out\n";
}

int dispatch(const std::vector<std::string>& words) {
  const std::vector<Command> commands = all_commands();
  if (words.empty() || words[0] == "--help" || words[0] == "-h" || (words[0] == "help" && words.size() == 1)) {
    std::fputs(overview(commands).c_str(), words.empty() ? stderr : stdout);
    return words.empty() ? wrong_input : done;
  }
  if (words[0] == "--version") {
    std::puts("knead " KNEAD_VERSION);
    return done;
  }
  const bool help = words[0] == "help";
  const std::string& name = words[help ? 1 : 0];
  std::vector<std::string> names;
  for (const Command& command : commands) {
    names.push_back(command.name);
    if (command.name != name) continue;
    const Arguments arguments =
        command.parse(help ? std::vector<std::string>{"--help"} : std::vector<std::string>(words.begin() + 1, words.end()));
    if (arguments.has("--help")) {
      std::fputs(command.help().c_str(), stdout);
      return done;
    }
    if (!command.run) throw InputError("knead " + name + ": not available in this version");
    return command.run(arguments);
  }
  const std::string near = nearest_name(name, names);
  throw InputError("knead: unknown command \"" + name + "\"; " +
                   (near.empty() ? "see \"knead --help\"" : "did you mean \"" + near + "\"?"));
}

int fail(ExitCode code, const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  return code;
}

}  // namespace

namespace {
// glibc raises the size from which blocks go back to the system when one of them is freed, and then holes stay in the heap for good: at
// a million particles that is a tenth of the memory. A fixed size keeps what was freed out of the peak.
void return_large_blocks() {
#if defined(__GLIBC__)
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
}
}  // namespace

int main(int count, char** words) {
  knead::flush_denormals();
  return_large_blocks();
  try {
    return dispatch({words + 1, words + count});
  } catch (const InputError& error) {
    return fail(wrong_input, error.what());
  } catch (const SimulationError& error) {
    return fail(cannot_go_on, error.what());
  } catch (const std::bad_alloc&) {
    return fail(
        cannot_go_on,
        "There is not enough memory; a coarser dx or fewer particles per cell help, and \"knead check\" tells the need beforehand.");
  } catch (const std::exception& error) {
    return fail(internal_error, std::string("Internal error: ") + error.what());
  }
}
