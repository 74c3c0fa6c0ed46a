// The linear system of the global step: (M + rho K) d = r for three components at once, by preconditioned conjugate gradients.
#pragma once
#include "base/threads.h"
#include "solvers/mpm/admm_coupled.h"
#include "solvers/mpm/admm_levels.h"
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
  void contacts_changed() { preconditioned_ = 0; }
  void add(const T* change, T* grid);  // on active blocks
  // body(first, end) for the values of every active block; `sum` adds up what it returns, in an order that does not depend on threads.
  template <class Body> void each_active(Body&& body) {
    parallel_for(active_.size(), 8, [&](std::size_t first, std::size_t last) {
      for (std::size_t n = first; n < last; ++n)
        body(active_[n] * std::size_t(block_nodes * 4), (active_[n] + std::size_t(1)) * (block_nodes * 4));
    });
  }
  template <class Body> double sum(Body&& body) {
    parallel_for(active_.size(), 8, [&](std::size_t first, std::size_t last) {
      for (std::size_t n = first; n < last; ++n)
        parts_[n] = double(body(active_[n] * std::size_t(block_nodes * 4), (active_[n] + std::size_t(1)) * (block_nodes * 4)));
    });
    double total = 0;
    for (double value : parts_) total += value;
    return total;
  }

 private:
  void lay_out(const Transfers<T>& transfers, const State& state);
  void find_rows(const BlockGrid& blocks, const std::vector<T>& speed_squared, const T* grid);
  void find_diagonal();                // of K
  double multiply(T rho, T* p, T* q);  // q = (M + rho K) p; returns p q
  void precondition(T rho, const GridContacts<T>& contacts);

  const MpmKernels<T>* kernels_ = nullptr;
  MatrixView<T> matrix_{};
  std::vector<BlockCoordinates> laid_out_;
  std::vector<std::array<std::int32_t, 27>> neighbours_;  // of grid blocks
  std::vector<std::vector<std::uint32_t>> colours_;       // occupied blocks whose pads do not overlap
  std::vector<std::uint32_t> active_, first_row_;
  std::vector<std::uint16_t> rows_;
  Scratch<T> values_, mass_, diagonal_, p_, q_, z_;
  Levels<T> levels_;
  CoupledPart<T> coupled_;
  Scratch<T> coupled_diagonal_;
  std::vector<double> parts_;
  bool stores_ = false;   // something is in the matrix, not all in its coupled part
  T preconditioned_ = 0;  // the rho that levels_ are for; 0: none
};

}  // namespace knead
