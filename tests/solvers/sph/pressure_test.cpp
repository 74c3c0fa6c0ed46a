// Incompressibility.
#include "solvers/sph/pressure.h"

#include "solvers/sph/fluid_setup.h"

using namespace knead;
using namespace knead::test;

TEST_CASE("sph pressure: a column of water at rest carries its weight, within 2 %") {
  const double dx = 0.02, height = 0.4, width = 0.12;
  FluidCase scene(dx);
  scene.add_tank({0, 0, 0}, {width, 0, width});
  scene.fill(water(), {0, 0, 0}, {width, height, width});
  scene.start();
  for (int k = 0; k < 400; ++k) {
    scene.step(0.002);
    if (k % 50 == 0) MESSAGE("t " << scene.state.time << " it " << scene.report.iterations << " err " << scene.report.density_error << " kin " << scene.kinetic());
  }
  for (std::size_t i = 0; i < scene.state.count; i += 37) MESSAGE(scene.x(i).x << " " << scene.x(i).y << " p " << scene.state.column("pressure").value(0, i) << " / " << 9810 * (height - scene.x(i).y));
  MESSAGE(scene.worst_error << " " << scene.most_iterations);
}
