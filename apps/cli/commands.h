// The commands of knead, one function each; the list is in main.cpp.
#pragma once
#include <string>
#include <vector>

#include "arguments.h"

namespace knead::cli {

enum ExitCode { done = 0, internal_error = 1, wrong_input = 2, cannot_go_on = 3, interrupted = 130 };

Command run_command();
Command check_command();
Command materials_command();
Command solvers_command();
Command schema_command();
Command bench_command();
Command surface_command();
Command render_command();
Command view_command();
Command report_command();
std::vector<Command> later_commands();  // those that this version does not have yet

// What `run` and `check` have in common: options that change the scene, as "path.to.key=value".
std::vector<Option> scene_options();
std::vector<std::string> scene_overrides(const Arguments& arguments);
void use_threads(const Arguments& arguments);

// 1234567 as "1,234,567", and bytes and seconds in units that people read.
std::string count_text(std::size_t count);
std::string bytes_text(std::size_t bytes);
std::string seconds_text(double seconds);
std::string short_number(double value);  // three significant digits

}  // namespace knead::cli
