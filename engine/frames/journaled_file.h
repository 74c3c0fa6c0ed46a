// An HDF5 file that grows by transactions: after a crash at any moment it holds all of the last one or nothing of it.
//
// HDF5 updates its tables in place, so a process killed while it appends leaves a file that nobody can open. Here the
// library writes through a driver of our own: bytes behind the committed end go straight to the file, where no table
// points yet; changes of committed bytes (tables, the last part-filled chunks: little) stay in memory as pages. commit()
// writes these pages to PATH.journal, aside and renamed, then into the file, and removes the journal. A kill before the
// rename changes nothing that a reader sees; after it, recover() completes the commit. A full disk leaves the old file.
// The journal: "kneadjn1", final size of the file, number of pages, then per page its number and its 4096 bytes; numbers are
// 64-bit, as in memory.
// (A power cut is another matter: nothing is synced to the disk here.)
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace knead {

class JournaledFile {
 public:
  explicit JournaledFile(const std::string& path);  // creates it aside when there is none; recovers an existing one first
  ~JournaledFile();                                 // discards what was not committed
  JournaledFile(const JournaledFile&) = delete;
  JournaledFile& operator=(const JournaledFile&) = delete;

  bool is_new() const { return is_new_; }
  std::int64_t open();  // HDF5's file id, for reading and writing; negative when it cannot
  void commit();        // after all HDF5 ids of the file were closed; throws SimulationError
  void discard();       // from now on nothing is written, so that the ids can be closed

  static void recover(const std::string& path);  // completes an interrupted commit, if there was one

  int error() const { return error_; }  // errno of the first failed access, or 0

 private:
  friend struct JournalDriver;
  static constexpr std::size_t page_bytes = 4096;
  using Page = std::array<std::byte, page_bytes>;

  bool read(std::uint64_t address, std::size_t size, void* buffer);
  bool write(std::uint64_t address, std::size_t size, const void* buffer);
  bool fail();
  Page& page_at(std::uint64_t index);
  void write_journal() const;

  std::string path_, opened_path_;
  bool is_new_ = false, discarded_ = false;
  int descriptor_ = -1, error_ = 0;
  std::int64_t driver_ = -1;
  std::uint64_t committed_ = 0;          // bytes that readers may rely on
  std::uint64_t end_ = 0;                // HDF5's end of allocated space
  std::map<std::uint64_t, Page> pages_;  // changed pages below committed_, by index
};

}  // namespace knead
