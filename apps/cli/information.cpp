// materials, solvers, schema: what exists, printed from the same descriptions that the reader follows.
#include <cstdio>

#include "commands.h"
#include "scene/schema.h"

namespace knead::cli {
namespace {

const Option help{"--help", "", "this text", "-h"};
const Option json{"--json", "", "as JSON"};

int print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  return done;
}

}  // namespace

Command materials_command() {
  return {"materials",
          "",
          "Lists the materials: each law, each parameter with its range, unit and default.",
          "",
          {json, help},
          0,
          0,
          [](const Arguments& arguments) { return print(arguments.has("--json") ? materials_json() : materials_table()); }};
}

Command solvers_command() {
  return {"solvers",
          "",
          "Lists the solvers: what each can do, each parameter with its range, unit and default.",
          "",
          {json, help},
          0,
          0,
          [](const Arguments& arguments) { return print(arguments.has("--json") ? solvers_json() : solvers_table()); }};
}

Command schema_command() {
  return {"schema",
          "",
          "Prints the JSON Schema (draft 2020-12) of the scene file.",
          "Save it and point your editor to it for completion and checks while you type.",
          {{"--markdown", "", "tables of every key instead, for the documentation"}, help},
          0,
          0,
          [](const Arguments& arguments) { return print(arguments.has("--markdown") ? scene_markdown() : scene_schema()); }};
}

}  // namespace knead::cli
