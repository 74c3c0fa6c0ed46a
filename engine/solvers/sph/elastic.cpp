#include "solvers/sph/elastic.h"

#include <algorithm>
#include <cmath>

#include "base/threads.h"
#include "materials/response.h"
#include "math/polar.h"
#include "solvers/sph/moduli.h"

namespace knead {
namespace {

constexpr std::size_t chunk = 1024;  // places per partial sum

// Calls f(begin, end) for each chunk: the cut never depends on the number of threads.
template <class Function> void each_chunk(std::size_t count, Function&& f) {
  parallel_for((count + chunk - 1) / chunk, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t c = first; c < last; ++c) f(c * chunk, std::min(count, (c + 1) * chunk));
  });
}

template <class T> Mat3<T> matrix_at(const Column& column, std::size_t i) {
  Mat3<T> m;
  for (int c = 0; c < 9; ++c) m.m[c] = column.data<T>(c)[i];
  return m;
}

template <class T> Mat3<T> from_columns(const T* p) { return {{p[0], p[4], p[8], p[1], p[5], p[9], p[2], p[6], p[10]}}; }
template <class T> void to_columns(const Mat3<T>& m, T* p) {
  for (int column = 0; column < 3; ++column) {
    for (int row = 0; row < 3; ++row) p[4 * column + row] = m(row, column);
    p[4 * column + 3] = T(0);
  }
}

template <class T> Mat3<T> inverse_symmetric(const Mat3<T>& A) {
  const Mat3<T> C = cofactor(A);
  return C * (T(1) / (A.m[0] * C.m[0] + A.m[1] * C.m[1] + A.m[2] * C.m[2]));
}

// The turn that takes the unit vector a to the unit vector b without spin about either.
template <class T> Mat3<T> least_rotation(const Vec3<T>& a, const Vec3<T>& b) {
  const Vec3<T> w = cross(a, b);
  const T c = dot(a, b);
  if (c < T(-0.999999)) {  // half a turn about any axis across a
    const Vec3<T> across = std::abs(a.x) < T(0.7) ? Vec3<T>{1, 0, 0} : Vec3<T>{0, 1, 0};
    const Vec3<T> n = normalized(cross(a, across));
    return outer(n, n) * T(2) - Mat3<T>::identity();
  }
  const Mat3<T> W{{T(0), -w.z, w.y, w.z, T(0), -w.x, -w.y, w.x, T(0)}};
  return Mat3<T>::identity() + W + W * W * (T(1) / (T(1) + c));
}

}  // namespace

template <class T>
ElasticSolids<T>::ElasticSolids(const ElasticParameters& parameters, const typename RestShape<T>::Options& rest)
    : parameters_(parameters), rest_options_(rest), kernels_(elastic_kernels<T>()) {
  rest_options_.corrected = parameters.kernel_correction;
}

template <class T> void ElasticSolids<T>::prepare(const World& world, State& state) {
  bool solid = false;
  for (const Body& body : world.bodies) solid = solid || !is_fluid(world.materials[static_cast<std::size_t>(body.material)]);
  if (!solid || state.find("X")) return;
  const ScalarType real = scalar_type_of<T>();
  Column& X = state.add("X", real, 3);
  for (int axis = 0; axis < 3; ++axis) std::copy_n(state.column("position").data<T>(axis), state.count, X.data<T>(axis));
  for (const char* name : {"F", "R"}) {
    Column& matrix = state.add(name, real, 9);
    for (int c = 0; c < 9; c += 4) std::fill_n(matrix.data<T>(c), state.count, T(1));
  }
}

template <class T> void ElasticSolids<T>::bind(const World& world, const State& state) {
  if (!state.find("X")) return;
  melted_.clear();
  for (const Moduli& moduli : body_moduli(world)) melted_.push_back(moduli.mu == 0 && moduli.lambda == 0);
  if (!rest_.fits(state)) {
    rest_.build(world, state, rest_options_);
    const std::size_t n = rest_.count();
    particle_.resize(n);
    stress_.assign(n, {});
    for (std::vector<T>* of : {&frame_, &inverse_diagonal_}) of->assign(12 * n, T(0));
    strain_.assign(8 * n, T(0));
    for (std::vector<T>* of : {&constants_, &velocity_, &residual_, &direction_, &image_, &preconditioned_}) of->assign(4 * n, T(0));
    residual_weight_.assign(n, T(0));
    for (std::vector<T>& column : F_) column.resize(n);
    for (std::vector<T>& column : R_) column.resize(n);
    partial_.resize((n + chunk - 1) / chunk);
  }
  const auto* id = state.column("id").data<std::uint32_t>();
  parallel_for(state.count, 8192, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      if (const std::int32_t place = rest_.place_of(id[i]); place != nowhere)
        particle_[static_cast<std::size_t>(place)] = static_cast<std::uint32_t>(i);
  });
}

