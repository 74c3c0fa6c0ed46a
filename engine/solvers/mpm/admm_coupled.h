// The part of the matrix of the global step that couples the components of the velocity: the pressure of fluids and Newton's viscosity.
// It is not stored: a product is a trip of the vector to the particles and back.
#pragma once
#include <vector>

#include "solvers/mpm/transfers.h"

namespace knead {

template <class T> class CoupledPart {
 public:
  void begin(const Transfers<T>& transfers, const MpmContext<T>& context, const AdmmContext<T>& admm);
  bool empty() const { return empty_; }
  // Adds the mean of the three diagonal entries of each node.
  void add_diagonal(const std::vector<std::uint32_t>& active, T* diagonal);
  double add_product(const std::vector<std::uint32_t>& active, T* p, T* q);  // q += A p on active blocks; returns p A p

 private:
  void each_block(void (*kernel)(const MpmContext<T>&, const AdmmContext<T>&, std::uint32_t)) const;

  bool empty_ = true;
  std::size_t blocks_ = 0;
  const MpmKernels<T>* kernels_ = nullptr;
  MpmContext<T> context_{};
  AdmmContext<T> admm_{};
  std::vector<double> parts_;
};

}  // namespace knead
