// report.html: what a run was, how it went and what came out, in one file without anything outside of it.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace knead::report {

struct Report {
  std::string html;
  std::vector<std::string> problems;  // what was missing or damaged, a sentence each; they are in the page, too
};

// Reads whatever is in the folder, also of a run that goes on, failed or was made by another version.
// InputError when there is no run.json or when it is no JSON.
Report make_report(const std::filesystem::path& folder);

}  // namespace knead::report