template <class T> std::size_t ElasticSolids<T>::memory() const {
  return rest_.pairs.capacity() * sizeof(RestPair<T>) + rest_.packed.capacity() * sizeof(PackedPair) +
         count() * ((4 + 1 + 4 + 9 + 8) + (40 + 8 + 24 + 1 + 18)) * sizeof(T);
}

template <class T> ElasticArrays<T> ElasticSolids<T>::arrays() {
  return {.first = rest_.first.data(),
          .pairs = rest_.pairs.data(),
          .packed = rest_.packed.empty() ? nullptr : rest_.packed.data(),
          .pages = rest_.pages.data(),
          .first_page = rest_.first_page.data(),
          .packed_scale = rest_.packed_scale,
          .gradient_sum = rest_.gradient_sum.data(),
          .frame = frame_.data(),
          .constants = constants_.data(),
          .residual_weight = residual_weight_.data(),
          .inverse_diagonal = inverse_diagonal_.data(),
          .stress = stress_.data()};
}
template <class T> ElasticVectors<T> ElasticSolids<T>::vectors() {
  return {velocity_.data(), residual_.data(), direction_.data(), image_.data(), preconditioned_.data()};
}

template <class T> template <class Kernel> ElasticSums ElasticSolids<T>::sum_chunks(Kernel&& kernel) {
  each_chunk(count(), [&](std::size_t begin, std::size_t end) { partial_[begin / chunk] = kernel(begin, end); });
  ElasticSums sums;
  for (const ElasticSums& part : partial_) sums.product += part.product, sums.residual += part.residual;
  return sums;
}

template <class T> void ElasticSolids<T>::set_frame(std::size_t place, const Mat3<T>& R) {
  to_columns(R * rest_.L[place], &frame_[12 * place]);
}

// m I + dt^2 (G q I + (K + G/3) R Q R^T): exact where the neighbours turn alike.
template <class T> Mat3d ElasticSolids<T>::diagonal_block(std::size_t place, const Mat3<T>& R, double dt) const {
  const T *d = &rest_.diagonal[8 * place], *c = &constants_[4 * place];
  const double G = 0.5 * double(c[0]), sum = double(c[1]) + 2 * G, scale = dt * dt;  // K + G/3 = (K - 2 G/3) + G
  Mat3d turn;
  for (int k = 0; k < 9; ++k) turn.m[k] = double(R.m[k]);
  Mat3d springs;
  if (!spring_sum_.empty())
    for (int k = 0; k < 9; ++k) springs.m[k] = double(spring_sum_[place].m[k]) * scale;
  const Mat3d Q = to_matrix(Sym3<double>{double(d[1]), double(d[2]), double(d[3]), double(d[4]), double(d[5]), double(d[6])});
  return springs + Mat3d::identity() * (double(c[3]) + scale * G * double(d[0])) + turn * Q * transpose(turn) * (scale * (sum - G));
}

template <class T> void ElasticSolids<T>::set_inverse_diagonal(std::size_t place, const Mat3<T>& R, double dt, bool held) {
  const Mat3d inverse = held ? Mat3d{} : inverse_symmetric(diagonal_block(place, R, dt));
  Mat3<T> rounded;
  for (int k = 0; k < 9; ++k) rounded.m[k] = static_cast<T>(inverse.m[k]);
  to_columns(rounded, &inverse_diagonal_[12 * place]);
}

