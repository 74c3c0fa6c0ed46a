// bench: runs the benchmark program that is built beside knead.
#include <unistd.h>

#include <filesystem>
#include <vector>

#include "base/error.h"
#include "commands.h"

namespace knead::cli {
namespace {

std::filesystem::path benchmark_program() {
  std::error_code error;
  const std::filesystem::path here = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  for (const char* place : {"knead_bench", "bench/knead_bench"})
    if (std::filesystem::exists(here / place, error)) return here / place;
  throw InputError("knead bench: the benchmark program knead_bench is not beside " + here.string() +
                   "/knead; build it with \"make bench\"");
}

int run(const Arguments& arguments) {
  const std::filesystem::path program = benchmark_program();
  std::vector<std::string> words{program.string()};
  if (arguments.has("--json")) words.push_back("--json");
  words.insert(words.end(), arguments.positional.begin(), arguments.positional.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ::execv(program.c_str(), pointers.data());
  throw InputError("knead bench: " + program.string() + " cannot be started");
}

}  // namespace

Command bench_command() {
  return {"bench",
          "[-- ARGUMENTS...]",
          "Runs knead's own benchmarks.",
          "Everything after \"--\" is handed to the benchmark program.",
          {{"--json", "", "results as JSON"}, {"--help", "", "this text", "-h"}},
          0,
          1000,
          run};
}

}  // namespace knead::cli
