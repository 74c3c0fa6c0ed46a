#include <algorithm>
#include <cmath>
#include <map>

#include "report/sections.h"
#include "simulation/csv_table.h"
#include "simulation/files.h"

namespace knead::report {

namespace {

double sum_of(const CsvColumn& column) {
  double sum = 0;
  for (const double value : column.numbers) sum += std::isfinite(value) ? value : 0;
  return sum;
}

std::string percent(double share) { return short_text(std::round(share * 1000) / 10) + " %"; }

bool is_phase(const std::string& name) { return name != "wall_ms" && name.ends_with("_ms"); }

Plot plot_over_time(const CsvTable& table, std::string title, std::string unit) {
  Plot plot;
  plot.title = std::move(title);
  plot.unit = std::move(unit);
  plot.x = table.find("time")->numbers;
  return plot;
}

std::string phases(const CsvTable& table) {
  const CsvColumn* wall = table.find("wall_ms");
  Plot plot = plot_over_time(table, "Wall time per step", "ms");
  plot.stacked = true;
  const double whole = sum_of(*wall);
  Series rest{"other", wall->numbers};
  double rest_share = 1;
  for (const CsvColumn& column : table.columns) {
    if (!is_phase(column.name)) continue;
    const double share = whole > 0 ? sum_of(column) / whole : 0;
    plot.series.push_back({column.name.substr(0, column.name.size() - 3), column.numbers});
    plot.legend_values.push_back(percent(share));
    rest_share -= share;
    for (std::size_t i = 0; i < table.rows; ++i) rest.values[i] = std::max(0.0, rest.values[i] - column.numbers[i]);
  }
  plot.series.push_back(std::move(rest));
  plot.legend_values.push_back(percent(std::max(0.0, rest_share)));
  return figure(plot);
}

// "wave in castle": the rule that held the step back, and the body.
std::string limit_name(const CsvTable& table, std::size_t row) {
  const CsvColumn *rule = table.find("limit_rule"), *body = table.find("limit_body");
  std::string name = rule->words[row] == "frame" ? "end of a frame" : rule->words[row];
  if (body && !body->words.empty() && !body->words[row].empty()) name.append(" in ").append(body->words[row]);
  return name;
}

// Colours and shares of the limits, most frequent first; the band below the curve says when.
void add_limits(Plot& plot, const CsvTable& table) {
  std::map<std::string, std::size_t> counts;
  for (std::size_t i = 0; i < table.rows; ++i) ++counts[limit_name(table, i)];
  for (const auto& entry : counts) plot.legend_labels.push_back(entry.first);
  std::stable_sort(plot.legend_labels.begin(), plot.legend_labels.end(),
                   [&](const auto& a, const auto& b) { return counts[a] > counts[b]; });
  std::map<std::string, int> color;
  for (const std::string& label : plot.legend_labels) {
    color.emplace(label, static_cast<int>(color.size()));
    plot.legend_values.push_back(percent(static_cast<double>(counts[label]) / static_cast<double>(table.rows)));
  }
  for (std::size_t i = 0; i < table.rows; ++i) plot.ribbon.push_back(color[limit_name(table, i)]);
  plot.note = "The band and the shares of the steps: what limited the step. Steps cut short by the end of a frame are not in the curve.";
}

std::string time_step(const CsvTable& table) {
  Plot plot = plot_over_time(table, "Time step, and what limited it", "s");
  std::vector<double> dt = table.find("dt")->numbers;
  if (const CsvColumn* rule = table.find("limit_rule"); rule && !rule->words.empty()) {
    add_limits(plot, table);
    for (std::size_t i = 1; i < table.rows; ++i)
      if (rule->words[i] == "frame") dt[i] = dt[i - 1];
  }
  plot.series.push_back({"dt", std::move(dt)});
  return figure(plot);
}

// Whatever else the solver measures: shown where it changes.
std::string others(const CsvTable& table) {
  std::string html;
  for (const CsvColumn& column : table.columns) {
    if (column.name == "step" || column.name == "time" || column.name == "dt" || column.name.ends_with("_ms") || column.name == "retries")
      continue;
    double low = INFINITY, high = -INFINITY;
    for (const double value : column.numbers)
      if (std::isfinite(value)) low = std::min(low, value), high = std::max(high, value);
    if (!(high > low)) continue;
    Plot plot = plot_over_time(table, column.name, "");
    std::replace(plot.title.begin(), plot.title.end(), '_', ' ');
    plot.series.push_back({column.name, column.numbers});
    plot.logarithmic = column.name.find("residual") != std::string::npos;
    html += figure(plot);
  }
  return html;
}

}  // namespace

std::string stats_section(Run& run) {
  std::string text;
  if (!read_whole(run.folder / "stats.csv", text)) {
    run.problems.push_back("stats.csv is missing.");
    return "";
  }
  const CsvTable table = read_csv(text);
  if (!table.problem.empty()) run.problems.push_back("stats.csv: " + table.problem + ".");
  if (table.rows == 0) return "";
  if (!table.find("time") || !table.find("dt") || !table.find("wall_ms")) {
    run.problems.push_back("stats.csv has no columns time, dt and wall_ms.");
    return "";
  }
  return std::string("<section><h2>The solver</h2><div class=\"plots\">\n") + phases(table) + time_step(table) + others(table) +
         "</div></section>\n";
}

}  // namespace knead::report
