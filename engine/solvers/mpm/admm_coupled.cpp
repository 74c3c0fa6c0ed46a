#include "solvers/mpm/admm_coupled.h"

#include "base/threads.h"

namespace knead {

template <class T> void CoupledPart<T>::begin(const Transfers<T>& transfers, const MpmContext<T>& context, const AdmmContext<T>& admm) {
  empty_ = true;
  for (const GroupLaw<T>& group : transfers.groups) empty_ = empty_ && !group.couples();
  blocks_ = transfers.laid_out.size();
  kernels_ = &transfers.kernels;
  context_ = context, admm_ = admm;
  admm_.pass = AdmmPass::multiply;
}

template <class T> void CoupledPart<T>::each_block(void (*kernel)(const MpmContext<T>&, const AdmmContext<T>&, std::uint32_t)) const {
  parallel_for(blocks_, 4, [&](std::size_t first, std::size_t last) {
    for (std::size_t block = first; block < last; ++block) kernel(context_, admm_, static_cast<std::uint32_t>(block));
  });
}

template <class T> void CoupledPart<T>::add_diagonal(const std::vector<std::uint32_t>& active, T* diagonal) {
  each_block(kernels_->coupled_diagonal);
  parallel_for(active.size(), 16, [&](std::size_t first, std::size_t last) {
    for (std::size_t n = first; n < last; ++n) kernels_->collect_diagonal(context_, active[n], diagonal);
  });
}

template <class T> double CoupledPart<T>::add_product(const std::vector<std::uint32_t>& active, T* p, T* q) {
  context_.grid = p;
  each_block(kernels_->implicit_block);
  parts_.assign(active.size(), 0.0);
  parallel_for(active.size(), 16, [&](std::size_t first, std::size_t last) {
    for (std::size_t n = first; n < last; ++n) parts_[n] = kernels_->collect_product(context_, active[n], p, q);
  });
  double total = 0;
  for (double part : parts_) total += part;
  return total;
}

template class CoupledPart<float>;
template class CoupledPart<double>;

}  // namespace knead
