// Files of a run folder: whole or absent (written aside, then renamed), and CSV files that grow and can be cut back.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace knead {

// Replaces `path` by these parts in order, or throws SimulationError and leaves what was there.
void write_whole(const std::filesystem::path& path, std::string_view text);

// The bytes of a file; false when it cannot be read.
bool read_whole(const std::filesystem::path& path, std::string& bytes);

// Makes DIR, frames/, probes/ and checkpoints/, proves that DIR can be written (InputError when not), and removes what a
// killed run left half written.
void make_run_folder(const std::filesystem::path& folder);

// Removes what an earlier run left: frames, probes, checkpoints, stats. Only in a folder that has a run.json; other files stay.
void clear_run_folder(const std::filesystem::path& folder);

// A text file that only grows. Rows reach the disk on flush(); every error is a SimulationError with the file's name.
class CsvFile {
 public:
  // Starts the file with a header row.
  static CsvFile create(const std::filesystem::path& path, const std::string& header);
  // Continues a file, cut back to its first `bytes` bytes. InputError when it is shorter than that.
  static CsvFile resume(const std::filesystem::path& path, std::uint64_t bytes);

  void add_row(const std::string& row);
  void flush();
  std::uint64_t size() const { return size_; }  // [bytes], with what is not flushed yet

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  CsvFile(std::filesystem::path path, const char* mode, std::uint64_t size);
  void write(std::string_view text);

  std::filesystem::path path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::uint64_t size_ = 0;
};

}  // namespace knead
