// Functions of material constants that kernels need once. They depend on nothing but their argument and say so, which lets compilers
// take the call out of a loop over particles; the versions of the C library may set errno and stay inside.
#pragma once

namespace knead {

[[gnu::const]] double sine_of_degrees(double degrees) noexcept;
[[gnu::const]] double natural_logarithm(double x) noexcept;

}  // namespace knead
