// The linear system of the global step: (M + rho K) d = r for three components at once, by preconditioned conjugate gradients.
#pragma once
#include <functional>

#include "solvers/mpm/admm_contact.h"
#include "solvers/mpm/transfers.h"

namespace knead {

template <class T> class GlobalSystem {
 public:
  // The rows of nodes with mass, and K from the particles. `grid` holds (velocity, mass).
  void assemble(const Transfers<T>& transfers, const State& state, const MpmContext<T>& context, const AdmmContext<T>& admm, const T* grid);
  const std::vector<std::uint32_t>& active() const { return active_; }  // grid blocks that particles reach
  // Solves for what is free; r is used up. Returns the number of iterations; `energy` receives d (M + rho K) d.
  struct Result {
    int iterations = 0;
    double energy = 0, kinetic = 0;  // d (M + rho K) d, d M d
  };
  Result solve(T rho, const GridContacts<T>& contacts, int iterations, double tolerance, T* r, T* d);
  void correct(T rho, const T* change, T* r);  // r - (M + rho K) change
  void add(const T* change, T* grid) const;    // on active blocks

 private:
  void lay_out(const Transfers<T>& transfers, const State& state);
  void find_rows(const BlockGrid& blocks, const std::vector<T>& speed_squared, const T* grid);
  void precondition(T rho);
  double sum(const std::function<double(std::uint32_t block)>& part);

  const MpmKernels<T>* kernels_ = nullptr;
  MatrixView<T> matrix_{};
  std::vector<BlockCoordinates> laid_out_;
  std::vector<std::array<std::int32_t, 27>> neighbours_;  // of grid blocks
  std::vector<std::vector<std::uint32_t>> colours_;       // occupied blocks whose pads do not overlap
  std::vector<std::uint32_t> active_, first_row_;
  std::vector<std::uint16_t> rows_;
  Scratch<T> values_, mass_, inverse_, p_, q_;
  std::vector<double> parts_;
  T preconditioned_ = 0;  // the rho that inverse_ is for
};

}  // namespace knead
