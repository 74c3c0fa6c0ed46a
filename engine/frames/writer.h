// Writes frames beside the simulation, in a thread of its own, and never lets them pile up.
#pragma once
#include <array>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "frames/frame.h"

namespace knead {

enum class FrameFormat { ply, bgeo, vtkhdf, vtu, usda, vdb };
inline constexpr std::array<const char*, 6> enum_names(FrameFormat) { return {"ply", "bgeo", "vtkhdf", "vtu", "usda", "vdb"}; }

// DIR/frames/frame_000042.EXT; for vtkhdf DIR/frames.vtkhdf. Beside the files of vtu and usda, DIR/frames.pvd and DIR/frames.usda
// string them together; both are written anew after each frame.
std::string frame_path(const std::string& directory, FrameFormat format, int index);

class FrameWriter {
 public:
  // Frames go to the run folder `directory`, which is made if need be. With --resume, `first_frame` is the next frame to come:
  // later ones are taken back from a file that holds them all; single files stay until the same frame replaces them.
  FrameWriter(std::string directory, std::vector<FrameFormat> formats, int first_frame = 0);
  ~FrameWriter();  // finishes; an error that nobody asked for is lost
  FrameWriter(const FrameWriter&) = delete;
  FrameWriter& operator=(const FrameWriter&) = delete;

  // Hands a frame over. One frame is being written and one waits; with both there, this blocks.
  // What went wrong with an earlier frame is thrown here: SimulationError with the file and the reason. It is thrown again
  // by every later call, and no further frame is written.
  void push(Frame frame);
  void wait();    // until all frames are in their files: before a checkpoint says that they are
  void finish();  // wait(), then end the thread

  double write_seconds() const { return write_seconds_; }      // spent writing, beside the simulation
  double blocked_seconds() const { return blocked_seconds_; }  // spent by push() and wait() in waiting

 private:
  void run();
  void write(const Frame& frame) const;
  void join();

  std::string directory_;
  std::vector<FrameFormat> formats_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Frame> waiting_;
  bool writing_ = false, stopping_ = false;
  std::exception_ptr error_;
  std::atomic<double> write_seconds_ = 0;
  double blocked_seconds_ = 0;
  std::thread thread_;
};

}  // namespace knead