// What State says, in rest order: velocities, moduli, frames, and the strain eps = sym(F R^T) - I of the positions (eqs. 5, 6).
template <class T>
void ElasticSolids<T>::gather(const World& world, const State& state, double dt, const std::uint8_t* held, const T* const v[3]) {
  const std::vector<Moduli> moduli = body_moduli(world);
  const Column &F_column = state.column("F"), &R_column = state.column("R");
  each_chunk(count(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t place = begin; place < end; ++place) {
      const std::size_t i = particle_[place], body = rest_.body[place];
      for (std::size_t axis = 0; axis < 3; ++axis) velocity_[4 * place + axis] = v[axis][i];
      const double density = world.materials[static_cast<std::size_t>(world.bodies[body].material)].density;
      const double mass = density * double(rest_.volume[place]);
      T* c = &constants_[4 * place];
      c[0] = static_cast<T>(2 * moduli[body].mu), c[1] = static_cast<T>(moduli[body].lambda);
      c[2] = rest_.volume[place], c[3] = static_cast<T>(mass);
      const bool is_held = held && held[i];
      residual_weight_[place] = is_held ? T(0) : static_cast<T>(1 / mass);
      const Mat3<T> R = matrix_at<T>(R_column, i);
      const Sym3<T> strain = symmetric_part(matrix_at<T>(F_column, i) * transpose(R)) - isotropic(T(1));
      T* e = &strain_[8 * place];
      e[0] = strain.xx, e[1] = strain.yy, e[2] = strain.zz, e[3] = strain.xy, e[4] = strain.yz, e[5] = strain.zx;
      set_frame(place, R);
      if (parameters_.integration == ElasticIntegration::implicit) set_inverse_diagonal(place, R, dt, is_held);
    }
  });
  free_count_ = static_cast<std::size_t>(std::count_if(residual_weight_.begin(), residual_weight_.end(), [](T w) { return w > T(0); }));
}

// T_i of the strain that the positions have: P R L, or F S L in Green strain E = (F^T F - I) / 2.
template <class T> void ElasticSolids<T>::set_stress(const State& state) {
  const Column& F_column = state.column("F");
  each_chunk(count(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t place = begin; place < end; ++place) {
      const T *c = &constants_[4 * place], *e = &strain_[8 * place];
      if (parameters_.strain == ElasticStrain::corotated) {
        const Sym3<T> strain{e[0], e[1], e[2], e[3], e[4], e[5]};
        const Mat3<T> P = to_matrix(strain * c[0] + isotropic(c[1] * trace(strain)));
        to_columns(P * from_columns(&frame_[12 * place]), stress_[place].at);
      } else {
        const Mat3<T> F = matrix_at<T>(F_column, particle_[place]);
        const Sym3<T> E = (left_cauchy_green(transpose(F)) - isotropic(T(1))) * T(0.5);
        to_columns(F * to_matrix(E * c[0] + isotropic(c[1] * trace(E))) * rest_.L[place], stress_[place].at);
      }
    }
  });
}

template <class T>
ElasticResult ElasticSolids<T>::solve(const World& world, const State& state, double dt, const std::uint8_t* held, T* const v[3]) {
  ElasticResult result;
  if (count() == 0 || std::find(melted_.begin(), melted_.end(), 0) == melted_.end()) return result;
  if (parameters_.xsph > 0) smooth(state, v, held);
  std::fill(residual_.begin(), residual_.end(), T(0));
  if (parameters_.zero_energy > 0) set_springs(world, state, dt, residual_.data());
  gather(world, state, dt, held, v);
  const ElasticArrays<T> at = arrays();
  const ElasticVectors<T> of = vectors();
  const bool implicit = parameters_.integration == ElasticIntegration::implicit;
  if (implicit)
    each_chunk(count(), [&](std::size_t b, std::size_t e) { kernels_.stress(at, b, e, of.velocity, static_cast<T>(dt), strain_.data()); });
  else set_stress(state);
  std::fill(direction_.begin(), direction_.end(), T(0));
  // The first residual is the elastic impulse of the first guess: b - A v = dt f(x + dt v).
  each_chunk(count(), [&](std::size_t b, std::size_t e) {
    kernels_.force(at, b, e, of.velocity, T(0), static_cast<T>(dt), of.image);
    if (implicit) add_springs(b, e, of.velocity, dt, of.image);
  });
  if (implicit) {
    ElasticSums sums = sum_chunks([&](std::size_t b, std::size_t e) { return kernels_.update(at, of, b, e, T(1)); });
    result.iterations = iterate(dt, sums);
    result.residual = sums.residual / static_cast<double>(std::max<std::size_t>(free_count_, 1));
  } else {
    each_chunk(count(), [&](std::size_t b, std::size_t e) {
      for (std::size_t k = 4 * b; k < 4 * e; ++k) velocity_[k] += (residual_[k] - image_[k]) * residual_weight_[k / 4];
    });
  }
  each_chunk(count(), [&](std::size_t b, std::size_t e) {
    for (std::size_t place = b; place < e; ++place)
      for (std::size_t axis = 0; axis < 3; ++axis) v[axis][particle_[place]] = velocity_[4 * place + axis];
  });
  return result;
}

