// How rigid bodies give way to pressure, inside the pressure solve: without it a body lighter than the fluid that it has to set in motion
// would be thrown back harder in every step.
#pragma once
#include <cstdint>
#include <vector>

#include "solvers/sph/pairs.h"
#include "world/rigid_body.h"

namespace knead {

// With J_i = sum_b (B_ib, r_b x B_ib) over the samples b of one body, B_ib = s / V_i V_b grad W_ib and r_b from its centre of mass:
//   impulse on the body      P = dt s sum_i lambda_i J_i
//   change of its velocity   V = dt (gravity and fields) + M^-1 P
//   change of n_i^next       -dt J_i V
// which adds dt^2 s J_i M^-1 J_j to the matrix of the pressure equation: symmetric, and of rank six for each body.
template <class T> class RigidResponse {
 public:
  // Who touches whom.
  void set_up(const SphContext<T>& context, const SphPairs<T>& pairs);
  bool active() const { return !bodies_.empty(); }
  // Shortens Jacobi steps 1 / A_ii by half the sum of a row of what is added: the least that keeps them stable whatever the bodies weigh.
  void shorten(T* step) const;
  // Velocities of the bodies for these pressures.
  void respond(const T* lambda);
  T expansion(std::size_t i) const { return expansion_[i]; }  // dt J_i V: what the motion of bodies takes from n_i
  // Of the point x of the owner of a sample; zero for colliders.
  Vec3d velocity_change(std::uint32_t owner, const Vec3d& x) const;
  // Part of the relative velocity along the surface that a particle gives up when it and all others that touch the body meet it.
  double share(std::uint32_t owner) const { return owner < colliders_ ? 1 : bodies_[owner - colliders_].share; }

 private:
  struct Touch {
    std::uint32_t particle, body;
    T linear[3], angular[3];  // J
  };
  struct Body {
    Vec3d center{};             // [m]
    double inverse_mass = 0;    // [1/kg]
    Mat3d inverse_inertia{};    // [1/(kg m^2)]
    Vec3d free_change{};        // of its velocity, without pressure [m/s]
    Vec3d linear{}, angular{};  // change of its velocities [m/s, rad/s]
    double norms = 0;           // sum of |J_i| in the measure of M^-1
    double share = 1;
  };
  double norm(const Touch& touch) const;

  double dt_ = 0, scale_ = 0;
  std::size_t colliders_ = 0;
  std::vector<Body> bodies_;
  std::vector<std::vector<Touch>> touches_;  // by chunk of particles
  std::vector<Vec3d> sums_;                  // by chunk and body: of lambda J
  std::vector<T> expansion_;
};

}  // namespace knead
