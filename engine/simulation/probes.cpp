#include "simulation/probes.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "base/error.h"
#include "simulation/particle_view.h"

namespace knead {

namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();  // where there is no particle to measure

// N numbers that are added up together.
template <std::size_t N> struct Sums {
  std::array<double, N> value{};
  Sums& operator+=(const Sums& other) {
    for (std::size_t n = 0; n < N; ++n) value[n] += other.value[n];
    return *this;
  }
};

int find_body(const std::string& name, const World& world, const std::string& label) {
  if (name.empty()) return -1;
  for (std::size_t n = 0; n < world.bodies.size(); ++n)
    if (world.bodies[n].name == name) return static_cast<int>(n);
  throw InputError("The probe \"" + label + "\" asks for the body \"" + name + "\", and there is none of that name.");
}

int find_rigid(const std::string& name, const World& world) {
  for (std::size_t n = 0; n < world.rigid_bodies.size(); ++n)
    if (world.rigid_bodies[n].name == name) return static_cast<int>(n);
  return -1;
}

// A body of particles, or a rigid one.
void find_either(const std::string& name, const World& world, const std::string& label, Probe& probe) {
  if (!name.empty()) probe.rigid = find_rigid(name, world);
  if (probe.rigid < 0) probe.body = find_body(name, world, label);
}

// As in State::collider_force: rigid bodies follow the colliders.
int find_collider(const std::string& name, const World& world, const std::string& label) {
  for (std::size_t n = 0; n < world.colliders.size(); ++n)
    if (world.colliders[n].name == name) return static_cast<int>(n);
  if (const int rigid = find_rigid(name, world); rigid >= 0) return static_cast<int>(world.colliders.size()) + rigid;
  throw InputError("The probe \"" + label + "\" asks for the collider \"" + name + "\", and there is none of that name.");
}

bool wanted(const Probe& probe, const ParticleView& particles, std::size_t i) {
  return (probe.body < 0 || particles.body(i) == probe.body) && (!probe.region || probe.region->distance(particles.position(i)) <= 0);
}

// The first of the nearest ones in the order of ids: the order in memory may differ from run to run of a changed solver.
std::uint32_t nearest_particle(const ParticleView& particles, const Vec3d& at) {
  double best = std::numeric_limits<double>::infinity();
  std::uint32_t id = std::numeric_limits<std::uint32_t>::max();
  for (std::size_t i = 0; i < particles.count(); ++i) {
    const double distance = length_squared(particles.position(i) - at);
    if (distance < best || (distance == best && particles.id(i) < id)) best = distance, id = particles.id(i);
  }
  return id;
}

Bounds3 measure_bounds(const Probe& probe, const ParticleView& particles) {
  const double infinity = std::numeric_limits<double>::infinity();
  Bounds3 box{{infinity, infinity, infinity}, {-infinity, -infinity, -infinity}};
  for (std::size_t i = 0; i < particles.count(); ++i) {
    if (!wanted(probe, particles, i)) continue;
    const Vec3d x = particles.position(i);
    for (int axis = 0; axis < 3; ++axis) {
      box.minimum[axis] = std::min(box.minimum[axis], x[axis]);
      box.maximum[axis] = std::max(box.maximum[axis], x[axis]);
    }
  }
  if (box.minimum.x > box.maximum.x) box = {{nothing, nothing, nothing}, {nothing, nothing, nothing}};
  return box;
}

// A profile's bins cover its region, or where its particles are at the start.
void set_range(Probe& probe, const ProfileProbe& kind, const ParticleView& particles) {
  const int axis = static_cast<int>(kind.axis);
  const Bounds3 box = probe.region ? probe.region->bounds() : measure_bounds(probe, particles);
  probe.low = box.minimum[axis], probe.high = box.maximum[axis];
  if (!(std::isfinite(probe.low) && std::isfinite(probe.high) && probe.low < probe.high))
    throw InputError("The probe \"" + kind.label + "\" has no range to cut into bins: give it a \"region\" with bounds.");
}

double von_mises(const Sym3<double>& stress) { return std::sqrt(1.5 * norm_squared(deviator(stress))); }
double pressure(const Sym3<double>& stress) { return -trace(stress) / 3; }

double evaluate(Quantity quantity, const ParticleView& particles, std::size_t i) {
  switch (quantity) {
    case Quantity::velocity_x: return particles.velocity(i).x;
    case Quantity::velocity_y: return particles.velocity(i).y;
    case Quantity::velocity_z: return particles.velocity(i).z;
    case Quantity::speed: return length(particles.velocity(i));
    case Quantity::density: return particles.material(i).density / particles.positive_ratio(i);
    case Quantity::J: return particles.volume_ratio(i);
    case Quantity::plastic_strain: return particles.plastic_strain(i);
    default: break;
  }
  const Sym3<double> stress = particles.cauchy(i);
  switch (quantity) {
    case Quantity::pressure: return pressure(stress);
    case Quantity::von_mises: return von_mises(stress);
    case Quantity::stress_xx: return stress.xx;
    case Quantity::stress_yy: return stress.yy;
    case Quantity::stress_zz: return stress.zz;
    case Quantity::stress_xy: return stress.xy;
    case Quantity::stress_yz: return stress.yz;
    default: return stress.zx;
  }
}

// One overload per probe type: the values after `time`.
using Values = std::vector<double>;

Values measure(const PointProbe&, const Probe& probe, const World& world, const State& state) {
  const ParticleView particles(world, state);
  for (std::size_t i = 0; i < particles.count(); ++i)
    if (particles.id(i) == probe.particle) {
      const Vec3d x = particles.position(i), v = particles.velocity(i);
      return {x.x, x.y, x.z, v.x, v.y, v.z};
    }
  return Values(6, nothing);  // it has left the domain
}

Bounds3 rigid_bounds(const RigidBody& body, const RigidState& state) {
  const Pose pose = pose_of(body, state);
  Bounds3 box{state.position, state.position};
  for (const Vec3d& point : body.points) {
    const Vec3d x = pose.apply(point);
    for (int axis = 0; axis < 3; ++axis) {
      box.minimum[axis] = std::min(box.minimum[axis], x[axis]);
      box.maximum[axis] = std::max(box.maximum[axis], x[axis]);
    }
  }
  return box;
}

Values measure(const BoundsProbe&, const Probe& probe, const World& world, const State& state) {
  const auto rigid = static_cast<std::size_t>(probe.rigid);
  const Bounds3 box =
      probe.rigid >= 0 ? rigid_bounds(world.rigid_bodies[rigid], state.rigid[rigid]) : measure_bounds(probe, ParticleView(world, state));
  return {box.minimum.x, box.minimum.y, box.minimum.z, box.maximum.x, box.maximum.y, box.maximum.z};
}

Values measure(const CenterProbe&, const Probe& probe, const World& world, const State& state) {
  if (probe.rigid >= 0) {
    const RigidState& body = state.rigid[static_cast<std::size_t>(probe.rigid)];
    return {body.position.x, body.position.y, body.position.z, body.velocity.x, body.velocity.y, body.velocity.z};
  }
  const ParticleView particles(world, state);
  const Sums<7> sums = sum_particles<Sums<7>>(particles.count(), [&](Sums<7>& sum, std::size_t i) {
    if (!wanted(probe, particles, i)) return;
    const double m = particles.mass(i);
    const Vec3d x = particles.position(i), v = particles.velocity(i);
    sum += {{m, m * x.x, m * x.y, m * x.z, m * v.x, m * v.y, m * v.z}};
  });
  Values values(6);
  for (std::size_t n = 0; n < 6; ++n) values[n] = sums.value[0] > 0 ? sums.value[n + 1] / sums.value[0] : nothing;
  return values;
}

Values measure(const EnergyProbe&, const Probe&, const World& world, const State& state) {
  const Energy energy = measure_energy(world, state);
  return {energy.kinetic, energy.elastic, energy.gravity, energy.total(), state.initial_energy + state.external_work - energy.total()};
}

Values measure(const MomentumProbe&, const Probe&, const World& world, const State& state) {
  const ParticleView particles(world, state);
  const Sums<6> sums = sum_particles<Sums<6>>(particles.count(), [&](Sums<6>& sum, std::size_t i) {
    const double m = particles.mass(i);
    const Vec3d p = particles.velocity(i) * m;
    Vec3d l = cross(particles.position(i), p);
    if (particles.has_affine()) {
      // The particle stands for mass spread around x with the velocity v + C r: its spin is m D (axial vector of C - C^T).
      const Mat3d C = particles.affine(i);
      l += Vec3d{C(2, 1) - C(1, 2), C(0, 2) - C(2, 0), C(1, 0) - C(0, 1)} * (m * particles.affine_inertia());
    }
    sum += {{p.x, p.y, p.z, l.x, l.y, l.z}};
  });
  Values values(sums.value.begin(), sums.value.end());
  for (std::size_t n = 0; n < state.rigid.size(); ++n) {
    const Vec3d p = state.rigid[n].velocity * world.rigid_bodies[n].mass;
    const Vec3d l = cross(state.rigid[n].position, p) + angular_momentum(world.rigid_bodies[n], state.rigid[n]);
    for (int axis = 0; axis < 3; ++axis)
      values[static_cast<std::size_t>(axis)] += p[axis], values[static_cast<std::size_t>(axis + 3)] += l[axis];
  }
  return values;
}

Values measure(const ForceProbe&, const Probe& probe, const World&, const State& state) {
  const auto collider = static_cast<std::size_t>(probe.collider);
  const Vec3d force = collider < state.collider_force.size() ? state.collider_force[collider] : Vec3d{};
  return {force.x, force.y, force.z};
}

Values measure(const StressProbe&, const Probe& probe, const World& world, const State& state) {
  const ParticleView particles(world, state);
  const Sums<7> sums = sum_particles<Sums<7>>(particles.count(), [&](Sums<7>& sum, std::size_t i) {
    if (!wanted(probe, particles, i)) return;
    const double volume = particles.volume(i);
    const Sym3<double> s = particles.cauchy(i) * volume;
    sum += {{volume, s.xx, s.yy, s.zz, s.xy, s.yz, s.zx}};
  });
  if (!(sums.value[0] > 0)) return Values(8, nothing);
  const double scale = 1 / sums.value[0];
  const Sym3<double> mean = Sym3<double>{sums.value[1], sums.value[2], sums.value[3], sums.value[4], sums.value[5], sums.value[6]} * scale;
  return {mean.xx, mean.yy, mean.zz, mean.xy, mean.yz, mean.zx, pressure(mean), von_mises(mean)};
}

Values measure(const ProfileProbe& kind, const Probe& probe, const World& world, const State& state) {
  const ParticleView particles(world, state);
  const auto bins = static_cast<std::size_t>(kind.bins);
  Values weight(bins, 0.0), sum(bins, 0.0);
  for (std::size_t i = 0; i < particles.count(); ++i) {
    if (!wanted(probe, particles, i)) continue;
    const double place = (particles.position(i)[static_cast<int>(kind.axis)] - probe.low) / (probe.high - probe.low);
    if (!(place >= 0 && place <= 1)) continue;
    const std::size_t bin = std::min(static_cast<std::size_t>(place * static_cast<double>(bins)), bins - 1);
    const double volume = particles.volume(i);
    weight[bin] += volume;
    sum[bin] += volume * evaluate(kind.quantity, particles, i);
  }
  for (std::size_t bin = 0; bin < bins; ++bin) sum[bin] = weight[bin] > 0 ? sum[bin] / weight[bin] : nothing;
  return sum;
}

std::string number(double value) {
  if (std::isnan(value)) return "nan";
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

// The bins of a profile are named by the coordinate of their centre, as in "y=0.125".
std::string profile_columns(const ProfileProbe& kind, const Probe& probe) {
  std::string text;
  const double width = (probe.high - probe.low) / kind.bins;
  for (int bin = 0; bin < kind.bins; ++bin)
    text.append(",")
        .append(enum_names(kind.axis)[static_cast<std::size_t>(kind.axis)])
        .append("=")
        .append(number(probe.low + (bin + 0.5) * width));
  return text;
}

template <class... Overloads> struct Overloaded : Overloads... { using Overloads::operator()...; };
template <class... Overloads> Overloaded(Overloads...) -> Overloaded<Overloads...>;

}  // namespace

void start_probe(Probe& probe, const World& world, const State& state) {
  const ParticleView particles(world, state);
  std::visit(Overloaded{[&](const PointProbe& kind) {
                          if (particles.count() == 0) throw InputError("The probe \"" + kind.label + "\" finds no particle at the start.");
                          probe.particle = nearest_particle(particles, kind.at);
                        },
                        [&](const BoundsProbe& kind) { find_either(kind.body, world, kind.label, probe); },
                        [&](const CenterProbe& kind) { find_either(kind.body, world, kind.label, probe); }, [](const EnergyProbe&) {},
                        [](const MomentumProbe&) {},
                        [&](const ForceProbe& kind) { probe.collider = find_collider(kind.collider, world, kind.label); },
                        [&](const StressProbe& kind) { probe.body = find_body(kind.body, world, kind.label); },
                        [&](const ProfileProbe& kind) {
                          probe.body = find_body(kind.body, world, kind.label);
                          set_range(probe, kind, particles);
                        }},
             probe.kind);
}

std::string probe_header(const Probe& probe) {
  std::string header = "time";
  return header += std::visit(Overloaded{[](const PointProbe&) -> std::string { return ",x,y,z,vx,vy,vz"; },
                                         [](const BoundsProbe&) -> std::string { return ",min_x,min_y,min_z,max_x,max_y,max_z"; },
                                         [](const CenterProbe&) -> std::string { return ",x,y,z,vx,vy,vz"; },
                                         [](const EnergyProbe&) -> std::string { return ",kinetic,elastic,gravity,total,dissipated"; },
                                         [](const MomentumProbe&) -> std::string { return ",px,py,pz,lx,ly,lz"; },
                                         [](const ForceProbe&) -> std::string { return ",fx,fy,fz"; },
                                         [](const StressProbe&) -> std::string { return ",xx,yy,zz,xy,yz,zx,pressure,von_mises"; },
                                         [&](const ProfileProbe& kind) { return profile_columns(kind, probe); }},
                              probe.kind);
}

std::string probe_row(const Probe& probe, const World& world, const State& state) {
  std::string row = number(state.time);
  const Values values = std::visit([&](const auto& kind) { return measure(kind, probe, world, state); }, probe.kind);
  for (const double value : values) row.append(",").append(number(value));
  return row;
}

Energy measure_energy(const World& world, const State& state) {
  const ParticleView particles(world, state);
  const Vec3d gravity = world.gravity.at(state.time);
  const Sums<3> sums = sum_particles<Sums<3>>(particles.count(), [&](Sums<3>& sum, std::size_t i) {
    const double m = particles.mass(i);
    double kinetic = 0.5 * m * length_squared(particles.velocity(i));
    if (particles.has_affine()) kinetic += 0.5 * m * particles.affine_inertia() * norm_squared(particles.affine(i));
    sum += {{kinetic, particles.elastic_energy(i), -m * dot(gravity, particles.position(i))}};
  });
  Energy energy{sums.value[0], sums.value[1], sums.value[2]};
  for (std::size_t n = 0; n < state.rigid.size(); ++n) {
    energy.kinetic += kinetic_energy(world.rigid_bodies[n], state.rigid[n]);
    energy.gravity -= world.rigid_bodies[n].mass * dot(gravity, state.rigid[n].position);
  }
  return energy;
}

}  // namespace knead
