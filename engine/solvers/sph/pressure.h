// Incompressibility: implicit incompressible SPH (Ihmsen et al. 2014) on number densities (Solenthaler and Pajarola 2008), so that
// phases of different density meet sharply, with volume-weighted boundaries (Akinci et al. 2012). See docs/solvers/sph-fluid.md.
#pragma once
#include <vector>

#include "base/parameters.h"
#include "math/vec.h"
#include "solvers/sph/pairs.h"
#include "solvers/sph/rigid_response.h"

namespace knead {

struct PressureParameters {
  static constexpr const char* definition = "sph_pressure";  // in the schema
  double tolerance = 0.001;
  int max_iterations = 200;
  double relaxation = 0.5;
  template <class Visitor> void describe(Visitor& visit) {
    visit("tolerance", tolerance,
          {.maximum = 1, .above = 0, .text = "The pressure solve ends when the mean compression under pressure is below this."});
    visit("max_iterations", max_iterations, {.minimum = 2, .text = "Most iterations of the pressure solve."});
    visit("relaxation", relaxation, {.maximum = 1, .above = 0, .text = "Part of the Jacobi step that is taken."});
  }
};

struct PressureResult {
  int iterations = 0;
  double density_error = 0;  // mean relative compression of the particles under pressure, at the end; NaN if the solve broke
};

// Force and torque about the origin, on each owner of boundary samples [N, N m].
struct SphLoads {
  std::vector<Vec3d> force, torque;
};

template <class T> class PressureSolver {
 public:
  // `v` before and after [m/s]; `multiplier` lambda = p / n^2 of the last step and of this one [Pa]. `rest_number`: s times the number
  // density at which a particle is at rest, if that is more than that of a lattice of its volume (null: never). Friction with the
  // boundary acts at the end. Adds to the loads.
  PressureResult solve(const SphContext<T>& context, const PressureParameters& parameters, SmoothingType smoothing,
                       const SphPairs<T>& pairs, const T* rest_number, T* const v[3], T* multiplier, SphLoads& loads);

  // The pressure that these multipliers exert [Pa]: a third of the trace of the virial of the forces per volume, which in a fluid at
  // rest is what carries its weight.
  void pressures(const SphContext<T>& context, const SphPairs<T>& pairs, const T* multiplier, T* pressure) const;

 private:
  void set_up(const SphContext<T>& context, SmoothingType smoothing, const SphPairs<T>& pairs, const T* rest_number, T* const v[3],
              const T* multiplier);
  void accelerate(const SphContext<T>& context, const SphPairs<T>& pairs);
  double correct(const SphContext<T>& context, const SphPairs<T>& pairs, T relaxation);  // returns the density error
  void finish(const SphContext<T>& context, const SphPairs<T>& pairs, T* const v[3], T* multiplier, SphLoads& loads);

  std::vector<T> lambda_;          // p_i / n_i^2 [Pa]
  std::vector<T> rest_;            // n0_i
  std::vector<T> advected_;        // n0 - n^adv, relative to n0 < 0: compressed
  std::vector<T> step_;            // relaxation-free Jacobi factor -1 / A_ii, 0 where nothing can be done
  std::vector<T> mobility_;        // dt s / m; 0 of held particles
  std::vector<Quad<T>> gradient_;  // q_i: sum_j s grad W_ij + s / V_i sum_b V_b grad W_ib
  std::vector<Quad<T>> change_;    // dt a_i^p
  std::vector<Quad<T>> velocity_;
  struct Partial {
    double error = 0;
    std::size_t active = 0;
  };
  std::vector<Partial> partial_;
  RigidResponse<T> response_;
  std::vector<Vec3d> owner_force_, owner_torque_;  // per chunk and owner
};

}  // namespace knead
