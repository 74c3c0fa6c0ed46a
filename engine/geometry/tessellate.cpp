#include "geometry/tessellate.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "base/error.h"
#include "base/threads.h"
#include "geometry/combined.h"
#include "geometry/lattice.h"
#include "geometry/primitives.h"
#include "math/eigen.h"

namespace knead {

namespace {

constexpr std::size_t most_cells = std::size_t{1} << 26;
constexpr std::uint64_t missing = ~std::uint64_t{0};

// Lattice corners and cells go by one number, x slowest; a step along an axis adds a constant.
constexpr int key_bits = 21;
constexpr std::array<std::uint64_t, 3> key_step{std::uint64_t{1} << (2 * key_bits), std::uint64_t{1} << key_bits, 1};
std::uint64_t key_of(const Cell& cell) {
  return static_cast<std::uint64_t>(cell[0]) << (2 * key_bits) | static_cast<std::uint64_t>(cell[1]) << key_bits |
         static_cast<std::uint64_t>(cell[2]);
}
Cell cell_of(std::uint64_t key) {
  constexpr std::uint64_t mask = (std::uint64_t{1} << key_bits) - 1;
  return {static_cast<int>(key >> (2 * key_bits)), static_cast<int>(key >> key_bits & mask), static_cast<int>(key & mask)};
}
std::size_t find_key(const std::vector<std::uint64_t>& keys, std::uint64_t key) {
  const auto place = std::lower_bound(keys.begin(), keys.end(), key);
  return place != keys.end() && *place == key ? static_cast<std::size_t>(place - keys.begin()) : missing;
}

// The twelve edges of a cell: four along each axis, at the corners of the face across it.
constexpr int edge_count = 12;
int edge_number(int axis, int first, int second) { return axis * 4 + first * 2 + second; }

struct Crossing {
  Vec3d point, normal;
};

class DualContour {
 public:
  DualContour(const Shape& shape, double spacing) : shape_(shape), lattice_(lattice_over(shape, spacing)) {
    // The faces of a shape often lie on round numbers: off its own bounds no lattice corner lies on the surface by design.
    constexpr Vec3d offset{1.3137, 1.2911, 1.3371};
    lattice_.origin = lattice_.origin - offset * spacing;
    for (int& count : lattice_.count) {
      count += 3;
      if (count >= 1 << key_bits) throw InputError("the shape is too large for this spacing.");
    }
  }

  TriangleMesh run() {
    find_cells();
    evaluate_corners();
    find_crossings();
    place_vertices();
    join_vertices();
    return std::move(mesh_);
  }

 private:
  void find_cells() {
    int root = 1;
    for (const int count : lattice_.count)
      while (root < count) root *= 2;
    descend(
        shape_, lattice_, Cell{0, 0, 0}, root, [](const Cell&, int) {},
        [&](const Cell& cell) {
          if (side_of(shape_, lattice_, cell, 1) != Side::across) return;
          if (cells_.size() == most_cells) throw InputError("the shape is too large for this spacing.");
          cells_.push_back(key_of(cell));
        });
    std::sort(cells_.begin(), cells_.end());
  }

  Vec3d corner_position(const Cell& corner) const {
    return lattice_.origin + Vec3d{double(corner[0]), double(corner[1]), double(corner[2])} * lattice_.spacing;
  }

  void evaluate_corners() {
    for (const std::uint64_t cell : cells_)
      for (int c = 0; c < 8; ++c)
        corners_.push_back(cell + (c & 1 ? key_step[0] : 0) + (c & 2 ? key_step[1] : 0) + (c & 4 ? key_step[2] : 0));
    std::sort(corners_.begin(), corners_.end());
    corners_.erase(std::unique(corners_.begin(), corners_.end()), corners_.end());
    distances_.resize(corners_.size());
    parallel_for(corners_.size(), 256, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) distances_[i] = shape_.distance(corner_position(cell_of(corners_[i])));
    });
  }

