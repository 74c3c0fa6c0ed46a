#include "surface/embedding.h"

#include <algorithm>
#include <cmath>

#include "base/threads.h"
#include "math/eigen.h"
#include "surface/cells.h"
#include "surface/smoothing.h"

namespace knead {

namespace {

constexpr double reach_spacings = 3;  // how far neighbours are looked for
constexpr std::size_t enough = 12;    // neighbours; with fewer, farther ones are taken too
constexpr double flat = 1e-3;         // relative second moment below which neighbours lie in a plane or on a line

Vec3d to_double(const Vec3f& v) { return {v.x, v.y, v.z}; }
Vec3f to_float(const Vec3d& v) { return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)}; }

Sym3<double> square(const Vec3d& v) { return {v.x * v.x, v.y * v.y, v.z * v.z, v.x * v.y, v.y * v.z, v.z * v.x}; }

// A unit vector across v, which has unit length.
Vec3d any_across(const Vec3d& v) {
  const Vec3d axis = std::abs(v.x) < 0.6 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0};
  return normalized(cross(v, axis));
}

// Neighbours at rest and now, relative to their weighted means.
struct Fit {
  Vec3d rest_mean, now_mean;
  Vec3d moments;  // of the neighbours at rest, descending
  Mat3d axes;     // of these
  int rank = 0;
  Mat3d mixed;  // sum of weight * now * rest^T

  // The image of an offset at rest. What the neighbours do not tell is turned along with what they do.
  Vec3d image(const Vec3d& offset) const {
    Vec3d e[3], f[3];
    for (int i = 0; i < 3; ++i) e[i] = column(axes, i);
    for (int i = 0; i < rank; ++i) f[i] = mixed * e[i] / moments[i];
    const auto safe = [](const Vec3d& v, const Vec3d& instead) { return length_squared(v) > 0 ? normalized(v) : instead; };
    if (rank == 0) f[0] = e[0];
    if (rank <= 1) {
      // The least rotation that turns the line: it takes e1 to d, and what is across both stays.
      const Vec3d d = safe(f[0], e[0]), axis = cross(e[0], d);
      const double c = dot(e[0], d);
      const auto turned = [&](const Vec3d& v) {
        return c > -0.999999 ? v * c + cross(axis, v) + axis * (dot(axis, v) / (1 + c)) : any_across(d) * (2 * dot(any_across(d), v)) - v;
      };
      f[1] = turned(e[1]), f[2] = turned(e[2]);
    } else if (rank == 2) {
      f[2] = safe(cross(f[0], f[1]), e[2]);  // e1, e2, e3 are right-handed
    }
    return f[0] * dot(e[0], offset) + f[1] * dot(e[1], offset) + f[2] * dot(e[2], offset);
  }
};

// Particles of another part of the body that happens to be near, across a gap, are no neighbours: keeps those that steps of at most
// `longest_step` spacings reach from the nearest one.
template <class Neighbour> void keep_connected(const std::vector<Vec3f>& points, std::vector<Neighbour>& neighbours) {
  constexpr float longest_step = 1.75f;
  if (neighbours.empty()) return;
  const auto nearest =
      std::max_element(neighbours.begin(), neighbours.end(), [](const Neighbour& a, const Neighbour& b) { return a.weight < b.weight; });
  std::iter_swap(neighbours.begin(), nearest);
  std::size_t reached = 1;  // those at the front
  for (std::size_t from = 0; from < reached; ++from)
    for (std::size_t i = reached; i < neighbours.size(); ++i)
      if (length_squared(points[neighbours[i].particle] - points[neighbours[from].particle]) < longest_step * longest_step)
        std::swap(neighbours[i], neighbours[reached++]);
  neighbours.resize(reached);
}

// Vertices without triangles have no place.
void drop_unused(SurfaceMesh& mesh) {
  std::vector<std::uint32_t> number(mesh.positions.size(), UINT32_MAX);
  std::vector<Vec3f> used;
  for (Triangle& t : mesh.triangles)
    for (std::uint32_t& corner : t) {
      if (number[corner] == UINT32_MAX) {
        number[corner] = static_cast<std::uint32_t>(used.size());
        used.push_back(mesh.positions[corner]);
      }
      corner = number[corner];
    }
  mesh.positions = std::move(used);
}

}  // namespace

