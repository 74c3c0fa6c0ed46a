// Material points: the stress and update kernels of the solver alone, driven by a velocity gradient.
#pragma once
#include <algorithm>
#include <vector>

#include "materials/material.h"
#include "solvers/mpm/kernels.h"

namespace knead::test {

template <class T> struct Points {
  static_assert(29 < chunk_particles);
  static constexpr int count = 29, slack = 64;  // not a whole number of registers, and room to read behind it
  std::vector<std::vector<T>> columns = std::vector<std::vector<T>>(28, std::vector<T>(count + slack, T(0)));
  MpmContext<T> context{};
  GroupLaw<T> group{};
  std::vector<T> tau = std::vector<T>(6 * chunk_particles);

  Points(const Material& material, const char* instruction_set = nullptr) {
    const MpmKernels<T>& kernels = mpm_kernels<T>(instruction_set);
    const std::size_t e = material.elasticity.index(), f = material.plasticity.index();
    group = {std::visit([](const auto& law) -> const void* { return &law; }, material.elasticity),
             std::visit([](const auto& law) -> const void* { return &law; }, material.plasticity),
             nullptr,
             kernels.stress[e][f],
             kernels.update[e][f],
             kernels.implicit[e][f],
             T(material.density),
             T(material.viscosity),
             0};
    if (material.generalized) {
      group.elasticity = &*material.generalized;
      group.stress = kernels.generalized_stress, group.update = kernels.generalized_update;
    }
    for (int k = 0; k < 6; ++k) context.particles.b[k] = columns[22 + k].data();
    for (int k = 0; k < 3; ++k) std::fill(columns[22 + k].begin(), columns[22 + k].end(), T(1));
    for (int k = 0; k < 9; ++k) context.particles.C[k] = columns[k].data(), context.particles.F[k] = columns[9 + k].data();
    for (int k = 0; k < 9; k += 4) std::fill(columns[9 + k].begin(), columns[9 + k].end(), T(1));
    context.particles.J = columns[18].data();
    context.particles.plastic_strain = columns[19].data();
    context.particles.plastic_volume = columns[20].data();
    std::fill(columns[18].begin(), columns[18].end(), T(1));
  }
  void set_F(int particle, const Mat3d& F) {
    for (int k = 0; k < 9; ++k) context.particles.F[k][particle] = T(F.m[k]);
  }
  Mat3d F(int particle) const {
    Mat3d r;
    for (int k = 0; k < 9; ++k) r.m[k] = double(context.particles.F[k][particle]);
    return r;
  }
  void drive(const Mat3d& gradient, double dt) {
    context.dt = T(dt);
    for (int k = 0; k < 9; ++k) std::fill_n(context.particles.C[k], count, T(gradient.m[k]));
    group.update(context, group, 0, count);
  }
  Sym3<double> stress(int particle) {
    group.stress(context, group, 0, count, tau.data());
    auto at = [&](int c) { return double(tau[c * chunk_particles + particle]); };
    return {at(0), at(1), at(2), at(3), at(4), at(5)};
  }
};

}  // namespace knead::test
