// Solvers as a scene describes them. Those that are not here yet are recognised, and answered by what is.
#pragma once
#include <array>
#include <variant>

#include "base/parameters.h"
#include "solvers/mpm/admm.h"
#include "solvers/mpm/mpm.h"
#include "solvers/sph/sph.h"

namespace knead {

enum class Integrator { explicit_euler, admm };
inline constexpr std::array<const char*, 2> enum_names(Integrator) { return {"explicit", "admm"}; }

struct MpmSolver : MpmParameters {
  static constexpr const char* name = "mpm";
  static constexpr const char* text =
      "Material point method: particles carry the material, a grid that follows them carries forces and contact.";
  Integrator integrator = Integrator::explicit_euler;
  AutoOrNumber dt;  // [s]
  AdmmParameters admm;

  double spacing() const { return dx; }
  template <class Visitor> void describe(Visitor& visit) {
    visit("integrator", integrator, {.text = "explicit: symplectic Euler; admm: implicit steps."});
    visit("dt", dt, {.unit = "s", .above = 0, .text = "Time step; auto: as long as stability and accuracy allow."});
    MpmParameters::describe(visit);
    visit("admm", admm, {.text = "The implicit integrator."});
  }
};

// What is known of solvers that are not here yet.
struct ParticleSolver {
  double dx = 0;    // [m]
  AutoOrNumber dt;  // [s]

  double spacing() const { return dx; }
  template <class Visitor> void describe(Visitor& visit) {
    visit("dx", dx, {.unit = "m", .above = 0, .required = true, .text = "Distance between particles."});
    visit("dt", dt, {.unit = "s", .above = 0, .text = "Time step; auto: as long as stability and accuracy allow."});
  }
};

struct SphSolver : SphParameters {
  static constexpr const char* name = "sph";
  static constexpr const char* text =
      "Smoothed particle hydrodynamics: implicit elastic solids, incompressible fluids and rigid bodies in one solver.";
  AutoOrNumber dt;  // [s]

  double spacing() const { return dx; }
  template <class Visitor> void describe(Visitor& visit) {
    visit("dt", dt, {.unit = "s", .above = 0, .text = "Time step; auto: as long as the speed of the particles allows."});
    SphParameters::describe(visit);
  }
};

struct PointsSolver : ParticleSolver {
  static constexpr const char* name = "points";
  static constexpr const char* text = "Point-based elastoplastic solids.";
};
struct PeridynamicsSolver : ParticleSolver {
  static constexpr const char* name = "peridynamics";
  static constexpr const char* text = "Projective peridynamics: bonds that break.";
};

using SolverSpec = std::variant<MpmSolver, SphSolver, PointsSolver, PeridynamicsSolver>;

}  // namespace knead
