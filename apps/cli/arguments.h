// The command line: commands with their options, described once for parsing and for --help.
#pragma once
#include <map>
#include <string>
#include <vector>

namespace knead::cli {

struct Option {
  std::string name;      // "--threads"
  std::string argument;  // "N"; empty for a switch
  std::string text;
  std::string letter = "";  // "-o"
};

class Arguments {
 public:
  bool has(const std::string& name) const { return values_.contains(name); }
  std::string value(const std::string& name) const { return values_.at(name).back(); }
  std::vector<std::string> values(const std::string& name) const;
  int whole_number(const std::string& name, int minimum, int maximum) const;  // InputError for anything else
  std::vector<std::string> positional;

 private:
  friend struct Command;
  std::map<std::string, std::vector<std::string>> values_;
};

struct Command {
  std::string name;      // "run"
  std::string operands;  // "SCENE.json"
  std::string text;      // one sentence
  std::string more;      // paragraphs for --help
  std::vector<Option> options;
  std::size_t operand_minimum = 0, operand_maximum = 0;
  int (*run)(const Arguments&) = nullptr;  // returns the exit code

  Arguments parse(const std::vector<std::string>& words) const;  // InputError
  std::string help() const;
};

}  // namespace knead::cli
