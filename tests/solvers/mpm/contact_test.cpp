// Colliders: friction, carrying, forces.
#include "setup.h"

using namespace knead;
using namespace knead::test;

namespace {

const Material rubber = solid(NeoHookean{Moduli::from_young(1e6, 0.2)});

// An elastic block on a floor, in gravity that leans by `slope` degrees towards +x.
MpmCase block_on_floor(Contact contact, double friction, double slope, const Vec3d& velocity, const Motion& motion = {}) {
  MpmCase c(0.1);
  const double angle = slope * pi / 180;
  c.world.gravity = Vec3d{10 * std::sin(angle), -10 * std::cos(angle), 0};
  c.add_floor(contact, friction, motion);
  c.add_box(rubber, {-0.3, 0, -0.3}, {0.3, 0.3, 0.3}, [=](const Vec3d&) { return velocity; });
  c.start();
  return c;
}

double degrees(double radians) { return radians * 180 / pi; }

}  // namespace

TEST_CASE("mpm: a sliding block decelerates at mu g within 2 %, and the floor feels that force") {
  for (const double friction : {0.2, 0.5}) {
    MpmCase c = block_on_floor(Contact::separate, friction, 0, {4, 0, 0});
    double impulse = 0;
    c.run(0.5, 0, [&](double dt) { impulse += c.state.collider_force[0].x * dt; });
    const double deceleration = (4 - c.mean_velocity().x) / 0.5;
    measured("sliding block: deceleration / (mu g)", deceleration / (friction * 10));
    CHECK(deceleration == doctest::Approx(friction * 10).epsilon(0.02));
    CHECK(impulse == doctest::Approx(c.total_mass() * deceleration * 0.5).epsilon(1e-9));  // what the block lost, the floor got
  }
}

TEST_CASE("mpm: a block on an incline rests below the friction angle and slides at g (sin - mu cos) above it") {
  const double friction = std::tan(25 * pi / 180);
  // Near the limit a block that still swings creeps, at a speed of the order of g dt: nodes below the floor carry a part of the pressure
  // on little mass, stick, and so give less than mu times that part. It goes away with dt.
  for (const auto& [slope, cfl] : {std::pair{20.0, 0.4}, std::pair{24.0, 0.025}}) {
    MpmCase rests = block_on_floor(Contact::separate, friction, slope, {});
    rests.parameters.cfl = cfl;
    rests.start();
    rests.run(0.6);
    CHECK(std::abs(rests.mean_velocity().x) < 2e-3);  // without friction: 2 m/s
    CHECK(std::abs(rests.center().x) < 0.01);         // without friction: 0.6 m
  }
  MpmCase slides = block_on_floor(Contact::separate, friction, 35, {});
  slides.run(0.5);
  const double expected = 10 * (std::sin(35 * pi / 180) - friction * std::cos(35 * pi / 180));
  measured("block on an incline: acceleration / exact", slides.mean_velocity().x / 0.5 / expected);
  CHECK(slides.mean_velocity().x / 0.5 == doctest::Approx(expected).epsilon(0.03));
}

TEST_CASE("mpm: slip keeps what goes along the surface and nothing else, separate lets go, sticky holds") {
  const Vec3d away{1, 0.5, 0};
  MpmCase slip = block_on_floor(Contact::slip, 0, 0, away), separate = block_on_floor(Contact::separate, 0.5, 0, away),
          sticky = block_on_floor(Contact::sticky, 0, 0, away);
  for (MpmCase* c : {&slip, &separate, &sticky}) {
    c->world.gravity = Vec3d{};
    c->run(0.1);
  }
  CHECK(slip.mean_velocity().x == doctest::Approx(1).epsilon(1e-12));
  CHECK(slip.center().y < 0.2);  // free flight: 0.15 + 0.05
  CHECK(length(separate.mean_velocity() - away) < 1e-12);
  CHECK(sticky.mean_velocity().x < 0.9);
  CHECK(sticky.center().y < 0.2);
}

TEST_CASE("mpm: a moving floor carries what sticks to it") {
  Motion motion;
  motion.translate.keys = {{0.0, Vec3d{}}, {0.2, Vec3d{0.1, 0, 0}}, {5.2, Vec3d{5.1, 0, 0}}};  // from 0.5 to 1 m/s
  MpmCase c = block_on_floor(Contact::sticky, 0, 0, {0.5, 0, 0}, motion);
  c.run(1);
  double mean = 0, elapsed = 0;
  c.run(1.5, 0, [&](double dt) { mean += c.mean_velocity().x * dt, elapsed += dt; });
  measured("carried block: velocity / that of the floor", mean / elapsed);
  CHECK(mean / elapsed == doctest::Approx(1).epsilon(0.01));
}

