// The parts of the page. Each returns its HTML, empty where the run has nothing for it, and adds to `problems` what it missed.
#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/plot.h"

namespace knead::report {

struct Run {
  std::filesystem::path folder;
  nlohmann::json json;  // run.json
  std::vector<std::string> problems;

  // Values of run.json, whatever type they turn out to have.
  std::string text(const char* key) const;
  double number(const char* key) const;  // NaN where there is none
};

std::string style();                     // the CSS of the page
std::string pictures_section(Run& run);  // the movie, or else some of the pictures
std::string probes_section(Run& run);
std::string stats_section(Run& run);  // phases, time step and what limited it, iterations
std::string materials_section(Run& run);
std::string scene_section(const Run& run);

// JSON without its quotes: strings and numbers as people write them.
std::string plain_text(const nlohmann::json& value);

}  // namespace knead::report
