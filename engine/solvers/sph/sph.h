// Implicit SPH: elastic solids, incompressible fluids and rigid bodies in one solver (Peer et al. 2018).
#pragma once
#include <memory>

#include "base/parameters.h"
#include "solvers/solver.h"
#include "solvers/sph/elastic_parameters.h"
#include "solvers/sph/forces.h"
#include "solvers/sph/pressure.h"
#include "spatial/smoothing.h"

namespace knead {

struct SphParameters {
  double dx = 0;                         // distance between particles; kernels reach 2 dx [m]
  double cfl = 0.4;                      // part of dx that the fastest particle may move in a step
  double min_dt = 1e-6, max_dt = 0.005;  // [s]
  SmoothingType kernel = SmoothingType::wendland_c2;
  bool keeps_dt = false;  // the step is the user's: it is never shortened
  ElasticParameters elasticity;
  PressureParameters pressure;
  ForceParameters forces;

  double support() const { return 2 * dx; }
  template <class Visitor> void describe(Visitor& visit) {
    visit("dx", dx, {.unit = "m", .above = 0, .required = true, .text = "Distance between particles; kernels reach twice as far."});
    visit("cfl", cfl, {.maximum = 1, .above = 0, .text = "Part of dx that the fastest particle may move in an automatic step."});
    visit("min_dt", min_dt, {.unit = "s", .above = 0, .text = "Shortest automatic step."});
    visit("max_dt", max_dt, {.unit = "s", .above = 0, .text = "Longest automatic step."});
    visit("kernel", kernel, {.text = "Smoothing kernel."});
    visit("elasticity", elasticity, {.text = "Elastic solids."});
    visit("pressure", pressure, {.text = "Incompressibility and contact."});
    visit("forces", forces, {.text = "Viscosity of motion, surface tension, drag."});
  }
};

// The world's precision and domain must not change afterwards.
std::unique_ptr<Solver> make_sph(const SphParameters& parameters, const World& world);

}  // namespace knead
