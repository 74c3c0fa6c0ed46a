// Reads the particles of a State, whatever its precision, as doubles: for probes, not for solvers.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/threads.h"
#include "materials/flow.h"
#include "math/vec.h"
#include "world/state.h"
#include "world/world.h"

namespace knead {

class ParticleView {
 public:
  ParticleView(const World& world, const State& state);

  std::size_t count() const { return count_; }
  Vec3d position(std::size_t i) const { return vector(*position_, i); }
  Vec3d velocity(std::size_t i) const { return vector(*velocity_, i); }
  std::uint32_t id(std::size_t i) const { return id_[i]; }
  int body(std::size_t i) const { return world_.groups[group_[i]].body; }
  const Material& material(std::size_t i) const {
    return world_.materials[static_cast<std::size_t>(world_.bodies[static_cast<std::size_t>(body(i))].material)];
  }
  double rest_volume(std::size_t i) const { return real(*volume_, 0, i); }                          // [m^3]
  double mass(std::size_t i) const { return material(i).density * rest_volume(i); }                 // [kg]
  double volume_ratio(std::size_t i) const;                                                         // J: current volume over that at rest
  double positive_ratio(std::size_t i) const { return std::max(std::abs(volume_ratio(i)), 1e-6); }  // for an inverted one, as in frames
  double volume(std::size_t i) const { return rest_volume(i) * positive_ratio(i); }                 // [m^3]
  double elastic_energy(std::size_t i) const;                                                       // [J]
  Sym3<double> cauchy(std::size_t i) const;                                                         // [Pa], tension positive
  double plastic_strain(std::size_t i) const { return optional(plastic_strain_, i); }

  // Velocity gradient that the particle carries, and the second moment that goes with it; zero where the solver has none.
  bool has_affine() const { return affine_ != nullptr && affine_inertia_ > 0; }
  double affine_inertia() const { return affine_inertia_; }  // [m^2]
  Mat3d affine(std::size_t i) const { return matrix(*affine_, i); }

 private:
  static double real(const Column& column, int component, std::size_t i) {
    return column.type() == ScalarType::f32 ? static_cast<double>(column.data<float>(component)[i]) : column.data<double>(component)[i];
  }
  static double optional(const Column* column, std::size_t i) { return column ? real(*column, 0, i) : 0; }
  static Vec3d vector(const Column& column, std::size_t i) { return {real(column, 0, i), real(column, 1, i), real(column, 2, i)}; }
  static Sym3<double> symmetric(const Column& column, std::size_t i) {
    return {real(column, 0, i), real(column, 1, i), real(column, 2, i), real(column, 3, i), real(column, 4, i), real(column, 5, i)};
  }
  static Mat3d matrix(const Column& column, std::size_t i) {
    Mat3d value;
    for (int component = 0; component < 9; ++component) value.m[component] = real(column, component, i);
    return value;
  }

  Mat3d deformation(std::size_t i) const;  // elastic F; identity where there is none
  double ratio(std::size_t i) const;       // J of a fluid; 1 where there is none
  FlowState<double> flow(std::size_t i) const;

  const World& world_;
  std::size_t count_;
  const Column *position_, *velocity_, *volume_;
  const std::uint32_t* id_;
  const std::uint16_t* group_;
  const Column *affine_, *F_, *F_N_, *b_, *J_, *pressure_, *plastic_strain_, *plastic_volume_;
  double affine_inertia_;
};

// Sum of add(partial, particle) over all particles: partial sums of fixed runs of particles, added in order, so that the result
// does not depend on the number of threads. Sum needs a default (zero) and +=.
template <class Sum, class Add> Sum sum_particles(std::size_t count, Add&& add) {
  constexpr std::size_t run = 4096;
  std::vector<Sum> partial((count + run - 1) / run);
  parallel_for(partial.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t n = begin; n < end; ++n)
      for (std::size_t i = n * run; i < std::min(count, (n + 1) * run); ++i) add(partial[n], i);
  });
  Sum total{};
  for (const Sum& part : partial) total += part;
  return total;
}

}  // namespace knead
