// What a whole material answers, in double precision: for output, probes and checks of a scene. Kernels call the laws themselves.
#pragma once
#include <string>

#include "materials/material.h"

namespace knead {

bool is_fluid(const Material& material);
bool uses_plastic_strain(const Material& material);
bool uses_plastic_volume(const Material& material);

// Empty, or one sentence: why elasticity and plasticity do not go together, and what would.
std::string incompatibility(const Material& material);

// Current over rest volume. F is the elastic deformation gradient of a solid, J the volume ratio of a fluid; the other is not read.
double volume_ratio(const Material& material, const Mat3d& F, double J, const FlowState<double>& flow);

// Elastic stress plus the Newtonian J 2 eta dev(sym grad v) [Pa]; Cauchy stress is this divided by volume_ratio.
Sym3<double> kirchhoff_stress(const Material& material, const Mat3d& F, double J, const FlowState<double>& flow,
                              const Mat3d& velocity_gradient);

// Per rest volume [J/m^3].
double elastic_energy(const Material& material, const Mat3d& F, double J, const FlowState<double>& flow);

// What the flowing branch of the generalized material adds to both, b its isochoric left Cauchy-Green tensor; nothing for others.
Sym3<double> flow_stress(const Material& material, const Sym3<double>& b);
double flow_energy(const Material& material, const Sym3<double>& b);

// What the viscoelastic branch adds to both, F_N its elastic deformation gradient; nothing for a material without one.
Sym3<double> branch_stress(const Material& material, const Mat3d& F_N);
double branch_energy(const Material& material, const Mat3d& F_N);

// rho0 c^2 of the fastest wave: now, and at rest [Pa].
double wave_modulus(const Material& material, const Mat3d& F, double J, const FlowState<double>& flow);
double rest_wave_modulus(const Material& material);  // with the viscoelastic branch, which is unrelaxed for a fast wave

// Signed principal stretches of F, descending, the last one with the sign of det F; the columns of `axes` are their spatial directions.
void principal_stretches(const Mat3d& F, Vec3d& sigma, Mat3d& axes);

}  // namespace knead