// Conjugate gradients for (M - dt^2 K) v = M (v + dt a) + dt f, preconditioned by the diagonal blocks, until the mean residual is small.
template <class T> int ElasticSolids<T>::iterate(double dt, ElasticSums& sums) {
  const ElasticArrays<T> at = arrays();
  const ElasticVectors<T> of = vectors();
  const double enough = parameters_.tolerance * static_cast<double>(free_count_);
  double beta = 0;
  int iteration = 0;
  for (; iteration < parameters_.max_iterations && sums.residual > enough; ++iteration) {
    each_chunk(count(), [&](std::size_t b, std::size_t e) { kernels_.turn(of, b, e, static_cast<T>(beta)); });
    each_chunk(count(), [&](std::size_t b, std::size_t e) { kernels_.stress(at, b, e, of.direction, static_cast<T>(dt), nullptr); });
    const double curvature = sum_chunks([&](std::size_t b, std::size_t e) {
                               const double product = kernels_.force(at, b, e, of.direction, T(1), static_cast<T>(dt), of.image);
                               return ElasticSums{product + add_springs(b, e, of.direction, dt, of.image), 0};
                             }).product;
    if (!(curvature > 0)) break;  // rounding is all that is left, or a number is not finite
    const double before = sums.product;
    const T alpha = static_cast<T>(before / curvature);
    sums = sum_chunks([&](std::size_t b, std::size_t e) { return kernels_.update(at, of, b, e, alpha); });
    beta = sums.product / before;
  }
  return iteration;
}

// Motion that the strain does not see, of a pair against what F makes of it (Ganzenmueller 2015): a spring along the pair with the
// stiffness alpha/2 V_i V_j W / X^2 (E_i + E_j), pulled by delta = (F X_ij - x_ij) . e of both ends. In the implicit step F and the
// direction e are those of its beginning.
template <class T> void ElasticSolids<T>::set_springs(const World& world, const State& state, double dt, T* impulse) {
  const std::vector<Moduli> moduli = body_moduli(world);
  const Column &position = state.column("position"), &F_column = state.column("F");
  springs_.resize(rest_.pairs.size());
  spring_sum_.resize(count());
  with_smoothing<T>(rest_options_.smoothing, rest_options_.support, [&](const auto& smoothing) {
    each_chunk(count(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t place = begin; place < end; ++place) {
        const Moduli& m = moduli[rest_.body[place]];
        const std::size_t i = particle_[place];
        const Mat3<T> F = matrix_at<T>(F_column, i);
        const double factor = 0.5 * parameters_.zero_energy * (m.mu > 0 ? m.young() : 0) * double(rest_.volume[place]);
        Mat3<T>& sum = spring_sum_[place] = {};
        Vec3<T> total;
        for (std::size_t k = rest_.first[place]; k < rest_.first[place + 1]; ++k) {
          const std::size_t other = rest_.pairs[k].place, j = particle_[other];
          const T *a = &rest_.X[4 * place], *b = &rest_.X[4 * other];
          const Vec3<T> X{b[0] - a[0], b[1] - a[1], b[2] - a[2]};
          Vec3<T> x;
          for (int axis = 0; axis < 3; ++axis) x[axis] = position.data<T>(axis)[j] - position.data<T>(axis)[i];
          const T now = length(x);
          const Vec3<T> e = now > T(0) ? x / now : Vec3<T>{};
          const T weight = static_cast<T>(factor) * rest_.volume[other] * smoothing.W(length(X)) / length_squared(X);
          const T delta = dot(F * X - x, e) + dot(matrix_at<T>(F_column, j) * X - x, e);
          total -= e * (weight * delta);
          springs_[k] = e * sqrt(T(2) * weight);
          sum = sum + outer(springs_[k], springs_[k]);
        }
        for (int axis = 0; axis < 3; ++axis) impulse[4 * place + static_cast<std::size_t>(axis)] = static_cast<T>(dt) * total[axis];
      }
    });
  });
}

