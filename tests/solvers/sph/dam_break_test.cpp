// The collapse of a column of water, against Martin and Moyce 1952 (square column, 2.25 inches): place of the front in widths of the
// column over time in units of sqrt(width / 2g).
#include "solvers/sph/fluid_setup.h"

using namespace knead;
using namespace knead::test;

TEST_CASE("sph dam break: the front runs as in the experiment, ahead by 14 % at first and less than 5 % later") {
  const double width = 0.4, dx = width / 16;
  FluidCase scene(dx);
  scene.add_tank({0, 0, 0}, {10, 0, 6 * dx});
  scene.fill(water(), {0, 0, 0}, {width, width, 6 * dx});
  scene.start();
  const double unit = std::sqrt(width / (2 * 9.81));
  struct Place {
    double time, front, ahead;
  };
  for (const Place& place : {Place{1.43, 1.67, 1.14}, {1.98, 2.33, 1.1}, {2.51, 3.0, 1.07}, {2.98, 3.67, 1.05}}) {
    scene.run(place.time * unit);
    double farthest = 0;
    for (std::size_t i = 0; i < scene.state.count; ++i) farthest = std::max(farthest, scene.x(i).x + dx / 2);
    CHECK(farthest / width > place.front);  // in the experiment a wall had to be taken away first
    CHECK(farthest / width < place.front * place.ahead);
  }
  CHECK(scene.worst_error < scene.parameters.pressure.tolerance);
}
