// A plain textbook explicit MLS-MPM step: dense grid, float, one thread, particles as structs. What knead's speed is divided by.
#pragma once

namespace knead::bench {

enum class YardstickLaw { neo_hookean, hencky };

// Particle-steps per second of `steps` steps of a falling cube of about `particles` particles, 8 per cell.
double yardstick_speed(int particles, int steps, YardstickLaw law);

}  // namespace knead::bench