Embedding::Embedding(TriangleMesh rest, CarrierParticles particles, double spacing)
    : rest_(std::move(rest)), creased_(split_creases(rest_, crease_degrees)), particles_(std::move(particles)), spacing_(spacing) {
  find_neighbours();
  is_linear_.resize(rest_.vertices.size());
  parallel_for(rest_.vertices.size(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) bind(static_cast<std::uint32_t>(v));
  });
}

void Embedding::find_neighbours() {
  // In spacings from below everything, as the cells want it.
  Vec3d low = to_double(particles_.positions.at(0));
  for (const Vec3f& p : particles_.positions)
    for (int i = 0; i < 3; ++i) low[i] = std::min(low[i], static_cast<double>(p[i]));
  std::vector<Vec3f> points;
  for (const Vec3f& p : particles_.positions) points.push_back(to_float((to_double(p) - low) / spacing_));
  const CellGrid grid = sort_into_cells(points, static_cast<float>(reach_spacings));

  std::vector<std::vector<Neighbour>> found(rest_.vertices.size());
  parallel_for(found.size(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const Vec3f at = to_float((rest_.vertices[v] - low) / spacing_);
      const auto collect = [&](float reach, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
          const Vec3f d = Vec3f{grid.x[i], grid.y[i], grid.z[i]} - at;
          const float rest = 1 - length_squared(d) / (reach * reach);
          if (rest > 0) found[v].push_back({grid.order[i], rest * rest, 0});
        }
      };
      float reach = static_cast<float>(reach_spacings);
      int cell[3];
      for (int i = 0; i < 3; ++i) cell[i] = static_cast<int>(std::floor(at[i] / grid.size));
      const auto is_near = [](int c) { return c > -1000 && c < (1 << 20); };
      if (is_near(cell[0]) && is_near(cell[1]) && is_near(cell[2]))
        for (int i = -1; i <= 1; ++i)
          for (int j = -1; j <= 1; ++j) {
            const std::size_t c0 = grid.find(CellGrid::key(cell[0] + i, cell[1] + j, cell[2] - 1)),
                              c1 = grid.find(CellGrid::key(cell[0] + i, cell[1] + j, cell[2] + 2));
            collect(reach, grid.starts[c0], grid.starts[c1]);
          }
      keep_connected(points, found[v]);
      // Rare, so all particles are looked at.
      while (found[v].size() < std::min(enough, points.size())) {
        found[v].clear();
        reach *= 1.5f;
        collect(reach, 0, points.size());
      }
    }
  });
  starts_.push_back(0);
  for (const auto& list : found) {
    neighbours_.insert(neighbours_.end(), list.begin(), list.end());
    starts_.push_back(static_cast<std::uint32_t>(neighbours_.size()));
  }
}

void Embedding::bind(std::uint32_t vertex) {
  const std::span<Neighbour> all(neighbours_.data() + starts_[vertex], starts_[vertex + 1] - starts_[vertex]);
  double weight = 0;
  Vec3d mean{};
  for (const Neighbour& n : all) weight += n.weight, mean += to_double(particles_.positions[n.particle]) * static_cast<double>(n.weight);
  mean = mean / weight;
  Sym3<double> moment{};
  for (const Neighbour& n : all)
    moment = moment + square(to_double(particles_.positions[n.particle]) - mean) * static_cast<double>(n.weight);
  Vec3d values;
  Mat3d axes;
  eigen_symmetric(moment, values, axes);
  is_linear_[vertex] = values.z > flat * values.x;
  if (!is_linear_[vertex]) return;
  const Vec3d offset = rest_.vertices[vertex] - mean;
  Vec3d solved{};  // moment^-1 * offset
  for (int i = 0; i < 3; ++i) solved += column(axes, i) * (dot(column(axes, i), offset) / values[i]);
  for (Neighbour& n : all) n.share = n.weight * (1 / weight + dot(to_double(particles_.positions[n.particle]) - mean, solved));
}

