#include "simulation/particle_view.h"

#include "materials/response.h"

namespace knead {

ParticleView::ParticleView(const World& world, const State& state)
    : world_(world),
      count_(state.count),
      position_(&state.column("position")),
      velocity_(&state.column("velocity")),
      volume_(&state.column("volume")),
      id_(state.column("id").data<std::uint32_t>()),
      group_(state.column("group").data<std::uint16_t>()),
      affine_(state.find("C")),
      F_(state.find("F")),
      F_N_(state.find("F_N")),
      b_(state.find("b")),
      J_(state.find("J")),
      pressure_(state.find("pressure")),
      plastic_strain_(state.find("plastic_strain")),
      plastic_volume_(state.find("plastic_volume")),
      affine_inertia_(state.affine_inertia) {}

double ParticleView::volume_ratio(std::size_t i) const { return knead::volume_ratio(material(i), deformation(i), ratio(i), flow(i)); }

double ParticleView::elastic_energy(std::size_t i) const {
  const double branch = (F_N_ ? branch_energy(material(i), matrix(*F_N_, i)) : 0) + (b_ ? flow_energy(material(i), symmetric(*b_, i)) : 0);
  return rest_volume(i) * (knead::elastic_energy(material(i), deformation(i), ratio(i), flow(i)) + branch);
}

Sym3<double> ParticleView::cauchy(std::size_t i) const {
  const Mat3d gradient = affine_ ? affine(i) : Mat3d{};
  Sym3<double> branch = F_N_ ? branch_stress(material(i), matrix(*F_N_, i)) : Sym3<double>{};
  if (b_) branch = branch + flow_stress(material(i), symmetric(*b_, i));
  const Sym3<double> elastic =
      (kirchhoff_stress(material(i), deformation(i), ratio(i), flow(i), gradient) + branch) * (1 / positive_ratio(i));
  return pressure_ ? elastic - isotropic(real(*pressure_, 0, i)) : elastic;
}

Mat3d ParticleView::deformation(std::size_t i) const { return F_ ? matrix(*F_, i) : Mat3d::identity(); }
double ParticleView::ratio(std::size_t i) const { return J_ ? real(*J_, 0, i) : 1; }
FlowState<double> ParticleView::flow(std::size_t i) const { return {optional(plastic_strain_, i), optional(plastic_volume_, i)}; }

}  // namespace knead
