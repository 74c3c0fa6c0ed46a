// The suite that every flow law passes, old or new.
#include "law_suite.h"
#include "math/wide.h"

using namespace knead;
using namespace knead::test;

namespace {
// Strains on both sides of yield for the sample parameters (yield strains near 0.01), among them equal and nearly equal ones.
std::vector<Vec3d> sample_strains() {
  std::vector<Vec3d> all = {{0, 0, 0},           {0.05, 0.05, 0.05},          {-0.05, -0.05, -0.05},
                            {0.02, 0.02, -0.06}, {-0.02, -0.02 - 1e-9, -0.1}, {0.3, -0.2, -0.9}};
  Random random;
  for (double size : {0.001, 0.01, 0.1, 1.0})
    for (int k = 0; k < 40; ++k) all.push_back(random.vector(-size, size) - Vec3d{0.3, 0.3, 0.3} * (k % 3 * size));
  return all;
}
constexpr double step = 2e-3;  // [s]
std::vector<FlowState<double>> sample_states(bool uses_volume) {
  if (!uses_volume) return {{0, 0, step}, {0.1, 0, step}};
  return {{0, 0, step}, {0.1, 0, step}, {0.2, 0.05, step}};
}
// A law whose flow takes time is not done after one return.
template <class Law> bool is_rate_dependent(const Law& law) {
  if constexpr (requires { law.consistency; }) return law.consistency > 0;
  else return false;
}
bool same(double a, double b, double tolerance) { return std::abs(a - b) <= tolerance * (1 + std::abs(a) + std::abs(b)); }
}  // namespace

TEST_CASE("Every flow law: an undeformed particle does not flow") {
  for_each_law<FlowLaw>([](const auto& law) {
    FlowState<double> state{0, 0, step};
    CHECK(length(law.return_map(sample_moduli(), Vec3d{}, state)) < 1e-15);
    CHECK(state.plastic_strain == 0);
    CHECK(std::abs(state.plastic_volume) < 1e-15);
    CHECK(law.stiffness(state) == 1);
  });
}

TEST_CASE("Every flow law: returning twice changes nothing") {
  for_each_law<FlowLaw>([]<class Law>(const Law& law) {
    if (is_rate_dependent(law)) return;
    for (const FlowState<double>& before : sample_states(Law::uses_plastic_volume))
      for (const Vec3d& eps : sample_strains()) {
        FlowState<double> first = before;
        const Vec3d H = law.return_map(sample_moduli(), eps, first);
        FlowState<double> second = first;
        const Vec3d again = law.return_map(sample_moduli(), H, second);
        CHECK(length(again - H) < 1e-13 * (1 + length(eps)));
        CHECK(same(second.plastic_strain, first.plastic_strain, 1e-13));
        CHECK(same(second.plastic_volume, first.plastic_volume, 1e-13));
      }
  });
}

TEST_CASE("Rate-dependent flow laws: no flow in no time, less in every step of a rest, and in the end none") {
  for (double power : {0.3, 0.5, 1.0, 1.7, 2.0, 4.0}) {
    const HerschelBulkley law{.yield_stress = 2e3, .consistency = 50, .power = power};
    for (const Vec3d& eps : sample_strains()) {
      FlowState<double> state{};
      CHECK(length(law.return_map(sample_moduli(), eps, state) - eps) < 1e-15 * (1 + length(eps)));
      CHECK(state.plastic_strain == 0);
      state.dt = step;
      Vec3d H = eps;
      double last = 1e30;
      for (int k = 0; k < 20; ++k) {
        const double before = state.plastic_strain;
        H = law.return_map(sample_moduli(), H, state);
        CHECK(state.plastic_strain - before <= last * (1 + 1e-9));
        last = state.plastic_strain - before;
      }
      state.dt = 1e9;
      H = law.return_map(sample_moduli(), H, state);
      CHECK(2 * sample_moduli().mu * std::sqrt(1.5) * equivalent_strain(H) <= std::sqrt(2.0 / 3.0) * 2e3 * (1 + 1e-2));
    }
  }
}

TEST_CASE("Every flow law: the plastic strain never shrinks, and volume is kept or accounted for") {
  for_each_law<FlowLaw>([]<class Law>(const Law& law) {
    for (const FlowState<double>& before : sample_states(Law::uses_plastic_volume))
      for (const Vec3d& eps : sample_strains()) {
        FlowState<double> after = before;
        const Vec3d H = law.return_map(sample_moduli(), eps, after);
        CHECK(after.plastic_strain >= before.plastic_strain);
        CHECK(same(sum(H) + after.plastic_volume, sum(eps) + before.plastic_volume, 1e-13));
        CHECK(same(after.plastic_strain - before.plastic_strain, equivalent_strain(eps - H), 1e-13));
      }
  });
}

