// Implicit MPM: backward Euler by the alternating direction method of multipliers (docs/solvers/admm.md).
#pragma once
#include <memory>
#include <string>

#include "base/parameters.h"
#include "solvers/mpm/mpm.h"

namespace knead {

struct AdmmParameters {
  int iterations = 15;
  int balance_iterations = 5;
  double tolerance = 0;  // of the nonlinear residual, relative to that at the start of the step; 0: all iterations
  AutoOrNumber rho;
  AdmmWeights weights = AdmmWeights::stiffness;
  double over_relaxation = 1.6;
  int acceleration = 3;  // balance iterations that Anderson acceleration looks back; 0: off
  bool residual_balancing = false;
  int equilibration = 0;  // sweeps of Ruiz
  int cg_iterations = 20;
  double cg_tolerance = 0.1;
  bool convergence = false;

  template <class Visitor> void describe(Visitor& visit) {
    visit("iterations", iterations, {.minimum = 1, .text = "Iterations of the splitting per step, at most."});
    visit("balance_iterations", balance_iterations,
          {.minimum = 0, .text = "Iterations on the balance of forces itself that follow them, at most."});
    visit("tolerance", tolerance,
          {.minimum = 0, .text = "Ends a step when the momentum residual has fallen by this factor; 0: always all iterations."});
    visit("rho", rho,
          {.above = 0, .text = "Penalty that binds the deformation of particles to the velocity of the grid; auto: from the moduli."});
    visit("weights", weights,
          {.text = "stiffness: of the material as it is deformed; bulk: its bulk modulus; unit: the same for all particles."});
    visit("over_relaxation", over_relaxation, {.minimum = 1, .below = 2, .text = "1: none."});
    visit("acceleration", acceleration,
          {.minimum = 0, .maximum = 10, .text = "Balance iterations that their Anderson acceleration looks back; 0: no acceleration."});
    visit("residual_balancing", residual_balancing, {.text = "Changes rho within a step until primal and dual residual are alike."});
    visit("equilibration", equilibration,
          {.minimum = 0, .maximum = 50, .text = "Sweeps of Ruiz equilibration of the weights at the start of a step; 0: none."});
    visit("cg_iterations", cg_iterations, {.minimum = 1, .text = "Conjugate gradient iterations per iteration, at most."});
    visit("cg_tolerance", cg_tolerance, {.minimum = 0, .below = 1, .text = "Reduction of the linear residual that ends them earlier."});
    visit("convergence", convergence, {.text = "Writes the residuals of every iteration to convergence.csv."});
  }
};

// The world's precision and domain must not change afterwards.
std::unique_ptr<Solver> make_admm(const MpmParameters& parameters, const AdmmParameters& admm, const World& world);

}  // namespace knead
