#include "materials/hoisted.h"

#include <cmath>

namespace knead {

double sine_of_degrees(double degrees) noexcept { return std::sin(degrees * 0.017453292519943295); }
double natural_logarithm(double x) noexcept { return std::log(x); }

}  // namespace knead
