#include "frames/capture.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/threads.h"
#include "materials/response.h"

namespace knead {

namespace {

constexpr std::array<const char*, 9> usual_attributes{"position", "velocity", "id",        "body",          "density",
                                                      "J",        "pressure", "von_mises", "plastic_strain"};

// Where a particle goes in the order of ids: a bit per id, and the number of particles before each word of bits.
class IdRanks {
 public:
  explicit IdRanks(const State& state) {
    const auto* id = state.column("id").data<std::uint32_t>();
    std::uint32_t largest = 0;
    for (std::size_t i = 0; i < state.count; ++i) largest = std::max(largest, id[i]);
    present_.resize(largest / 64 + 1);
    before_.resize(present_.size());
    for (std::size_t i = 0; i < state.count; ++i) present_[id[i] / 64] |= std::uint64_t(1) << id[i] % 64;
    std::uint32_t total = 0;
    for (std::size_t w = 0; w < present_.size(); ++w) {
      before_[w] = total;
      total += static_cast<std::uint32_t>(std::popcount(present_[w]));
    }
  }
  std::size_t operator()(std::uint32_t id) const {
    const std::uint64_t smaller = present_[id / 64] & ((std::uint64_t(1) << id % 64) - 1);
    return before_[id / 64] + static_cast<std::size_t>(std::popcount(smaller));
  }

 private:
  std::vector<std::uint64_t> present_;
  std::vector<std::uint32_t> before_;
};

// A column of floats or doubles, or none: then every value is 0.
struct RealColumn {
  const Column* column;
  bool exists() const { return column != nullptr; }
  double operator()(int component, std::size_t particle) const {
    if (!column) return 0;
    return column->type() == ScalarType::f32 ? static_cast<double>(column->data<float>(component)[particle])
                                             : column->data<double>(component)[particle];
  }
  Vec3d vector(std::size_t i) const { return {(*this)(0, i), (*this)(1, i), (*this)(2, i)}; }
  Sym3<double> symmetric(std::size_t i) const {
    return {(*this)(0, i), (*this)(1, i), (*this)(2, i), (*this)(3, i), (*this)(4, i), (*this)(5, i)};
  }
  Mat3d matrix(std::size_t i) const {
    Mat3d m;
    for (int c = 0; c < 9; ++c) m.m[c] = (*this)(c, i);
    return m;
  }
};

// What the frame shows of one particle.
struct Particle {
  double J, size;  // size: |J|, kept away from zero
  Mat3d F;
  Sym3<double> stress;  // Cauchy [Pa]
};

class Capture {
 public:
  Capture(const World& world, const State& state, int index, const std::vector<std::string>& extra)
      : world_(world), state_(state), ranks_(state), materials_(world.materials) {
    for (std::size_t m = 0; m < world.animated_materials.size(); ++m)
      if (world.animated_materials[m]) materials_[m] = world.animated_materials[m](state.time);
    frame_.index = index;
    frame_.time = state.time;
    frame_.count = state.count;
    for (const Body& body : world.bodies) frame_.body_names.push_back(body.name);
    const auto add = [&](const char* name, int components, bool is_integer = false) {
      frame_.columns.push_back({.name = name, .components = components, .floats = {}, .ints = {}, .is_integer = is_integer});
    };
    const auto wanted = [&](const char* name) { return std::find(extra.begin(), extra.end(), name) != extra.end(); };
    add("position", 3);
    add("velocity", 3);
    add("id", 1, true);
    add("body", 1, true);
    add("density", 1);
    add("J", 1);
    add("pressure", 1);
    add("von_mises", 1);
    if (plastic_strain_.exists()) add("plastic_strain", 1);
    if (wanted("F")) add("F", 9);
    if (wanted("stress")) add("stress", 6);
    if (wanted("C")) add("C", 9);
    if (wanted("volume")) add("volume", 1);
    allocate();
  }

