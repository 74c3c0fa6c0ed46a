// What tests of the implicit integrator share.
#pragma once
#include "solvers/mpm/admm.h"
#include "solvers/mpm/setup.h"

namespace knead::test {

inline void start_implicit(MpmCase& c, const AdmmParameters& parameters = {}) {
  c.solver = make_admm(c.parameters, parameters, c.world);
  c.solver->prepare(c.world, c.state);
}

// Iterations without end, and linear solves to rounding: what is left is the method.
inline AdmmParameters thorough(double tolerance, int iterations = 400) {
  AdmmParameters p;
  p.iterations = iterations, p.tolerance = tolerance, p.cg_iterations = 200, p.cg_tolerance = 1e-4, p.convergence = true;
  return p;
}

// A cube on the floor, squeezed by its own motion.
inline void falling_cube(MpmCase& c, const Material& material, Contact contact = Contact::sticky) {
  c.world.gravity = Vec3d{0, -9.81, 0};
  c.add_floor(contact);
  c.add_box(material, {0, 0, 0}, {0.3, 0.3, 0.3}, [](const Vec3d& x) { return Vec3d{0.3 * x.y, -2 * x.y, 0.1 * x.x}; });
}

inline double distance_between(const MpmCase& a, const MpmCase& b) {
  double sum = 0;
  const auto of_a = a.by_id(), of_b = b.by_id();
  for (std::size_t i = 0; i < of_a.size(); ++i) sum += length_squared(a.x(of_a[i]) - b.x(of_b[i]));
  return std::sqrt(sum / double(of_a.size()));
}

}  // namespace knead::test
