// One table of kernels for the instruction set that this file is compiled for.
#include "solvers/mpm/kernels.h"

#include <limits>
#include <utility>

#include "solvers/mpm/admm_blocks.h"
#include "solvers/mpm/admm_generalized.h"
#include "solvers/mpm/admm_local.h"
#include "solvers/mpm/admm_matrix.h"
#include "solvers/mpm/collect.h"
#include "solvers/mpm/constitutive.h"
#include "solvers/mpm/gather.h"
#include "solvers/mpm/generalized.h"
#include "solvers/mpm/scatter.h"

namespace knead {
inline namespace KNEAD_ISA {

template <class T, std::size_t E, std::size_t L> constexpr void add_law(MpmKernels<T>& table) {
  using Elastic = std::variant_alternative_t<E, ElasticLaw>;
  using Flow = std::variant_alternative_t<L, FlowLaw>;
  if constexpr (compatible<Elastic, Flow>()) {
    table.stress[E][L] = stress_kernel<T, Elastic, Flow>;
    table.update[E][L] = update_kernel<T, Elastic, Flow>;
    if constexpr (Elastic::is_fluid) table.implicit[E][L] = implicit_eos<T>;
    else table.implicit[E][L] = implicit_kernel<T, Elastic, Flow>;
  }
}

template <class T, std::size_t... I> constexpr MpmKernels<T> make_table(const char* name, std::index_sequence<I...>) {
  constexpr std::size_t flows = std::variant_size_v<FlowLaw>;
  MpmKernels<T> table{};
  table.instruction_set = name;
  (add_law<T, I / flows, I % flows>(table), ...);
  table.generalized_stress = generalized_stress<T>;
  table.generalized_update = generalized_update<T>;
  table.scatter = scatter_block<T>;
  table.collect = collect_block<T>;
  table.gather = gather_block<T>;
  table.implicit_block = implicit_block<T>;
  table.collect_residual = collect_residual<T>;
  table.implicit_generalized = implicit_generalized<T>;
  table.assemble = assemble_block<T>;
  table.coupled_diagonal = coupled_diagonal<T>;
  table.collect_diagonal = collect_diagonal<T>;
  table.collect_product = collect_product<T>;
  table.multiply = multiply_block<T>;
  return table;
}

#define KNEAD_TEXT(x) #x
#define KNEAD_NAME(x) KNEAD_TEXT(x)
using EveryPair = std::make_index_sequence<std::variant_size_v<ElasticLaw> * std::variant_size_v<FlowLaw>>;
extern constinit const MpmKernels<float> float_kernels = make_table<float>(KNEAD_NAME(KNEAD_ISA), EveryPair{});
extern constinit const MpmKernels<double> double_kernels = make_table<double>(KNEAD_NAME(KNEAD_ISA), EveryPair{});

}  // namespace KNEAD_ISA
}  // namespace knead
