// Embedded surfaces: a mesh of the body at rest, carried by the particles that were near each of its vertices.
//
// A vertex follows the affine map that fits best, in weighted least squares, the motion of its neighbours since rest: where the body
// deforms affinely, so does the mesh, to rounding. With the neighbours' weights fixed, that map is a fixed sum of their positions.
// Where the neighbours lie in a plane or on a line the map is completed by a rotation, so that thin bodies keep their thickness.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "geometry/mesh_write.h"
#include "surface/rest_mesh.h"

namespace knead {

// Positions of a body's particles with their ids, which ascend.
struct CarrierParticles {
  std::vector<Vec3f> positions;  // [m]
  std::vector<std::int32_t> ids;
};

class Embedding {
 public:
  // The mesh at rest and the particles at that time; `spacing` between them [m]. Needs at least one particle.
  Embedding(TriangleMesh rest, CarrierParticles particles, double spacing);

  // The mesh as carried by the particles of a later time. Particles that are gone are left out of the fits; triangles all of whose
  // neighbours are gone are left out of the mesh.
  SurfaceMesh carried_by(const CarrierParticles& particles) const;

  // The share of the triangles of such a mesh that are pulled apart: some edge is more than four times as long as at rest, and longer
  // than three spacings. 1 when triangles are missing.
  double torn_share(const SurfaceMesh& mesh) const;

 private:
  struct Neighbour {
    std::uint32_t particle;  // number among the particles at rest
    float weight;            // in the fit
    double share;            // of the particle's position in that of the vertex, where all neighbours are there
  };
  void find_neighbours();
  void bind(std::uint32_t vertex);
  bool place(std::uint32_t vertex, const std::vector<Vec3d>& now, const std::vector<char>& is_there, Vec3d& position) const;

  TriangleMesh rest_;
  CreasedMesh creased_;
  CarrierParticles particles_;
  double spacing_;
  std::vector<std::uint32_t> starts_;  // first neighbour of each vertex, and the end
  std::vector<Neighbour> neighbours_;
  std::vector<char> is_linear_;  // the shares can be used
};

}  // namespace knead
