#include "math/near_identity.h"

#include "math/samples.h"

using namespace knead;

// In double precision, so that what is seen is the error of the polynomials: the first term that they leave out, and the geometric
// series that bounds the rest.
TEST_CASE("near the identity log(I + X) and exp(D) - I are their polynomials to the order that is promised") {
  Random random{3};
  for (const double size : {near_identity, 0.5 * near_identity, 1e-3}) {
    double worst_log = 0, worst_exp = 0;
    for (int i = 0; i < 2000; ++i) {
      Vec3d e{random(-1, 1), random(-1, 1), random(-1, 1)};
      if (i % 3 == 1) e.y = e.x;      // equal eigenvalues
      if (i % 3 == 2) e.y = e.z = 0;  // all the norm in one
      e = e * (size / length(e));
      const Mat3d axes = random_rotation(random);
      const Vec3d d = e * 0.5;
      const Sym3<double> log_error = log_of_one_plus(compose(axes, e)) - compose(axes, {std::log1p(e.x), std::log1p(e.y), std::log1p(e.z)});
      const Sym3<double> exp_error = exp_minus_one(compose(axes, d)) - compose(axes, {std::expm1(d.x), std::expm1(d.y), std::expm1(d.z)});
      worst_log = std::max(worst_log, std::sqrt(norm_squared(log_error)));
      worst_exp = std::max(worst_exp, std::sqrt(norm_squared(exp_error)));
    }
    CAPTURE(size);
    CHECK(worst_log < std::pow(size, 7) / 7 / (1 - size) + 1e-15);
    CHECK(worst_exp < std::pow(size / 2, 5) / 120 / (1 - size) + 1e-15);
    CHECK(worst_log > 0.2 * std::pow(size, 7) / 7);  // the bound is sharp: a term less would not pass
    CHECK(worst_exp > 0.2 * std::pow(size / 2, 5) / 120);
  }
}
