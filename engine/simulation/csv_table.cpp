#include "simulation/csv_table.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>

namespace knead {

namespace {

std::vector<std::string> split_row(std::string_view line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') cells.back() += line[++i];
    else if (c == '"') quoted = !quoted;
    else if (c == ',' && !quoted) cells.emplace_back();
    else if (c != '\r') cells.back() += c;
  }
  return cells;
}

double number_in(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

const CsvColumn* CsvTable::find(const std::string& name) const {
  for (const CsvColumn& column : columns)
    if (column.name == name) return &column;
  return nullptr;
}

CsvTable read_csv(const std::string& text) {
  CsvTable table;
  std::size_t skipped = 0, first_skipped = 0, line_number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) break;
    std::vector<std::string> cells = split_row(std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
    ++line_number;
    if (table.columns.empty()) {
      for (std::string& name : cells) table.columns.push_back({std::move(name), {}, {}});
      continue;
    }
    if (cells.size() != table.columns.size()) {
      if (skipped++ == 0) first_skipped = line_number;
      continue;
    }
    for (std::size_t c = 0; c < cells.size(); ++c) {
      CsvColumn& column = table.columns[c];
      column.numbers.push_back(number_in(cells[c]));
      if (std::isnan(column.numbers[0])) column.words.push_back(std::move(cells[c]));
    }
    ++table.rows;
  }
  if (table.columns.empty()) table.problem = "it is empty";
  else if (table.rows == 0) table.problem = "it has no complete row";
  else if (skipped > 0)
    table.problem = std::to_string(skipped) + " damaged row" + (skipped > 1 ? "s were" : " was") + " skipped, the first in line " +
                    std::to_string(first_skipped);
  return table;
}

}  // namespace knead
