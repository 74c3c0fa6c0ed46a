#include "math/wide.h"

#include <cfloat>

#include "math/samples.h"
#include "math/scale.h"

using namespace knead;

namespace {

// Distance in units in the last place of T at `exact`.
template <class T> double ulps(double value, long double exact) {
  const T rounded = static_cast<T>(std::fabs(exact));
  const T unit = std::nextafter(rounded, std::numeric_limits<T>::infinity()) - rounded;
  return static_cast<double>(std::fabs(value - exact) / unit);
}

template <class T> std::vector<T> values(std::size_t count, double low, double high, std::uint64_t seed) {
  Random random{seed};
  std::vector<T> r(count);
  for (T& x : r) x = static_cast<T>(random(low, high));
  return r;
}

}  // namespace

TEST_CASE("wide: sums, quotients and selections are those of the scalars, bit for bit") {
  for_each_implementation([]<class T>(const MathArrays<T>& arrays, const std::string& name) {
    CAPTURE(name);
    const std::size_t n = 256;
    const auto a = values<T>(n, -2, 2, 1), b = values<T>(n, -2, 2, 2);
    std::vector<T> sum(n), quotient(n), smaller(n);
    arrays.add(a.data(), b.data(), sum.data(), n);
    arrays.divide(a.data(), b.data(), quotient.data(), n);
    arrays.smaller(a.data(), b.data(), smaller.data(), n);
    int wrong = 0;
    for (std::size_t i = 0; i < n; ++i) wrong += sum[i] != a[i] + b[i] || quotient[i] != a[i] / b[i] || smaller[i] != std::min(a[i], b[i]);
    CHECK(wrong == 0);
  });
}

TEST_CASE("wide: any and all look at every lane") {
  for_each_implementation([]<class T>(const MathArrays<T>& arrays, const std::string& name) {
    CAPTURE(name);
    const std::size_t n = 16;
    const std::vector<T> zero(n, 0);
    std::vector<T> out(n);
    auto result = [&](const std::vector<T>& a, std::size_t lane) {
      arrays.any_all(a.data(), zero.data(), out.data(), n);
      return out[lane];
    };
    CHECK(result(std::vector<T>(n, 1), 0) == 0);
    CHECK(result(std::vector<T>(n, -1), 0) == 3);
    for (std::size_t lane = 0; lane < n; ++lane) {
      std::vector<T> one_negative(n, 1), one_positive(n, -1);
      one_negative[lane] = -1;
      one_positive[lane] = 1;
      CHECK(result(one_negative, lane) == (arrays.lanes == 1 ? 3 : 1));
      CHECK(result(one_positive, lane) == (arrays.lanes == 1 ? 0 : 1));
    }
  });
}

TEST_CASE("wide: floor is the integer below, at integers too") {
  for_each_implementation([]<class T>(const MathArrays<T>& arrays, const std::string& name) {
    CAPTURE(name);
    auto a = values<T>(256, -1000, 1000, 3);
    for (std::size_t i = 0; i < 64; ++i) a[i] = static_cast<T>(static_cast<int>(i) - 32);
    std::vector<T> out(a.size());
    arrays.floor(a.data(), out.data(), a.size());
    for (std::size_t i = 0; i < a.size(); ++i) CHECK(out[i] == std::floor(a[i]));
  });
}

TEST_CASE("wide: exp is within 2 units in the last place over its whole range") {
  for_each_implementation([]<class T>(const MathArrays<T>& arrays, const std::string& name) {
    CAPTURE(name);
    const double limit = sizeof(T) == 4 ? 86 : 706;
    auto a = values<T>(4096, -limit, limit, 4);
    const auto near_zero = values<T>(1024, -1e-3, 1e-3, 5);
    a.insert(a.end(), near_zero.begin(), near_zero.end());
    std::vector<T> out(a.size());
    arrays.exp(a.data(), out.data(), a.size());
    double worst = 0;
    for (std::size_t i = 0; i < a.size(); ++i) worst = std::fmax(worst, ulps<T>(out[i], std::exp(static_cast<long double>(a[i]))));
    CHECK(worst < 2);
  });
}

TEST_CASE("wide: log is within 2 units in the last place, near 1 and far from it") {
  for_each_implementation([]<class T>(const MathArrays<T>& arrays, const std::string& name) {
    CAPTURE(name);
    auto a = values<T>(4096, 1e-3, 10, 6);
    for (T x : values<T>(1024, 0.9, 1.1, 7)) a.push_back(x);
    for (T x : values<T>(1024, -85, 85, 8)) a.push_back(std::exp(x));
    std::vector<T> out(a.size());
    arrays.log(a.data(), out.data(), a.size());
    double worst = 0;
    for (std::size_t i = 0; i < a.size(); ++i) worst = std::fmax(worst, ulps<T>(out[i], std::log(static_cast<long double>(a[i]))));
    CHECK(worst < 2);
  });
}

TEST_CASE("wide: exp beyond the range stays finite and not negative") {
  for_each_implementation([]<class T>(const MathArrays<T>& arrays, const std::string& name) {
    if (arrays.lanes == 1) return;  // the scalar one is the standard library's
    CAPTURE(name);
    const std::vector<T> a(16, T(1e4)), b(16, T(-1e4));
    std::vector<T> large(16), small(16);
    arrays.exp(a.data(), large.data(), 16);
    arrays.exp(b.data(), small.data(), 16);
    CHECK(large[0] > T(1e37));
    CHECK(std::isfinite(large[0]));
    CHECK(small[0] >= 0);
    CHECK(small[0] < T(1e-37));
  });
}

TEST_CASE("scale: a binary scale is a power of two next to its number, with an exact inverse, at the ends of the range too") {
  auto check = []<class T>(T magnitude) {
    const auto scale = binary_scale(magnitude);
    const auto wide = binary_scale(Wide<T>(magnitude));
    int exponent;
    CHECK(std::frexp(scale.factor, &exponent) == T(0.5));
    CHECK(scale.factor * scale.inverse == 1);
    CHECK(std::isnormal(scale.inverse));
    CHECK(wide.factor[0] == scale.factor);
    CHECK(wide.inverse[0] == scale.inverse);
    return magnitude / scale.factor;
  };
  for (double x : {1.0, 1.5, 3.99, 1e-30, 1e30}) {
    CHECK(check(static_cast<float>(x)) >= 1);
    CHECK(check(static_cast<float>(x)) < 2);
    CHECK(check(x) >= 1);
    CHECK(check(x) < 2);
  }
  check(0.0f), check(FLT_MIN), check(0.0), check(DBL_MIN);
  CHECK(check(FLT_MAX) < 4);
  CHECK(check(DBL_MAX) < 4);
}