  // Where the surface cuts an edge: false position; an end that stays twice counts half, so that both close in.
  Crossing cut_edge(const Vec3d& low, const Vec3d& high, double at_low, double at_high) const {
    double a = 0, b = 1, fa = at_low, fb = at_high, t = 0.5;
    int moved = 0;
    for (int i = 0; i < 60; ++i) {
      t = std::clamp((a * fb - b * fa) / (fb - fa), a, b);
      const double f = shape_.distance(low + (high - low) * t);
      if (std::abs(f) <= 1e-13 * lattice_.spacing || b - a < 1e-14) break;
      if ((f < 0) == (fa < 0)) {
        a = t, fa = f, fb *= moved < 0 ? 0.5 : 1, moved = -1;
      } else {
        b = t, fb = f, fa *= moved > 0 ? 0.5 : 1, moved = 1;
      }
    }
    const Vec3d point = low + (high - low) * t;
    return {point, shape_.normal(point)};
  }

  void find_crossings() {
    for (std::size_t i = 0; i < corners_.size(); ++i)
      for (int axis = 0; axis < 3; ++axis) {
        const std::size_t j = find_key(corners_, corners_[i] + key_step[static_cast<std::size_t>(axis)]);
        if (j == missing || (distances_[i] < 0) == (distances_[j] < 0)) continue;
        edges_.push_back(corners_[i] << 2 | static_cast<std::uint64_t>(axis));
        edge_ends_.push_back({i, j});
      }
    crossings_.resize(edges_.size());
    parallel_for(edges_.size(), 64, [&](std::size_t begin, std::size_t end) {
      for (std::size_t e = begin; e < end; ++e) {
        const auto [i, j] = edge_ends_[e];
        crossings_[e] =
            cut_edge(corner_position(cell_of(corners_[i])), corner_position(cell_of(corners_[j])), distances_[i], distances_[j]);
      }
    });
  }

  // The crossed edges of a cell in groups, one for each sheet of the surface that passes through it: number of the group per edge,
  // or -1. Two sheets are told apart on the faces of the cell, where edges around the same inside corner belong together; both cells
  // of a face see it alike, so that the sheets of neighbours meet.
  std::array<signed char, edge_count> sheets_of(std::uint64_t cell, int& count) const {
    bool inside[8];
    for (int c = 0; c < 8; ++c) {
      const std::uint64_t key = cell + (c & 4 ? key_step[0] : 0) + (c & 2 ? key_step[1] : 0) + (c & 1 ? key_step[2] : 0);
      inside[c] = distances_[find_key(corners_, key)] < 0;
    }
    const auto corner = [&](int axis, int along, int first, int second) {  // coordinates on axis, axis + 1, axis + 2
      const int bit[3] = {4, 2, 1};
      return inside[along * bit[axis] + first * bit[(axis + 1) % 3] + second * bit[(axis + 2) % 3]];
    };
    std::array<signed char, edge_count> group;
    for (int axis = 0; axis < 3; ++axis)
      for (int f = 0; f < 2; ++f)
        for (int s = 0; s < 2; ++s) {
          const int e = edge_number(axis, f, s);
          group[static_cast<std::size_t>(e)] = static_cast<signed char>(corner(axis, 0, f, s) != corner(axis, 1, f, s) ? e : -1);
        }
    const auto join = [&](int a, int b) {
      const signed char from = group[static_cast<std::size_t>(a)], to = group[static_cast<std::size_t>(b)];
      if (from >= 0 && to >= 0) std::replace(group.begin(), group.end(), from, to);
    };
    for (int axis = 0; axis < 3; ++axis)
      for (int side = 0; side < 2; ++side) {
        // The face across `axis`: its edges along b = axis + 1 lie at (c, axis) = (0 or 1, side), those along c at (axis, b).
        const int b = (axis + 1) % 3, c = (axis + 2) % 3;
        const int along_b[2] = {edge_number(b, 0, side), edge_number(b, 1, side)};
        const int along_c[2] = {edge_number(c, side, 0), edge_number(c, side, 1)};
        int crossed = 0;
        for (const int e : {along_b[0], along_b[1], along_c[0], along_c[1]}) crossed += group[static_cast<std::size_t>(e)] >= 0;
        if (crossed == 4) {
          const bool low_inside = corner(axis, side, 0, 0);
          join(along_b[0], along_c[low_inside ? 0 : 1]);
          join(along_b[1], along_c[low_inside ? 1 : 0]);
        } else if (crossed == 2) {
          join(along_b[0], along_b[1]), join(along_c[0], along_c[1]);
          for (const int p : along_b)
            for (const int q : along_c) join(p, q);
        }
      }
    count = 0;
    std::array<signed char, edge_count> number, names{};
    names.fill(-1);
    for (std::size_t e = 0; e < edge_count; ++e) {
      number[e] = -1;
      if (group[e] < 0) continue;
      signed char& name = names[static_cast<unsigned char>(group[e])];
      if (name < 0) name = static_cast<signed char>(count++);
      number[e] = name;
    }
    return number;
  }

