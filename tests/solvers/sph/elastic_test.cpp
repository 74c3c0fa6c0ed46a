#include "elastic_setup.h"

#include "base/threads.h"

namespace knead::test {
namespace {

const Moduli moduli = Moduli::from_bulk(4e4, 7e4);

ElasticCase noisy_block(int n = 5, double noise = 0.1) {
  ElasticCase c(0.1);
  c.add_lattice(n, n, n, c.add_body(1000, moduli), {}, noise);
  c.rest();
  return c;
}

double largest(const std::vector<Vec3d>& v) {
  double most = 0;
  for (const Vec3d& x : v) most = std::max(most, length(x));
  return most;
}

std::vector<Vec3d> random_vectors(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> any(-1, 1);
  std::vector<Vec3d> v(n);
  for (Vec3d& x : v) x = {any(random), any(random), any(random)};
  return v;
}

double inner(const std::vector<Vec3d>& a, const std::vector<Vec3d>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += dot(a[i], b[i]);
  return sum;
}

}  // namespace

TEST_CASE("corrected gradients are exact for linear fields (eq. 1)") {
  const ElasticCase c = noisy_block();
  const RestShape<double>& rest = c.solids->rest();
  for (std::size_t i = 0; i < rest.count(); ++i) {
    Mat3d sum;
    for (std::size_t k = rest.first[i]; k < rest.first[i + 1]; ++k) {
      const std::size_t j = rest.pairs[k].place;
      const Vec3d r{rest.X[4 * j] - rest.X[4 * i], rest.X[4 * j + 1] - rest.X[4 * i + 1], rest.X[4 * j + 2] - rest.X[4 * i + 2]};
      const double* a = rest.pairs[k].gradient;
      sum = sum + outer(r, rest.L[i] * Vec3d{a[0], a[1], a[2]});
    }
    CHECK(norm_squared(sum - Mat3d::identity()) < 1e-24);
    CHECK(rest.deficit[i] == nowhere);
  }
}

TEST_CASE("turning and moving a body gives no elastic force") {
  ElasticCase c = noisy_block();
  c.move([](const Vec3d& X) { return X + Vec3d{0.01 * std::sin(40 * X.y), 0, 0.01 * X.x}; });
  const double scale = largest(c.forces());
  const Mat3d turn = rotation_about({1, 2, -1}, 2.5);
  c.move([&](const Vec3d& X) { return turn * X + Vec3d{3, -1, 2}; });
  CHECK(largest(c.forces()) < 1e-11 * scale);
  for (std::size_t i = 0; i < c.state.count; ++i) CHECK(norm_squared(c.matrix("R", i) - turn) < 1e-24);
}

TEST_CASE("the elastic force is the slope of the energy, rotations and all (eq. 9)") {
  ElasticCase c(0.1);
  const int a = c.add_body(1000, moduli), b = c.add_body(500, Moduli::from_bulk(2e4, 1e4));
  c.add_lattice(4, 3, 3, a, {}, 0.15);
  c.add_lattice(3, 3, 3, b, {0.2, 0.3, 0}, 0.15);
  for (std::size_t i = 0; i < c.state.count; ++i) c.state.column("volume").data<double>()[i] *= 1 + 0.3 * std::sin(double(i));  // unequal
  c.rest();
  const Mat3d turn = rotation_about({0, 1, 1}, 1);
  c.move([&](const Vec3d& X) { return turn * (X + Vec3d{0.1 * X.y, 0.2 * X.x * X.z, -0.1 * X.z}); });
  const std::vector<Vec3d> f = c.forces();
  const double h = 1e-6;
  for (const std::size_t i : {0u, 7u, 20u, 40u, 60u})
    for (int axis = 0; axis < 3; ++axis) {
      const Vec3d x = c.get("position", i);
      double energy[2];
      for (const int side : {0, 1}) {
        Vec3d moved = x;
        moved[axis] += side ? h : -h;
        c.set("position", i, moved);
        c.solids->deform(c.state);
        energy[side] = c.energy();
      }
      c.set("position", i, x);
      CHECK(std::abs(f[i][axis] - (energy[0] - energy[1]) / (2 * h)) < 1e-8 * largest(f));
    }
}

TEST_CASE("the stiffness is symmetric and never drives, and its diagonal blocks are known") {
  ElasticCase c = noisy_block(4);
  const Mat3d turn = rotation_about({1, 0.3, 0}, 0.7);
  c.move([&](const Vec3d& X) { return turn * X; });
  const std::size_t n = c.state.count;
  const double dt = 0.01;
  const std::vector<Vec3d> a = random_vectors(n, 1), b = random_vectors(n, 2);
  std::vector<Vec3d> Aa, Ab;
  c.solids->multiply(c.world, c.state, dt, a, Aa);
  c.solids->multiply(c.world, c.state, dt, b, Ab);
  CHECK(std::abs(inner(a, Ab) - inner(b, Aa)) < 1e-13 * std::sqrt(inner(Aa, Aa) * inner(b, b)));
  const double mass = 1000 * 1e-3;
  CHECK(inner(a, Aa) >= mass * inner(a, a) * (1 - 1e-13));  // M - dt^2 K with K <= 0
  std::vector<Mat3d> blocks;
  c.solids->diagonal_blocks(c.world, c.state, dt, blocks);
  for (const std::size_t i : {0u, 5u, 21u, 42u})
    for (int axis = 0; axis < 3; ++axis) {
      std::vector<Vec3d> unit(n), image;
      unit[i][axis] = 1;
      c.solids->multiply(c.world, c.state, dt, unit, image);
      CHECK(length(image[i] - column(blocks[i], axis)) < 1e-12 * length(image[i]));
    }
}

TEST_CASE("uniform strain gives the exact stress on every particle, and no force inside a lattice") {
  ElasticCase c(0.1);
  c.add_lattice(7, 7, 7, c.add_body(1000, moduli));
  c.rest();
  const double e = 0.05;
  c.move([&](const Vec3d& X) { return X * Vec3d{1 + e, 1 - 0.3 * e, 1 - 0.3 * e}; });
  for (std::size_t i = 0; i < c.state.count; ++i) {
    const Sym3<double> strain = symmetric_part(c.matrix("F", i) * transpose(c.matrix("R", i))) - isotropic(1.0);
    const double P11 = 2 * moduli.mu * strain.xx + moduli.lambda * trace(strain);
    CHECK(std::abs(P11 / (2 * moduli.mu * e + moduli.lambda * 0.4 * e) - 1) < 1e-10);
  }
  const std::vector<Vec3d> f = c.forces();
  const double middle = 3.5 * 0.1, scale = largest(f);
  for (std::size_t i = 0; i < c.state.count; ++i) {
    const Vec3d r = c.get("X", i) - Vec3d{middle, middle, middle};
    if (std::max({std::abs(r.x), std::abs(r.y), std::abs(r.z)}) < 0.11) CHECK(length(f[i]) < 1e-10 * scale);
  }
}

TEST_CASE("a sheet and a strand turn without strain") {
  for (const int rank : {2, 1}) {
    ElasticCase c(0.1);
    c.add_lattice(6, rank == 2 ? 6 : 1, 1, c.add_body(1000, moduli));
    c.rest();
    const Mat3d turn = rotation_about({1, 1, 0.2}, 1.2);
    for (int k = 1; k <= 4; ++k) {
      const Mat3d part = rotation_about({1, 1, 0.2}, 0.3 * k);
      c.move([&](const Vec3d& X) { return part * X; });
    }
    for (std::size_t i = 0; i < c.state.count; ++i) {
      const Sym3<double> strain = symmetric_part(c.matrix("F", i) * transpose(c.matrix("R", i))) - isotropic(1.0);
      CHECK(norm_squared(strain) < 1e-24);
      if (rank == 2) CHECK(norm_squared(c.matrix("R", i) - turn) < 1e-20);
    }
    CHECK(largest(c.forces()) < 1e-8);
  }
}

namespace {
// Deflection of a bar that is held at its left end, in one step so long that inertia does not matter, over that of beam theory.
double deflection_ratio(int n, bool axial) {
  const int length_in_heights = 5;
  const double height = 0.2, L = 1, E = 1e5, nu = 0.3, density = 1000;
  ElasticCase c(height / n);
  const int body = c.add_body(density, Moduli::from_young(E, nu)), held = c.add_pin(0);
  c.add_lattice(2, n, n, held, {-2 * c.dx, 0, 0});
  c.add_lattice(length_in_heights * n, n, n, body);
  c.parameters.tolerance = 1e-12, c.parameters.max_iterations = 5000;
  c.rest();
  const double g = 1e-6, dt = 1e3;
  std::vector<double> v[3];
  std::vector<std::uint8_t> is_held;
  for (std::size_t i = 0; i < c.state.count; ++i) {
    is_held.push_back(c.state.column("group").data<std::uint16_t>()[i] == held);
    for (int axis = 0; axis < 3; ++axis) v[axis].push_back(!is_held[i] && axis == (axial ? 0 : 1) ? g * dt : 0);
  }
  double* pointers[3] = {v[0].data(), v[1].data(), v[2].data()};
  c.solids->solve(c.world, c.state, dt, is_held.data(), pointers);
  double tip = 0;
  for (std::size_t i = 0; i < c.state.count; ++i)
    if (c.get("X", i).x > L - c.dx) tip += pointers[axial ? 0 : 1][i] * dt / (n * n);
  const double q = density * g;
  const double axial_theory = q * L * L / (2 * E), I = std::pow(height, 4) / 12, G = E / (2 * (1 + nu));
  const double area = height * height, beam_theory = q * area * std::pow(L, 4) / (8 * E * I) + q * L * L / (2 * 5.0 / 6 * G);
  return tip / (axial ? axial_theory : beam_theory);  // of the last layer of particles
}
}  // namespace

TEST_CASE("bars bend and sag as measured, and converge to beam theory") {
  const int across[] = {4, 6, 8};
  const double bent[] = {1.40, 1.19, 1.12}, sagged[] = {1.069, 1.044, 1.031};
  for (int k = 0; k < 3; ++k) {
    const double bending = deflection_ratio(across[k], false), sag = deflection_ratio(across[k], true);
    CAPTURE(across[k]);
    CHECK(std::abs(bending / bent[k] - 1) < 0.01);
    CHECK(std::abs(sag / sagged[k] - 1) < 0.005);
  }
}

TEST_CASE("the implicit step keeps momentum and takes energy, never gives") {
  ElasticCase c(0.1);
  const int heavy = c.add_body(2000, moduli);
  c.add_lattice(5, 4, 3, heavy, {}, 0.1);
  c.start(1e-10);
  for (std::size_t i = 0; i < c.state.count; ++i) {
    const Vec3d X = c.get("X", i);
    c.set("velocity", i, Vec3d{1, 0, 0} + cross(Vec3d{0, 0, 2}, X) + Vec3d{0.3 * std::sin(20 * X.y), 0, 0});
  }
  const auto measure = [&](Vec3d& p, Vec3d& l, double& energy) {
    p = l = Vec3d{}, energy = c.energy();
    for (std::size_t i = 0; i < c.state.count; ++i) {
      const double m = 2000 * 1e-3;
      const Vec3d v = c.get("velocity", i);
      p += v * m, l += cross(c.get("position", i), v) * m, energy += 0.5 * m * dot(v, v);
    }
  };
  Vec3d p0, l0, p, l;
  double before, now;
  measure(p0, l0, before);
  for (int step = 0; step < 20; ++step) {
    c.step(2e-3);
    measure(p, l, now);
    CHECK(now <= before * (1 + 1e-12));
    before = now;
  }
  CHECK(length(p - p0) < 1e-7 * length(p0));
  CHECK(length(l - l0) < 0.01 * length(l0));  // rotations are those of the beginning of each step
}

TEST_CASE("explicit and implicit steps agree when they are short, and St. Venant-Kirchhoff when strains are small") {
  std::vector<Vec3d> end[3];
  for (int kind = 0; kind < 3; ++kind) {
    ElasticCase c(0.1);
    c.add_lattice(4, 3, 3, c.add_body(1000, moduli));
    if (kind > 0) c.parameters.integration = ElasticIntegration::explicit_euler;
    if (kind == 2) c.parameters.strain = ElasticStrain::green;
    c.start(1e-12);
    for (std::size_t i = 0; i < c.state.count; ++i) c.set("velocity", i, Vec3d{0.02, 0, 0} * std::sin(8 * c.get("X", i).x));
    for (int step = 0; step < 200; ++step) c.step(2e-5);
    end[kind].resize(c.state.count);
    for (std::size_t i = 0; i < c.state.count; ++i) end[kind][c.state.column("id").data<std::uint32_t>()[i]] = c.get("velocity", i);
  }
  double change = 0, scale = 0, nonlinear = 0;
  for (std::size_t i = 0; i < end[0].size(); ++i) {
    change = std::max(change, length(end[0][i] - end[1][i]));
    nonlinear = std::max(nonlinear, length(end[2][i] - end[1][i]));
    scale = std::max(scale, length(end[1][i]));
  }
  CHECK(change < 0.02 * scale);
  CHECK(nonlinear < 0.02 * scale);
}

TEST_CASE("zero-energy suppression calms what the strain does not see, and keeps momentum") {
  // Every other particle of a sheet is moved: gradients in the middle of it do not see that, until waves from the edge arrive.
  const int n = 16;
  double noise[2];
  for (const int on : {0, 1}) {
    ElasticCase c(0.1);
    c.add_lattice(n, n, 1, c.add_body(1000, moduli));
    c.parameters.zero_energy = on;
    c.start(1e-10);
    c.rest();
    const auto sign = [](const Vec3d& X) { return (int(std::floor(X.x * 10)) + int(std::floor(X.y * 10))) % 2 ? 1.0 : -1.0; };
    c.move([&](const Vec3d& X) { return X + Vec3d{0.01 * sign(X), 0, 0}; });
    for (int step = 0; step < 10; ++step) c.step(3e-3);
    noise[on] = 0;
    Vec3d momentum;
    for (std::size_t i = 0; i < c.state.count; ++i) {
      const Vec3d X = c.get("X", i);
      momentum += c.get("velocity", i);
      if (std::abs(X.x - 0.8) < 0.2 && std::abs(X.y - 0.8) < 0.2) noise[on] += sign(X) * (c.get("position", i).x - X.x) / 16;
    }
    CHECK(length(momentum) < 1e-6);
  }
  CAPTURE(noise[0]);
  CAPTURE(noise[1]);
  CHECK(noise[0] > 0.007);
  CHECK(std::abs(noise[1]) < 0.003);
}

TEST_CASE("a free body falls freely") {
  ElasticCase c(0.1);
  c.add_lattice(3, 3, 3, c.add_body(1000, moduli));
  c.world.gravity = Vec3d{0, -9.81, 0};
  c.start();
  for (int step = 0; step < 10; ++step) c.step(1e-3);
  for (std::size_t i = 0; i < c.state.count; ++i) CHECK(length(c.get("velocity", i) - Vec3d{0, -9.81e-2, 0}) < 1e-12);
}

TEST_CASE("threads and a rebuilt solver change no bit") {
  std::vector<std::vector<double>> runs;
  for (const int kind : {0, 1, 2}) {
    set_thread_count(kind == 1 ? 2 : 1);
    ElasticCase c(0.1);
    c.world.gravity = Vec3d{0, -9.81, 0};
    const int body = c.add_body(1000, moduli), pin = c.add_pin(0);
    c.add_lattice(2, 10, 10, pin);
    c.add_lattice(20, 10, 10, body, {0.2, 0, 0});
    c.start(1e-6);
    for (int step = 0; step < 5; ++step) {
      if (kind == 2) {
        SphParameters sph;
        sph.dx = c.dx, sph.keeps_dt = true, sph.elasticity = c.parameters, sph.elasticity.tolerance = 1e-6;
        c.solver = make_sph(sph, c.world);
      }
      c.step(5e-3);
    }
    std::vector<double>& bits = runs.emplace_back();
    for (const char* name : {"position", "velocity", "F", "R"})
      for (int k = 0; k < c.state.column(name).components(); ++k)
        for (std::size_t i = 0; i < c.state.count; ++i) bits.push_back(c.state.column(name).value(k, i));
  }
  set_thread_count(0);
  CHECK(runs[0] == runs[1]);
  CHECK(runs[0] == runs[2]);
}

}  // namespace knead::test
