// The CSV files of a run (stats, probes) as JSON for plots: short however long the run is.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace knead::viewer {

// { "name", "rows", "time": [...], "columns": [{ "name", "values": [...] }] }. Above `most_rows` rows each part of the time gives one
// row with its means, and every column also has "low" and "high": the least and the greatest value of each part, so that no peak is
// lost. Cells that are no numbers become null, columns without any number are left out.
// For a text column NAME that is `counted`: "NAME": { word: rows }.
nlohmann::json read_table(const std::string& text, const std::string& name, std::size_t most_rows, const std::string& counted = "");

}  // namespace knead::viewer
