// Volume, centre and inertia of solids of density 1.
#pragma once
#include "geometry/mesh.h"
#include "geometry/shape.h"
#include "math/vec.h"

namespace knead {

struct MassProperties {
  double volume = 0;       // [m^3]
  Vec3d center;            // [m]
  Sym3<double> inertia{};  // about the center, of density 1 kg/m^3 [m^5]
};

// By quadrature of the signed distance: cells that the surface cuts count with the part below a plane through them, and are looked at
// more closely where there is an edge. The same bits whatever the number of threads. InputError for a shape without bounds.
MassProperties mass_properties(const Shape& shape);

// Of a closed mesh that faces outwards: exact, as the sum over the tetrahedra between its triangles and one point.
MassProperties mass_properties(const TriangleMesh& mesh);

}  // namespace knead
