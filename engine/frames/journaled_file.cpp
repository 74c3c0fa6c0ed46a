#include "frames/journaled_file.h"

#include <fcntl.h>
#include <hdf5.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "base/error.h"
#include "frames/aside_file.h"

namespace knead {

namespace {

constexpr char journal_magic[8] = {'k', 'n', 'e', 'a', 'd', 'j', 'n', '1'};

struct JournalHeader {
  char magic[8];
  std::uint64_t final_bytes, pages;
};

std::string journal_name(const std::string& path) { return path + ".journal"; }

// Returns false with errno set.
bool write_all(int descriptor, std::uint64_t address, std::size_t size, const void* buffer) {
  const char* next = static_cast<const char*>(buffer);
  while (size > 0) {
    const ssize_t written = ::pwrite(descriptor, next, size, static_cast<off_t>(address));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    next += written, address += static_cast<std::uint64_t>(written), size -= static_cast<std::size_t>(written);
  }
  return true;
}

// Bytes behind the end of the file read as zero, as HDF5 expects of allocated space that was never written.
bool read_all(int descriptor, std::uint64_t address, std::size_t size, void* buffer) {
  char* next = static_cast<char*>(buffer);
  while (size > 0) {
    const ssize_t got = ::pread(descriptor, next, size, static_cast<off_t>(address));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;
    if (got == 0) {
      std::memset(next, 0, size);
      return true;
    }
    next += got, address += static_cast<std::uint64_t>(got), size -= static_cast<std::size_t>(got);
  }
  return true;
}

}  // namespace

// The callbacks through which HDF5 reaches a JournaledFile.
struct JournalDriver {
  struct File {
    H5FD_t base;  // first, as HDF5 demands
    JournaledFile* journaled;
  };
  static JournaledFile& of(H5FD_t* file) { return *reinterpret_cast<File*>(file)->journaled; }
  static const JournaledFile& of(const H5FD_t* file) { return *reinterpret_cast<const File*>(file)->journaled; }

  static H5FD_t* open(const char*, unsigned, hid_t access, haddr_t) {
    const auto* info = static_cast<JournaledFile* const*>(H5Pget_driver_info(access));
    return info ? &(new File{{}, *info})->base : nullptr;
  }
  static herr_t close(H5FD_t* file) {
    delete reinterpret_cast<File*>(file);
    return 0;
  }
  static herr_t query(const H5FD_t*, unsigned long* flags) {
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_AGGREGATE_SMALLDATA;
    return 0;
  }
  static haddr_t get_end(const H5FD_t* file, H5FD_mem_t) { return of(file).end_; }
  static herr_t set_end(H5FD_t* file, H5FD_mem_t, haddr_t address) {
    of(file).end_ = address;
    return 0;
  }
  static haddr_t get_size(const H5FD_t* file, H5FD_mem_t) { return std::max(of(file).end_, of(file).committed_); }
  static herr_t read(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, size_t size, void* buffer) {
    return of(file).read(address, size, buffer) ? 0 : -1;
  }
  static herr_t write(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, size_t size, const void* buffer) {
    return of(file).write(address, size, buffer) ? 0 : -1;
  }
  static H5FD_class_t description() {
    H5FD_class_t c{};
    c.name = "knead_journal";
    c.maxaddr = HADDR_MAX;
    c.fc_degree = H5F_CLOSE_WEAK;
    c.fapl_size = sizeof(JournaledFile*);
    c.open = open, c.close = close, c.query = query;
    c.get_eoa = get_end, c.set_eoa = set_end, c.get_eof = get_size;
    c.read = read, c.write = write;
    const H5FD_mem_t one_list[] = H5FD_FLMAP_DICHOTOMY;
    std::copy(std::begin(one_list), std::end(one_list), c.fl_map);
    return c;
  }
};

JournaledFile::JournaledFile(const std::string& path) : path_(path) {
  recover(path);
  is_new_ = ::access(path.c_str(), F_OK) != 0;
  opened_path_ = is_new_ ? AsideFile::aside_name(path) : path;
  descriptor_ = ::open(opened_path_.c_str(), is_new_ ? O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC : O_RDWR | O_CLOEXEC, 0666);
  struct stat status {};
  if (descriptor_ < 0 || ::fstat(descriptor_, &status) != 0) throw_write_error(path_, errno);
  committed_ = static_cast<std::uint64_t>(status.st_size);
}

JournaledFile::~JournaledFile() {
  if (driver_ >= 0) H5FDunregister(driver_);
  if (descriptor_ < 0) return;
  if (is_new_) ::unlink(opened_path_.c_str());
  else if (::ftruncate(descriptor_, static_cast<off_t>(committed_)) != 0) discarded_ = true;  // a longer tail is harmless
  ::close(descriptor_);
}

std::int64_t JournaledFile::open() {
  static const H5FD_class_t driver_class = JournalDriver::description();
  driver_ = H5FDregister(&driver_class);
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  JournaledFile* self = this;
  H5Pset_driver(access, driver_, &self);
  const hid_t file = is_new_ ? H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access) : H5Fopen(path_.c_str(), H5F_ACC_RDWR, access);
  H5Pclose(access);
  // What lies behind HDF5's own end is the rest of an interrupted append.
  if (file >= 0) committed_ = is_new_ ? 0 : std::min(committed_, end_);
  return file;
}

