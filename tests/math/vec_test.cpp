#include "math/vec.h"

#include "math/samples.h"

using namespace knead;

TEST_CASE("vec: the cross product is orthogonal to both factors and right-handed") {
  Random random{1};
  for (int i = 0; i < 100; ++i) {
    const Vec3d a{random(-1, 1), random(-1, 1), random(-1, 1)}, b{random(-1, 1), random(-1, 1), random(-1, 1)};
    const Vec3d c = cross(a, b);
    CHECK(dot(a, c) == doctest::Approx(0).epsilon(1e-14));
    CHECK(dot(b, c) == doctest::Approx(0).epsilon(1e-14));
    CHECK(length_squared(c) == doctest::Approx(length_squared(a) * length_squared(b) - dot(a, b) * dot(a, b)).epsilon(1e-12));
  }
  CHECK(cross(Vec3d{1, 0, 0}, Vec3d{0, 1, 0}) == Vec3d{0, 0, 1});
}

TEST_CASE("vec: components by index are x, y, z") {
  Vec3d a{1, 2, 3};
  a[1] = 5;
  CHECK(a == Vec3d{1, 5, 3});
  CHECK(sum(a) == 9);
  CHECK((a - Vec3d{1, 1, 1}) * 2.0 == Vec3d{0, 8, 4});
}

TEST_CASE("vec: a matrix maps a vector as its columns say, and products associate") {
  Random random{2};
  const Mat3d A = with_singular_values(random, {3, 2, 1}), B = with_singular_values(random, {1, 0.5, 0.2});
  const Vec3d v{0.3, -0.7, 1.1};
  CHECK(length(A * v - (column(A, 0) * v.x + column(A, 1) * v.y + column(A, 2) * v.z)) < 1e-14);
  CHECK(length((A * B) * v - A * (B * v)) < 1e-14);  // a few roundings of numbers of order one
  CHECK(largest(transpose(A * B) - transpose(B) * transpose(A)) == 0);
}

TEST_CASE("vec: the determinant is the product of singular values and multiplies") {
  Random random{3};
  const Mat3d A = with_singular_values(random, {3, 2, -1}), B = with_singular_values(random, {1, 0.5, 0.2});
  CHECK(determinant(A) == doctest::Approx(-6).epsilon(1e-14));
  CHECK(determinant(A * B) == doctest::Approx(-0.6).epsilon(1e-13));
  CHECK(norm_squared(A) == doctest::Approx(14).epsilon(1e-14));
}

TEST_CASE("sym: F F^T, its trace, norm and deviator agree with the full matrices") {
  Random random{4};
  const Mat3d F = with_singular_values(random, {1.5, 1, 0.4});
  const Sym3<double> b = left_cauchy_green(F);
  const Mat3d full = F * transpose(F);
  CHECK(largest(to_matrix(b) - full) < 1e-15);
  CHECK(trace(b) == doctest::Approx(trace(full)));
  CHECK(norm_squared(b) == doctest::Approx(norm_squared(full)));
  CHECK(std::fabs(trace(deviator(b))) < 1e-15);
  CHECK(largest(to_matrix(deviator(b) + isotropic(trace(b) / 3)) - full) < 1e-15);
}

TEST_CASE("sym: the symmetric part plus the antisymmetric rest is the matrix, and compose builds U diag U^T") {
  Random random{5};
  const Mat3d A = with_singular_values(random, {3, 2, 1});
  const Mat3d rest = A - to_matrix(symmetric_part(A));
  CHECK(largest(rest + transpose(rest)) < 1e-15);
  const Mat3d U = random_rotation(random);
  CHECK(largest(to_matrix(compose(U, {3.0, -2.0, 0.5})) - U * Mat3d::diagonal({3, -2, 0.5}) * transpose(U)) < 2e-15);
}
