#include "viewer/tables.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "simulation/csv_table.h"

namespace knead::viewer {
namespace {

nlohmann::json number(double value) { return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(nullptr); }

std::map<std::string, int> counts_of(const std::vector<std::string>& words) {
  std::map<std::string, int> counts;
  for (const std::string& word : words) ++counts[word];
  return counts;
}

struct Part {
  std::size_t begin, end;
};

// Mean, least and greatest value of each part.
void summarize(const std::vector<double>& values, const std::vector<Part>& parts, nlohmann::json& column) {
  for (const Part& part : parts) {
    double low = std::numeric_limits<double>::infinity(), high = -low, sum = 0;
    std::size_t count = 0;
    for (std::size_t i = part.begin; i < part.end; ++i) {
      if (!std::isfinite(values[i])) continue;
      low = std::min(low, values[i]), high = std::max(high, values[i]);
      sum += values[i], ++count;
    }
    column["values"].push_back(number(sum / static_cast<double>(count)));
    column["low"].push_back(number(low));
    column["high"].push_back(number(high));
  }
}

}  // namespace

nlohmann::json read_table(const std::string& text, const std::string& name, std::size_t most_rows, const std::string& counted) {
  const CsvTable table = read_csv(text);
  const std::size_t rows = table.rows;
  std::vector<Part> parts;
  if (rows > most_rows)
    for (std::size_t p = 0; p < most_rows; ++p) parts.push_back({p * rows / most_rows, (p + 1) * rows / most_rows});

  nlohmann::json json{{"name", name}, {"rows", rows}, {"time", nlohmann::json::array()}, {"columns", nlohmann::json::array()}};
  for (const CsvColumn& source : table.columns) {
    if (source.name == counted && rows > 0) json[counted] = counts_of(source.words);
    const std::vector<double>& values = source.numbers;
    if (std::none_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); })) continue;
    nlohmann::json column{{"name", source.name}, {"values", nlohmann::json::array()}};
    if (parts.empty())
      for (const double value : values) column["values"].push_back(number(value));
    else summarize(values, parts, column);
    if (source.name == "time") json["time"] = std::move(column["values"]);
    else json["columns"].push_back(std::move(column));
  }
  return json;
}

}  // namespace knead::viewer
