// Every listed law has a page that names its parameters.
#include <fstream>
#include <sstream>

#include "law_suite.h"

using namespace knead;
using namespace knead::test;

namespace {
struct NameVisitor : SampleVisitor {
  void moduli(Moduli&, bool = false) {
    names.insert(names.end(), {"youngs_modulus", "poisson_ratio", "shear_modulus", "bulk_modulus", "`mu`", "`lambda`"});
  }
};

std::string read_page(const std::string& name) {
  std::ifstream file(std::string(KNEAD_SOURCE_DIR) + "/docs/materials/" + name + ".md");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

template <class Law> void check_page(Law law) {
  const std::string law_name = Law::name, page = read_page(law_name), overview = read_page("README");
  REQUIRE_MESSAGE(!page.empty(), "docs/materials/" << law_name << ".md is missing");
  CHECK_MESSAGE(overview.find(law_name + ".md") != std::string::npos, "docs/materials/README.md does not link " << law_name << ".md");
  NameVisitor visitor;
  law.describe(visitor);
  for (const std::string& name : visitor.names)
    CHECK_MESSAGE(page.find(name) != std::string::npos, law_name << ".md does not mention " << name);
}
}  // namespace

TEST_CASE("Every law has a page in docs/materials that names its parameters") {
  for_each_law<ElasticLaw>([](const auto& law) { check_page(law); });
  for_each_law<FlowLaw>([](const auto& law) { check_page(law); });
}