bool Embedding::place(std::uint32_t vertex, const std::vector<Vec3d>& now, const std::vector<char>& is_there, Vec3d& position) const {
  const std::span<const Neighbour> all(neighbours_.data() + starts_[vertex], starts_[vertex + 1] - starts_[vertex]);
  const bool is_complete = std::all_of(all.begin(), all.end(), [&](const Neighbour& n) { return is_there[n.particle]; });
  position = {};
  if (is_complete && is_linear_[vertex]) {
    for (const Neighbour& n : all) position += now[n.particle] * n.share;
    return true;
  }
  Fit fit;
  double weight = 0;
  for (const Neighbour& n : all) {
    if (!is_there[n.particle]) continue;
    weight += n.weight;
    fit.rest_mean += to_double(particles_.positions[n.particle]) * static_cast<double>(n.weight);
    fit.now_mean += now[n.particle] * static_cast<double>(n.weight);
  }
  if (!(weight > 0)) return false;
  fit.rest_mean = fit.rest_mean / weight, fit.now_mean = fit.now_mean / weight;
  Sym3<double> moment{};
  for (const Neighbour& n : all) {
    if (!is_there[n.particle]) continue;
    const Vec3d rest = to_double(particles_.positions[n.particle]) - fit.rest_mean;
    moment = moment + square(rest) * static_cast<double>(n.weight);
    fit.mixed = fit.mixed + outer(now[n.particle] - fit.now_mean, rest) * static_cast<double>(n.weight);
  }
  eigen_symmetric(moment, fit.moments, fit.axes);
  const double least = std::max(flat * fit.moments.x, 1e-6 * weight * spacing_ * spacing_);
  while (fit.rank < 3 && fit.moments[fit.rank] > least) ++fit.rank;
  position = fit.now_mean + fit.image(rest_.vertices[vertex] - fit.rest_mean);
  return true;
}

SurfaceMesh Embedding::carried_by(const CarrierParticles& particles) const {
  std::vector<Vec3d> now(particles_.ids.size());
  std::vector<char> is_there(particles_.ids.size());
  for (std::size_t i = 0, j = 0; i < particles_.ids.size(); ++i) {
    while (j < particles.ids.size() && particles.ids[j] < particles_.ids[i]) ++j;
    if (j == particles.ids.size() || particles.ids[j] != particles_.ids[i]) continue;
    now[i] = to_double(particles.positions[j]);
    is_there[i] = std::isfinite(now[i].x) && std::isfinite(now[i].y) && std::isfinite(now[i].z);
  }
  std::vector<Vec3f> placed(rest_.vertices.size());
  std::vector<char> is_placed(rest_.vertices.size());
  parallel_for(placed.size(), 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      Vec3d position;
      is_placed[v] = place(static_cast<std::uint32_t>(v), now, is_there, position);
      placed[v] = to_float(position);
    }
  });
  SurfaceMesh mesh;
  mesh.positions.resize(creased_.source.size());
  for (std::size_t i = 0; i < mesh.positions.size(); ++i) mesh.positions[i] = placed[creased_.source[i]];
  for (const Triangle& t : creased_.triangles)
    if (std::all_of(t.begin(), t.end(), [&](std::uint32_t corner) { return is_placed[creased_.source[corner]]; }))
      mesh.triangles.push_back(t);
  if (mesh.triangles.size() < creased_.triangles.size()) drop_unused(mesh);
  mesh.normals = vertex_normals(mesh.positions, mesh.triangles);
  return mesh;
}

double Embedding::torn_share(const SurfaceMesh& mesh) const {
  if (mesh.triangles.size() < creased_.triangles.size()) return 1;
  std::size_t torn = 0;
  for (const Triangle& t : mesh.triangles) {
    bool is_torn = false;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint32_t a = t[i], b = t[(i + 1) % 3];
      const double rest = length(rest_.vertices[creased_.source[a]] - rest_.vertices[creased_.source[b]]),
                   now = length(to_double(mesh.positions[a]) - to_double(mesh.positions[b]));
      is_torn |= now > 4 * rest && now > 3 * spacing_;
    }
    torn += is_torn;
  }
  return static_cast<double>(torn) / static_cast<double>(std::max<std::size_t>(creased_.triangles.size(), 1));
}

}  // namespace knead