// Work of the stress after the return on the plastic increment. The snow clamp acts on each stretch alone and ignores Poisson's effect:
// it is dissipative without that coupling only, and tested so.
TEST_CASE("Every flow law: plastic work is not negative") {
  for_each_law<FlowLaw>([]<class Law>(const Law& law) {
    const Moduli moduli = Law::needs_hencky ? sample_moduli() : Moduli{1e5, 0};
    for (const Vec3d& eps : sample_strains()) {
      FlowState<double> state{0, 0, step};
      const Vec3d H = law.return_map(moduli, eps, state);
      const double pressure = moduli.lambda * sum(H);
      const Vec3d tau = H * (2 * moduli.mu) + Vec3d{pressure, pressure, pressure};
      CHECK(dot(tau, eps - H) >= -1e-12 * moduli.mu * (1 + dot(eps, eps)));
    }
  });
}

// A step of 1e-6 errs by 1e-9 where the map is smooth; strains within a step of a kink show as one-sided slopes that differ.
TEST_CASE("Every flow law: the derivative of the return map agrees with finite differences on both sides of yield") {
  for_each_law<FlowLaw>([]<class Law>(const Law& law) {
    int kinks = 0, checked = 0;
    for (const FlowState<double>& before : sample_states(Law::uses_plastic_volume))
      for (const Vec3d& eps : sample_strains()) {
        const Mat3d D = law.return_map_derivative(sample_moduli(), eps, before);
        auto map = [&](int axis, double change) {
          Vec3d moved = eps;
          moved[axis] += change;
          FlowState<double> state = before;
          return law.return_map(sample_moduli(), moved, state);
        };
        for (int j = 0; j < 3; ++j) {
          const Vec3d low = map(j, -1e-6), middle = map(j, 0), high = map(j, 1e-6);
          if (length(high - middle * 2.0 + low) > 1e-3 * 1e-6) {
            ++kinks;
            continue;
          }
          const Vec3d difference = (high - low) * (1 / 2e-6);
          for (int i = 0; i < 3; ++i) CHECK(std::abs(difference[i] - D(i, j)) < 1e-6 * (1 + largest(D)));
          ++checked;
        }
      }
    CHECK(kinks < checked / 20);
  });
}

TEST_CASE("Every flow law: float and wide agree with double") {
  for_each_law<FlowLaw>([]<class Law>(const Law& law) {
    using W = Wide<float>;
    for (const FlowState<double>& before : sample_states(Law::uses_plastic_volume))
      for (const Vec3d& eps : sample_strains()) {
        FlowState<double> state = before;
        FlowState<float> single{static_cast<float>(before.plastic_strain), static_cast<float>(before.plastic_volume), before.dt};
        FlowState<W> wide{W(before.plastic_strain), W(before.plastic_volume), before.dt};
        const Vec3d H = law.return_map(sample_moduli(), eps, state);
        const Vec3f H_single = law.return_map(sample_moduli(), cast<float>(eps), single);
        const Vec3<W> H_wide = law.return_map(sample_moduli(), cast<W>(eps), wide);
        const double tolerance = 1e-6 * (1 + length(eps));
        for (int i = 0; i < 3; ++i) {
          CHECK(std::abs(H_single[i] - H[i]) < tolerance);
          CHECK(std::abs(H_wide[i][0] - H[i]) < tolerance);
        }
        CHECK(std::abs(wide.plastic_strain[1] - state.plastic_strain) < tolerance);
        CHECK(std::abs(wide.plastic_volume[1] - state.plastic_volume) < tolerance);
        CHECK(law.stiffness(wide)[0] == doctest::Approx(law.stiffness(state)).epsilon(1e-5));
      }
  });
}

TEST_CASE("Every flow law: vanishing moduli and extreme strains have finite answers in single precision") {
  for_each_law<FlowLaw>([](const auto& law) {
    for (const Moduli& moduli : {Moduli{0, 0}, Moduli{0, 1e5}, Moduli{1e5, -2e5 / 3}, Moduli{1e9, 1e9}})
      for (const Vec3f& eps : {Vec3f{0, 0, 0}, Vec3f{80, 80, 80}, Vec3f{-9, -9, -9}, Vec3f{80, 0, -9}, Vec3f{1e-20f, 0, 0}}) {
        FlowState<float> state{100, 100, step};
        float total = sum(law.return_map(moduli, eps, state)) + state.plastic_strain + state.plastic_volume + law.stiffness(state);
        for (float d : law.return_map_derivative(moduli, eps, FlowState<float>{100, 100, step}).m) total += d;
        CHECK(std::isfinite(total));
      }
  });
}
