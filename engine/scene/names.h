// The nearest valid name, for "did you mean".
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace knead {

// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
int edit_distance(std::string_view a, std::string_view b);

// The candidate that was most likely meant; empty when nothing is near enough to be worth saying.
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

// The name in quotes, cut when long.
std::string in_quotes(const std::string& name);

// "a", "b" or "c".
std::string quoted_list(const std::vector<std::string>& names);

}  // namespace knead
