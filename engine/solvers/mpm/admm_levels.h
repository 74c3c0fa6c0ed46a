// The preconditioner of the global step: one over the diagonal of the matrix, on the nodes of the grid and on coarser and coarser grids
// over them, added up (Bramble, Pasciak and Xu). Long waves, which nodes pass on from one to the next only, are seen by the coarse grids at
// once, so that the number of conjugate gradient iterations does not grow with the resolution.
#pragma once
#include <array>
#include <vector>

#include "solvers/mpm/admm_contact.h"
#include "solvers/mpm/transfers.h"

namespace knead {

template <class T> class Levels {
 public:
  // Coarse grids over the `active` ones of the blocks. Along a periodic axis they end where the period no longer halves.
  void lay_out(const std::vector<BlockCoordinates>& blocks, const std::vector<std::uint32_t>& active, const Lattice& lattice);
  // Inverse diagonals of M + rho K; `mass` and `stiffness`, the diagonal of K, per node. A node without mass has none.
  void weigh(T rho, const T* mass, const T* stiffness, const GridContacts<T>& contacts);
  void apply(const T* r, T* z);  // z = B r on active blocks, four values per node

 private:
  // Nodes of a level are in blocks as those of the grid are. Node I lies on node 2 I of the finer level, and interpolates linearly.
  struct Level {
    std::vector<BlockCoordinates> blocks;
    std::vector<std::array<std::int32_t, 27>> children;  // per block B: finer blocks 2 B - 1 ... 2 B + 1, or -1
    std::vector<std::array<std::uint32_t, 8>> parents;   // per finer block b: blocks b / 2 and the next ones
    Scratch<T> inverse, r, z;
  };
  // Finer blocks by place in their level; in memory those of the grid are at active_[place].
  std::size_t memory(std::size_t level, std::size_t place) const { return level == 0 ? active_[place] : place; }
  const std::vector<BlockCoordinates>& finer_blocks(std::size_t level) const { return level == 0 ? finest_ : levels_[level - 1].blocks; }
  void add_level(const std::array<std::int32_t, 3>& finer_period);
  void restrict_to(std::size_t level, const T* finer, T* out) const;
  void prolong_from(std::size_t level, const T* coarse, const T* inverse, const T* r, T* z) const;  // z = inverse r + P coarse

  std::vector<std::uint32_t> active_;
  std::vector<BlockCoordinates> finest_;
  std::vector<Level> levels_;
  Scratch<T> inverse_, diagonal_, fixed_;
};

}  // namespace knead