  Frame run() {
    parallel_for(state_.count, 2048, [this](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) write(i, ranks_(id_[i]));
    });
    measure_spacings();
    return std::move(frame_);
  }

 private:
  // The first touch of so much memory takes as long as filling it: in parallel, too.
  void allocate() {
    parallel_for(frame_.columns.size(), 1, [this](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) {
        FrameColumn& column = frame_.columns[k];
        const std::size_t values = state_.count * static_cast<std::size_t>(column.components);
        if (column.is_integer) column.ints.resize(values);
        else column.floats.resize(values);
      }
    });
    for (FrameColumn& column : frame_.columns) {
      for (const auto& [name, target] : real_targets_)
        if (column.name == name) *target = column.floats.data();
      if (column.name == "id") id_out_ = column.ints.data();
      if (column.name == "body") body_out_ = column.ints.data();
    }
  }

  // The edge of a cube with the mean rest volume of the body's particles.
  void measure_spacings() {
    if (!volume_.exists()) return;
    std::vector<double> volumes(world_.bodies.size()), counts(world_.bodies.size());
    for (std::size_t i = 0; i < state_.count; ++i) {
      const auto body = static_cast<std::size_t>(world_.groups[group_[i]].body);
      volumes[body] += volume_(0, i);
      counts[body] += 1;
    }
    for (std::size_t body = 0; body < volumes.size(); ++body)
      frame_.body_spacings.push_back(static_cast<float>(std::cbrt(volumes[body] / std::max(counts[body], 1.0))));
  }

  Particle deformation(const Material& material, std::size_t i) const {
    const FlowState<double> flow{plastic_strain_(0, i), plastic_volume_(0, i)};
    Particle particle;
    const double fluid_J = is_fluid(material) && J_.exists() ? J_(0, i) : 1.0;
    particle.F = is_fluid(material) ? Mat3d::identity() * std::cbrt(fluid_J) : F_.matrix(i);
    particle.J = volume_ratio(material, particle.F, fluid_J, flow);
    particle.size = std::max(std::abs(particle.J), 1e-6);
    const Mat3d gradient = material.viscosity != 0 ? C_.matrix(i) : Mat3d{};
    particle.stress = kirchhoff_stress(material, particle.F, fluid_J, flow, gradient) * (1 / particle.size);
    if (material.generalized && b_.exists())
      particle.stress = particle.stress + flow_stress(material, b_.symmetric(i)) * (1 / particle.size);
    if (material.viscoelasticity) particle.stress = particle.stress + branch_stress(material, F_N_.matrix(i)) * (1 / particle.size);
    particle.stress = particle.stress - isotropic(pressure_(0, i));
    return particle;
  }

  Vec3d wrapped(Vec3d x) const {
    if (!world_.domain) return x;
    for (int axis = 0; axis < 3; ++axis) {
      if (!world_.domain->periodic[static_cast<std::size_t>(axis)]) continue;
      const double low = world_.domain->minimum[axis], size = world_.domain->maximum[axis] - low;
      x[axis] -= std::floor((x[axis] - low) / size) * size;
      if (static_cast<float>(x[axis]) >= static_cast<float>(low + size)) x[axis] = low;  // by rounding
    }
    return x;
  }

