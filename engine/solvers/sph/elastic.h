// Elastic solids in SPH: rotations, forces, and the implicit update of velocities (Peer et al. 2018; numbers of equations are theirs).
#pragma once
#include <vector>

#include "solvers/sph/elastic_parameters.h"
#include "solvers/sph/rest.h"

namespace knead {

struct ElasticResult {
  int iterations = 0;
  double residual = 0;  // mean per particle [m/s]
};

template <class T> class ElasticSolids {
 public:
  ElasticSolids(const ElasticParameters& parameters, const typename RestShape<T>::Options& rest);

  // Columns X (rest position), F (deformation gradient) and R (its rotation) of State, as at rest when they are new.
  static void prepare(const World& world, State& state);

  // To be called before the others whenever State may have changed its particles or their order.
  void bind(const World& world, const State& state);
  std::size_t count() const { return rest_.count(); }
  std::size_t memory() const;  // [bytes]

  // v: velocities with everything but elasticity, of which those of held particles are final; they become those after dt. F and R of
  // State belong to its positions. `held` is per particle of State.
  ElasticResult solve(const World& world, const State& state, double dt, const std::uint8_t* held, T* const v[3]);

  // F and R of the positions of State; of a melted body I.
  void deform(State& state);

  // For tests.
  const RestShape<T>& rest() const { return rest_; }
  void forces(const World& world, const State& state, std::vector<Vec3d>& force);                                            // eq. 9
  void multiply(const World& world, const State& state, double dt, const std::vector<Vec3d>& p, std::vector<Vec3d>& image);  // M - dt^2 K
  void diagonal_blocks(const World& world, const State& state, double dt, std::vector<Mat3d>& blocks);

 private:
  void gather(const World& world, const State& state, double dt, const std::uint8_t* held, const T* const v[3]);
  void set_frame(std::size_t place, const Mat3<T>& R);
  void set_inverse_diagonal(std::size_t place, const Mat3<T>& R, double dt, bool held);
  Mat3d diagonal_block(std::size_t place, const Mat3<T>& R, double dt) const;
  void set_stress(const State& state);
  void set_springs(const World& world, const State& state, double dt, T* impulse);
  double add_springs(std::size_t begin, std::size_t end, const T* p, double dt, T* image) const;
  void smooth(const State& state, T* const v[3], const std::uint8_t* held);
  Mat3<T> completed(const Mat3<T>& F, const Deficit<T>& deficit, const Mat3<T>& R) const;
  ElasticArrays<T> arrays();
  ElasticVectors<T> vectors();
  template <class Kernel> ElasticSums sum_chunks(Kernel&& kernel);
  int iterate(double dt, ElasticSums& sums);

  ElasticParameters parameters_;
  typename RestShape<T>::Options rest_options_;
  RestShape<T> rest_;
  const ElasticKernels<T>& kernels_;
  std::vector<std::uint32_t> particle_;  // of a place, in State
  std::size_t free_count_ = 0;
  std::vector<std::uint8_t> melted_;  // per body: all moduli are zero now

  // Per place; see ElasticArrays and ElasticVectors.
  std::vector<T> frame_, constants_, residual_weight_, inverse_diagonal_, strain_;
  std::vector<Tensor<T>> stress_;
  std::vector<T> velocity_, residual_, direction_, image_, preconditioned_;
  std::vector<Vec3<T>> springs_;  // per pair: direction times the root of the stiffness against modes without strain [sqrt(N/m)]
  std::vector<Mat3<T>> spring_sum_;
  std::vector<T> F_[9], R_[9];
  std::vector<ElasticSums> partial_;
};

}  // namespace knead
