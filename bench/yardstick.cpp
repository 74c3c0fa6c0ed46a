#include "yardstick.h"

#include "timing.h"

#include <cmath>
#include <Eigen/Dense>
#include <vector>

namespace knead::bench {

namespace {

using Vec = Eigen::Vector3f;
using Mat = Eigen::Matrix3f;

struct Particle {
  Vec x, v;
  Mat C, F;
};

struct Stencil {
  Eigen::Vector3i base;
  Vec f, w[3];
  Stencil(const Vec& x, float inverse_dx)
      : base((x * inverse_dx - Vec::Constant(.5f)).cast<int>()), f(x * inverse_dx - base.cast<float>()) {
    w[0] = .5f * (Vec::Constant(1.5f) - f).array().square();
    w[1] = .75f - (f.array() - 1).square();
    w[2] = .5f * (f.array() - .5f).square();
  }
};

Mat kirchhoff(const Mat& F, float mu, float lambda, YardstickLaw law) {
  if (law == YardstickLaw::neo_hookean)
    return mu * (F * F.transpose() - Mat::Identity()) + lambda * std::log(F.determinant()) * Mat::Identity();
  Eigen::JacobiSVD<Mat> svd(F, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const Vec e = svd.singularValues().array().max(1e-4f).log();
  const Vec t = 2 * mu * e + Vec::Constant(lambda * e.sum());
  return svd.matrixU() * t.asDiagonal() * svd.matrixU().transpose();
}

}  // namespace

double yardstick_speed(int wanted, int steps, YardstickLaw law) {
  const int side = int(std::lround(std::cbrt(double(wanted)) / 2)), n = side + 16;
  const float dx = 1.0f / float(side), inverse = 1 / dx, rho = 1000, E = 1e5f, nu = 0.3f, dt = 0.2f * dx / std::sqrt(E / rho);
  const float mu = E / (2 * (1 + nu)), lambda = E * nu / ((1 + nu) * (1 - 2 * nu)), volume = dx * dx * dx / 8, mass = rho * volume;
  std::vector<Particle> particles;
  for (int i = 0; i < 2 * side; i++)
    for (int j = 0; j < 2 * side; j++)
      for (int k = 0; k < 2 * side; k++) {
        const Vec place{float(i), float(j), float(k)};
        particles.push_back({((place + Vec::Constant(.5f)) / 2 + Vec::Constant(8)) * dx, Vec(0, -1, 0), Mat::Zero(), Mat::Identity()});
      }
  std::vector<Eigen::Vector4f> grid(size_t(n) * n * n);
  auto at = [&](const Eigen::Vector3i& b, int i, int j, int k) -> Eigen::Vector4f& {
    return grid[(size_t(b[0] + i) * n + b[1] + j) * n + b[2] + k];
  };
  const double start = seconds_now(1);
  for (int s = 0; s < steps; s++) {
    std::fill(grid.begin(), grid.end(), Eigen::Vector4f::Zero());
    for (auto& p : particles) {
      const Mat Q = mass * p.C - dt * volume * 4 * inverse * inverse * kirchhoff(p.F, mu, lambda, law);
      const Stencil c(p.x, inverse);
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
          for (int k = 0; k < 3; k++) {
            const Vec m = mass * p.v + Q * ((Vec(float(i), float(j), float(k)) - c.f) * dx);
            at(c.base, i, j, k) += c.w[i][0] * c.w[j][1] * c.w[k][2] * Eigen::Vector4f(m[0], m[1], m[2], mass);
          }
    }
    for (auto& g : grid)
      if (g[3] > 0) {
        g.head<3>() /= g[3];
        g[1] -= 9.81f * dt;
      }
    for (auto& p : particles) {
      const Stencil c(p.x, inverse);
      p.v.setZero();
      p.C.setZero();
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
          for (int k = 0; k < 3; k++) {
            const Vec v = at(c.base, i, j, k).head<3>() * (c.w[i][0] * c.w[j][1] * c.w[k][2]);
            p.v += v;
            p.C += 4 * inverse * v * (Vec(float(i), float(j), float(k)) - c.f).transpose();
          }
      p.x += dt * p.v;
      p.F = (Mat::Identity() + dt * p.C) * p.F;
    }
  }
  const double seconds = seconds_now(1) - start;
  return double(particles.size()) * steps / seconds;
}

}  // namespace knead::bench
