// OpenVDB finds the mesh in the field; everything before and after is ours.
#include "surface/reconstruct.h"

#include <openvdb/openvdb.h>
#include <openvdb/tools/VolumeToMesh.h>

#include <algorithm>
#include <cmath>

#include "base/threads.h"
#include "surface/field.h"
#include "surface/smoothing.h"

namespace knead {

namespace {

// The field as OpenVDB's mesher wants it: below zero inside.
openvdb::FloatGrid::Ptr make_grid(const Field& field, float level) {
  auto grid = openvdb::FloatGrid::create(level);
  std::vector<openvdb::FloatTree::LeafNodeType*> leaves(field.blocks.size());
  for (std::size_t b = 0; b < field.blocks.size(); ++b) {
    const float* values = field.block(b);
    if (std::all_of(values, values + Field::block_values, [](float v) { return v == 0; })) continue;
    const auto& [i, j, k] = field.blocks[b];
    leaves[b] = grid->tree().touchLeaf({i * 8, j * 8, k * 8});
  }
  parallel_for(leaves.size(), 64, [&](std::size_t begin, std::size_t end) {
    for (std::size_t b = begin; b < end; ++b) {
      if (!leaves[b]) continue;
      float* to = leaves[b]->buffer().data();  // z runs fastest, as in Field
      const float* from = field.block(b);
      for (int v = 0; v < Field::block_values; ++v) to[v] = level - from[v];
      leaves[b]->setValuesOn();
    }
  });
  return grid;
}

void append_quads(const std::vector<openvdb::Vec4I>& quads, const std::vector<Vec3f>& positions, std::vector<Triangle>& triangles) {
  triangles.reserve(triangles.size() + 2 * quads.size());
  for (const openvdb::Vec4I& q : quads) {
    if (length_squared(positions[q[0]] - positions[q[2]]) <= length_squared(positions[q[1]] - positions[q[3]])) {
      triangles.push_back({q[0], q[1], q[2]});
      triangles.push_back({q[0], q[2], q[3]});
    } else {
      triangles.push_back({q[1], q[2], q[3]});
      triangles.push_back({q[1], q[3], q[0]});
    }
  }
}

// The mesher puts a vertex at the mean of the places where its cell's edges cross the level, which lies inside where the surface is
// round: a step along the gradient takes it to the level itself, and keeps small drops from pulsing as they move through the lattice.
void move_to_level(std::vector<Vec3f>& positions, const Field& field, float level) {
  constexpr float step = 0.5f, farthest = 0.5f;
  parallel_for(positions.size(), 2048, [&](std::size_t begin, std::size_t end) {
    FieldSampler sample(field);
    for (std::size_t i = begin; i < end; ++i) {
      Vec3f gradient;
      for (int axis = 0; axis < 3; ++axis) {
        Vec3f before = positions[i], after = positions[i];
        before[axis] -= step, after[axis] += step;
        gradient[axis] = (sample(after) - sample(before)) / (2 * step);
      }
      const float square = length_squared(gradient);
      if (!(square > 0)) continue;
      for (int pass = 0; pass < 2; ++pass) {
        const Vec3f move = gradient * ((level - sample(positions[i])) / square);
        const float distance = length(move);
        positions[i] += move * (distance > farthest ? farthest / distance : 1);
      }
    }
  });
}

// Whole voxels, so that coordinates near the particles are small: a multiple of `period`, by which cells and blocks repeat, at or below
// all particles but those that are farther than `farthest` from the middle of the others.
std::array<double, 3> anchor_of(std::span<const Vec3f> points, double voxel, int period, double farthest) {
  std::array<double, 3> anchor{};
  std::vector<float> values;
  for (int axis = 0; axis < 3; ++axis) {
    values.clear();
    for (const Vec3f& point : points)
      if (std::isfinite(point[axis])) values.push_back(point[axis]);
    if (values.empty()) continue;
    const auto median = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), median, values.end());
    double low = *median;
    for (const float value : values)
      if (value < low && *median - value < farthest) low = value;
    anchor[static_cast<std::size_t>(axis)] = std::floor(low / voxel / period) * period;
  }
  return anchor;
}

}  // namespace

SurfaceMesh reconstruct(std::span<const Vec3f> points, const Reconstruction& settings) {
  // On a lattice too coarse for single particles the bumps are those of larger ones, raised until no lattice cell can hide one.
  constexpr double coarsest = 0.7;  // voxel in spacings at which every drop of a particle's volume holds a lattice point
  const bool is_coarse = settings.voxel > coarsest * settings.spacing * (1 + 1e-9);
  const double drop_spacing = is_coarse ? settings.voxel / coarsest : settings.spacing;
  const KernelSettings kernel_settings{.spacing = static_cast<float>(drop_spacing / settings.voxel),
                                       .radius = static_cast<float>(settings.radius)};
  const float level = surface_level(kernel_settings);

  const int cell_voxels = static_cast<int>(std::ceil(kernel_settings.reach() / 2 - 1e-4f));
  const double farthest = static_cast<double>(cell_voxels) * (1 << 19);  // in voxels: what the keys of the cells can hold
  const auto anchor = anchor_of(points, settings.voxel, cell_voxels * Field::block_size, farthest * settings.voxel);
  std::vector<Vec3f> local;
  local.reserve(points.size());
  for (const Vec3f& point : points) {
    const Vec3d p{point.x / settings.voxel - anchor[0], point.y / settings.voxel - anchor[1], point.z / settings.voxel - anchor[2]};
    if (p.x < 2 * farthest && p.y < 2 * farthest && p.z < 2 * farthest && p.x >= 0 && p.y >= 0 && p.z >= 0)
      local.push_back({static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z)});
  }
  const CellGrid cells = sort_into_cells(local, static_cast<float>(cell_voxels));
  std::vector<Kernel> kernels = make_kernels(cells, kernel_settings);
  const double volume_ratio = std::pow(settings.spacing / drop_spacing, 3);
  for (Kernel& kernel : kernels) kernel.height *= static_cast<float>(volume_ratio);
  Field field = make_field(cells, kernels);
  keep_thin_parts(field, cells, kernels, level * (is_coarse ? 4.0f : 1.5f));

  std::vector<openvdb::Vec3s> vertices;
  std::vector<openvdb::Vec4I> quads;
  openvdb::tools::volumeToMesh(*make_grid(field, level), vertices, quads, 0.0);

  SurfaceMesh mesh;
  mesh.positions.reserve(vertices.size());
  for (const openvdb::Vec3s& v : vertices) mesh.positions.push_back({v.x(), v.y(), v.z()});
  move_to_level(mesh.positions, field, level);
  append_quads(quads, mesh.positions, mesh.triangles);
  constexpr double cavity_particles = 20, drop_particles = 40;
  const double particle = std::pow(settings.spacing / settings.voxel, 3);
  fill_small_cavities(mesh.positions, mesh.triangles, cavity_particles * particle);
  smooth_ripples(mesh.positions, mesh.triangles, settings.smooth, drop_particles * particle);
  mesh.normals = vertex_normals(mesh.positions, mesh.triangles);
  for (Vec3f& p : mesh.positions)
    p = {static_cast<float>((p.x + anchor[0]) * settings.voxel), static_cast<float>((p.y + anchor[1]) * settings.voxel),
         static_cast<float>((p.z + anchor[2]) * settings.voxel)};
  return mesh;
}

}  // namespace knead
