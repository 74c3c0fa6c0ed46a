// The wide kernels against the materials' own formulas in double precision, and their two ways to a stress against each other.
#include "points.h"
#include "setup.h"

using namespace knead;
using namespace knead::test;

namespace {

constexpr const char* instruction_sets[] = {"baseline", "avx2", "avx512"};  // one that the machine lacks is answered by the next best
const Moduli moduli = Moduli::from_young(1e6, 0.3);

std::vector<std::pair<std::string, Material>> every_material() {
  std::vector<std::pair<std::string, Material>> all;
  for (const auto& [name, law] : solids(moduli)) {
    all.push_back({name, solid(law)});
    all.push_back({name + " snow", solid(law, 400, Snow{})});
  }
  all.push_back({"von_mises", solid(Hencky{moduli}, 1000, VonMises{5e4, 1e5})});
  all.push_back({"drucker_prager", solid(Hencky{moduli}, 1600, DruckerPrager{30, 1e3, ConeMatch::compression})});
  all.push_back({"herschel_bulkley", solid(Hencky{moduli}, 1000, HerschelBulkley{5e4, 300, 0.7})});
  return all;
}

double difference(const Sym3<double>& a, const Sym3<double>& b) { return std::sqrt(norm_squared(a - b)); }

// Random deformations, of up to about 30 % by default.
template <class T> void deform(Points<T>& points, std::uint64_t seed, double size = 0.15) {
  Noise noise(seed);
  for (int p = 0; p < Points<T>::count; ++p) points.set_F(p, Mat3d::identity() + noise.matrix() * size);
}

template <class T> void compare_with_materials(double tolerance, double size = 0.15) {
  for (const char* set : instruction_sets)
    for (const auto& [name, material] : every_material()) {
      CAPTURE(set);
      const std::string named = name;
      CAPTURE(named);
      Points<T> points(material, set);
      deform(points, 11, size);
      Noise noise(5);
      const Mat3d C = noise.matrix() * (40.0 * size / 0.15);
      const double dt = 1e-3;
      std::vector<Mat3d> before;
      for (int p = 0; p < Points<T>::count; ++p) before.push_back(points.F(p));
      for (int p = 0; p < Points<T>::count; ++p) {
        const Sym3<double> expected = kirchhoff_stress(material, points.F(p), 1, {}, {});
        REQUIRE(difference(points.stress(p), expected) < tolerance * 1e6);
      }
      points.drive(C, dt);
      for (int p = 0; p < Points<T>::count; ++p) {
        const Mat3d trial = before[p] + (C * before[p]) * dt;
        Vec3d sigma;
        Mat3d axes;
        principal_stretches(trial, sigma, axes);
        const Vec3d eps = Hencky::strain(sigma);
        FlowState<double> flow{0, 0, double(T(dt))};
        const Vec3d H = std::visit([&](const auto& law) { return law.return_map(moduli, eps, flow); }, material.plasticity);
        const Vec3d ratio{std::exp(H.x - eps.x), std::exp(H.y - eps.y), std::exp(H.z - eps.z)};
        const Mat3d expected = to_matrix(compose(axes, ratio)) * trial;
        REQUIRE(std::sqrt(norm_squared(points.F(p) - expected)) < tolerance);
        REQUIRE(std::abs(double(points.context.particles.plastic_strain[p]) - flow.plastic_strain) < tolerance);
        REQUIRE(std::abs(double(points.context.particles.plastic_volume[p]) - flow.plastic_volume) < tolerance);
      }
      for (int k = 0; k < 9; ++k) REQUIRE(points.context.particles.F[k][Points<T>::count] == T(k % 4 == 0));  // none beyond the last
    }
}

}  // namespace

TEST_CASE("mpm kernels: stress and return of every material agree with its own formulas, for every instruction set") {
  compare_with_materials<double>(1e-13);
  compare_with_materials<float>(1e-5);
}

// Strains of some per cent take polynomials in single precision, and must not show it. About the size where they end, chunks go either way.
TEST_CASE("mpm kernels: so do those of small strains") {
  for (const double size : {0.003, 0.01, 0.02, 0.03}) {
    CAPTURE(size);
    compare_with_materials<float>(2e-6, size);
  }
}

TEST_CASE("mpm kernels: the stress of neo_hookean and stvk from F is that from principal stretches, also at inversion and collapse") {
  // Snow that has not flowed yet has the stiffness 1 and takes the way through principal stretches.
  for (const char* set : instruction_sets)
    for (const ElasticLaw& law : {ElasticLaw{NeoHookean{moduli}}, ElasticLaw{StVenantKirchhoff{moduli}}}) {
      CAPTURE(set);
      const Material tensor = solid(law), principal = solid(law, 1000, Snow{});
      Points<double> a(tensor, set), b(principal, set);
      deform(a, 3);
      const Vec3d extreme[] = {{1, 1, -1}, {1.5, 0.7, -0.2}, {1, 1, 1e-3}, {2, 1e-2, 1e-3}, {10, 10, 0.1}, {1e3, 1, 1}};
      const Mat3d U{{0.36, 0.48, -0.8, -0.8, 0.6, 0, 0.48, 0.64, 0.6}};
      int p = 0;
      for (const Vec3d& sigma : extreme) a.set_F(p++, U * Mat3d::diagonal(sigma) * transpose(U));
      for (int k = 0; k < Points<double>::count; ++k) b.set_F(k, a.F(k));
      for (int k = 0; k < Points<double>::count; ++k) {
        const Sym3<double> s = a.stress(k), t = b.stress(k);
        CHECK(difference(s, t) < 1e-11 * (1e6 + std::sqrt(norm_squared(s))));
      }
    }
}

TEST_CASE("mpm kernels: what lies behind the last particle of a run, in another thread's hands, changes no bit of the run") {
  const Mat3d behind[] = {Mat3d::identity(), Mat3d::diagonal({30, 1, 0.1}), Mat3d::diagonal({1, 1, -0.5}), Mat3d::diagonal({0, 0, 0})};
  for (const char* set : instruction_sets)
    for (const auto& [name, material] : every_material()) {
      CAPTURE(set);
      const std::string named = name;
      CAPTURE(named);
      std::vector<float> first;
      for (const Mat3d& F : behind) {
        Points<float> points(material, set);
        deform(points, 11);
        for (int k = 0; k < 9; ++k) std::fill_n(points.context.particles.F[k] + Points<float>::count, Points<float>::slack, float(F.m[k]));
        points.drive(Mat3d::diagonal({3, -2, 4}), 1e-3);
        std::vector<float> now;
        for (int k = 0; k < 9; ++k)
          now.insert(now.end(), points.context.particles.F[k], points.context.particles.F[k] + Points<float>::count);
        for (int p = 0; p < Points<float>::count; ++p) now.push_back(float(points.stress(p).xy));
        if (first.empty()) first = now;
        CHECK(now == first);
      }
    }
}

TEST_CASE("mpm kernels: viscosity adds J 2 eta dev(sym grad v) to the stress of solids and fluids") {
  Noise noise(9);
  const Mat3d C = noise.matrix() * 10.0;
  for (const bool liquid : {false, true}) {
    Material material = liquid ? fluid(1e5) : solid(FixedCorotated{moduli});
    Points<double> dry(material);
    material.viscosity = 30;
    Points<double> wet(material);
    for (Points<double>* points : {&dry, &wet}) points->drive(C, 1e-3);
    const double J = liquid ? dry.context.particles.J[0] : determinant(dry.F(0));
    CHECK(difference(wet.stress(0) - dry.stress(0), deviator(symmetric_part(C)) * (2 * 30 * J)) < 1e-9);
  }
}
