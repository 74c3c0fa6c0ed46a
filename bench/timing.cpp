#include "timing.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <utility>

namespace knead::bench {
namespace {

std::string quoted(const std::string& text, const char* escape) {
  std::string r = "\"";
  for (char c : text) {
    if (c == '"' || (c == '\\' && *escape == '\\')) r += escape;
    r += c;
  }
  return r + '"';
}

}  // namespace

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  return "unknown";
}

std::string commit() {
  std::string text;
  if (std::FILE* pipe = popen("git -C '" KNEAD_SOURCE_DIR "' describe --always --dirty 2>/dev/null", "r")) {
    for (int c; (c = std::fgetc(pipe)) != EOF && c != '\n';) text += static_cast<char>(c);
    pclose(pipe);
  }
  return text.empty() ? "unknown" : text;
}

long cache_bytes() {
  // What the kernel lists for the first core: virtual machines often report the host's caches in cpuid, which sysconf reads.
  long largest = 0;
  for (int index = 0; index < 8; ++index) {
    std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/size");
    long size = 0;
    char unit = 'B';
    if (file >> size >> unit) largest = std::max(largest, size * (unit == 'K' ? 1024L : unit == 'M' ? 1024L * 1024 : 1L));
  }
  return largest > 0 ? largest : 32L * 1024 * 1024;
}

Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--json") {
      options.json = true;
    } else if (word == "--csv") {
      if (++i == argc) {
        std::cerr << "--csv needs a file name\n";
        std::exit(2);
      }
      options.csv = argv[i];
    } else {
      options.rest.push_back(word);
    }
  }
  return options;
}

Report::Report(std::string benchmark, Options options)
    : benchmark_(std::move(benchmark)), cpu_(cpu_model()), commit_(commit()), options_(std::move(options)) {
  if (!options_.csv.empty()) {
    csv_ = std::fopen(options_.csv.c_str(), "a");
    if (!csv_) {
      std::cerr << "cannot write " << options_.csv << '\n';
      std::exit(2);
    }
    if (std::ftell(csv_) == 0) std::fputs("benchmark,name,variant,value,unit,cpu,commit\n", csv_);
  }
  if (!options_.json) std::printf("%s on %s, commit %s\n", benchmark_.c_str(), cpu_.c_str(), commit_.c_str());
}

Report::~Report() {
  if (csv_) std::fclose(csv_);
}

void Report::add(const Measurement& m) {
  auto json = [](const std::string& text) { return quoted(text, "\\"); };
  auto csv = [](const std::string& text) { return quoted(text, "\""); };
  if (options_.json)
    std::printf("{\"benchmark\": %s, \"name\": %s, \"variant\": %s, \"value\": %.6g, \"unit\": %s, \"cpu\": %s, \"commit\": %s}\n",
                json(benchmark_).c_str(), json(m.name).c_str(), json(m.variant).c_str(), m.value, json(m.unit).c_str(), json(cpu_).c_str(),
                json(commit_).c_str());
  else std::printf("  %-28s %-28s %10.4g %s\n", m.name.c_str(), m.variant.c_str(), m.value, m.unit.c_str());
  std::fflush(stdout);
  if (csv_)
    std::fprintf(csv_, "%s,%s,%s,%.6g,%s,%s,%s\n", csv(benchmark_).c_str(), csv(m.name).c_str(), csv(m.variant).c_str(), m.value,
                 csv(m.unit).c_str(), csv(cpu_).c_str(), csv(commit_).c_str());
}

}  // namespace knead::bench
