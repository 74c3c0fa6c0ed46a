// What each particle adds to the field: a bump that follows the arrangement of its neighbours (after Yu and Turk, "Reconstructing
// surfaces of particle-based fluids using anisotropic kernels").
//
// A bump is V / (n r1 r2 r3) * (1 - q^2)^3 with q the distance in units of the radii r1, r2, r3 along its axes; V = spacing^3 is the
// particle's volume and n = 64 pi / 315 makes the integral V. The sum over all particles is near 1 inside the fluid.
// The axes are those of the weighted covariance of the neighbours within 3 spacings; a radius is the kernel radius times the spread
// along that axis over that of a full neighbourhood, at least a half of it; flat bumps are a little wider. So inside the fluid the
// bump is a ball, at a surface it is flat, on a jet it is long, and a lone particle has a small ball. No number of neighbours is
// counted, and weights fade to zero: nothing jumps as particles come and go.
// Before that the particles are drawn towards the mean of their neighbours, most of the way, and then, by what their new places say,
// a part of that way back: ripples shrink, and the outermost layer is nearly where it was. Drawn in alone, two or three layers would lie
// in one, and the surface would have to be drawn at the faint rim of the bumps.
#pragma once
#include <vector>

#include "surface/cells.h"

namespace knead {

struct KernelSettings {
  float spacing = 1;                           // between particles at rest
  float radius = 2;                            // kernel radius of a full neighbourhood, in spacings
  float reach() const { return 3 * spacing; }  // how far neighbours are looked for
};

struct Kernel {
  Vec3f center;
  float height;        // of the bump
  Sym3<float> metric;  // q^2 = d . metric d
  Vec3f extent;        // half of the box around the bump
  bool is_deep;        // neighbours all around: far from any surface
};

// One for each point of `points`, in its order; cells must not be smaller than half the reach.
std::vector<Kernel> make_kernels(const CellGrid& points, const KernelSettings& settings);

// The value of the field at a flat surface: the level at which to draw it. Computed on a half space filled by a cubic lattice, whose
// surface is half a spacing above the last layer; the mean over the surface. Depends on the settings' ratios alone.
float surface_level(const KernelSettings& given);

}  // namespace knead
