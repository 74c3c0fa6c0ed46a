// What the law tests share: a visit to every law of a list with plausible parameters, and reproducible random states.
#pragma once
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/random.h"
#include "materials/material.h"

namespace knead::test {

inline Moduli sample_moduli() { return Moduli::from_young(1e5, 0.3); }

// Fills the parameters of a law that has just been added as well as those of the old ones: moduli and required stresses always,
// optional stresses when `rich`.
struct SampleVisitor {
  bool rich = false;
  std::vector<std::string> names{};
  void moduli(Moduli& value, bool = false) { value = sample_moduli(); }
  void operator()(const char* name, double& value, const ParameterInfo& info) {
    names.push_back(name);
    if (std::string(info.unit) == "Pa" && (info.required || rich)) value = 2e3;
    if (std::string(info.unit) == "Pa s^n" && rich) value = 50;  // for power 1 a relaxation time of about 1 ms
    if (std::string(info.unit) == "deg") value = 30;
  }
  template <class T> void operator()(const char* name, T&, const ParameterInfo&) { names.push_back(name); }
};

template <class Law> Law sample_law(bool rich = false) {
  Law law;
  SampleVisitor visitor{.rich = rich};
  law.describe(visitor);
  return law;
}

// Calls test(law) for every alternative of a std::variant of laws, with required parameters alone and with all.
template <class Variant, class Test, std::size_t... I> void for_each_law(Test test, std::index_sequence<I...>) {
  auto one = [&]<class Law>(const Law*) {
    INFO("law: ", std::string(Law::name));
    for (bool rich : {false, true}) test(sample_law<Law>(rich));
  };
  (one(static_cast<std::variant_alternative_t<I, Variant>*>(nullptr)), ...);
}
template <class Variant, class Test> void for_each_law(Test test) {
  for_each_law<Variant>(test, std::make_index_sequence<std::variant_size_v<Variant>>{});
}
template <class Test> void for_each_solid(Test test) {
  for_each_law<ElasticLaw>([&]<class Law>(const Law& law) {
    if constexpr (!Law::is_fluid) test(law);
  });
}

class Random {
 public:
  double uniform(double low, double high) { return low + (high - low) * random_uniform(7, 0, index_++); }
  Vec3d vector(double low, double high) { return {uniform(low, high), uniform(low, high), uniform(low, high)}; }
  Mat3d matrix(double low, double high) {
    Mat3d A;
    for (double& a : A.m) a = uniform(low, high);
    return A;
  }
  Mat3d rotation() {
    const Vec3d a = normalized(vector(-1, 1)), b = normalized(cross(a, vector(-1, 1))), c = cross(a, b);
    return {{a.x, b.x, c.x, a.y, b.y, c.y, a.z, b.z, c.z}};
  }

 private:
  std::uint64_t index_ = 0;
};

// Stretches, descending: general ones, then equal, nearly equal, nearly zero and inverted ones. Laws that clamp stretches, in the
// state too, never see any below the clamp.
template <class Law> std::vector<Vec3d> sample_stretches() {
  std::vector<Vec3d> all = {{1, 1, 1},
                            {1.3, 1.3, 1.3},
                            {1.2, 1.2, 0.8},
                            {1.5, 0.7, 0.7},
                            {1.1 + 1e-9, 1.1, 0.9},
                            {1.1 + 1e-5, 1.1, 0.9},
                            {1.2, 0.9, 0.9 - 1e-7},
                            {1, 1, 1e-3},
                            {2, 1e-2, 1e-2},
                            {3, 0.5, 2e-3},
                            {1.1, 1, 1e-4},
                            {1.2, 0.9, -1e-3},
                            {1.2, 0.9, -0.4},
                            {1, 1, -1},
                            {0.3, 0.02, -0.01}};
  Random random;
  for (int k = 0; k < 50; ++k) {
    Vec3d s = random.vector(0.3, 2.5);
    if (s.x < s.y) std::swap(s.x, s.y);
    if (s.y < s.z) std::swap(s.y, s.z);
    if (s.x < s.y) std::swap(s.x, s.y);
    all.push_back(s);
  }
  if constexpr (requires { Law::smallest_stretch; }) std::erase_if(all, [](const Vec3d& s) { return s.z < 2 * Law::smallest_stretch; });
  return all;
}

inline double largest(const Mat3d& A) { return std::sqrt(norm_squared(A)); }
inline double largest(const Sym3<double>& A) { return std::sqrt(norm_squared(A)); }

template <class S> Vec3<S> cast(const Vec3d& v) { return {S(v.x), S(v.y), S(v.z)}; }

}  // namespace knead::test
