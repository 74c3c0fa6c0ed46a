// Checkpoints: the complete State and what the loop needs to go on, in DIR/checkpoints/checkpoint_STEP.kck.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simulation/probes.h"
#include "world/state.h"

namespace knead {

// What goes on besides State when a run is resumed.
struct LoopState {
  int next_frame = 1;                // the frame being computed
  std::uint64_t steps_in_frame = 0;  // of it, so far
  std::uint64_t particle_steps = 0;
  std::uint64_t retries = 0;
  double wall_seconds = 0;
  std::vector<std::pair<std::string, std::uint64_t>> files;  // CSV files, relative to DIR, and their lengths [bytes]
};

// A checkpoint belongs to one version of knead and one scene.
struct CheckpointOwner {
  std::string version;
  std::uint64_t scene = 0;  // hash_bytes of the resolved scene
};

// 64 bits that change when any byte does; for damage, not for adversaries.
std::uint64_t hash_bytes(std::string_view bytes);

std::filesystem::path checkpoint_path(const std::filesystem::path& folder, std::uint64_t step);

// Writes it whole or not at all (SimulationError), then removes all but the last two. It compresses on all threads and returns
// when done, a fraction of a second per million particles: a writer beside the run would need a second copy of State.
std::filesystem::path write_checkpoint(const std::filesystem::path& folder, const CheckpointOwner& owner, const State& state,
                                       const std::vector<Probe>& probes, const LoopState& loop);

enum class CheckpointRead { good, absent, damaged };

// Reads one file. Nothing is changed unless it is good. InputError when it belongs to another version or scene.
CheckpointRead read_checkpoint(const std::filesystem::path& path, const CheckpointOwner& owner, State& state, std::vector<Probe>& probes,
                               LoopState& loop);

// The newest good checkpoint of a run folder; damaged ones are passed over and named in `notes`. Absent: none was good.
CheckpointRead read_last_checkpoint(const std::filesystem::path& folder, const CheckpointOwner& owner, State& state,
                                    std::vector<Probe>& probes, LoopState& loop, std::vector<std::string>& notes);

}  // namespace knead
