#include "arguments.h"

#include <charconv>

#include "base/error.h"
#include "scene/names.h"

namespace knead::cli {

std::vector<std::string> Arguments::values(const std::string& name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::vector<std::string>{} : found->second;
}

int Arguments::whole_number(const std::string& name, int minimum, int maximum) const {
  const std::string text = value(name);
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < minimum || number > maximum)
    throw InputError(name + ": \"" + text + "\" is not a whole number from " + std::to_string(minimum) + " to " + std::to_string(maximum));
  return number;
}

Arguments Command::parse(const std::vector<std::string>& words) const {
  Arguments result;
  const std::string hint = "; see \"knead " + name + " --help\"";
  bool only_operands = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (only_operands || word.size() < 2 || word[0] != '-') {
      result.positional.push_back(word);
      continue;
    }
    if (word == "--") {
      only_operands = true;
      continue;
    }
    const auto equals = word.starts_with("--") ? word.find('=') : std::string::npos;
    const std::string key = word.substr(0, equals);
    const Option* option = nullptr;
    std::vector<std::string> names;
    for (const Option& candidate : options) {
      names.push_back(candidate.name);
      if (key == candidate.name || key == candidate.letter) option = &candidate;
    }
    if (!option) {
      const std::string near = nearest_name(key, names);
      throw InputError("knead " + name + ": unknown option \"" + key + "\"" + (near.empty() ? "" : "; did you mean \"" + near + "\"?") +
                       (near.empty() ? hint : ""));
    }
    std::string value;
    if (equals != std::string::npos) {
      if (option->argument.empty()) throw InputError("knead " + name + ": " + key + " takes no value" + hint);
      value = word.substr(equals + 1);
    } else if (!option->argument.empty()) {
      if (i + 1 == words.size()) throw InputError("knead " + name + ": " + key + " needs a value, " + option->argument + hint);
      value = words[++i];
    }
    result.values_[option->name].push_back(value);
  }
  if (result.has("--help")) return result;
  if (result.positional.size() < operand_minimum) throw InputError("knead " + name + ": expected " + operands + hint);
  if (result.positional.size() > operand_maximum)
    throw InputError("knead " + name + ": unexpected \"" + result.positional[operand_maximum] + "\"" + hint);
  return result;
}

std::string Command::help() const {
  std::string result =
      "knead " + name + (operands.empty() ? "" : " " + operands) + (options.empty() ? "" : " [options]") + "\n\n" + text + "\n";
  if (!more.empty()) result += "\n" + more + "\n";
  result += "\nOptions\n";
  for (const Option& option : options) {
    std::string left =
        "  " + (option.letter.empty() ? "" : option.letter + ", ") + option.name + (option.argument.empty() ? "" : " " + option.argument);
    left.resize(std::max<std::size_t>(left.size() + 2, 30), ' ');
    result += left + option.text + "\n";
  }
  return result;
}

}  // namespace knead::cli
