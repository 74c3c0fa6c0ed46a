// The inner loops of MPM, compiled once per instruction set and chosen at run time. Everything here is plain data.
#pragma once
#include <array>
#include <cstdint>

#include "materials/viscoelastic.h"
#include "spatial/block_grid.h"
#include "spatial/order.h"

namespace knead {

enum class TransferType : std::uint8_t { apic, rpic, pic, flip };
inline constexpr std::array<const char*, 4> enum_names(TransferType) { return {"apic", "rpic", "pic", "flip"}; }

// Particle columns, one pointer per component; null where no material needs the column.
template <class T> struct ParticleView {
  T* position[3];
  T* velocity[3];
  T* C[9];    // velocity gradient seen by the particle [1/s]
  T* F[9];    // elastic deformation gradient of solids
  T* F_N[9];  // elastic deformation gradient of the viscoelastic branch
  T* J;       // volume ratio of fluids
  T* b[6];    // isochoric left Cauchy-Green tensor of the generalized material's flowing branch: xx, yy, zz, xy, yz, zx
  T* plastic_strain;
  T* plastic_volume;
  const T* volume;  // at rest [m^3]
};

template <class T> struct MpmContext;
template <class T> struct GroupLaw;

// Kirchhoff stress of up to `chunk_particles` particles from `first` on, into tau[6][chunk_particles]; returns the largest rho0 c^2.
template <class T> using StressKernel = T (*)(const MpmContext<T>&, const GroupLaw<T>&, std::uint32_t first, int count, T* tau);
// New deformation of the particles from their new velocity gradient.
template <class T> using UpdateKernel = void (*)(const MpmContext<T>&, const GroupLaw<T>&, std::uint32_t first, int count);

// What an implicit step does with a chunk: see AdmmPass. `C` is the velocity gradient [9][chunk_particles]; `Q` receives the first moment
// of the impulse that the particles give to the grid, before the factor dt 4/dx^2; returns the gap (AdmmContext::gap).
template <class T> struct AdmmContext;
template <class T>
using ImplicitKernel = double (*)(const MpmContext<T>&, const AdmmContext<T>&, const GroupLaw<T>&, std::uint32_t first, int count,
                                  const T* C, T* Q);

template <class T> struct GroupLaw {
  const void* elasticity;  // the law's parameter struct, or a Generalized
  const void* plasticity;
  const Viscoelasticity* branch;  // or null
  StressKernel<T> stress;
  UpdateKernel<T> update;
  ImplicitKernel<T> implicit;  // null where admm does not know the law
  T density;                   // at rest [kg/m^3]
  T viscosity;                 // [Pa s]
  double shear;                // modulus of a solid, with its branch as it is after a step of relaxation [Pa]
  bool is_fluid = false;       // its volume is one number, J
  bool flows = false;          // generalized, with a flowing branch
  bool couples() const { return is_fluid || viscosity > 0; }  // the components of the velocity, in an implicit step
};

// What a run of particles reports from a step.
template <class T> struct RunMeasure {
  T wave_modulus;   // largest rho0 c^2 [Pa]
  T speed_squared;  // largest [m^2/s^2]
  bool leaves;      // some particle is now outside of what its block's pad can hold, or outside of the domain
};

inline constexpr int chunk_particles = 32;  // small, so that a chunk's records stay in the first cache beside the pad

// The part of a pad that this step's stencils reach, in nodes of the pad. Only that part is stored, without gaps.
struct PadBox {
  std::uint8_t low[3], size[3];
};

template <class T> struct MpmContext {
  ParticleView<T> particles;
  const Run* runs;
  const std::uint32_t* first_run;                  // per occupied block, and the end
  const BlockCoordinates* blocks;                  // occupied
  const std::array<std::int32_t, 27>* neighbours;  // per occupied block: grid blocks
  const std::array<std::int32_t, 27>* pads_of;     // per grid block: occupied blocks
  const GroupLaw<T>* groups;
  RunMeasure<T>* measures;  // per run
  PadBox* boxes;            // per occupied block
  T* pads;                  // per occupied block: room for pad_nodes x (momentum, mass), box by box
  T* pads_before;           // FLIP: the same without forces; else null
  T* grid;                  // per grid block: block_nodes x (velocity, mass)
  T* grid_before;           // FLIP: velocity before forces; else null
  T origin[3], dx, inverse_dx, dt;
  T gravity[3];  // [m/s^2]
  T flip_ratio;
  TransferType transfer;
  bool round_trip;                 // velocities go to the grid and back, rigidly and without forces; nothing else changes
  bool momentum_only;              // P2G without forces: an implicit step finds them itself
  const T* J_after;                // volume ratios of fluids as an implicit step found them, else null
  T domain_min[3], domain_max[3];  // infinite where open or periodic
};

enum class AdmmWeights : std::uint8_t { stiffness, bulk, unit };
inline constexpr std::array<const char*, 3> enum_names(AdmmWeights) { return {"stiffness", "bulk", "unit"}; }

// start: weights, and the dual variable from the stress at the beginning of the step; weighted: the same with the weights that are there; predict: the residual of the global step alone;
// iterate: one local step and that residual; stiffen: weights that bound the stiffness from above; force: the residual of the momentum
// balance itself; multiply: the coupled part of the matrix times velocities.
enum class AdmmPass : std::uint8_t { start, weighted, predict, iterate, stiffen, force, multiply };

constexpr bool is_local(AdmmPass pass) { return pass == AdmmPass::start || pass == AdmmPass::weighted || pass == AdmmPass::stiffen; }

// One branch of the material in the splitting; F of a branch is free in the local step, and bound to F^tr(v) by the constraint.
template <class T> struct AdmmBranch {
  T* z[9];       // u + F_r: scaled dual variable plus the last relaxed F, all that one iteration leaves to the next
  T* strain[3];  // logarithms of the stretches of the last F, where Newton starts
  T* weight;     // w^2 [J]
};
template <class T> struct AdmmContext {
  AdmmBranch<T> elastic, viscous;
  T* damping;         // V J 2 eta [J s]
  T rho, dual_ratio;  // penalty [-], and the last one over it
  T relaxation;       // alpha
  AdmmPass pass;
  AdmmWeights weights;
  bool automatic;  // weights such that a penalty of 1 is right
  double* gap;     // per run: sum of rho w^2 |F - F^tr|^2 [J]
};

// The matrix of the global step without mass and penalty, by rows of four nodes along z that matter: 125 neighbours x 4 nodes each.
inline constexpr int stencil_entries = 125;
template <class T> struct MatrixView {
  const std::uint32_t* first_row;                  // per grid block
  const std::uint16_t* rows;                       // per grid block: bit 4 x + y is set where a row is stored
  const std::array<std::int32_t, 27>* neighbours;  // per grid block: grid blocks, or -1
  T* values;                                       // [row][neighbour][node]
  const T* mass;                                   // per grid block: block_nodes
};

template <class T> struct MpmKernels {
  const char* instruction_set;
  StressKernel<T> stress[8][8];  // [elastic law][flow law]; null where they do not go together
  UpdateKernel<T> update[8][8];
  StressKernel<T> generalized_stress;
  UpdateKernel<T> generalized_update;
  void (*scatter)(const MpmContext<T>&, std::uint32_t block);  // P2G of one occupied block into its pad
  T(*collect)
  (const MpmContext<T>&,
   std::uint32_t
       grid_block);  // pads to velocities; returns the largest speed squared, NaN if one is, -1 if no pad reaches the block: it then keeps old values
  void (*gather)(const MpmContext<T>&, std::uint32_t block);  // G2P of one occupied block

  ImplicitKernel<T> implicit[8][8];
  ImplicitKernel<T> implicit_generalized;
  void (*implicit_block)(const MpmContext<T>&, const AdmmContext<T>&, std::uint32_t block);  // one pass; impulses go to the pads
  // Sum of the pads plus mass times (start - velocity), the residual of the global step; false if no pad reaches the block.
  bool (*collect_residual)(const MpmContext<T>&, const T* start, std::uint32_t grid_block, T* residual);
  void (*assemble)(const MpmContext<T>&, const AdmmContext<T>&, const MatrixView<T>&, std::uint32_t block);  // adds one occupied block
  // Coupled part of the matrix: its diagonal to the pads, and from there to `diagonal`; the product that implicit_block left on the pads.
  void (*coupled_diagonal)(const MpmContext<T>&, const AdmmContext<T>&, std::uint32_t block);
  void (*collect_diagonal)(const MpmContext<T>&, std::uint32_t grid_block, T* diagonal);
  double (*collect_product)(const MpmContext<T>&, std::uint32_t grid_block, const T* p, T* q);  // q += A p; returns p A p
  double (*multiply)(const MatrixView<T>&, T rho, const T* p, T* q, std::uint32_t grid_block);  // q = (M + rho K) p; returns p q
};

// The kernels for the best instruction set of this machine, or for the named one ("baseline", "avx2", "avx512").
template <class T> const MpmKernels<T>& mpm_kernels(const char* instruction_set = nullptr);

}  // namespace knead
