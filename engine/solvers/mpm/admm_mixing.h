// Anderson acceleration of v <- v + A^-1 r(v), where r is what the momentum balance lacks: a step begins at the combination of the last
// velocities whose residuals, combined likewise, are least.
#pragma once
#include <vector>

#include "solvers/mpm/transfers.h"

namespace knead {

template <class T> class Mixing {
 public:
  // `start` holds (velocity, mass) of the blocks of the grid, of which only the active ones are touched.
  void begin(const std::vector<std::uint32_t>& active, const T* start, std::size_t values, int history);
  void forget() { used_ = next_ = 0, has_last_ = false; }
  // Remembers velocities and residuals, and replaces both by those of the best combination. Vectors have four values per node.
  void mix(T* velocity, T* residual);

 private:
  struct Pair {
    Scratch<T> velocity, residual;
  };
  template <class Body> double sum(Body&& body);            // of body(first, end) over the values of active blocks
  double dot(const T* a, const T* b);                       // of impulses: a b / mass
  std::vector<double> best_combination(const T* residual);  // of the changes remembered

  std::vector<std::uint32_t> active_;
  Scratch<T> inverse_mass_;
  Pair last_;
  std::vector<Pair> changes_;  // a ring
  std::size_t used_ = 0, next_ = 0;
  bool has_last_ = false;
  std::vector<double> parts_;
};

}  // namespace knead
