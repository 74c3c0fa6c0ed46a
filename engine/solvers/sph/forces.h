// Forces between particles other than elasticity and pressure: viscosity, surface tension, adhesion, and the drag of the air.
#pragma once
#include <array>
#include <vector>

#include "base/parameters.h"
#include "math/vec.h"
#include "solvers/sph/pairs.h"

namespace knead {

struct DragParameters {
  double air_density = 0;           // [kg/m^3]; 0: no drag
  double air_viscosity = 1.845e-5;  // [Pa s]
  double liquid_viscosity = 1e-3;   // of the drop that a particle is [Pa s]
  double surface_tension = 0.0724;  // [N/m]
  Vec3d air_velocity;               // [m/s]
  template <class Visitor> void describe(Visitor& visit) {
    visit("air_density", air_density, {.unit = "kg/m^3", .minimum = 0, .text = "Density of the air that drags; 0: no drag."});
    visit("air_viscosity", air_viscosity, {.unit = "Pa s", .above = 0, .text = "Viscosity of the air."});
    visit("liquid_viscosity", liquid_viscosity, {.unit = "Pa s", .above = 0, .text = "Viscosity that damps the wobble of a drop."});
    visit("surface_tension", surface_tension, {.unit = "N/m", .above = 0, .text = "Surface tension that holds a drop together."});
    visit("air_velocity", air_velocity, {.unit = "m/s", .text = "Wind."});
  }
};

struct ForceParameters {
  static constexpr const char* definition = "sph_forces";  // in the schema
  double xsph = 0;                                         // part of the difference to the neighbours' velocity
  double surface_tension = 0;                              // [N/m]
  double adhesion = 0;                                     // [N/m]
  DragParameters drag;
  template <class Visitor> void describe(Visitor& visit) {
    visit("xsph", xsph,
          {.minimum = 0, .maximum = 0.5, .text = "Part by which the velocity of a fluid approaches that of its neighbours in each step."});
    visit("surface_tension", surface_tension, {.unit = "N/m", .minimum = 0, .text = "Surface tension of all fluids."});
    visit("adhesion", adhesion,
          {.unit = "N/m", .minimum = 0, .text = "Pull of boundaries on fluids, in the measure of the surface tension."});
    visit("drag", drag, {.text = "Drag of the air on what it reaches."});
  }
};

template <class T> class ParticleForces {
 public:
  // Adds dt a to v. `viscosity`: of each body [Pa s].
  void apply(const SphContext<T>& context, const ForceParameters& parameters, SmoothingType smoothing, const SphPairs<T>& pairs,
             const std::vector<T>& viscosity, T* const v[3]);

 private:
  void viscous(const SphContext<T>& context, const ForceParameters& parameters, SmoothingType smoothing, const SphPairs<T>& pairs,
               const std::vector<T>& viscosity);
  void tension(const SphContext<T>& context, const ForceParameters& parameters, SmoothingType smoothing, const SphPairs<T>& pairs);
  void drag(const SphContext<T>& context, const DragParameters& parameters);

  std::vector<Quad<T>> velocity_, change_, normal_;
};

// Longest stable explicit step for a viscosity [s]; infinite for none.
double viscous_dt(double viscosity, double density, double dx);

}  // namespace knead
