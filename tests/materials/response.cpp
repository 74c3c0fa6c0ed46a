#include "materials/response.h"

#include "law_suite.h"

using namespace knead;
using namespace knead::test;

namespace {
template <class Test> void for_each_solid_material(Test test) {
  for_each_solid([&](const auto& law) { test(Material{.elasticity = law, .plasticity = NoFlow{}}); });
}
}  // namespace

TEST_CASE("Every solid: a rotation gives no stress and no energy") {
  for_each_solid_material([](const Material& material) {
    Random random;
    for (int k = 0; k < 20; ++k) {
      const Mat3d R = random.rotation();
      CHECK(largest(kirchhoff_stress(material, R, 1, {}, {})) < 1e-12 * sample_moduli().mu);
      CHECK(std::abs(elastic_energy(material, R, 1, {})) < 1e-12 * sample_moduli().mu);
    }
  });
}

TEST_CASE("Every solid: stress turns with the body and does not care where the body came from") {
  for_each_solid_material([](const Material& material) {
    Random random;
    for (int k = 0; k < 20; ++k) {
      const Mat3d F = Mat3d::identity() + random.matrix(-0.4, 0.4), Q = random.rotation();
      const Mat3d tau = to_matrix(kirchhoff_stress(material, F, 1, {}, {}));
      const double scale = largest(tau) + sample_moduli().mu;
      CHECK(largest(to_matrix(kirchhoff_stress(material, Q * F, 1, {}, {})) - Q * tau * transpose(Q)) < 1e-10 * scale);
      CHECK(largest(to_matrix(kirchhoff_stress(material, F * Q, 1, {}, {})) - tau) < 1e-10 * scale);
    }
  });
}

TEST_CASE("Every solid: a change of energy is stress times velocity gradient") {
  for_each_solid_material([](const Material& material) {
    Random random;
    for (int k = 0; k < 20; ++k) {
      const Mat3d F = Mat3d::identity() + random.matrix(-0.2, 0.2), L = random.matrix(-1, 1);
      const double h = 1e-5, high = elastic_energy(material, F + L * F * h, 1, {}), low = elastic_energy(material, F - L * F * h, 1, {});
      const double power = trace(to_matrix(kirchhoff_stress(material, F, 1, {}, {})) * L);
      CHECK(std::abs((high - low) / (2 * h) - power) < 1e-7 * sample_moduli().mu);
    }
  });
}

TEST_CASE("Newtonian viscosity: shear stress is viscosity times shear rate, also in a fluid, and expansion is not resisted") {
  const Material water{.elasticity = Eos{.bulk_modulus = 1e6}, .plasticity = NoFlow{}, .viscosity = 3};
  Mat3d gradient;
  gradient(0, 1) = 5;
  const Sym3<double> tau = kirchhoff_stress(water, Mat3d::identity(), 1, {}, gradient);
  CHECK(tau.xy == doctest::Approx(15));
  CHECK(std::abs(trace(tau)) < 1e-9);
  CHECK(largest(kirchhoff_stress(water, Mat3d::identity(), 1, {}, Mat3d::identity())) < 1e-12);
  const Sym3<double> squeezed = kirchhoff_stress(water, Mat3d::identity(), 0.9, {}, gradient);
  CHECK(squeezed.xy == doctest::Approx(15 * 0.9));
  CHECK(-trace(squeezed) / 3 / 0.9 == doctest::Approx(Eos{.bulk_modulus = 1e6}.pressure(0.9)));
}

TEST_CASE("Packed snow is stiffer, in stress, energy and waves alike, and its volume ratio counts the plastic part") {
  const Snow snow;
  const Material material{.elasticity = FixedCorotated{sample_moduli()}, .plasticity = snow};
  const FlowState<double> packed{0, std::log(0.8)};
  const Mat3d F = Mat3d::diagonal({1, 1, 0.98});
  const double factor = snow.stiffness(packed);
  CHECK(factor == doctest::Approx(std::exp(2.0)));
  CHECK(kirchhoff_stress(material, F, 1, packed, {}).zz == doctest::Approx(factor * kirchhoff_stress(material, F, 1, {}, {}).zz));
  CHECK(elastic_energy(material, F, 1, packed) == doctest::Approx(factor * elastic_energy(material, F, 1, {})));
  CHECK(wave_modulus(material, F, 1, packed) == doctest::Approx(factor * wave_modulus(material, F, 1, {})));
  CHECK(volume_ratio(material, F, 1, packed) == doctest::Approx(0.98 * 0.8));
}

TEST_CASE("Rest wave modulus: lambda + 2 mu of a solid, the bulk modulus of a fluid") {
  for_each_solid_material(
      [](const Material& material) { CHECK(rest_wave_modulus(material) == doctest::Approx(sample_moduli().p_wave())); });
  CHECK(rest_wave_modulus(Material{.elasticity = Eos{.bulk_modulus = 5e4}, .plasticity = NoFlow{}}) == doctest::Approx(5e4));
}

TEST_CASE("Incompatible laws are answered with what would fit, compatible ones with silence") {
  for_each_law<ElasticLaw>([]<class Elastic>(const Elastic& elastic) {
    for_each_law<FlowLaw>([&]<class Flow>(const Flow& flow) {
      const std::string answer = incompatibility(Material{.elasticity = elastic, .plasticity = flow});
      CHECK(answer.empty() == compatible<Elastic, Flow>());
      if (answer.empty()) return;
      CHECK(answer.find(Flow::name) != std::string::npos);
      CHECK(answer.find("\"hencky\"") != std::string::npos);
    });
  });
}

TEST_CASE("A material knows which columns it needs") {
  const Material metal{.elasticity = Hencky{}, .plasticity = VonMises{}}, sand{.elasticity = Hencky{}, .plasticity = DruckerPrager{}};
  const Material water{.elasticity = Eos{}, .plasticity = NoFlow{}};
  CHECK(uses_plastic_strain(metal));
  CHECK_FALSE(uses_plastic_volume(metal));
  CHECK(uses_plastic_volume(sand));
  CHECK_FALSE(uses_plastic_strain(water));
  CHECK(is_fluid(water));
  CHECK_FALSE(is_fluid(sand));
}