// image += dt^2 S p of the springs; returns what that adds to p . image.
template <class T> double ElasticSolids<T>::add_springs(std::size_t begin, std::size_t end, const T* p, double dt, T* image) const {
  if (spring_sum_.empty()) return 0;
  double product = 0;
  for (std::size_t place = begin; place < end; ++place) {
    const Vec3<T> own{p[4 * place], p[4 * place + 1], p[4 * place + 2]};
    Vec3<T> sum;
    for (std::size_t k = rest_.first[place]; k < rest_.first[place + 1]; ++k) {
      const T* other = p + 4 * rest_.pairs[k].place;
      sum += springs_[k] * dot(springs_[k], own - Vec3<T>{other[0], other[1], other[2]});
    }
    sum = sum * static_cast<T>(dt * dt);
    product += double(dot(own, sum));
    for (int axis = 0; axis < 3; ++axis) image[4 * place + static_cast<std::size_t>(axis)] += sum[axis];
  }
  return product;
}

// XSPH among the neighbours at rest. The mean of both densities keeps momentum.
template <class T> void ElasticSolids<T>::smooth(const State&, T* const v[3], const std::uint8_t* held) {
  std::vector<T>& smoothed = image_;
  with_smoothing<T>(rest_options_.smoothing, rest_options_.support, [&](const auto& smoothing) {
    each_chunk(count(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t place = begin; place < end; ++place) {
        const std::size_t i = particle_[place];
        Vec3<T> change;
        for (std::size_t k = rest_.first[place]; k < rest_.first[place + 1]; ++k) {
          const std::size_t other = rest_.pairs[k].place, j = particle_[other];
          const T *a = &rest_.X[4 * place], *b = &rest_.X[4 * other];
          const T weight = rest_.volume[other] * smoothing.W(length(Vec3<T>{a[0] - b[0], a[1] - b[1], a[2] - b[2]}));
          change += Vec3<T>{v[0][j] - v[0][i], v[1][j] - v[1][i], v[2][j] - v[2][i]} * weight;
        }
        for (int axis = 0; axis < 3; ++axis)
          smoothed[4 * place + static_cast<std::size_t>(axis)] = v[axis][i] + static_cast<T>(parameters_.xsph) * change[axis];
      }
    });
  });
  each_chunk(count(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t place = begin; place < end; ++place)
      if (const std::size_t i = particle_[place]; !held || !held[i])
        for (std::size_t axis = 0; axis < 3; ++axis) v[axis][i] = smoothed[4 * place + axis];
  });
}

// A deformation gradient of a sheet or strand, with unit directions in the place of those that it does not know.
template <class T> Mat3<T> ElasticSolids<T>::completed(const Mat3<T>& F, const Deficit<T>& deficit, const Mat3<T>& R) const {
  if (deficit.rank >= 3) return F;
  if (deficit.rank == 0) return R;
  const Mat3<T> known = Mat3<T>::identity() - deficit.missing;
  const Mat3<T>& projector = deficit.rank == 2 ? deficit.missing : known;  // of rank 1: its longest column is the direction
  int longest = 0;
  for (int c = 1; c < 3; ++c)
    if (projector(c, c) > projector(longest, longest)) longest = c;
  const Vec3<T> axis = normalized(column(projector, longest));
  const Vec3<T> image = deficit.rank == 2 ? cofactor(F) * axis : F * axis;
  const T size = length(image);
  if (!(size > T(1e-12))) return R;
  const Vec3<T> direction = image / size;
  if (deficit.rank == 2) return F + outer(direction, axis);
  return F + least_rotation(R * axis, direction) * R * deficit.missing;  // the spin of a strand is carried along
}

