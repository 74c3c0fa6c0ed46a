// Tells how a run goes: a bar on a terminal, plain lines elsewhere, or JSON lines.
#pragma once
#include <string>

#include "simulation/simulation.h"

namespace knead::cli {

enum class ProgressStyle { quiet, bar, lines, json };

class ProgressReport {
 public:
  explicit ProgressReport(ProgressStyle style) : style_(style) {}
  ~ProgressReport() { clear(); }
  void operator()(const Progress& progress);
  void clear();  // removes the bar, so that other text can follow

 private:
  void write_bar(const Progress& progress);
  ProgressStyle style_;
  bool bar_shown_ = false;
  double last_seconds_ = -1;  // wall time of the last bar
};

// A bar when stderr is a terminal, lines otherwise.
ProgressStyle progress_style(bool quiet, bool json);
std::string progress_line(const Progress& progress);
std::string progress_json(const Progress& progress);
std::string result_json(const RunResult& result, const std::string& folder);

}  // namespace knead::cli
