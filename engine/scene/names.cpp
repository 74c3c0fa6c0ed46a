#include "scene/names.h"

#include <algorithm>
#include <cctype>

namespace knead {

int edit_distance(std::string_view a, std::string_view b) {
  // Optimal string alignment with three rows.
  std::vector<int> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int replace = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replace, above[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

namespace {
std::string lower(std::string_view name) {
  std::string result(name);
  std::transform(result.begin(), result.end(), result.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}
}  // namespace

std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
  constexpr std::size_t longest = 64;  // nobody mistypes more; hostile names must not cost time
  if (name.size() > longest) return {};
  std::string best;
  int best_distance = 1 + static_cast<int>(std::max<std::size_t>(name.size(), 3)) / 3;
  for (const std::string& candidate : candidates) {
    if (candidate.empty() || candidate.size() > longest) continue;
    int distance = edit_distance(lower(name), lower(candidate));
    // A beginning or an ending of the name ("young", "friction", "modulus") is a likely slip too.
    const std::string a = lower(name), b = lower(candidate);
    if (a.size() >= 3 && (b.starts_with(a) || b.ends_with(a))) distance = std::min(distance, 1);
    if (distance < best_distance) best_distance = distance, best = candidate;
  }
  return best;
}

std::string in_quotes(const std::string& name) {
  std::string result = "\"";
  result.append(name, 0, 60);
  result += name.size() > 60 ? "...\"" : "\"";
  return result;
}

std::string quoted_list(const std::vector<std::string>& names) {
  std::string result;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) result += i + 1 == names.size() ? " or " : ", ";
    result += in_quotes(names[i]);
  }
  return result;
}

}  // namespace knead