template <class T> void ElasticSolids<T>::deform(State& state) {
  if (count() == 0) return;
  const Column& position = state.column("position");
  Column &F_column = state.column("F"), &R_column = state.column("R");
  std::vector<T>& x = velocity_;
  each_chunk(count(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t place = begin; place < end; ++place)
      for (int axis = 0; axis < 3; ++axis) x[4 * place + static_cast<std::size_t>(axis)] = position.data<T>(axis)[particle_[place]];
  });
  const ElasticArrays<T> at = arrays();
  const T* F_pointers[9];
  T* R_pointers[9];
  for (int c = 0; c < 9; ++c) F_pointers[c] = F_[c].data(), R_pointers[c] = R_[c].data();
  each_chunk(count(), [&](std::size_t begin, std::size_t end) {
    kernels_.gradient(at, begin, end, x.data(), stress_.data());
    for (std::size_t place = begin; place < end; ++place) {  // eq. 3
      Mat3<T> F = from_columns(stress_[place].at) * rest_.L[place];
      if (rest_.deficit[place] != nowhere)
        F = completed(F, rest_.deficits[static_cast<std::size_t>(rest_.deficit[place])], matrix_at<T>(R_column, particle_[place]));
      for (int c = 0; c < 9; ++c) F_[c][place] = F.m[c];
    }
    kernels_.rotations(F_pointers, R_pointers, begin, end);
    for (std::size_t place = begin; place < end; ++place) {
      Mat3<T> F, R;
      for (int c = 0; c < 9; ++c) F.m[c] = F_[c][place], R.m[c] = R_[c][place];
      // With relative displacements what the gradient misses is a rotation (eq. 5).
      if (rest_.deficit[place] != nowhere)
        F = from_columns(stress_[place].at) * rest_.L[place] + R * rest_.deficits[static_cast<std::size_t>(rest_.deficit[place])].missing;
      if (melted_[rest_.body[place]]) F = R = Mat3<T>::identity();
      const std::size_t i = particle_[place];
      for (int c = 0; c < 9; ++c) F_column.data<T>(c)[i] = F.m[c], R_column.data<T>(c)[i] = R.m[c];
    }
  });
}

template <class T> void ElasticSolids<T>::forces(const World& world, const State& state, std::vector<Vec3d>& force) {
  const Column& velocity = state.column("velocity");
  const T* v[3] = {velocity.data<T>(0), velocity.data<T>(1), velocity.data<T>(2)};
  gather(world, state, 0, nullptr, v);
  set_stress(state);
  const ElasticArrays<T> at = arrays();
  each_chunk(count(), [&](std::size_t b, std::size_t e) { kernels_.force(at, b, e, velocity_.data(), T(0), T(1), image_.data()); });
  force.assign(state.count, Vec3d{});
  for (std::size_t place = 0; place < count(); ++place)
    for (int axis = 0; axis < 3; ++axis) force[particle_[place]][axis] = -double(image_[4 * place + static_cast<std::size_t>(axis)]);
}

template <class T>
void ElasticSolids<T>::multiply(const World& world, const State& state, double dt, const std::vector<Vec3d>& p, std::vector<Vec3d>& image) {
  const Column& velocity = state.column("velocity");
  const T* v[3] = {velocity.data<T>(0), velocity.data<T>(1), velocity.data<T>(2)};
  gather(world, state, dt, nullptr, v);
  for (std::size_t place = 0; place < count(); ++place)
    for (int axis = 0; axis < 3; ++axis) direction_[4 * place + static_cast<std::size_t>(axis)] = static_cast<T>(p[particle_[place]][axis]);
  const ElasticArrays<T> at = arrays();
  each_chunk(count(), [&](std::size_t b, std::size_t e) { kernels_.stress(at, b, e, direction_.data(), static_cast<T>(dt), nullptr); });
  each_chunk(count(),
             [&](std::size_t b, std::size_t e) { kernels_.force(at, b, e, direction_.data(), T(1), static_cast<T>(dt), image_.data()); });
  image.assign(state.count, Vec3d{});
  for (std::size_t place = 0; place < count(); ++place)
    for (int axis = 0; axis < 3; ++axis) image[particle_[place]][axis] = double(image_[4 * place + static_cast<std::size_t>(axis)]);
}

template <class T> void ElasticSolids<T>::diagonal_blocks(const World& world, const State& state, double dt, std::vector<Mat3d>& blocks) {
  const Column& velocity = state.column("velocity");
  const T* v[3] = {velocity.data<T>(0), velocity.data<T>(1), velocity.data<T>(2)};
  gather(world, state, dt, nullptr, v);
  blocks.assign(state.count, Mat3d{});
  for (std::size_t place = 0; place < count(); ++place)
    blocks[particle_[place]] = diagonal_block(place, matrix_at<T>(state.column("R"), particle_[place]), dt);
}

template class ElasticSolids<float>;
template class ElasticSolids<double>;

}  // namespace knead
