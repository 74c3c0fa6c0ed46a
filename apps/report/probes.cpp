#include <algorithm>
#include <map>

#include "report/sections.h"
#include "simulation/csv_table.h"
#include "simulation/files.h"

namespace knead::report {

namespace fs = std::filesystem;

namespace {

// Columns that share an axis. `columns` empty: all that no other group has.
struct Group {
  std::string title, unit;
  std::vector<std::string> columns;
};

std::vector<Group> groups_of(const std::string& type, const nlohmann::json& probe) {
  const std::vector<std::string> position{"x", "y", "z"}, velocity{"vx", "vy", "vz"};
  if (type == "point" || type == "center") return {{"position", "m", position}, {"velocity", "m/s", velocity}};
  if (type == "bounds") return {{"bounds", "m", {}}};
  if (type == "energy") return {{"energy", "J", {}}};
  if (type == "momentum") return {{"momentum", "kg·m/s", {"px", "py", "pz"}}, {"angular momentum", "kg·m²/s", {"lx", "ly", "lz"}}};
  if (type == "force") return {{"force", "N", {}}};
  if (type == "stress") return {{"Cauchy stress", "Pa", {}}};
  if (type == "profile") {
    const std::string quantity = probe.contains("quantity") ? plain_text(probe["quantity"]) : "";
    static const std::map<std::string, std::string> units{{"density", "kg/m³"}, {"pressure", "Pa"}, {"von_mises", "Pa"}, {"vx", "m/s"},
                                                          {"vy", "m/s"},        {"vz", "m/s"},      {"speed", "m/s"}};
    return {{"profile of " + quantity, units.contains(quantity) ? units.at(quantity) : "", {}}};
  }
  return {{"values", "", {}}};
}

// What of the scene the probe looks at: "body water", "collider floor".
std::string target_of(const nlohmann::json& probe) {
  for (const char* key : {"body", "collider"})
    if (probe.contains(key) && probe[key].is_string()) return std::string(" of ") + plain_text(probe[key]);
  return "";
}

std::string plots_of(const CsvTable& table, const std::string& name, const nlohmann::json& probe) {
  const std::string type = probe.contains("type") ? plain_text(probe["type"]) : "";
  std::string html;
  for (const Group& group : groups_of(type, probe)) {
    Plot plot;
    plot.title = (name == group.title ? name : name + ": " + group.title) + target_of(probe);
    plot.unit = group.unit;
    plot.x = table.columns[0].numbers;
    std::vector<const CsvColumn*> columns;
    for (std::size_t c = 1; c < table.columns.size(); ++c) {
      const std::string& column = table.columns[c].name;
      if (group.columns.empty() || std::find(group.columns.begin(), group.columns.end(), column) != group.columns.end())
        columns.push_back(&table.columns[c]);
    }
    if (columns.empty()) continue;
    constexpr std::size_t most = 8;  // curves that can be told apart
    const std::size_t shown = std::min(columns.size(), most);
    for (std::size_t k = 0; k < shown; ++k) {
      const CsvColumn& column = *columns[shown < 2 ? 0 : k * (columns.size() - 1) / (shown - 1)];
      plot.series.push_back({column.name, column.numbers});
    }
    if (columns.size() > most) plot.title += " (" + std::to_string(most) + " of " + std::to_string(columns.size()) + " columns)";
    html += figure(plot);
  }
  return html;
}

}  // namespace

std::string probes_section(Run& run) {
  std::map<std::string, nlohmann::json> probes;  // by the name of their file
  const nlohmann::json scene = run.json.contains("scene") ? run.json["scene"] : nlohmann::json();
  if (scene.is_object() && scene.contains("probes") && scene["probes"].is_array())
    for (const nlohmann::json& probe : scene["probes"])
      if (probe.is_object() && probe.contains("name")) probes[plain_text(probe["name"])] = probe;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(run.folder / "probes", error))
    if (entry.path().extension() == ".csv") probes.emplace(entry.path().stem().string(), nlohmann::json::object());

  std::string html;
  for (const auto& [name, probe] : probes) {
    const std::string file = "probes/" + name + ".csv";
    std::string text;
    if (name.find('/') != std::string::npos || !read_whole(run.folder / file, text)) {
      run.problems.push_back(file + " is missing.");
      continue;
    }
    const CsvTable table = read_csv(text);
    if (!table.problem.empty()) run.problems.push_back(file + ": " + table.problem + ".");
    if (table.rows == 0 || table.columns.size() < 2) continue;
    html += plots_of(table, name, probe);
  }
  return html.empty() ? "" : "<section><h2>Probes</h2><div class=\"plots\">\n" + html + "</div></section>\n";
}

}  // namespace knead::report
