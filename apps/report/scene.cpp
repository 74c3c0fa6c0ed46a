#include <map>

#include "report/sections.h"

namespace knead::report {

namespace {

// Units of the parameters of materials; what is not here has none or is not known.
const std::map<std::string, std::string> units{{"density", "kg/m³"},
                                               {"youngs_modulus", "Pa"},
                                               {"shear_modulus", "Pa"},
                                               {"bulk_modulus", "Pa"},
                                               {"mu", "Pa"},
                                               {"lambda", "Pa"},
                                               {"viscosity", "Pa·s"},
                                               {"yield_stress", "Pa"},
                                               {"hardening_modulus", "Pa"},
                                               {"friction_angle", "°"},
                                               {"cohesion", "Pa"},
                                               {"flow_rate", "1/s"},
                                               {"consistency", "Pa·sⁿ"},
                                               {"viscosity_deviatoric", "Pa·s"},
                                               {"viscosity_volumetric", "Pa·s"}};

std::string value_text(const std::string& key, const nlohmann::json& value) {
  const std::string unit = units.contains(key) ? " " + units.at(key) : "";
  if (value.is_object() && value.contains("keys")) return "changes in time: " + value["keys"].dump() + unit;
  return value.is_structured() ? value.dump() : plain_text(value) + (value.is_number() ? unit : "");
}

std::string rows(const nlohmann::json& object) {
  std::string html;
  for (const auto& [key, value] : object.items()) {
    if (value.is_object() && value.contains("type")) continue;  // a law, shown as a block of its own
    if (key != "type") html += "<tr><th>" + escaped(key) + "</th><td>" + escaped(value_text(key, value)) + "</td></tr>";
  }
  return html;
}

std::string card(const std::string& name, const nlohmann::json& material, const std::string& users) {
  std::string html = "<article><h3>" + escaped(name) + "</h3>" + (users.empty() ? "" : "<p class=\"quiet\">" + escaped(users) + "</p>") +
                     "<table>" + rows(material);
  for (const auto& [key, law] : material.items())
    if (law.is_object() && law.contains("type"))
      html += "<tr class=\"law\"><th>" + escaped(key) + "</th><td>" + escaped(plain_text(law["type"])) + "</td></tr>" + rows(law);
  return html + "</table></article>\n";
}

}  // namespace

std::string plain_text(const nlohmann::json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) {
    char text[40];
    std::snprintf(text, sizeof text, "%.6g", value.get<double>());
    return text;
  }
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string materials_section(Run& run) {
  const nlohmann::json scene = run.json.contains("scene") ? run.json["scene"] : nlohmann::json();
  if (!scene.is_object() || !scene.contains("materials") || !scene["materials"].is_object()) return "";
  std::map<std::string, std::string> users;
  for (const char* list : {"bodies", "emitters"})
    if (scene.contains(list) && scene[list].is_array())
      for (const nlohmann::json& body : scene[list])
        if (body.is_object() && body.contains("material") && body.contains("name")) {
          std::string& names = users[plain_text(body["material"])];
          names += (names.empty() ? "" : ", ") + plain_text(body["name"]);
        }
  std::string html;
  for (const auto& [name, material] : scene["materials"].items())
    if (material.is_object()) html += card(name, material, users[name]);
  return html.empty() ? "" : "<section><h2>Materials</h2><div class=\"cards\">\n" + html + "</div></section>\n";
}

std::string scene_section(const Run& run) {
  if (!run.json.contains("scene")) return "";
  return "<section><details><summary>The scene, with all defaults</summary><pre>" +
         escaped(run.json["scene"].dump(2, ' ', false, nlohmann::json::error_handler_t::replace)) + "</pre></details></section>\n";
}

}  // namespace knead::report