TEST_CASE("mpm: a fluid in a rotating drum comes to rotate as a whole") {
  // Spin-up of a cylinder takes R^2 / (5.78 nu); the rim is the faster.
  const double dx = 0.1, omega = 2, R = 0.4;
  MpmCase c(dx);
  c.periodic({-1, -1, 0}, {1, 1, 4 * dx}, {false, false, true});
  Motion motion;
  motion.angular_velocity = {0, 0, omega};
  class Drum final : public Shape {
   public:
    double distance(const Vec3d& x) const override { return 0.4 - std::sqrt(x.x * x.x + x.y * x.y); }
    Bounds3 bounds() const override { return {{-9, -9, -9}, {9, 9, 9}}; }
  };
  c.add_collider(std::make_shared<Drum>(), Contact::sticky, 0, motion);
  c.fill(c.add_body(fluid(1e5, 100)), {-R, -R, 0}, {R, R, 4 * dx}, 2, {}, [&](const Vec3d& x) { return x.x * x.x + x.y * x.y < R * R; });
  c.start();
  c.run(1.5);
  double spin = 0, inertia = 0;
  for (std::size_t i = 0; i < c.state.count; ++i) spin += cross(c.x(i), c.v(i)).z, inertia += c.x(i).x * c.x(i).x + c.x(i).y * c.x(i).y;
  measured("drum: rate of the fluid / that of the drum", spin / inertia / omega);
  CHECK(spin / inertia == doctest::Approx(omega).epsilon(0.02));
}

TEST_CASE("mpm: pinned particles follow their motion exactly and twist the rest; released, they are free") {
  for (const Precision precision : {Precision::single, Precision::real_double}) {
    MpmCase c(0.1, precision);
    Motion twist;
    twist.pivot = {0, 0.1, 0};
    twist.rotate.keys = {{0.0, Vec3d{}}, {0.2, Vec3d{0, 30, 0}}};
    twist.velocity = {0, 0.2, 0};
    twist.release = 0.2;
    const int top = c.add_collider(make_primitive(Box{{-1, 0.8, -1}, {1, 2, 1}}), Contact::sticky, 0, twist);
    const int bottom = c.add_collider(make_primitive(Box{{-1, -1, -1}, {1, 0.2, 1}}), Contact::sticky);
    const int middle = c.add_body(rubber), held_top = c.add_group(0, top), held_bottom = c.add_group(0, bottom);
    c.fill(middle, {-0.2, 0.2, -0.2}, {0.2, 0.8, 0.2});
    c.fill(held_top, {-0.2, 0.8, -0.2}, {0.2, 1.0, 0.2});
    c.fill(held_bottom, {-0.2, 0, -0.2}, {0.2, 0.2, 0.2});
    c.start();
    std::vector<Vec3d> start(c.state.count);
    for (std::size_t i = 0; i < c.state.count; ++i) start[std::size_t(c.scalar("id", i))] = c.x(i);
    c.run(0.199);
    const double tolerance = precision == Precision::single ? 1e-5 : 1e-13;
    const Pose pose = twist.pose(c.state.time);
    double worst = 0, turned = 0, count = 0;
    for (std::size_t i = 0; i < c.state.count; ++i) {
      const Vec3d X = start[std::size_t(c.scalar("id", i))];
      if (c.group(i) == held_top) worst = std::max(worst, length(c.x(i) - pose.apply(X)));
      if (c.group(i) == held_bottom) CHECK(c.x(i) == X);
      if (c.group(i) == middle && std::abs(X.y - 0.5) < 0.1 && length(Vec3d{X.x, 0, X.z}) > 0.15) {
        turned += degrees(std::atan2(cross(X, c.x(i)).y, X.x * c.x(i).x + X.z * c.x(i).z)), count += 1;
      }
    }
    CHECK(worst < tolerance);
    CHECK(turned / count == doctest::Approx(15).epsilon(0.15));  // half way up, half the angle, in the mean over swings
    // From the release on nothing holds the top: the twist unwinds.
    c.run(0.3);
    double drift = 0;
    for (std::size_t i = 0; i < c.state.count; ++i)
      if (c.group(i) == held_top)
        drift = std::max(drift, length(c.x(i) - twist.pose(c.state.time).apply(start[std::size_t(c.scalar("id", i))])));
    CHECK(drift > 0.01);
    CHECK(length(c.state.collider_force[top]) == 0);
    CHECK(length(c.state.collider_force[bottom]) > 0);
  }
}

TEST_CASE("mpm: a pin carries the weight of what hangs on it") {
  MpmCase c(0.1);
  c.world.gravity = Vec3d{0, -10, 0};
  const int pin = c.add_collider(make_primitive(Box{{-1, 0.7, -1}, {1, 2, 1}}), Contact::sticky);
  const int free = c.add_body(rubber), held = c.add_group(0, pin);
  c.fill(free, {-0.2, 0, -0.2}, {0.2, 0.7, 0.2});
  c.fill(held, {-0.2, 0.7, -0.2}, {0.2, 0.9, 0.2});
  c.start();
  double impulse = 0, start = 0;
  c.run(0.5);
  start = c.momentum().y;
  c.run(1.0, 0, [&](double dt) { impulse += c.state.collider_force[pin].y * dt; });
  measured("pin: force / weight", -(impulse + c.momentum().y - start) / (c.total_mass() * 10 * 0.5));
  CHECK(-(impulse + c.momentum().y - start) == doctest::Approx(c.total_mass() * 10 * 0.5).epsilon(0.02));
}

TEST_CASE("mpm: fields accelerate as they say, between their start and end") {
  MpmCase c(0.1);
  c.world.fields.push_back(
      {.type = FieldType::uniform, .vector = {2, 0, 0}, .center = {}, .axis = {}, .strength = 0, .start = 0.1, .end = 0.2});
  c.add_box(rubber, {0, 0, 0}, {0.3, 0.3, 0.3});
  c.start();
  c.steps(300, 1e-3);
  CHECK(c.mean_velocity().x == doctest::Approx(0.2).epsilon(1e-9));
  CHECK(c.state.external_work == doctest::Approx(0.5 * c.total_mass() * 0.04).epsilon(1e-9));
}
