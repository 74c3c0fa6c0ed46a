#include <doctest/doctest.h>

#include "scene/names.h"

using namespace knead;

TEST_CASE("names: edit distance counts insertions, deletions, replacements and swaps") {
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("abc", "abc") == 0);
  CHECK(edit_distance("yeild", "yield") == 1);
  CHECK(edit_distance("kitten", "sitting") == 3);
}

TEST_CASE("names: the nearest name is the likely one, or none") {
  const std::vector<std::string> names{"yield_stress", "hardening_modulus", "type"};
  CHECK(nearest_name("yeild_stress", names) == "yield_stress");
  CHECK(nearest_name("hardening", names) == "hardening_modulus");
  CHECK(nearest_name("Type", names) == "type");
  CHECK(nearest_name("temperature", names).empty());
  CHECK(nearest_name(std::string(1000000, 'x'), names).empty());
}
