#include "materials/response.h"

#include <cmath>

#include "math/eigen.h"

namespace knead {

namespace {
double stiffness(const Material& material, const FlowState<double>& flow) {
  return std::visit([&](const auto& law) { return law.stiffness(flow); }, material.plasticity);
}

// The generalized law without its flowing branch's shape. J_e is the volume ratio of the elastic branch, J that of the whole.
struct GeneralizedState {
  Sym3<double> b = isotropic(1.0);
  double J_e, J, stiffness;
  GeneralizedState(const Generalized& law, const Mat3d& F, double ratio, const FlowState<double>& flow) {
    J_e = law.keeps_shape() ? determinant(F) : ratio;
    J = law.is_limited() ? J_e * std::exp(flow.plastic_volume) : J_e;
    stiffness = law.is_limited() ? law.limits().stiffness(flow) : 1.0;
    if (law.keeps_shape()) b = Generalized::isochoric(F, J_e);
  }
};
Sym3<double> generalized_stress(const Generalized& law, const GeneralizedState& at) {
  const double pressure =
      at.stiffness * Generalized::volume_stress(law.bulk_modulus_i, at.J_e) + Generalized::volume_stress(law.bulk_modulus_d, at.J);
  return deviator(at.b) * (law.shear_modulus_i * at.stiffness) + isotropic(pressure);
}
double generalized_energy(const Generalized& law, const GeneralizedState& at) {
  return at.stiffness * (Generalized::volume_energy(law.bulk_modulus_i, at.J_e) + 0.5 * law.shear_modulus_i * (trace(at.b) - 3)) +
         Generalized::volume_energy(law.bulk_modulus_d, at.J);
}
double generalized_modulus(const Generalized& law, const GeneralizedState& at) {
  const Generalized::ShapeModulus<double> shape(law.shear_modulus_i, at.b);
  return at.stiffness * max(Generalized::volume_modulus(law.bulk_modulus_i, at.J_e) + shape.along, shape.across) +
         Generalized::volume_modulus(law.bulk_modulus_d, at.J);
}

template <class Law> std::string quoted(const Law&) { return std::string("\"") + Law::name + "\""; }
}  // namespace

bool is_fluid(const Material& material) {
  if (material.generalized) return !material.generalized->keeps_shape();
  return std::visit([](const auto& law) { return std::decay_t<decltype(law)>::is_fluid; }, material.elasticity);
}
bool uses_plastic_strain(const Material& material) {
  if (const auto& law = material.generalized) return law->is_limited() || law->flows() || law->changes;
  return std::visit([](const auto& law) { return std::decay_t<decltype(law)>::uses_plastic_strain; }, material.plasticity);
}
bool uses_plastic_volume(const Material& material) {
  if (material.generalized) return material.generalized->is_limited();
  return std::visit([](const auto& law) { return std::decay_t<decltype(law)>::uses_plastic_volume; }, material.plasticity);
}

std::string incompatibility(const Material& material) {
  if (material.generalized) return "";
  return std::visit(
      [](const auto& elastic, const auto& flow) -> std::string {
        using Elastic = std::decay_t<decltype(elastic)>;
        using Flow = std::decay_t<decltype(flow)>;
        if constexpr (compatible<Elastic, Flow>()) return "";
        else if constexpr (Elastic::is_fluid)
          return "plasticity " + quoted(flow) + " needs a solid, and elasticity " + quoted(elastic) +
                 " is a fluid; leave the plasticity out, or use elasticity " + quoted(Hencky{}) + ".";
        else
          return "plasticity " + quoted(flow) + " is formulated in logarithmic strain and goes with elasticity " + quoted(Hencky{}) +
                 ", not with " + quoted(elastic) + ".";
      },
      material.elasticity, material.plasticity);
}

void principal_stretches(const Mat3d& F, Vec3d& sigma, Mat3d& axes) {
  eigen_symmetric(left_cauchy_green(F), sigma, axes);
  for (int i = 0; i < 3; ++i) sigma[i] = std::sqrt(max(sigma[i], 1e-30));
  sigma.z = determinant(F) / (sigma.x * sigma.y);  // more accurate than the root of the smallest eigenvalue, and carries the sign
}

double volume_ratio(const Material& material, const Mat3d& F, double J, const FlowState<double>& flow) {
  if (is_fluid(material)) return J;
  return uses_plastic_volume(material) ? determinant(F) * std::exp(flow.plastic_volume) : determinant(F);
}

Sym3<double> kirchhoff_stress(const Material& material, const Mat3d& F, double J, const FlowState<double>& flow,
                              const Mat3d& velocity_gradient) {
  Sym3<double> tau;
  if (material.generalized) tau = generalized_stress(*material.generalized, {*material.generalized, F, J, flow});
  else
    tau = std::visit(
        [&](const auto& law) -> Sym3<double> {
          if constexpr (std::decay_t<decltype(law)>::is_fluid) {
            return isotropic(law.kirchhoff(J));
          } else {
            Vec3d sigma;
            Mat3d axes;
            principal_stretches(F, sigma, axes);
            return compose(axes, law.kirchhoff(sigma)) * stiffness(material, flow);
          }
        },
        material.elasticity);
  if (material.viscosity != 0) {
    // An inverted volume must not turn damping into driving.
    const double ratio = max(volume_ratio(material, F, J, flow), 0.0);
    tau = tau + deviator(symmetric_part(velocity_gradient)) * (2 * material.viscosity * ratio);
  }
  return tau;
}

double elastic_energy(const Material& material, const Mat3d& F, double J, const FlowState<double>& flow) {
  if (material.generalized) return generalized_energy(*material.generalized, {*material.generalized, F, J, flow});
  return std::visit(
      [&](const auto& law) -> double {
        if constexpr (std::decay_t<decltype(law)>::is_fluid) {
          return law.energy(J);
        } else {
          Vec3d sigma;
          Mat3d axes;
          principal_stretches(F, sigma, axes);
          return law.energy(sigma) * stiffness(material, flow);
        }
      },
      material.elasticity);
}

double wave_modulus(const Material& material, const Mat3d& F, double J, const FlowState<double>& flow) {
  if (material.generalized) return generalized_modulus(*material.generalized, {*material.generalized, F, J, flow});
  return std::visit(
      [&](const auto& law) -> double {
        if constexpr (std::decay_t<decltype(law)>::is_fluid) {
          return law.wave_modulus(J);
        } else {
          Vec3d sigma;
          Mat3d axes;
          principal_stretches(F, sigma, axes);
          return law.wave_modulus(sigma) * stiffness(material, flow);
        }
      },
      material.elasticity);
}

double rest_wave_modulus(const Material& material) {
  const double flowing = material.generalized ? material.generalized->shear_modulus_d * (4.0 / 3.0) : 0.0;
  return wave_modulus(material, Mat3d::identity(), 1.0, {}) + flowing +
         (material.viscoelasticity ? material.viscoelasticity->moduli.p_wave() : 0.0);
}

Sym3<double> flow_stress(const Material& material, const Sym3<double>& b) {
  return material.generalized ? deviator(b) * material.generalized->shear_modulus_d : Sym3<double>{};
}
// What flowed has a determinant that differs from 1 until the next step: it is 1 in the energy.
double flow_energy(const Material& material, const Sym3<double>& b) {
  if (!material.generalized) return 0;
  return 0.5 * material.generalized->shear_modulus_d * (trace(b) / std::cbrt(max(determinant(to_matrix(b)), 1e-12)) - 3);
}

Sym3<double> branch_stress(const Material& material, const Mat3d& F_N) {
  if (!material.viscoelasticity) return {};
  Vec3d sigma;
  Mat3d axes;
  principal_stretches(F_N, sigma, axes);
  return compose(axes, material.viscoelasticity->spring().kirchhoff(sigma));
}

double branch_energy(const Material& material, const Mat3d& F_N) {
  if (!material.viscoelasticity) return 0;
  Vec3d sigma;
  Mat3d axes;
  principal_stretches(F_N, sigma, axes);
  return material.viscoelasticity->spring().energy(sigma);
}

}  // namespace knead
