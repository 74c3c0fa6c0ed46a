#include "report/csv.h"

#include <charconv>
#include <limits>

namespace knead::report {

namespace {

std::vector<std::string> split_row(const std::string& line) {
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

const Column* Table::find(const std::string& name) const {
  for (const Column& column : columns)
    if (column.name == name) return &column;
  return nullptr;
}

Table read_csv(const std::string& text) {
  Table table;
  std::size_t skipped = 0, first_skipped = 0, line_number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) break;
    std::vector<std::string> cells = split_row(text.substr(begin, end - begin));
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
      table.columns[c].numbers.push_back(number_in(cells[c]));
      table.columns[c].texts.push_back(std::move(cells[c]));
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

}  // namespace knead::report
