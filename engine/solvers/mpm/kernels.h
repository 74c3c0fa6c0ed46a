// The inner loops of explicit MPM, compiled once per instruction set and chosen at run time. Everything here is plain data.
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

template <class T> struct GroupLaw {
  const void* elasticity;  // the law's parameter struct
  const void* plasticity;
  const Viscoelasticity* branch;  // or null
  StressKernel<T> stress;
  UpdateKernel<T> update;
  T density;    // at rest [kg/m^3]
  T viscosity;  // [Pa s]
};

// What a run of particles reports from a step.
template <class T> struct RunMeasure {
  T wave_modulus;   // largest rho0 c^2 [Pa]
  T speed_squared;  // largest [m^2/s^2]
  bool leaves;      // some particle is now outside of what its block's pad can hold, or outside of the domain
};

inline constexpr int chunk_particles = 64;

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
  T domain_min[3], domain_max[3];  // infinite where open or periodic
};

template <class T> struct MpmKernels {
  const char* instruction_set;
  StressKernel<T> stress[8][8];  // [elastic law][flow law]; null where they do not go together
  UpdateKernel<T> update[8][8];
  void (*scatter)(const MpmContext<T>&, std::uint32_t block);  // P2G of one occupied block into its pad
  T(*collect)
  (const MpmContext<T>&,
   std::uint32_t
       grid_block);  // pads to velocities; returns the largest speed squared, NaN if one is, -1 if no pad reaches the block: it then keeps old values
  void (*gather)(const MpmContext<T>&, std::uint32_t block);  // G2P of one occupied block
};

// The kernels for the best instruction set of this machine, or for the named one ("baseline", "avx2", "avx512").
template <class T> const MpmKernels<T>& mpm_kernels(const char* instruction_set = nullptr);

}  // namespace knead
