#include "scene/reader.h"

#include <cmath>

#include "scene/moduli_pairs.h"
#include "scene/names.h"

namespace knead {

std::string number_range_text(const std::string& noun, const ParameterInfo& info) {
  std::string range;
  const auto limit = [&](const char* words, double value) {
    if (std::isfinite(value)) range += (range.empty() ? " " : " and ") + std::string(words) + number_text(value);
  };
  limit("greater than ", info.above);
  limit("of at least ", info.minimum);
  limit("less than ", info.below);
  limit("of at most ", info.maximum);
  return noun + range + (*info.unit ? " [" + std::string(info.unit) + "]" : "");
}

std::string one_of_text(const std::vector<std::string>& names) { return (names.size() > 1 ? "one of " : "") + quoted_list(names); }

bool within(double value, const ParameterInfo& info) {
  return std::isfinite(value) && value >= info.minimum && value <= info.maximum && value > info.above && value < info.below;
}

void fail_type(ReadContext& context, const Json& json, const std::string& expected) {
  if (json.is_null()) return context.fail("null where " + expected + " is expected");
  std::string kind = json.is_boolean()  ? "a truth value"
                     : json.is_string() ? "a string"
                     : json.is_array()  ? "a list"
                     : json.is_object() ? "an object"
                                        : "a number";
  if (json.is_array()) kind += " of " + std::to_string(json.size());
  context.fail(value_text(json) + " is " + kind + " where " + expected + " is expected");
}

void fail_name(ReadContext& context, const Json& json, const std::vector<std::string>& accepted) {
  if (!json.is_string()) return fail_type(context, json, one_of_text(accepted));
  const std::string near = nearest_name(json.get_ref<const std::string&>(), accepted);
  context.fail(value_text(json) + " is not " + one_of_text(accepted) +
               (near.empty() ? std::string() : "; did you mean " + in_quotes(near) + "?"));
}

void read(ReadContext& context, const Json& json, bool& value, const ParameterInfo&) {
  if (!json.is_boolean()) return fail_type(context, json, "true or false");
  value = json.get<bool>();
}

void read(ReadContext& context, const Json& json, double& value, const ParameterInfo& info) {
  const std::string expected = number_range_text("a number", info);
  if (!json.is_number()) return fail_type(context, json, expected);
  const double number = json.get<double>();
  if (!within(number, info)) return context.fail(number_text(number) + " is out of range; " + expected + " is accepted");
  value = number;
}

void read(ReadContext& context, const Json& json, int& value, const ParameterInfo& info) {
  const std::string expected = number_range_text("a whole number", info);
  if (!json.is_number()) return fail_type(context, json, expected);
  const double number = json.get<double>();
  constexpr double largest = std::numeric_limits<int>::max();
  if (number != std::floor(number) || std::abs(number) > largest) return context.fail(number_text(number) + " is not " + expected);
  if (!within(number, info)) return context.fail(number_text(number) + " is out of range; " + expected + " is accepted");
  value = static_cast<int>(number);
}

void read(ReadContext& context, const Json& json, std::string& value, const ParameterInfo&) {
  if (!json.is_string()) return fail_type(context, json, "a string");
  value = json.get<std::string>();
}

void read(ReadContext& context, const Json& json, Vec3d& value, const ParameterInfo& info) {
  if (!json.is_array() || json.size() != 3) return fail_type(context, json, expected_text<Vec3d>(info));
  for (int i = 0; i < 3; ++i) {
    PathPart part(context, std::to_string(i));
    read(context, json[static_cast<std::size_t>(i)], value[i], info);
  }
}

void read(ReadContext& context, const Json& json, std::array<bool, 3>& value, const ParameterInfo& info) {
  if (!json.is_array() || json.size() != 3) return fail_type(context, json, expected_text<std::array<bool, 3>>(info));
  for (std::size_t i = 0; i < 3; ++i) {
    PathPart part(context, std::to_string(i));
    read(context, json[i], value[i], info);
  }
}

void read(ReadContext& context, const Json& json, AutoOrNumber& value, const ParameterInfo& info) {
  const std::string expected = expected_text<AutoOrNumber>(info);
  if (json.is_string() && json.get_ref<const std::string&>() == "auto") {
    value.number.reset();
    return;
  }
  if (!json.is_number()) return fail_type(context, json, expected);
  const double number = json.get<double>();
  if (!within(number, info)) return context.fail(number_text(number) + " is out of range; " + expected + " is accepted");
  value.number = number;
}

void ObjectReader::moduli(Moduli& moduli, bool may_vanish) {
  std::vector<std::string> all, given;
  std::array<std::array<bool, 2>, 3> present{};
  std::array<std::array<double, 2>, 3> values{};
  for (std::size_t p = 0; p < moduli_pairs.size(); ++p)
    for (std::size_t i = 0; i < 2; ++i) {
      const ModuliParameter& parameter = moduli_pairs[p][i];
      known_.push_back({parameter.key, parameter.info.unit});
      all.push_back(parameter.key);
      const auto member = object_.find(parameter.key);
      if (member == object_.end()) continue;
      present[p][i] = true;
      given.push_back(parameter.key);
      PathPart part(context_, parameter.key);
      read_value(context_, *member, values[p][i], moduli_info(parameter, may_vanish));
    }
  if (given.empty()) return missing_.push_back({all, "the moduli are missing; " + moduli_text() + " is required"});
  for (std::size_t p = 0; p < moduli_pairs.size(); ++p) {
    if (given.size() == 2 && present[p][0] && present[p][1]) {
      moduli = moduli_from_pair(p, values[p][0], values[p][1]);
      if (!context_.errors.any() && !(moduli.bulk() > 0) && !(may_vanish && moduli.bulk() == 0))
        context_.fail("the bulk modulus lambda + 2 mu / 3 is " + rounded_text(moduli.bulk()) + "; it must be greater than 0");
      return;
    }
    if (given.size() == 1 && (present[p][0] || present[p][1])) {
      const ModuliParameter& other = moduli_pairs[p][present[p][0] ? 1 : 0];
      return missing_.push_back(
          {{other.key}, "missing; " + number_range_text("a number", other.info) + " is required beside \"" + given[0] + "\""});
    }
  }
  std::string message = quoted_list(given) + " given together; " + moduli_text() + " is accepted";
  if (const auto at = message.rfind(" or \"", message.find(" given")); at != std::string::npos) message.replace(at, 4, " and ");
  PathPart part(context_, given.back());
  context_.fail(message);
}

void ObjectReader::finish() {
  std::vector<std::string> names, suggested;
  for (const Known& known : known_) names.push_back(known.key);
  for (const auto& item : object_.items()) {
    if (context_.errors.full()) return;
    const auto is_it = [&](const Known& known) { return item.key() == known.key; };
    if (std::any_of(known_.begin(), known_.end(), is_it)) continue;
    PathPart part(context_, item.key());
    const std::string near = nearest_name(item.key(), names);
    if (near.empty()) {
      context_.fail("unknown key; accepted: " + (names.empty() ? "none" : quoted_list(names)));
      continue;
    }
    suggested.push_back(near);
    const auto known = std::find_if(known_.begin(), known_.end(), [&](const Known& k) { return near == k.key; });
    context_.fail("unknown key; did you mean " + in_quotes(near) + (*known->unit ? " [" + std::string(known->unit) + "]" : "") + "?");
  }
  // A key that was only misspelt is not missing as well.
  for (const Missing& missing : missing_) {
    const auto is_suggested = [&](const std::string& key) { return std::find(suggested.begin(), suggested.end(), key) != suggested.end(); };
    if (std::any_of(missing.keys.begin(), missing.keys.end(), is_suggested)) continue;
    if (missing.keys.size() > 1) {
      context_.fail(missing.message);
    } else {
      PathPart part(context_, missing.keys[0]);
      context_.fail(missing.message);
    }
  }
}

}  // namespace knead
