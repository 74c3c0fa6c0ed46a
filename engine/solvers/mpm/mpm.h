// Explicit MLS-MPM with quadratic B-splines on a sparse grid that follows the particles.
#pragma once
#include <memory>

#include "base/parameters.h"
#include "solvers/mpm/kernels.h"
#include "solvers/solver.h"

namespace knead {

struct Transfer {
  TransferType type = TransferType::apic;
  double flip_ratio = 0.95;  // share of FLIP in `flip`; the rest is PIC
  int rpic_iterations = 0;   // extra RPIC round trips per step

  template <class Visitor> void describe(Visitor& visit) {
    visit("type", type,
          {.text = "apic: affine, keeps angular momentum; rpic: rigid, damps shear; pic: strong damping; flip: little damping, noisy."});
    visit("flip_ratio", flip_ratio, {.minimum = 0, .maximum = 1, .text = "Share of FLIP in the blend of `flip`; the rest is PIC."});
    visit("rpic_iterations", rpic_iterations,
          {.minimum = 0, .text = "Extra RPIC round trips per step, each a kinematic viscosity of dx^2/(8 dt)."});
  }
};

struct MpmParameters {
  double dx = 0;     // grid spacing [m]
  double cfl = 0.4;  // part of a cell that the fastest wave, carried by the fastest particle, may cross in a step
  Transfer transfer;

  template <class Visitor> void describe(Visitor& visit) {
    visit("dx", dx, {.unit = "m", .above = 0, .required = true, .text = "Spacing of the grid."});
    visit("cfl", cfl,
          {.maximum = 1,
           .above = 0,
           .text = "Part of a cell that the fastest wave, carried by the fastest particle, may cross in an automatic step."});
    visit("transfer", transfer, {.text = "How velocities go between particles and grid."});
  }
};

// The world's precision and domain must not change afterwards.
std::unique_ptr<Solver> make_mpm(const MpmParameters& parameters, const World& world);

}  // namespace knead
