#include "render/movie.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <vector>

#include "base/error.h"

namespace knead {
namespace {

// Starts a program with our end of a pipe as its input, quiet, and deaf to the Ctrl-C of the terminal: we decide when it ends.
int start(const std::vector<std::string>& words, int& input) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return -errno;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  pid_t process = -1;
  const int error = ::posix_spawnp(&process, pointers[0], &actions, &attributes, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  ::close(ends[0]);
  if (error != 0) return ::close(ends[1]), -error;
  input = ends[1];
  return process;
}

}  // namespace

MovieWriter::MovieWriter(std::string path, int width, int height, double frames_per_second)
    : path_(std::move(path)), aside_(path_ + ".part"), width_(width / 2 * 2), height_(height / 2 * 2) {
  const std::string size = std::to_string(width_) + "x" + std::to_string(height_);
  ::signal(SIGPIPE, SIG_IGN);  // a dead ffmpeg shows as an error of write()
  process_ = start({"ffmpeg",
                    "-loglevel",
                    "error",
                    "-y",
                    "-f",
                    "rawvideo",
                    "-pix_fmt",
                    "rgb24",
                    "-s",
                    size,
                    "-r",
                    std::to_string(frames_per_second),
                    "-i",
                    "-",
                    "-c:v",
                    "libx264",
                    "-preset",
                    "fast",
                    "-crf",
                    "18",
                    "-vf",
                    "scale=out_color_matrix=bt709:out_range=tv",
                    "-pix_fmt",
                    "yuv420p",
                    "-colorspace",
                    "bt709",
                    "-color_primaries",
                    "bt709",
                    "-color_trc",
                    "iec61966-2-1",
                    "-movflags",
                    "+faststart",
                    "-f",
                    "mp4",
                    aside_},
                   pipe_);
  if (process_ == -ENOENT) throw InputError(path_ + ": ffmpeg is missing; it makes the movie (Debian: apt-get install ffmpeg)");
  if (process_ < 0) throw SimulationError(path_ + ": ffmpeg does not start");
}

MovieWriter::~MovieWriter() {
  if (process_ <= 0) return;
  close();
  std::error_code ignored;
  std::filesystem::remove(aside_, ignored);
}

int MovieWriter::close() {
  if (pipe_ >= 0) ::close(pipe_);
  pipe_ = -1;
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {}
  process_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void MovieWriter::add(const Image& image) {
  if (image.width < width_ || image.height < height_) throw SimulationError(path_ + ": a picture is smaller than the movie");
  for (int y = 0; y < height_; ++y) {
    const std::uint8_t* row = image.at(0, y);
    std::size_t left = 3 * static_cast<std::size_t>(width_);
    while (left > 0) {
      const ssize_t written = ::write(pipe_, row, left);
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) throw SimulationError(path_ + ": ffmpeg ended early; is the disk full?");
      row += written, left -= static_cast<std::size_t>(written);
    }
  }
}

void MovieWriter::finish() {
  const int code = close();
  std::error_code error;
  if (code == 0) std::filesystem::rename(aside_, path_, error);
  if (code == 0 && !error) return;
  std::filesystem::remove(aside_, error);
  throw SimulationError(path_ + ": ffmpeg could not write the movie");
}

}  // namespace knead