void JournaledFile::discard() { discarded_ = true; }

// HDF5 hears of the first failure only: ids whose last write fails can never be closed.
bool JournaledFile::fail() {
  if (error_ == 0) error_ = errno;
  discard();
  return false;
}

JournaledFile::Page& JournaledFile::page_at(std::uint64_t index) {
  const auto [place, added] = pages_.try_emplace(index);
  if (added && !read_all(descriptor_, index * page_bytes, page_bytes, place->second.data())) fail();
  return place->second;
}

bool JournaledFile::read(std::uint64_t address, std::size_t size, void* buffer) {
  if (!read_all(descriptor_, address, size, buffer)) return fail();
  for (auto page = pages_.lower_bound(address / page_bytes); page != pages_.end() && page->first * page_bytes < address + size; ++page) {
    const std::uint64_t begin = std::max(address, page->first * page_bytes), end = std::min(address + size, (page->first + 1) * page_bytes);
    std::memcpy(static_cast<std::byte*>(buffer) + (begin - address), page->second.data() + begin % page_bytes, end - begin);
  }
  return true;
}

bool JournaledFile::write(std::uint64_t address, std::size_t size, const void* buffer) {
  if (discarded_) return true;
  const auto* next = static_cast<const std::byte*>(buffer);
  // Whole pages are either kept in memory or not, so that the two never overlap.
  while (size > 0 && address / page_bytes * page_bytes < committed_) {
    const std::size_t part = std::min<std::size_t>(size, page_bytes - address % page_bytes);
    std::memcpy(page_at(address / page_bytes).data() + address % page_bytes, next, part);
    address += part, next += part, size -= part;
  }
  if (size > 0 && !write_all(descriptor_, address, size, next)) fail();
  return error_ == 0;
}

void JournaledFile::write_journal() const {
  AsideFile journal(journal_name(path_));
  JournalHeader header{{}, end_, pages_.size()};
  std::copy(std::begin(journal_magic), std::end(journal_magic), header.magic);
  journal.write(&header, sizeof header);
  for (const auto& [index, page] : pages_) {
    journal.write(&index, sizeof index);
    journal.write(page.data(), page.size());
  }
  journal.commit();
}

void JournaledFile::commit() {
  if (is_new_) {
    const int descriptor = descriptor_;
    descriptor_ = -1;
    const bool sized = ::ftruncate(descriptor, static_cast<off_t>(end_)) == 0;
    if (::close(descriptor) != 0 || !sized || std::rename(opened_path_.c_str(), path_.c_str()) != 0) {
      const int error = errno;
      ::unlink(opened_path_.c_str());
      throw_write_error(path_, error);
    }
    return;
  }
  write_journal();
  ::close(descriptor_);
  descriptor_ = -1;
  recover(path_);
}

void JournaledFile::recover(const std::string& path) {
  const std::string name = journal_name(path);
  if (::access(path.c_str(), F_OK) != 0) ::unlink(name.c_str());  // a journal without its file means nothing
  std::ifstream journal(name, std::ios::binary);
  if (!journal) return;
  JournalHeader header{};
  journal.read(reinterpret_cast<char*>(&header), sizeof header);
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  bool good = journal && descriptor >= 0 && std::equal(std::begin(journal_magic), std::end(journal_magic), header.magic);
  Page page;
  for (std::uint64_t i = 0, index = 0; good && i < header.pages; ++i) {
    journal.read(reinterpret_cast<char*>(&index), sizeof index);
    journal.read(reinterpret_cast<char*>(page.data()), page_bytes);
    good = journal && write_all(descriptor, index * page_bytes, page_bytes, page.data());
  }
  good = good && ::ftruncate(descriptor, static_cast<off_t>(header.final_bytes)) == 0;
  const int error = errno;
  if (descriptor >= 0) ::close(descriptor);
  if (!good)
    throw SimulationError("cannot complete the interrupted writing of " + path + " from " + name + ": " + std::strerror(error) + ".");
  ::unlink(name.c_str());
}

}  // namespace knead
