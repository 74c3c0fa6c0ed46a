// A file that appears whole or not at all: written under another name in the same folder, then renamed.
#pragma once
#include <cstddef>
#include <string>

namespace knead {

class AsideFile {
 public:
  explicit AsideFile(const std::string& path);  // every failure is a SimulationError that names `path` and the reason
  ~AsideFile();                                 // removes what was not committed
  AsideFile(const AsideFile&) = delete;
  AsideFile& operator=(const AsideFile&) = delete;

  void write(const void* data, std::size_t size);
  void commit();

  static std::string aside_name(const std::string& path) { return path + ".part"; }

 private:
  [[noreturn]] void fail(int error);
  std::string path_, aside_;
  int descriptor_ = -1;
};

// "cannot write PATH: No space left on device", as a SimulationError; `error` is an errno.
[[noreturn]] void throw_write_error(const std::string& path, int error);

}  // namespace knead
