#include "math/svd.h"

#include "math/polar.h"
#include "math/samples.h"

using namespace knead;

namespace {

std::vector<Mat3d> hard_matrices() {
  Random random{1};
  std::vector<Mat3d> r;
  auto add = [&](const Vec3d& sigma) {
    for (int i = 0; i < 10; ++i) r.push_back(with_singular_values(random, sigma));
    r.push_back(Mat3d::diagonal({sigma.z, sigma.x, sigma.y}));
  };
  for (int i = 0; i < 500; ++i) {
    Mat3d F;
    for (double& x : F.m) x = random(-1, 1);
    r.push_back(F);
  }
  for (const Vec3d& sigma : {Vec3d{1, 1, 1}, {1, 1, -1}, {1, 1, 0.5}, {1, 0.5, 0.5}, {1, 0.5, -0.5}, {1, 1, 0}, {1, 0, 0}, {0, 0, 0}})
    add(sigma);
  for (double s = 0.1; s > 1e-20; s *= 0.1) {  // small values that F^T F cannot tell apart, and gaps at every size
    add({1, s, s}), add({1, s, 0.5 * s}), add({1, s, -0.3 * s}), add({1, 1, s}), add({1, s, s * s}), add({1, 1 - s, 1 - 2 * s}),
        add({1, s, 0});
  }
  for (double size : {1e-36, 1e-30, 1e-12, 1e12, 1e30, 1e37}) add(Vec3d{3, 2, -1} * size);
  r.push_back({{1, 1, 1, 1, 1, 1, 1, 1, 1}});
  r.push_back({{0, 1, 0, 0, 0, 1, 0, 0, 0}});
  r.push_back({{1, 1e-10, 0, 0, 1, 1e-10, 0, 0, 1}});
  return r;
}

}  // namespace

TEST_CASE("svd: U diag(sigma) V^T is the matrix, U and V are rotations, sigma descends with the sign of the determinant last") {
  const auto matrices = hard_matrices();
  for_each_implementation([&]<class T>(const MathArrays<T>& arrays, const std::string& name) {
    CAPTURE(name);
    const auto F = matrix_columns<T>(matrices);
    Columns<T, 9> Us(F.count), Vs(F.count);
    Columns<T, 3> sigmas(F.count);
    arrays.svd(F.data.data(), Us.data.data(), sigmas.data.data(), Vs.data.data(), F.count);
    double residual = 0, orthogonality = 0;
    int unordered = 0, improper = 0, wrong_sign = 0;
    const double epsilon = std::numeric_limits<T>::epsilon();
    for (std::size_t i = 0; i < F.count; ++i) {
      const Mat3d A = F.matrix(i), U = Us.matrix(i), V = Vs.matrix(i);
      const Vec3d s{sigmas(i, 0), sigmas(i, 1), sigmas(i, 2)};
      const double size = std::fmax(s.x, 1e-37);
      residual = std::fmax(residual, largest(U * Mat3d::diagonal(s) * transpose(V) - A) / size);
      orthogonality =
          std::fmax(orthogonality, std::fmax(largest(transpose(U) * U - Mat3d::identity()), largest(transpose(V) * V - Mat3d::identity())));
      unordered += !(s.x >= s.y && s.y >= std::fabs(s.z));
      improper += !(determinant(U) > 0 && determinant(V) > 0);
      // a sign is known where the smallest value is above the error allowed here, and the determinant above that of double
      const double volume = determinant(A * (1 / size));
      wrong_sign += std::fabs(s.z) > 32 * epsilon * size && std::fabs(volume) > 1e-14 && (volume < 0) != (s.z < 0);
    }
    CHECK(residual < 16 * epsilon);  // about twenty rotations, each a rounding or two
    CHECK(orthogonality < 16 * epsilon);
    CHECK(unordered == 0);
    CHECK(improper == 0);
    CHECK(wrong_sign == 0);
  });
}

