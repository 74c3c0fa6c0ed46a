#include "frames/writer.h"

#include <chrono>
#include <filesystem>

#include "base/error.h"
#include "frames/aside_file.h"
#include "frames/bgeo.h"
#include "frames/ply.h"
#include "frames/usda.h"
#include "frames/vdb.h"
#include "frames/vtkhdf.h"
#include "frames/vtu.h"

namespace knead {

namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Files that a killed run left half-written.
void remove_leftovers(const std::filesystem::path& folder) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.rfind("frame", 0) == 0 && entry.path().extension() == ".part") std::filesystem::remove(entry.path(), ignored);
  }
}

}  // namespace

std::string frame_path(const std::string& directory, FrameFormat format, int index) {
  if (format == FrameFormat::vtkhdf) return directory + "/frames.vtkhdf";
  return directory + "/frames/" + numbered_frame(index, enum_names(format)[static_cast<std::size_t>(format)]);
}

FrameWriter::FrameWriter(std::string directory, std::vector<FrameFormat> formats, int first_frame)
    : directory_(std::move(directory)), formats_(std::move(formats)) {
  const std::string folder = directory_ + "/frames";
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw_write_error(folder, error.value());
  remove_leftovers(folder);
  remove_leftovers(directory_);
  for (const FrameFormat format : formats_)
    if (format == FrameFormat::vtkhdf) truncate_vtkhdf(frame_path(directory_, format, 0), first_frame);
  thread_ = std::thread([this] { run(); });
}

FrameWriter::~FrameWriter() {
  try {
    finish();
  } catch (const std::exception&) {  // push, wait and finish are where it is reported
  }
}

void FrameWriter::push(Frame frame) {
  const auto start = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !waiting_ || error_; });
  blocked_seconds_ += seconds_since(start);
  if (error_) std::rethrow_exception(error_);
  waiting_ = std::move(frame);
  changed_.notify_all();
}

void FrameWriter::wait() {
  const auto start = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return (!waiting_ && !writing_) || error_; });
  blocked_seconds_ += seconds_since(start);
  if (error_) std::rethrow_exception(error_);
}

void FrameWriter::finish() {
  join();
  if (error_) std::rethrow_exception(error_);
}

void FrameWriter::join() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

void FrameWriter::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return waiting_ || stopping_; });
    if (!waiting_) return;
    const Frame frame = std::move(*waiting_);
    waiting_.reset();
    writing_ = true;
    changed_.notify_all();
    lock.unlock();
    std::exception_ptr error;
    const auto start = std::chrono::steady_clock::now();
    try {
      write(frame);
    } catch (const SimulationError&) {
      error = std::current_exception();
    } catch (const std::exception& other) {
      error = std::make_exception_ptr(SimulationError("cannot write frame " + std::to_string(frame.index) + ": " + other.what() + "."));
    }
    write_seconds_ = write_seconds_ + seconds_since(start);
    lock.lock();
    writing_ = false;
    error_ = error;
    changed_.notify_all();
    if (error_) return;
  }
}

void FrameWriter::write(const Frame& frame) const {
  for (const FrameFormat format : formats_) {
    const std::string path = frame_path(directory_, format, frame.index);
    if (format == FrameFormat::ply) write_ply(frame, path);
    if (format == FrameFormat::bgeo) write_bgeo(frame, path);
    if (format == FrameFormat::vtkhdf) append_vtkhdf(frame, path);
    if (format == FrameFormat::vtu) write_vtu(frame, path), write_pvd(frame, directory_);
    if (format == FrameFormat::usda) write_usda(frame, path), write_usda_series(frame, directory_);
    if (format == FrameFormat::vdb) write_vdb(frame, path);
  }
}

}  // namespace knead
