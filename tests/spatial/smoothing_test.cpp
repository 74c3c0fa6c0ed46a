// Smoothing kernels against quadrature, differences and the values of the papers.
#include "spatial/smoothing.h"

#include <doctest/doctest.h>

#include "math/wide.h"

using namespace knead;

namespace {
// Integral over the ball of radius H.
template <class F> double over_ball(double H, F f) {
  const int n = 20000;
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    const double r = (i + 0.5) / n * H;
    sum += f(r) * 4 * std::numbers::pi * r * r * H / n;
  }
  return sum;
}
}  // namespace

TEST_CASE("smoothing: kernels integrate to one, their gradients are their derivatives, and they end at H") {
  for (const double H : {0.02, 1.0, 3.0})
    for (const SmoothingType type : {SmoothingType::wendland_c2, SmoothingType::cubic_spline})
      with_smoothing<double>(type, H, [&](const auto& kernel) {
        CHECK(over_ball(H, [&](double r) { return kernel.W(r); }) == doctest::Approx(1).epsilon(1e-7));  // midpoint rule
        for (double q = 0.03; q < 1; q += 0.07) {
          const double r = q * H, e = 1e-6 * H;
          CHECK(kernel.gradient(r) * r == doctest::Approx((kernel.W(r + e) - kernel.W(r - e)) / (2 * e)).epsilon(1e-7));
        }
        CHECK(kernel.W(H) == 0);
        CHECK(kernel.W(1.5 * H) == 0);
        CHECK(kernel.gradient(H) == 0);
        CHECK(kernel.gradient(1.5 * H) == 0);
        CHECK(std::isfinite(kernel.gradient(0.0)));
      });
}

TEST_CASE("smoothing: wide types give what scalars give") {
  const Smoothing<CubicSpline, float> kernel(0.1);
  for (float r = 0; r < 0.12f; r += 0.003f) {
    CHECK(kernel.W(Wide<float>(r))[0] == doctest::Approx(kernel.W(r)).epsilon(1e-5));
    CHECK(kernel.gradient(Wide<float>(r))[0] == doctest::Approx(kernel.gradient(r)).epsilon(1e-5));
    CHECK(cohesion(Wide<float>(10 * r))[0] == doctest::Approx(cohesion(10 * r)).epsilon(1e-5));
  }
}

TEST_CASE("smoothing: cohesion repels near, attracts far, and is continuous; adhesion peaks at 3/4 H") {
  CHECK(cohesion(0.0) == doctest::Approx(-0.159155).epsilon(1e-5));
  CHECK(cohesion(0.5) == doctest::Approx(0.159155).epsilon(1e-5));
  CHECK(cohesion(0.272899) == doctest::Approx(0).epsilon(1e-5));
  CHECK(cohesion(0.5 - 1e-9) == doctest::Approx(cohesion(0.5 + 1e-9)).epsilon(1e-6));
  CHECK(cohesion(1.0) == 0);
  CHECK(cohesion(1.2) == 0);
  CHECK(adhesion(0.75) == doctest::Approx(0.00495).epsilon(1e-3));
  CHECK(adhesion(0.5) == 0);
  CHECK(adhesion(0.3) == 0);
  CHECK(adhesion(1.0) == 0);
}
