// The JSON Schema of the scene file, and tables made from it: all printed from the same `describe` that the reader follows.
#pragma once
#include <string>

namespace knead {

std::string scene_schema();     // JSON Schema, draft 2020-12
std::string scene_markdown();   // every part of the scene file as tables
std::string materials_table();  // laws with their parameters, plain text
std::string solvers_table();    // solvers, what they can do, their parameters, plain text
std::string materials_json();
std::string solvers_json();

}  // namespace knead
