#include "solvers/mpm/admm_levels.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "base/threads.h"
#include "spatial/block_table.h"

namespace knead {

namespace {

constexpr std::size_t block_values = block_nodes * 4;
constexpr std::size_t few = 8;  // blocks: over these no coarser grid is needed

template <class T> struct FourValues { typedef T Type __attribute__((vector_size(4 * sizeof(T)))); };
template <class T> using Node = typename FourValues<T>::Type;
template <class T> Node<T> load(const T* p) {
  Node<T> node;
  std::memcpy(&node, p, sizeof node);
  return node;
}
template <class T> void store(const Node<T>& node, T* p) { std::memcpy(p, &node, sizeof node); }

std::int32_t wrap(std::int32_t x, std::int32_t period) { return period ? (x % period + period) % period : x; }

template <class Body> void each_block(std::size_t count, Body&& body) {
  parallel_for(count, 16, [&](std::size_t first, std::size_t last) {
    for (std::size_t b = first; b < last; ++b) body(b);
  });
}

// Nine values around four coarse ones.
template <class T> Node<T> hat(const Node<T>* line, int k, int stride) {
  return (line[2 * k * stride] + line[(2 * k + 2) * stride]) * T(0.5) + line[(2 * k + 1) * stride];
}

}  // namespace

template <class T>
void Levels<T>::lay_out(const std::vector<BlockCoordinates>& blocks, const std::vector<std::uint32_t>& active, const Lattice& lattice) {
  std::vector<BlockCoordinates> reached;
  for (std::uint32_t b : active) reached.push_back(blocks[b]);
  if (reached == finest_ && active == active_) return;
  finest_ = std::move(reached), active_ = active;
  levels_.clear();
  std::array<std::int32_t, 3> period = lattice.period;
  const auto halves = [](std::int32_t p) { return p % 2 == 0; };
  while (std::all_of(period.begin(), period.end(), halves) && finer_blocks(levels_.size()).size() > few) {
    add_level(period);
    if (levels_.back().blocks.size() >= finer_blocks(levels_.size() - 1).size()) break;  // scattered matter does not get fewer
    for (std::int32_t& p : period) p /= 2;
  }
}

template <class T> void Levels<T>::add_level(const std::array<std::int32_t, 3>& finer_period) {
  const std::vector<BlockCoordinates>& finer = finer_blocks(levels_.size());
  const auto parent = [&](const BlockCoordinates& block, int d) {
    BlockCoordinates p;
    for (int axis = 0; axis < 3; ++axis) p[axis] = wrap((block[axis] + (d >> (2 - axis) & 1)) >> 1, finer_period[axis] / 2);
    return p;
  };
  Level level;
  std::map<std::uint64_t, BlockCoordinates> all;
  for (const BlockCoordinates& block : finer)
    for (int d = 0; d < 8; ++d) all.emplace(morton_key(parent(block, d)), parent(block, d));
  std::vector<std::uint64_t> keys, finer_keys;
  for (const auto& [key, block] : all) keys.push_back(key), level.blocks.push_back(block);
  for (const BlockCoordinates& block : finer) finer_keys.push_back(morton_key(block));
  BlockTable table, finer_table;
  table.build(keys), finer_table.build(finer_keys);

  level.parents.resize(finer.size());
  for (std::size_t b = 0; b < finer.size(); ++b)
    for (int d = 0; d < 8; ++d) {
      // The next block holds nodes of this one's interpolation only where this one ends with it.
      BlockCoordinates at;
      for (int axis = 0; axis < 3; ++axis)
        at[axis] = wrap((finer[b][axis] >> 1) + ((d >> (2 - axis) & 1) & (finer[b][axis] & 1)), finer_period[axis] / 2);
      level.parents[b][d] = static_cast<std::uint32_t>(table.find(morton_key(at)));
    }
  level.children.resize(level.blocks.size());
  for (std::size_t b = 0; b < level.blocks.size(); ++b)
    for (int d = 0; d < 27; ++d) {
      const int step[3] = {d / 9 - 1, d / 3 % 3 - 1, d % 3 - 1};
      BlockCoordinates at;
      for (int axis = 0; axis < 3; ++axis) at[axis] = wrap(2 * level.blocks[b][axis] + step[axis], finer_period[axis]);
      level.children[b][d] = finer_table.find(morton_key(at));
    }
  const std::size_t values = level.blocks.size() * block_values;
  level.inverse.reserve(values), level.r.reserve(values), level.z.reserve(values);
  levels_.push_back(std::move(level));
}

template <class T> void Levels<T>::restrict_to(std::size_t at, const T* finer, T* out) const {
  static constexpr T nothing[16] = {};
  const Level& level = levels_[at];
  each_block(level.blocks.size(), [&](std::size_t b) {
    Node<T> by_x[9 * 16], by_y[9 * 4], line[9];
    for (int x = 0; x < 9; ++x) {
      const int dx = x == 0 ? 0 : 1 + (x - 1) / 4, inside_x = (x + 3) % 4;
      for (int y = 0; y < 9; ++y) {
        const int dy = y == 0 ? 0 : 1 + (y - 1) / 4, inside_y = (y + 3) % 4;
        const std::int32_t* const child = &level.children[b][static_cast<std::size_t>(9 * dx + 3 * dy)];
        const auto row = [&](int dz) {
          const std::size_t place = static_cast<std::size_t>(child[dz]);
          return child[dz] < 0 ? nothing : finer + memory(at, place) * block_values + 4 * (16 * inside_x + 4 * inside_y);
        };
        line[0] = load(row(0) + 12);
        std::memcpy(line + 1, row(1), 16 * sizeof(T));
        std::memcpy(line + 5, row(2), 16 * sizeof(T));
        for (int k = 0; k < 4; ++k) by_y[4 * y + k] = hat<T>(line, k, 1);
      }
      for (int j = 0; j < 4; ++j)
        for (int k = 0; k < 4; ++k) by_x[16 * x + 4 * j + k] = hat<T>(by_y + k, j, 4);
    }
    for (int i = 0; i < 4; ++i)
      for (int jk = 0; jk < 16; ++jk) store<T>(hat<T>(by_x + jk, i, 16), out + b * block_values + 4 * (16 * i + jk));
  });
}

template <class T> void Levels<T>::prolong_from(std::size_t at, const T* coarse, const T* inverse, const T* r, T* z) const {
  const Level& level = levels_[at];
  const std::vector<BlockCoordinates>& finer = finer_blocks(at);
  each_block(finer.size(), [&](std::size_t b) {
    Node<T> corner[27];  // coarse nodes 2 b ... 2 b + 2
    for (int n = 0; n < 27; ++n) {
      const int place[3] = {n / 9, n / 3 % 3, n % 3};
      int next = 0, node = 0;
      for (int axis = 0; axis < 3; ++axis) {
        const int inside = place[axis] + 2 * (finer[b][axis] & 1);
        next = 2 * next + inside / 4, node = 4 * node + inside % 4;
      }
      corner[n] = load(coarse + level.parents[b][static_cast<std::size_t>(next)] * block_values + 4 * static_cast<std::size_t>(node));
    }
    // Along each axis: on a coarse node, between two, on the next, between that and the last.
    const auto between = [](const Node<T>* line, int k, int stride) {
      return k % 2 == 0 ? line[k / 2 * stride] : (line[k / 2 * stride] + line[(k / 2 + 1) * stride]) * T(0.5);
    };
    Node<T> by_z[36], by_y[48];
    for (int n = 0; n < 9; ++n)
      for (int k = 0; k < 4; ++k) by_z[4 * n + k] = between(corner + 3 * n, k, 1);
    for (int n = 0; n < 3; ++n)
      for (int j = 0; j < 4; ++j)
        for (int k = 0; k < 4; ++k) by_y[16 * n + 4 * j + k] = between(by_z + 12 * n + k, j, 4);
    const std::size_t first = memory(at, b) * block_values;
    for (int i = 0; i < 4; ++i)
      for (int jk = 0; jk < 16; ++jk) {
        const std::size_t node = first + 4 * static_cast<std::size_t>(16 * i + jk);
        store<T>(load(inverse + node) * load(r + node) + between(by_y + jk, i, 16), z + node);
      }
  });
}

// The diagonal of a coarse level from that of the nodes: a coarse hat has 8/27 of its mass on the diagonal, and a stiffness of
// 8/3 c H, while the nodes below it have 1.115 c h each with the quadratic splines' transfers, (H / h)^3 of them. Where colliders
// prescribe the velocity of a node, an interpolated one breaks off at it, against the stiffness of that node itself.
template <class T> void Levels<T>::weigh(T rho, const T* mass, const T* stiffness, const GridContacts<T>& contacts) {
  std::size_t values = 0;
  for (std::uint32_t b : active_) values = std::max(values, (b + std::size_t(1)) * block_values);
  T *const inverse = inverse_.reserve(values), *const fields = diagonal_.reserve(values), *const fixed = fixed_.reserve(values);
  each_block(active_.size(), [&](std::size_t n) {
    for (std::size_t node = active_[n] * std::size_t(block_nodes), end = node + block_nodes; node < end; ++node) {
      const T k = mass[node] > 0 ? stiffness[node] : T(0), one = mass[node] > 0 ? 1 / (mass[node] + rho * k) : T(0);
      store<T>(Node<T>{one, one, one, T(0)}, inverse + 4 * node);
      store<T>(Node<T>{mass[node], k, T(0), T(0)}, fields + 4 * node);
      store<T>(Node<T>{}, fixed + 4 * node);
    }
  });
  contacts.add_prescribed(stiffness, fixed);
  const T *finer_fields = fields, *finer_fixed = fixed;
  T share = T(8.0 / 3 / 1.115);
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    Level& level = levels_[l];
    share /= 4;
    T *const sums = level.r.data(), *const held = level.z.data(), *const out = level.inverse.data();  // r and z are free until apply
    restrict_to(l, finer_fields, sums), restrict_to(l, finer_fixed, held);
    each_block(level.blocks.size(), [&](std::size_t b) {
      for (std::size_t n = b * block_values; n < (b + 1) * block_values; n += 4) {
        const T diagonal = T(8.0 / 27) * sums[n] + rho * share * sums[n + 1];
        for (std::size_t c = 0; c < 3; ++c) out[n + c] = sums[n] > 0 ? 1 / (diagonal + rho * T(0.1) * held[n + c]) : T(0);
        out[n + 3] = 0;
      }
    });
    finer_fields = sums, finer_fixed = held;
  }
}

template <class T> void Levels<T>::apply(const T* r, T* z) {
  const T* finer = r;
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    restrict_to(l, finer, levels_[l].r.data());
    finer = levels_[l].r.data();
  }
  if (!levels_.empty()) {
    Level& last = levels_.back();
    each_block(last.blocks.size(), [&](std::size_t b) {
      for (std::size_t n = b * block_values; n < (b + 1) * block_values; ++n) last.z.data()[n] = last.inverse.data()[n] * last.r.data()[n];
    });
  }
  for (std::size_t l = levels_.size(); l-- > 1;)
    prolong_from(l, levels_[l].z.data(), levels_[l - 1].inverse.data(), levels_[l - 1].r.data(), levels_[l - 1].z.data());
  if (!levels_.empty()) {
    prolong_from(0, levels_[0].z.data(), inverse_.data(), r, z);
    return;
  }
  each_block(active_.size(), [&](std::size_t b) {
    for (std::size_t n = active_[b] * block_values; n < (active_[b] + std::size_t(1)) * block_values; ++n) z[n] = inverse_.data()[n] * r[n];
  });
}

template class Levels<float>;
template class Levels<double>;

}  // namespace knead
