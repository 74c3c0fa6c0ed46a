#include "frames/aside_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "base/error.h"

namespace knead {

void throw_write_error(const std::string& path, int error) {
  throw SimulationError("cannot write " + path + ": " + std::generic_category().message(error) + ".");
}

AsideFile::AsideFile(const std::string& path) : path_(path), aside_(aside_name(path)) {
  descriptor_ = ::open(aside_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) throw_write_error(path_, errno);
}

AsideFile::~AsideFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink(aside_.c_str());
}

void AsideFile::write(const void* data, std::size_t size) {
  const char* next = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = ::write(descriptor_, next, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(errno);
    next += written;
    size -= static_cast<std::size_t>(written);
  }
}

void AsideFile::commit() {
  // Some file systems report a full disk or quota only here.
  const int descriptor = descriptor_;
  descriptor_ = -1;
  if (::close(descriptor) != 0 || std::rename(aside_.c_str(), path_.c_str()) != 0) fail(errno);
}

void AsideFile::fail(int error) {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
  ::unlink(aside_.c_str());
  throw_write_error(path_, error);
}

}  // namespace knead
