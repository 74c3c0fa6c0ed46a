#include "simulation/files.h"

#include <cerrno>
#include <cstring>
#include <vector>

#include "base/error.h"
#include "frames/aside_file.h"

namespace knead {

namespace fs = std::filesystem;

namespace {

bool is_frame_file(const fs::path& path) { return path.filename().string().rfind("frame_", 0) == 0; }

template <class Wanted> void remove_files(const fs::path& folder, Wanted&& wanted) {
  std::error_code code;
  std::vector<fs::path> doomed;
  for (const auto& entry : fs::directory_iterator(folder, code))
    if (entry.is_regular_file(code) && wanted(entry.path())) doomed.push_back(entry.path());
  for (const fs::path& path : doomed) fs::remove(path, code);
}

}  // namespace

void write_whole(const fs::path& path, std::string_view text) {
  AsideFile file(path.string());
  file.write(text.data(), text.size());
  file.commit();
}

bool read_whole(const fs::path& path, std::string& bytes) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (!file) return false;
  bytes.clear();
  std::error_code code;
  const std::uintmax_t expected = fs::file_size(path, code);
  if (!code) bytes.reserve(expected);
  std::vector<char> buffer(1 << 20);
  std::size_t count = 0;
  while ((count = std::fread(buffer.data(), 1, buffer.size(), file)) > 0) bytes.append(buffer.data(), count);
  const bool good = std::ferror(file) == 0;
  std::fclose(file);
  return good;
}

void make_run_folder(const fs::path& folder) {
  std::error_code code;
  for (const char* part : {"", "frames", "probes", "checkpoints"}) {
    fs::create_directories(folder / part, code);
    if (code) throw InputError("Cannot create the run folder " + (folder / part).string() + ": " + code.message() + ".");
  }
  const fs::path trial = folder / ".trial";
  std::FILE* file = std::fopen(trial.c_str(), "wb");
  if (!file) throw InputError("Cannot write in the run folder " + folder.string() + ": " + std::strerror(errno) + ".");
  std::fclose(file);
  fs::remove(trial, code);
  for (const char* part : {"", "frames", "checkpoints"})
    remove_files(folder / part, [](const fs::path& path) { return path.extension() == ".part"; });
}

void clear_run_folder(const fs::path& folder) {
  std::error_code code;
  if (!fs::exists(folder / "run.json", code)) return;
  remove_files(folder / "frames", is_frame_file);
  remove_files(folder / "probes", [](const fs::path& path) { return path.extension() == ".csv"; });
  remove_files(folder / "checkpoints", [](const fs::path& path) { return path.filename().string().rfind("checkpoint_", 0) == 0; });
  remove_files(folder, [](const fs::path& path) {
    return path.filename() == "stats.csv" || path.filename() == "convergence.csv" || path.filename() == "rigid_bodies.csv" ||
           path.filename().string().rfind("frames.", 0) == 0;
  });
}

CsvFile::CsvFile(fs::path path, const char* mode, std::uint64_t size) : path_(std::move(path)), size_(size) {
  file_.reset(std::fopen(path_.c_str(), mode));
  if (!file_) throw_write_error(path_.string(), errno);
}

CsvFile CsvFile::create(const fs::path& path, const std::string& header) {
  CsvFile file(path, "wb", 0);
  file.add_row(header);
  file.flush();
  return file;
}

CsvFile CsvFile::resume(const fs::path& path, std::uint64_t bytes) {
  std::error_code code;
  const std::uintmax_t present = fs::file_size(path, code);
  if (code || present < bytes)
    throw InputError("Cannot resume: " + path.string() +
                     " is missing or shorter than when the checkpoint was written; run without --resume.");
  fs::resize_file(path, bytes, code);
  if (code) throw_write_error(path.string(), code.value());
  return CsvFile(path, "ab", bytes);
}

void CsvFile::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size()) throw_write_error(path_.string(), errno);
  size_ += text.size();
}

void CsvFile::add_row(const std::string& row) {
  write(row);
  write("\n");
}

void CsvFile::flush() {
  if (std::fflush(file_.get()) != 0) throw_write_error(path_.string(), errno);
}

}  // namespace knead
