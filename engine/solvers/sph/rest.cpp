#include "solvers/sph/rest.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "base/threads.h"
#include "materials/response.h"
#include "math/eigen.h"
#include "spatial/neighbours.h"

namespace knead {
namespace {

constexpr std::size_t grain = 2048;
constexpr double inside = 1 - 1e-4;      // the kernel is nothing beyond, but a lattice has many neighbours just there
constexpr double smallest_ratio = 1e-3;  // singular values of the moment matrix below this, relative to the largest, count as zero

template <class T> Vec3<T> vector_at(const std::vector<T>& of, std::size_t place) {
  return {of[4 * place], of[4 * place + 1], of[4 * place + 2]};
}

}  // namespace

template <class T> void RestShape<T>::build(const World& world, const State& state, const Options& options) {
  collect(world, state, options.support);
  connect(options);
  if constexpr (std::is_same_v<T, float>) round_gradients(), pack();
  correct(options.corrected);
  sum_diagonal();
  built = true;
  particles_then = state.count;
  next_id_then = state.next_id;
}

// The particles of solids in the order of their ids, then along the curve: State's order plays no part.
template <class T> void RestShape<T>::collect(const World& world, const State& state, double support) {
  const auto* group = state.column("group").data<std::uint16_t>();
  const auto* ids = state.column("id").data<std::uint32_t>();
  const Column &rest = state.column("X"), &volumes = state.column("volume");
  std::vector<std::uint8_t> solid(world.bodies.size());
  for (std::size_t b = 0; b < solid.size(); ++b) solid[b] = !is_fluid(world.materials[static_cast<std::size_t>(world.bodies[b].material)]);
  std::vector<std::uint32_t> particles;
  for (std::size_t i = 0; i < state.count; ++i)
    if (solid[static_cast<std::size_t>(world.groups[group[i]].body)]) particles.push_back(static_cast<std::uint32_t>(i));
  std::sort(particles.begin(), particles.end(), [&](std::uint32_t a, std::uint32_t b) { return ids[a] < ids[b]; });

  const std::size_t n = particles.size();
  std::vector<T> x[3];
  for (int axis = 0; axis < 3; ++axis) {
    x[axis].resize(n);
    for (std::size_t k = 0; k < n; ++k) x[axis][k] = rest.data<T>(axis)[particles[k]];
  }
  std::vector<std::uint32_t> order;
  NeighbourSearch<T>().sort({{x[0].data(), x[1].data(), x[2].data()}, n}, support, order);
  id.resize(n), body.resize(n), volume.resize(n), X.assign(4 * n, T(0));
  place_of_id.assign(n > 0 ? ids[particles.back()] + 1 : 0, nowhere);
  for (std::size_t place = 0; place < n; ++place) {
    const std::uint32_t k = order[place], i = particles[k];
    id[place] = ids[i];
    body[place] = static_cast<std::uint32_t>(world.groups[group[i]].body);
    volume[place] = volumes.data<T>()[i];
    for (int axis = 0; axis < 3; ++axis) X[4 * place + static_cast<std::size_t>(axis)] = x[axis][k];
    place_of_id[ids[i]] = static_cast<std::int32_t>(place);
  }
}

// Neighbours of the same body within H, with V_j grad W(X_i - X_j).
template <class T> void RestShape<T>::connect(const Options& options) {
  const std::size_t n = count();
  std::vector<T> x[3];
  for (int axis = 0; axis < 3; ++axis) {
    x[axis].resize(n);
    for (std::size_t k = 0; k < n; ++k) x[axis][k] = X[4 * k + static_cast<std::size_t>(axis)];
  }
  const Points<T> points{{x[0].data(), x[1].data(), x[2].data()}, n};
  NeighbourLists lists;
  NeighbourSearch<T>().find(points, points, options.support * inside, lists);
  first.assign(n + 1, 0);
  const auto each = [&](std::size_t i, auto&& f) {
    for (std::size_t k = lists.first[i]; k < lists.first[i + 1]; ++k)
      if (body[lists.index[k]] == body[i]) f(lists.index[k]);
  };
  parallel_for(n, grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) each(i, [&](std::uint32_t) { ++first[i + 1]; });
  });
  for (std::size_t i = 0; i < n; ++i) first[i + 1] += first[i];
  pairs.resize(first[n]);
  with_smoothing<double>(options.smoothing, options.support, [&](const auto& smoothing) {
    parallel_for(n, grain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        std::size_t at = first[i];
        each(i, [&](std::uint32_t j) {
          const Vec3<T> near = vector_at(X, i) - vector_at(X, j);
          const Vec3d r{double(near.x), double(near.y), double(near.z)};
          const Vec3d gradient = r * (double(volume[j]) * smoothing.gradient(length(r)));
          RestPair<T>& pair = pairs[at++];
          for (int axis = 0; axis < 3; ++axis) pair.gradient[axis] = static_cast<T>(gradient[axis]);
          pair.place = j;
        });
      }
    });
  });
}