  std::size_t crossing_of(std::uint64_t cell, int edge) const {
    const int axis = edge / 4, first = edge / 2 % 2, second = edge % 2;
    const std::uint64_t corner = cell + static_cast<std::uint64_t>(first) * key_step[static_cast<std::size_t>((axis + 1) % 3)] +
                                 static_cast<std::uint64_t>(second) * key_step[static_cast<std::size_t>((axis + 2) % 3)];
    return find_key(edges_, corner << 2 | static_cast<std::uint64_t>(axis));
  }

  // The point of least squared distance to the tangent planes. Directions in which they say next to nothing are left alone; a
  // point well outside the cell is sought again with one direction less.
  Vec3d place_vertex(const std::vector<const Crossing*>& crossings, std::uint64_t cell) const {
    constexpr double flat = 0.03;  // relative eigenvalue: edges with a bend of more than about 20 degrees are kept
    Vec3d center{};
    for (const Crossing* crossing : crossings) center += crossing->point;
    center = center / static_cast<double>(crossings.size());
    Sym3<double> matrix{};
    Vec3d right{};
    for (const Crossing* crossing : crossings) {
      const Vec3d& n = crossing->normal;
      matrix = matrix + Sym3<double>{n.x * n.x, n.y * n.y, n.z * n.z, n.x * n.y, n.y * n.z, n.z * n.x};
      right += n * dot(n, crossing->point - center);
    }
    Vec3d values;
    Mat3d vectors;
    eigen_symmetric(matrix, values, vectors);
    int rank = 1;
    while (rank < 3 && values[rank] > flat * values.x) ++rank;
    const int full_rank = rank;
    const Vec3d low = corner_position(cell_of(cell));
    constexpr double margin = 0.2;  // tangent planes of a curved edge may meet a little outside
    const auto is_in_cell = [&](const Vec3d& x) {
      for (int i = 0; i < 3; ++i)
        if (!(x[i] >= low[i] - margin * lattice_.spacing && x[i] <= low[i] + (1 + margin) * lattice_.spacing)) return false;
      return true;
    };
    for (; rank > 0; --rank) {
      Vec3d x = center;
      for (int i = 0; i < rank; ++i) x += column(vectors, i) * (dot(column(vectors, i), right) / values[i]);
      if (full_rank == 1) x -= shape_.normal(x) * shape_.distance(x);  // where it is smooth, onto the surface itself
      if (is_in_cell(x)) return x;
    }
    return center;
  }