  // Particle i becomes row `at` of every column.
  void write(std::size_t i, std::size_t at) const {
    const int body = world_.groups[group_[i]].body;
    const Material& material = materials_[static_cast<std::size_t>(world_.bodies[static_cast<std::size_t>(body)].material)];
    const Particle particle = deformation(material, i);
    const Sym3<double>& s = particle.stress;
    const Vec3d x = wrapped(position_.vector(i)), v = velocity_.vector(i);
    for (int c = 0; c < 3; ++c) {
      position_out_[3 * at + static_cast<std::size_t>(c)] = static_cast<float>(x[c]);
      velocity_out_[3 * at + static_cast<std::size_t>(c)] = static_cast<float>(v[c]);
    }
    id_out_[at] = static_cast<std::int32_t>(id_[i]);
    body_out_[at] = body;
    density_out_[at] = static_cast<float>(material.density / particle.size);
    J_out_[at] = static_cast<float>(particle.J);
    pressure_out_[at] = static_cast<float>(trace(s) * (-1.0 / 3.0));
    von_mises_out_[at] = static_cast<float>(std::sqrt(1.5 * norm_squared(deviator(s))));
    if (plastic_strain_out_) plastic_strain_out_[at] = static_cast<float>(plastic_strain_(0, i));
    if (F_out_) store(F_out_ + 9 * at, particle.F);
    if (C_out_) store(C_out_ + 9 * at, C_.matrix(i));
    if (volume_out_) volume_out_[at] = static_cast<float>(volume_(0, i) * particle.size);
    if (stress_out_) {
      const double components[6] = {s.xx, s.yy, s.zz, s.xy, s.yz, s.zx};
      for (std::size_t c = 0; c < 6; ++c) stress_out_[6 * at + c] = static_cast<float>(components[c]);
    }
  }
  static void store(float* target, const Mat3d& m) {
    for (int c = 0; c < 9; ++c) target[c] = static_cast<float>(m.m[c]);
  }

  const World& world_;
  const State& state_;
  const IdRanks ranks_;
  std::vector<Material> materials_;  // at the time of the frame
  const std::uint32_t* id_ = state_.column("id").data<std::uint32_t>();
  const std::uint16_t* group_ = state_.column("group").data<std::uint16_t>();
  const RealColumn position_{&state_.column("position")}, velocity_{&state_.column("velocity")}, volume_{state_.find("volume")},
      F_{state_.find("F")}, F_N_{state_.find("F_N")}, b_{state_.find("b")}, J_{state_.find("J")}, C_{state_.find("C")},
      plastic_strain_{state_.find("plastic_strain")}, pressure_{state_.find("pressure")}, plastic_volume_{state_.find("plastic_volume")};
  Frame frame_;
  // Where the columns of the frame begin; null for those that it does not have.
  float *position_out_ = nullptr, *velocity_out_ = nullptr, *density_out_ = nullptr, *J_out_ = nullptr, *pressure_out_ = nullptr,
        *von_mises_out_ = nullptr, *plastic_strain_out_ = nullptr, *F_out_ = nullptr, *stress_out_ = nullptr, *C_out_ = nullptr,
        *volume_out_ = nullptr;
  std::int32_t *id_out_ = nullptr, *body_out_ = nullptr;
  const std::pair<const char*, float**> real_targets_[11] = {{"position", &position_out_},
                                                             {"velocity", &velocity_out_},
                                                             {"density", &density_out_},
                                                             {"J", &J_out_},
                                                             {"pressure", &pressure_out_},
                                                             {"von_mises", &von_mises_out_},
                                                             {"plastic_strain", &plastic_strain_out_},
                                                             {"F", &F_out_},
                                                             {"stress", &stress_out_},
                                                             {"C", &C_out_},
                                                             {"volume", &volume_out_}};
};

void check_attributes(const std::vector<std::string>& names) {
  const auto contains = [](const auto& list, const std::string& name) { return std::find(list.begin(), list.end(), name) != list.end(); };
  for (const std::string& name : names) {
    if (contains(usual_attributes, name) || contains(extra_frame_attributes, name)) continue;
    std::string known;
    for (const char* extra : extra_frame_attributes) known += std::string(known.empty() ? "" : ", ") + extra;
    throw InputError("there is no frame attribute \"" + name + "\"; beside the usual ones there are " + known + ".");
  }
}

}  // namespace

Frame capture(const World& world, const State& state, int index, const std::vector<std::string>& extra_attributes) {
  check_attributes(extra_attributes);
  return Capture(world, state, index, extra_attributes).run();
}

}  // namespace knead
