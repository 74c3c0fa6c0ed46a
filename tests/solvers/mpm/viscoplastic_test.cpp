// Viscoplastic flow through the solver's kernels.
#include "points.h"
#include "setup.h"

using namespace knead;
using namespace knead::test;

// The elastic strain, below 0.2 %, turns the axes of the stress; rounding in single precision is 6e-8 of the modulus, 0.1 % of the stress.
template <class T> void shear_steadily(double tolerance) {
  const double rate = 3, sigma_Y = 100, k = 40;
  for (double power : {0.5, 1.0, 2.0, 0.7}) {
    const Material paste = solid(Hencky{Moduli::from_bulk(1e5, 2e5)}, 1000, HerschelBulkley{sigma_Y, k, power});
    Points<T> points(paste);
    Mat3d gradient{};
    gradient(0, 1) = rate;
    for (int n = 0; n < 20000; ++n) points.drive(gradient, 2e-5);
    CHECK(points.stress(3).xy == doctest::Approx(sigma_Y / std::sqrt(3.0) + k * std::pow(rate, power)).epsilon(tolerance));
    CHECK(determinant(points.F(3)) == doctest::Approx(1).epsilon(100 * tolerance * tolerance));
  }
}
TEST_CASE("mpm: steady shear of a Herschel-Bulkley material has the stress of the law for powers below, at and above one") {
  shear_steadily<double>(2e-3);
  shear_steadily<float>(5e-3);
}
