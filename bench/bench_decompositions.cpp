// Nanoseconds per 3x3 matrix of the decompositions, scalar and wide, for each instruction set of this machine; and Eigen's
// SVD and eigensolver in the same run, if it was found.
#include <string>
#include <vector>

#include "base/random.h"
#include "benchmarks.h"
#include "math/instruction_sets/arrays.h"
#if defined(KNEAD_BENCH_EIGEN)
#include <Eigen/Dense>
#endif

namespace knead::bench {
namespace {

constexpr std::size_t count = 256;  // all arrays together stay in the first two caches: what is timed is arithmetic
constexpr int rounds = 8;

template <class T> struct Samples {
  std::vector<T> random = std::vector<T>(9 * count), strained = random;  // uniform entries; within about 20 % of a rotation
  std::vector<T> symmetric = std::vector<T>(6 * count);                  // F F^T of `strained`
};

template <class T> Samples<T> make_samples() {
  Samples<T> s;
  for (std::size_t i = 0; i < count; ++i) {
    double F[9];
    for (std::size_t k = 0; k < 9; ++k) {
      const double x = 2 * random_uniform(1, k, i) - 1;
      s.random[k * count + i] = static_cast<T>(x);
      F[k] = 0.2 * x + (k % 4 == 0);
      s.strained[k * count + i] = static_cast<T>(F[k]);
    }
    const int rows[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}};
    for (std::size_t k = 0; k < 6; ++k) {
      const double *p = F + 3 * rows[k][0], *q = F + 3 * rows[k][1];
      s.symmetric[k * count + i] = static_cast<T>(p[0] * q[0] + p[1] * q[1] + p[2] * q[2]);
    }
  }
  return s;
}

template <class Work> double nanoseconds(Work work) {
  return 1e9 / (rounds * count) *
         best_seconds(
             [&] {
               for (int n = 0; n < rounds; ++n) work();
             },
             50, 0.05);
}

template <class T> void measure(Report& report, const MathArrays<T>& f, const std::string& variant) {
  const Samples<T> s = make_samples<T>();
  std::vector<T> U(9 * count), V(9 * count), sigma(3 * count);
  auto add = [&](const char* name, auto work) {
    report.add({name, variant, "ns", nanoseconds([&] {
                  work();
                  keep(U.data());
                })});
  };
  add("svd", [&] { f.svd(s.random.data(), U.data(), sigma.data(), V.data(), count); });
  add("svd, strained", [&] { f.svd(s.strained.data(), U.data(), sigma.data(), V.data(), count); });
  add("polar", [&] { f.polar(s.random.data(), U.data(), count); });
  add("polar, strained", [&] { f.polar(s.strained.data(), U.data(), count); });
  add("eigen", [&] { f.eigen(s.symmetric.data(), sigma.data(), V.data(), count); });
  add("spectrum log", [&] { f.spectrum_log(s.symmetric.data(), sigma.data(), U.data(), count); });
}

#if defined(KNEAD_BENCH_EIGEN)
template <class T> void measure_eigen(Report& report, const std::string& variant) {
  using Matrix = Eigen::Matrix<T, 3, 3>;
  const Samples<T> s = make_samples<T>();
  std::vector<Matrix> F(count), b(count), U(count), V(count);
  std::vector<Eigen::Matrix<T, 3, 1>> sigma(count);
  for (std::size_t i = 0; i < count; ++i) {
    for (int k = 0; k < 9; ++k) F[i](k / 3, k % 3) = s.random[k * count + i], V[i](k / 3, k % 3) = s.strained[k * count + i];
    b[i] = V[i] * V[i].transpose();
  }
  report.add({"svd", variant, "ns", nanoseconds([&] {
                for (std::size_t i = 0; i < count; ++i) {
                  const Eigen::JacobiSVD<Matrix> d(F[i], Eigen::ComputeFullU | Eigen::ComputeFullV);
                  U[i] = d.matrixU(), sigma[i] = d.singularValues(), V[i] = d.matrixV();
                }
                keep(U.data());
              })});
  report.add({"eigen", variant, "ns", nanoseconds([&] {
                for (std::size_t i = 0; i < count; ++i) {
                  const Eigen::SelfAdjointEigenSolver<Matrix> d(b[i]);
                  sigma[i] = d.eigenvalues(), V[i] = d.eigenvectors();
                }
                keep(V.data());
              })});
}
#endif

}  // namespace

void bench_decompositions(Report& report) {
  for (const InstructionSet& set : available_math_arrays()) {
    const std::string name = set.name;
    measure(report, set.scalar_float, name + ", scalar float");
    measure(report, set.wide_float, name + ", wide float");
    measure(report, set.scalar_double, name + ", scalar double");
    measure(report, set.wide_double, name + ", wide double");
  }
#if defined(KNEAD_BENCH_EIGEN)
  measure_eigen<float>(report, "Eigen, float");
  measure_eigen<double>(report, "Eigen, double");
#endif
}

}  // namespace knead::bench
