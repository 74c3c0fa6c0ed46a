// What a flow law remembers of a particle.
#pragma once

namespace knead {

template <class S>
struct FlowState {
  S plastic_strain{};  // accumulated [-]; 0 at the start
  S plastic_volume{};  // logarithm of a volume ratio: what sand has still to pay back, log J_P of snow; 0 at the start
};

}  // namespace knead
