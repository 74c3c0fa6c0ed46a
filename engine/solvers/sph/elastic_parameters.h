// How elastic solids are treated in SPH.
#pragma once
#include <array>

#include "base/parameters.h"

namespace knead {

enum class ElasticStrain { corotated, green };
inline constexpr std::array<const char*, 2> enum_names(ElasticStrain) { return {"corotated", "green"}; }

enum class ElasticIntegration { implicit, explicit_euler };
inline constexpr std::array<const char*, 2> enum_names(ElasticIntegration) { return {"implicit", "explicit"}; }

struct ElasticParameters {
  static constexpr const char* definition = "sph_elasticity";  // in the schema
  ElasticStrain strain = ElasticStrain::corotated;
  ElasticIntegration integration = ElasticIntegration::implicit;
  bool kernel_correction = true;
  double tolerance = 1e-3;  // [m/s]
  int max_iterations = 500;
  double zero_energy = 0;  // alpha of Ganzenmueller 2015
  double xsph = 0;         // xi

  template <class Visitor> void describe(Visitor& visit) {
    visit("strain", strain,
          {.text = "corotated: linear in a frame that turns with the material; green: St. Venant-Kirchhoff, with explicit integration."});
    visit("integration", integration, {.text = "implicit: velocities solve a linear system; explicit: forces of the current positions."});
    visit("kernel_correction", kernel_correction,
          {.text = "Gradients exact for linear fields. Without it solids resist rotation; for comparison."});
    visit("tolerance", tolerance,
          {.unit = "m/s", .above = 0, .text = "The implicit solve ends when the mean residual per particle is below this."});
    visit("max_iterations", max_iterations, {.minimum = 1, .text = "Most iterations of the implicit solve."});
    visit(
        "zero_energy", zero_energy,
        {.minimum = 0, .text = "Stiffness, as a part of Young's modulus, against motion that the strain does not see; sheets need some."});
    visit("xsph", xsph,
          {.minimum = 0, .maximum = 1, .text = "Part by which velocities approach the mean of the rest neighbours per step."});
  }
};

}  // namespace knead