  void place_vertices() {
    first_vertex_.resize(cells_.size() + 1);
    sheets_.resize(cells_.size());
    parallel_for(cells_.size(), 256, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        int count = 0;
        sheets_[i] = sheets_of(cells_[i], count);
        first_vertex_[i + 1] = static_cast<std::uint32_t>(count);
      }
    });
    std::partial_sum(first_vertex_.begin(), first_vertex_.end(), first_vertex_.begin());
    mesh_.vertices.resize(first_vertex_.back());
    parallel_for(cells_.size(), 256, [&](std::size_t begin, std::size_t end) {
      std::vector<const Crossing*> crossings;
      for (std::size_t i = begin; i < end; ++i)
        for (std::uint32_t v = first_vertex_[i]; v < first_vertex_[i + 1]; ++v) {
          crossings.clear();
          for (int e = 0; e < edge_count; ++e)
            if (sheets_[i][static_cast<std::size_t>(e)] == static_cast<signed char>(v - first_vertex_[i]))
              crossings.push_back(&crossings_[crossing_of(cells_[i], e)]);
          mesh_.vertices[v] = place_vertex(crossings, cells_[i]);
        }
    });
  }

  // How well both halves of a quadrilateral, cut from the corner `start`, agree with the normal of the surface in its middle: the cosine
  // of the worse one. A cut across a sharp edge would show there.
  double agreement(const std::array<std::uint32_t, 4>& quad, std::size_t start, const Vec3d& normal) const {
    const auto corner = [&](std::size_t i) { return mesh_.vertices[quad[(start + i) % 4]]; };
    double worst = 1;
    for (const std::size_t i : {1, 2}) {
      const Vec3d across = cross(corner(i) - corner(0), corner(i + 1) - corner(0));
      const double size = length(across);
      worst = std::min(worst, size > 0 ? dot(across, normal) / size : -1);
    }
    return worst;
  }

  // Four cells share each crossed edge: their vertices are a quadrilateral.
  void join_vertices() {
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      const int axis = static_cast<int>(edges_[e] & 3);
      const std::uint64_t corner = edges_[e] >> 2, step_b = key_step[static_cast<std::size_t>((axis + 1) % 3)],
                          step_c = key_step[static_cast<std::size_t>((axis + 2) % 3)];
      std::array<std::uint32_t, 4> quad;
      constexpr int back[4][2] = {{1, 1}, {0, 1}, {0, 0}, {1, 0}};  // counter-clockwise seen from the end of the axis
      for (std::size_t k = 0; k < 4; ++k) {
        const auto [b, c] = back[k];
        const std::size_t cell = find_key(cells_, corner - static_cast<std::uint64_t>(b) * step_b - static_cast<std::uint64_t>(c) * step_c);
        quad[k] = first_vertex_[cell] + static_cast<std::uint32_t>(sheets_[cell][static_cast<std::size_t>(edge_number(axis, b, c))]);
      }
      if (distances_[edge_ends_[e][0]] >= 0) std::swap(quad[1], quad[3]);
      if (agreement(quad, 1, crossings_[e].normal) > agreement(quad, 0, crossings_[e].normal) + 1e-9)
        std::rotate(quad.begin(), quad.begin() + 1, quad.end());
      mesh_.triangles.push_back({quad[0], quad[1], quad[2]});
      mesh_.triangles.push_back({quad[0], quad[2], quad[3]});
    }
  }

  const Shape& shape_;
  Lattice lattice_;
  std::vector<std::uint64_t> cells_, corners_;  // sorted
  std::vector<double> distances_;               // at the corners
  std::vector<std::uint64_t> edges_;            // crossed ones, as corner * 4 + axis, sorted
  std::vector<std::array<std::size_t, 2>> edge_ends_;
  std::vector<Crossing> crossings_;
  std::vector<std::array<signed char, edge_count>> sheets_;
  std::vector<std::uint32_t> first_vertex_;
  TriangleMesh mesh_;
};

}  // namespace

TriangleMesh tessellate(const Shape& shape, double spacing) {
  require_positive(spacing, "the spacing of a mesh");
  return DualContour(shape, spacing).run();
}

TriangleMesh make_surface(const ShapeSpec& spec, const std::filesystem::path& folder, double spacing) {
  const auto* file = std::get_if<MeshFile>(&spec.kind);
  if (!file) return tessellate(*make_shape(spec, folder, spacing), spacing);
  TriangleMesh mesh = read_mesh(folder / file->file);
  if (spec.transform) {
    check_transform(*spec.transform);
    for (Vec3d& vertex : mesh.vertices) vertex = apply(*spec.transform, vertex);
  }
  return mesh;
}

}  // namespace knead
