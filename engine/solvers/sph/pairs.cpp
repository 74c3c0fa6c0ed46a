#include "solvers/sph/pairs.h"

#include <cmath>

namespace knead {

namespace {

// Wide enough for compilers to vectorise the kernel; the loops around it only move numbers.
constexpr std::size_t batch = 16;

template <class T, class Kernel>
T gradients(const Kernel& kernel, const T x[3], const T* const y[3], const std::uint32_t* list, std::size_t count, const T* weight,
            SphPair<T>* out) {
  T total = 0;
  for (std::size_t begin = 0; begin < count; begin += batch) {
    const std::size_t n = std::min(batch, count - begin);
    T d[3][batch] = {}, factor[batch], value[batch];
    for (std::size_t k = 0; k < n; ++k)
      for (int axis = 0; axis < 3; ++axis) d[axis][k] = x[axis] - y[axis][list[begin + k]];
    for (std::size_t k = 0; k < batch; ++k) {
      const T r = std::sqrt(d[0][k] * d[0][k] + d[1][k] * d[1][k] + d[2][k] * d[2][k]);
      factor[k] = kernel.gradient(r);
      value[k] = kernel.W(r);
    }
    for (std::size_t k = 0; k < n; ++k) {
      const std::uint32_t j = list[begin + k];
      const T w = weight ? weight[j] : T(1), f = factor[k] * w;
      total += value[k] * w;
      out[begin + k] = {{d[0][k] * f, d[1][k] * f, d[2][k] * f}, j};
    }
  }
  return total;
}

double lattice_sum(SmoothingType smoothing, int layers) {
  double total = 0;
  with_smoothing<double>(smoothing, 2, [&](const auto& kernel) {
    for (int x = -2; x <= 2; ++x)
      for (int y = -2; y <= 2; ++y)
        for (int z = -layers; z <= layers; ++z) total += kernel.W(std::sqrt(double(x * x + y * y + z * z)));
  });
  return total;
}

}  // namespace

double lattice_number(SmoothingType smoothing) { return lattice_sum(smoothing, 2); }
double plane_number(SmoothingType smoothing) { return lattice_sum(smoothing, 0); }

template <class T> void set_pairs(const SphContext<T>& context, SmoothingType smoothing, SphPairs<T>& pairs) {
  const SphParticles<T>& at = context.particles;
  const NeighbourLists &fluid = *context.fluid, &wall = *context.wall;
  const SphBoundary<T>& boundary = *context.boundary;
  auto grow = [](auto& list, std::size_t size) {
    if (list.size() < size) list.resize(size + size / 8);
  };
  grow(pairs.fluid, fluid.pairs());
  grow(pairs.wall, wall.pairs());
  pairs.number.resize(at.count), pairs.wall_part.resize(at.count);
  const double s = std::pow(static_cast<double>(at.support) / 2, 3);
  pairs.scale = static_cast<T>(s);
  const T* const y[3] = {at.x[0], at.x[1], at.x[2]};
  const T* const b[3] = {boundary.x[0].data(), boundary.x[1].data(), boundary.x[2].data()};
  with_smoothing<T>(smoothing, static_cast<double>(at.support), [&](auto kernel) {
    auto scaled = kernel;
    scaled.value_scale = static_cast<T>(s / std::pow(static_cast<double>(at.support), 3));
    scaled.gradient_scale = static_cast<T>(s / std::pow(static_cast<double>(at.support), 5));
    const T self = scaled.W(T(0));
    for_sph_chunks(at.count, [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const T x[3] = {at.x[0][i], at.x[1][i], at.x[2][i]};
        const std::size_t f = fluid.first[i], w = wall.first[i];
        pairs.number[i] =
            self + gradients<T>(scaled, x, y, fluid.index.data() + f, fluid.first[i + 1] - f, nullptr, pairs.fluid.data() + f);
        pairs.wall_part[i] =
            gradients<T>(kernel, x, b, wall.index.data() + w, wall.first[i + 1] - w, boundary.volume.data(), pairs.wall.data() + w);
      }
    });
  });
}

template void set_pairs(const SphContext<float>&, SmoothingType, SphPairs<float>&);
template void set_pairs(const SphContext<double>&, SmoothingType, SphPairs<double>&);

}  // namespace knead
