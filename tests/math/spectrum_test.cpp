#include "math/spectrum.h"

#include "math/samples.h"

using namespace knead;

namespace {

std::vector<Sym3<double>> with_eigenvalues(const std::vector<Vec3d>& values, int each, std::uint64_t seed) {
  Random random{seed};
  std::vector<Sym3<double>> r;
  for (const Vec3d& lambda : values)
    for (int i = 0; i < each; ++i) r.push_back(compose(random_rotation(random), lambda));
  return r;
}

std::vector<Vec3d> random_values(double ratio, int count, std::uint64_t seed) {
  Random random{seed};
  std::vector<Vec3d> r;
  const double h = std::log(ratio) / 2;
  for (int i = 0; i < count; ++i) r.push_back({std::exp(random(-h, h)), std::exp(random(-h, h)), std::exp(random(-h, h))});
  return r;
}

// log of the matrix as rounded to T: what is tested is the error of the method, not of its input.
template <class T> double worst_log_error(const MathArrays<T>& arrays, const std::vector<Sym3<double>>& matrices) {
  const auto A = symmetric_columns<T>(matrices);
  Columns<T, 3> values(A.count);
  Columns<T, 6> logarithm(A.count);
  arrays.spectrum_log(A.data.data(), values.data.data(), logarithm.data.data(), A.count);
  double worst = 0;
  for (std::size_t i = 0; i < A.count; ++i) {
    Vec3d lambda;
    Mat3d V;
    eigen_symmetric(A.symmetric(i), lambda, V);
    const Sym3<double> exact = compose(V, {std::log(lambda.x), std::log(lambda.y), std::log(lambda.z)});
    worst = std::fmax(worst, largest(to_matrix(logarithm.symmetric(i) - exact)));
  }
  return worst;
}

}  // namespace

TEST_CASE("eigen: A V = V diag(values), V is a rotation and the values descend") {
  // generic, equal, zero, indefinite, nearly equal, rank one, and sizes from 1e-30 to 1e30
  std::vector<Vec3d> spectra{{3, 2, 1},   {2, 2, 1},           {2, 1, 1},    {1, 1, 1}, {0, 0, 0},
                             {5, -1, -3}, {1, 1 - 1e-6, 1e-3}, {1, 1e-7, 0}, {1, 0, 0}};
  for (double size : {1e-30, 1e30}) spectra.push_back(Vec3d{3, 2, 1} * size);
  auto matrices = with_eigenvalues(spectra, 20, 1);
  for (const Vec3d& d : spectra) matrices.push_back({d.y, d.x, d.z, 0, 0, 0});  // diagonal as well
  for_each_implementation([&]<class T>(const MathArrays<T>& arrays, const std::string& name) {
    CAPTURE(name);
    const auto A = symmetric_columns<T>(matrices);
    Columns<T, 3> values(A.count);
    Columns<T, 9> vectors(A.count);
    arrays.eigen(A.data.data(), values.data.data(), vectors.data.data(), A.count);
    double residual = 0, orthogonality = 0;
    int unordered = 0, improper = 0;
    for (std::size_t i = 0; i < A.count; ++i) {
      const Vec3d d{values(i, 0), values(i, 1), values(i, 2)};
      const Mat3d V = vectors.matrix(i), full = to_matrix(A.symmetric(i));
      residual = std::fmax(residual, largest(full * V - V * Mat3d::diagonal(d)) / std::fmax(largest(full), 1e-37));
      orthogonality = std::fmax(orthogonality, largest(transpose(V) * V - Mat3d::identity()));
      unordered += !(d.x >= d.y && d.y >= d.z);
      improper += !(determinant(V) > 0);
    }
    const double epsilon = std::numeric_limits<T>::epsilon();
    CHECK(residual < 16 * epsilon);  // about fifteen rotations, each a rounding or two
    CHECK(orthogonality < 16 * epsilon);
    CHECK(unordered == 0);
    CHECK(improper == 0);
  });
}

TEST_CASE("spectrum: log of moderate stretches agrees with the eigenvectors' to rounding") {
  const auto matrices = with_eigenvalues(random_values(10, 1000, 2), 4, 3);
  for_each_implementation([&]<class T>(const MathArrays<T>& arrays, const std::string& name) {
    CAPTURE(name);
    CHECK(worst_log_error(arrays, matrices) <
          16 * std::numeric_limits<T>::epsilon());  // float: 2e-6; half an epsilon times the ratio, thrice
  });
}

TEST_CASE("spectrum: equal and nearly equal eigenvalues cost no digits") {
  std::vector<Vec3d> spectra{{1, 1, 1}, {2, 2, 2}, {2, 1, 1}, {2, 2, 1}};
  for (double gap = 1e-1; gap > 1e-17; gap *= 0.1) {
    spectra.push_back({1 + gap, 1, 1 - gap});
    spectra.push_back({1 + gap, 1, 1});
    spectra.push_back({2 + gap, 2, 1});
    spectra.push_back({2, 1 + gap, 1});
    spectra.push_back({1 + gap, 1 + gap / 1000, 1});
  }
  const auto matrices = with_eigenvalues(spectra, 10, 4);
  for_each_implementation([&]<class T>(const MathArrays<T>& arrays, const std::string& name) {
    CAPTURE(name);
    CHECK(worst_log_error(arrays, matrices) < 8 * std::numeric_limits<T>::epsilon());
  });
}

TEST_CASE("spectrum: large ratios lose only what rounding of the matrix loses") {
  for (double ratio : {1e2, 1e3, 1e4, 1e6}) {
    const auto matrices = with_eigenvalues(random_values(ratio, 200, 5), 4, 6);
    for_each_implementation([&]<class T>(const MathArrays<T>& arrays, const std::string& name) {
      CAPTURE(name);
      CAPTURE(ratio);
      // An entry known to an epsilon of the largest eigenvalue moves the log of the smallest by that times the ratio.
      const double lost = std::numeric_limits<T>::epsilon() * ratio;
      if (lost < 0.01) CHECK(worst_log_error(arrays, matrices) < 16 * lost);
    });
  }
}

TEST_CASE("spectrum: values are the eigenvalues, descending, and composing them gives the matrix back") {
  auto matrices = with_eigenvalues(random_values(100, 400, 7), 2, 8);
  for (const auto& a : with_eigenvalues({{1, 1, 1}, {2, 1, 1}, {2, 2, 1}, {1, 1 - 1e-9, 1 - 2e-9}}, 20, 9)) matrices.push_back(a);
  for (const auto& A : matrices) {
    const Spectrum<double> spectrum(A);
    Vec3d lambda;
    Mat3d V;
    eigen_symmetric(A, lambda, V);
    const Vec3d values = spectrum.values();
    CHECK(values.x >= values.y);
    CHECK(values.y >= values.z);
    // a pair that coincides is known to the square root of rounding, and its mean and the composed matrix to rounding
    CHECK(length(values - lambda) < 1e-7 * lambda.x);
    CHECK(std::fabs(sum(values) - trace(A)) < 1e-14 * lambda.x);
    CHECK(largest(to_matrix(spectrum.compose(values) - A)) < 1e-13 * lambda.x);
  }
}
