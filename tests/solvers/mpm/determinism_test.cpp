// The same bytes, whatever the threads and whenever the solver was built; the same numbers for every instruction set.
#include <cstdlib>

#include "base/threads.h"
#include "setup.h"

using namespace knead;
using namespace knead::test;

namespace {

// Bodies of every kind that fall onto a floor and each other: sorts, contact, pins, plastic flow.
MpmCase crowd(Precision precision, TransferType transfer = TransferType::apic) {
  MpmCase c(0.1, precision);
  c.parameters.transfer.type = transfer;
  c.world.gravity = Vec3d{0, -9.81, 0};
  c.add_floor(Contact::separate, 0.4);
  Motion turn;
  turn.angular_velocity = {0, 1, 0};
  const int pin = c.add_collider(make_primitive(Box{{-0.9, 0.7, -0.9}, {-0.6, 1.3, 1.9}}), Contact::sticky, 0, turn);
  const Moduli moduli = Moduli::from_young(2e5, 0.3);
  const VelocityField fast = [](const Vec3d& x) { return Vec3d{2 * x.y, -3, x.x}; };
  const int held = c.add_body(solid(FixedCorotated{moduli}), pin);
  c.fill(held, {-0.9, 0.8, -0.1}, {-0.6, 1.2, 0.3});
  c.fill(c.add_group(0, -1), {-0.6, 0.8, -0.1}, {0.2, 1.2, 0.3});
  c.add_box(solid(Hencky{moduli}, 1600, DruckerPrager{30, 0, ConeMatch::compression}), {-0.5, 0.1, -0.3}, {0.5, 0.5, 0.3}, fast);
  c.add_box(solid(Hencky{moduli}, 2700, VonMises{2e3, 1e4}), {0.3, 0.7, -0.3}, {0.7, 1.1, 0.3}, fast);
  c.add_box(solid(NeoHookean{moduli}, 400, Snow{}), {0.8, 0.2, -0.3}, {1.2, 0.6, 0.3}, fast);
  c.add_box(fluid(1e5, 5), {0.8, 0.8, -0.3}, {1.2, 1.2, 0.3}, fast, 3);
  c.start();
  return c;
}

void advance(MpmCase& c, int count) {
  for (int k = 0; k < count; ++k) REQUIRE(c.step(c.solver->stable_dt(c.world, c.state).dt).status == StepStatus::ok);
}

}  // namespace

TEST_CASE("mpm: one and two threads give the same bytes") {
  for (const Precision precision : {Precision::single, Precision::real_double})
    for (const TransferType transfer : {TransferType::apic, TransferType::flip}) {
      std::vector<unsigned char> result[3];
      for (const int threads : {1, 2}) {
        set_thread_count(threads);
        MpmCase c = crowd(precision, transfer);
        advance(c, 120);
        result[threads] = bytes_of(c.state);
      }
      set_thread_count(0);
      CHECK(result[1] == result[2]);
    }
}

TEST_CASE("mpm: destroying and rebuilding the solver between any two steps gives the same bytes, also when particles are sorted") {
  MpmCase kept = crowd(Precision::single), rebuilt = crowd(Precision::single);
  int sorts = 0;
  for (int k = 0; k < 120; ++k) {
    sorts += !kept.state.order.valid;
    advance(kept, 1);
    rebuilt.solver = make_mpm(rebuilt.parameters, rebuilt.world);
    advance(rebuilt, 1);
    REQUIRE(bytes_of(kept.state) == bytes_of(rebuilt.state));
  }
  CHECK(sorts >= 3);
}

TEST_CASE("mpm: every instruction set gives the same numbers up to rounding") {
  for (const Precision precision : {Precision::single, Precision::real_double}) {
    std::vector<MpmCase> cases;
    for (const char* set : {"baseline", "avx2", "avx512"}) {
      setenv("KNEAD_INSTRUCTION_SET", set, 1);
      cases.push_back(crowd(precision));
      advance(cases.back(), 10);
    }
    unsetenv("KNEAD_INSTRUCTION_SET");
    for (std::size_t other : {1u, 2u}) {
      const MpmCase &a = cases[0], &b = cases[other];
      REQUIRE(a.state.count == b.state.count);
      double velocity = 0, strain = 0;
      for (std::size_t i = 0; i < a.state.count; ++i) {
        REQUIRE(a.scalar("id", i) == b.scalar("id", i));
        velocity = std::max(velocity, length(a.v(i) - b.v(i)));
        strain = std::max(strain, std::sqrt(norm_squared(a.matrix("F", i) - b.matrix("F", i))));
      }
      // Speeds are of order 5 m/s, and strains of order 0.1 make stresses that double rounding errors a few times.
      CHECK(velocity < (precision == Precision::single ? 1e-3 : 1e-12));
      CHECK(strain < (precision == Precision::single ? 1e-4 : 1e-13));
    }
  }
}

namespace {
// Fills the stack that the next calls will use with bytes that are NaN as float and as double.
[[gnu::noinline]] void poison_stack() {
  unsigned char waste[100000];
  std::memset(waste, 0xff, sizeof waste);
  asm volatile("" : : "r"(waste) : "memory");
}

// A collider that is nowhere. The solver asks it between its two halves, when the first has left its numbers on the stack.
class Poison final : public Shape {
 public:
  double distance(const Vec3d&) const override {
    poison_stack();
    return 1e9;
  }
  Bounds3 bounds() const override { return {}; }
};
}  // namespace

TEST_CASE("mpm: what happens to be on the stack does not matter") {
  set_thread_count(1);  // the loops then run on this stack
  for (const char* set : {"baseline", "avx2", "avx512"})
    for (const Precision precision : {Precision::single, Precision::real_double}) {
      setenv("KNEAD_INSTRUCTION_SET", set, 1);
      MpmCase clean = crowd(precision, TransferType::flip), poisoned = crowd(precision, TransferType::flip);
      poisoned.add_collider(std::make_shared<Poison>(), Contact::sticky);
      for (int k = 0; k < 40; ++k) {
        advance(clean, 1);
        poison_stack();
        advance(poisoned, 1);
      }
      poisoned.state.collider_force.pop_back();
      CAPTURE(set);
      CHECK(bytes_of(clean.state) == bytes_of(poisoned.state));
      CHECK(all_finite(poisoned));
    }
  unsetenv("KNEAD_INSTRUCTION_SET");
  set_thread_count(0);
}
