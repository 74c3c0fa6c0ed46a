#include "viewer/tables.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

namespace knead::viewer {
namespace {

// The cells of one line; a quoted cell may hold commas, and its doubled quotes stand for one.
std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char letter = line[i];
    if (letter == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') cells.back() += line[++i];
    else if (letter == '"') quoted = !quoted;
    else if (letter == ',' && !quoted) cells.emplace_back();
    else if (letter != '\r') cells.back() += letter;
  }
  return cells;
}

double number_of(const std::string& cell) {
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  return error == std::errc() && end == cell.data() + cell.size() && !cell.empty() ? value : std::numeric_limits<double>::quiet_NaN();
}

struct Table {
  std::vector<std::string> names;
  std::vector<std::vector<double>> columns;
  std::map<std::string, int> counts;
};

// A last line without its end is still being written, and left out.
Table parse(const std::string& text, const std::string& counted) {
  Table table;
  std::string_view rest = text;
  for (std::size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
    std::vector<std::string> cells = cells_of(rest.substr(0, end));
    rest.remove_prefix(end + 1);
    if (table.names.empty()) {
      table.columns.resize(cells.size());
      table.names = std::move(cells);
      continue;
    }
    if (cells.size() != table.names.size()) continue;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      table.columns[c].push_back(number_of(cells[c]));
      if (table.names[c] == counted) ++table.counts[cells[c]];
    }
  }
  return table;
}

nlohmann::json number(double value) { return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(nullptr); }

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
  const Table table = parse(text, counted);
  const std::size_t rows = table.columns.empty() ? 0 : table.columns[0].size();
  std::vector<Part> parts;
  if (rows > most_rows)
    for (std::size_t p = 0; p < most_rows; ++p) parts.push_back({p * rows / most_rows, (p + 1) * rows / most_rows});

  nlohmann::json json{{"name", name}, {"rows", rows}, {"time", nlohmann::json::array()}, {"columns", nlohmann::json::array()}};
  if (!table.counts.empty()) json[counted] = table.counts;
  for (std::size_t c = 0; c < table.names.size(); ++c) {
    const std::vector<double>& values = table.columns[c];
    if (std::none_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); })) continue;
    nlohmann::json column{{"name", table.names[c]}, {"values", nlohmann::json::array()}};
    if (parts.empty())
      for (const double value : values) column["values"].push_back(number(value));
    else summarize(values, parts, column);
    if (table.names[c] == "time") json["time"] = std::move(column["values"]);
    else json["columns"].push_back(std::move(column));
  }
  return json;
}

}  // namespace knead::viewer
