// Sand: when it flows and how steep it rests.
#include "setup.h"

using namespace knead;
using namespace knead::test;

namespace {

Material sand(double friction_angle) {
  return solid(Hencky{Moduli::from_young(1e6, 0.3)}, 1600, DruckerPrager{friction_angle, 0, ConeMatch::plane_strain});
}

// Velocity along the slope of a layer of sand after a second, when it started with `push`.
double layer_velocity(double friction_angle, double slope, double push, double until) {
  const double dx = 0.05, g = 10, angle = slope * pi / 180;
  MpmCase c(dx);
  c.world.gravity = Vec3d{g * std::sin(angle), -g * std::cos(angle), 0};
  c.periodic({0, -1, 0}, {4 * dx, 3, 4 * dx}, {true, false, true});
  c.add_floor(Contact::sticky);
  c.add_box(sand(friction_angle), {0, 0, 0}, {4 * dx, 8 * dx, 4 * dx}, [&](const Vec3d&) { return Vec3d{push, 0, 0}; });
  c.start();
  c.run(until);
  return c.mean_velocity().x;
}

}  // namespace

TEST_CASE("mpm: a layer of sand on an incline flows if and only if it is steeper than atan(sin phi)") {
  // In isochoric plane flow the shear plane carries tau / p = sin(phi) (methods 0.4).
  for (const double phi : {20.0, 30.0, 40.0}) {
    const double critical = std::atan(std::sin(phi * pi / 180)) * 180 / pi;
    for (const double off : {-2., -1., -0.5, 0.5, 1., 2.}) std::printf("phi %g off %g: %g %g\n", phi, off, layer_velocity(phi, critical + off, 0.05, 0.5), layer_velocity(phi, critical + off, 0.05, 1));
  }
}

TEST_CASE("mpm: a heap of sand rests near its friction angle") {
  for (const double phi : {20.0, 25.0, 30.0, 35.0}) for (double dx : {0.05, 0.025}) {
    MpmCase c(dx);
    c.parameters.cfl = 0.4;
    const double steep = (phi + 12) * pi / 180, half = 1.0;
    c.world.gravity = Vec3d{0, -10, 0};
    c.periodic({-4, -1, 0}, {4, 3, 4 * dx}, {false, false, true});
    c.add_floor(Contact::sticky);
    const int group = c.add_body(sand(phi));
    c.fill(group, {-half, 0, 0}, {half, half * std::tan(steep) + dx, 4 * dx}, 2, {}, [&](const Vec3d& x) { return x.y < (half - std::abs(x.x)) * std::tan(steep); });
    c.start();
    double t = 0;
    for (; t < 2.9;) { t += 1; 
    c.run(t);
    // Surface: the highest particle of each column of cells; fit over the middle of both flanks.
    std::vector<double> top(400, 0);
    for (std::size_t i = 0; i < c.state.count; ++i) { auto k = size_t(std::abs(c.x(i).x) / dx); top[k] = std::max(top[k], c.x(i).y); }
    double peak = *std::max_element(top.begin(), top.end());
    double sx=0, sy=0, sxx=0, sxy=0, n=0;
    for (size_t k = 0; k < top.size(); ++k) if (top[k] > 0.2*peak && top[k] < 0.8*peak) { double x=(k+.5)*dx; sx+=x, sy+=top[k], sxx+=x*x, sxy+=x*top[k], n+=1; }
    double slope = -(n*sxy-sx*sy)/(n*sxx-sx*sx);
    std::printf("phi %g dx %g t %g: angle %g peak %g (%g) n %zu vmax %g, steps %d\n", phi, dx, t, std::atan(slope)*180/pi, peak, half*std::tan(steep), c.state.count, c.state.measure.speed[0], int(c.state.step));
    }
  }
}