// Gradients become whole multiples of a 32767th of the largest component, the same for i and j: all that has to hold exactly does (L is
// made for the rounded ones), and they fit into two bytes.
template <class T> void RestShape<T>::round_gradients() {
  T largest = 0;
  for (const RestPair<T>& pair : pairs)
    for (const T component : pair.gradient) largest = std::max(largest, std::abs(component));
  packed_scale = largest > 0 ? largest / T(32767) : T(1);
  parallel_for(pairs.size(), 65536, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k)
      for (T& component : pairs[k].gradient) component = std::round(component / packed_scale) * packed_scale;
  });
}

// Neighbours by page. A place whose page has neighbours on more pages than a byte counts keeps everything from being packed.
template <class T> void RestShape<T>::pack() {
  const std::size_t n = count(), page_count = (n + page_size - 1) / page_size;
  pages.clear(), first_page.assign(1, 0);
  packed.resize(pairs.size());
  std::vector<std::int32_t> slot(page_count, nowhere);
  for (std::size_t page = 0; page < page_count; ++page) {
    const std::size_t table = pages.size();
    for (std::size_t k = first[page * page_size]; k < first[std::min(n, (page + 1) * page_size)]; ++k) {
      const std::size_t other = pairs[k].place / page_size;
      if (slot[other] == nowhere) {
        slot[other] = static_cast<std::int32_t>(pages.size() - table);
        pages.push_back(static_cast<std::uint32_t>(other * page_size));
      }
      for (int axis = 0; axis < 3; ++axis)
        packed[k].gradient[axis] = static_cast<std::int16_t>(std::lround(pairs[k].gradient[axis] / packed_scale));
      packed[k].place = static_cast<std::uint16_t>(static_cast<std::size_t>(slot[other]) * page_size + pairs[k].place % page_size);
    }
    if (pages.size() - table > page_size) return packed.clear();
    for (std::size_t t = table; t < pages.size(); ++t) slot[pages[t] / page_size] = nowhere;
    first_page.push_back(static_cast<std::uint32_t>(pages.size()));
  }
}

// L is the pseudo-inverse of the moment matrix sum_j V_j grad W_ij (x) x_ji (eq. 1), which is symmetric and not negative.
template <class T> void RestShape<T>::correct(bool corrected) {
  const std::size_t n = count();
  L.assign(n, Mat3<T>::identity());
  gradient_sum.assign(4 * n, T(0));
  std::vector<Deficit<T>> of_place(n);
  parallel_for(n, grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Mat3d moment;
      for (std::size_t k = first[i]; k < first[i + 1]; ++k) {
        const Vec3<T> r = vector_at(X, pairs[k].place) - vector_at(X, i);
        for (std::size_t axis = 0; axis < 3; ++axis) gradient_sum[4 * i + axis] += pairs[k].gradient[axis];
        moment = moment + outer(Vec3d{double(pairs[k].gradient[0]), double(pairs[k].gradient[1]), double(pairs[k].gradient[2])},
                                Vec3d{double(r.x), double(r.y), double(r.z)});
      }
      const Sym3<double> M = symmetric_part(moment);
      Vec3d sigma;
      Mat3d axes;
      eigen_symmetric(M, sigma, axes);
      int rank = 0;
      while (rank < 3 && sigma[rank] > smallest_ratio * sigma[0] && sigma[rank] > 0) ++rank;
      Vec3d inverse;
      for (int k = 0; k < rank; ++k) inverse[k] = 1 / sigma[k];
      const Mat3d exact = corrected ? to_matrix(compose(axes, inverse)) : Mat3d::identity();
      for (int c = 0; c < 9; ++c) L[i].m[c] = static_cast<T>(exact.m[c]);
      of_place[i].rank = corrected && rank == 3 ? 0 : rank == 0 ? -1 : rank;
      const Mat3d missing = Mat3d::identity() - to_matrix(M) * exact;
      for (int c = 0; c < 9; ++c) of_place[i].missing.m[c] = static_cast<T>(missing.m[c]);
    }
  });
  deficit.assign(n, nowhere);
  deficits.clear();
  for (std::size_t i = 0; i < n; ++i) {
    if (of_place[i].rank == 0) continue;
    deficit[i] = static_cast<std::int32_t>(deficits.size());
    deficits.push_back(of_place[i]);
    if (deficits.back().rank < 0) deficits.back().rank = 0;
  }
}

// V_i A(L_i s_i) + sum_j V_j V_i^2 A(L_j grad W_ji), A(a) = G |a|^2 I + (K + G/3) a a^T
template <class T> void RestShape<T>::sum_diagonal() {
  const std::size_t n = count();
  diagonal.assign(8 * n, T(0));
  parallel_for(n, grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto add = [&, i](const Vec3<T>& a, T weight) {
        const T terms[7] = {dot(a, a), a.x * a.x, a.y * a.y, a.z * a.z, a.x * a.y, a.y * a.z, a.z * a.x};
        for (std::size_t c = 0; c < 7; ++c) diagonal[8 * i + c] += weight * terms[c];
      };
      add(L[i] * vector_at(gradient_sum, i), volume[i]);
      for (std::size_t k = first[i]; k < first[i + 1]; ++k) {
        const auto& pair = pairs[k];
        add(L[pair.place] * Vec3<T>{pair.gradient[0], pair.gradient[1], pair.gradient[2]}, volume[i] * volume[i] / volume[pair.place]);
      }
    }
  });
}

template struct RestShape<float>;
template struct RestShape<double>;

}  // namespace knead