TEST_CASE("svd: singular values are those the matrix was made with") {
  Random random{2};
  std::vector<Mat3d> matrices;
  std::vector<Vec3d> exact;
  for (int i = 0; i < 256; ++i) {
    const double x = random(0.5, 2), y = x * random(0, 1), z = y * random(-1, 1);
    exact.push_back({x, y, z});
    matrices.push_back(with_singular_values(random, exact.back()));
  }
  for_each_implementation([&]<class T>(const MathArrays<T>& arrays, const std::string& name) {
    CAPTURE(name);
    const auto F = matrix_columns<T>(matrices);
    Columns<T, 9> U(F.count), V(F.count);
    Columns<T, 3> sigma(F.count);
    arrays.svd(F.data.data(), U.data.data(), sigma.data.data(), V.data.data(), F.count);
    double worst = 0;
    for (std::size_t i = 0; i < exact.size(); ++i)
      for (int k = 0; k < 3; ++k) worst = std::fmax(worst, std::fabs(sigma(i, k) - exact[i][k]) / exact[i].x);
    CHECK(worst < 8 * std::numeric_limits<T>::epsilon());
  });
}

TEST_CASE("polar: the rotation is U V^T of the SVD, as well as it is determined") {
  const auto matrices = hard_matrices();
  for_each_implementation([&]<class T>(const MathArrays<T>& arrays, const std::string& name) {
    CAPTURE(name);
    const auto F = matrix_columns<T>(matrices);
    Columns<T, 9> R(F.count);
    arrays.polar(F.data.data(), R.data.data(), F.count);
    double orthogonality = 0, difference = 0, shortfall = 0;
    int improper = 0;
    const double epsilon = std::numeric_limits<T>::epsilon();
    for (std::size_t i = 0; i < F.count; ++i) {
      const Mat3d rotation = R.matrix(i);
      orthogonality = std::fmax(orthogonality, largest(transpose(rotation) * rotation - Mat3d::identity()));
      improper += !(determinant(rotation) > 0);
      const Svd<double> exact = svd(F.matrix(i));
      const double size = std::fmax(exact.sigma.x, 1e-37), gap = (exact.sigma.y + exact.sigma.z) / size;
      // To first order the rotation turns by the change of F over the sum of the two smallest values.
      if (gap > 4 * epsilon) difference = std::fmax(difference, gap * largest(rotation - exact.U * transpose(exact.V)));
      // R maximises tr(R^T F), also where it is not unique.
      shortfall = std::fmax(shortfall, std::fabs(sum(exact.sigma) - trace(transpose(rotation) * F.matrix(i))) / size);
    }
    CHECK(orthogonality < 16 * epsilon);
    CHECK(improper == 0);
    CHECK(difference < 32 * epsilon);
    CHECK(shortfall < 32 * epsilon);
  });
}

TEST_CASE("polar: a rotated stretch gives the rotation back, also inverted along its weakest axis") {
  Random random{3};
  std::vector<Mat3d> matrices, rotations;
  for (int i = 0; i < 256; ++i) {
    const Mat3d Q = random_rotation(random), V = random_rotation(random);
    const Vec3d stretch{random(0.8, 1.5), random(0.8, 1.5), (i % 4 == 0 ? -1 : 1) * random(0.2, 0.6)};
    rotations.push_back(Q);
    matrices.push_back(Q * to_matrix(compose(V, stretch)));
  }
  for_each_implementation([&]<class T>(const MathArrays<T>& arrays, const std::string& name) {
    CAPTURE(name);
    const auto F = matrix_columns<T>(matrices);
    Columns<T, 9> R(F.count);
    arrays.polar(F.data.data(), R.data.data(), F.count);
    double worst = 0;
    for (std::size_t i = 0; i < rotations.size(); ++i) worst = std::fmax(worst, largest(R.matrix(i) - rotations[i]));
    CHECK(worst < 64 * std::numeric_limits<T>::epsilon());  // sum of the weakest two is at least 0.2: amplified by 8
  });
}
