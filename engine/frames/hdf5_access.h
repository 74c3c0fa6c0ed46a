// HDF5's C interface with ids that close themselves and failures that throw. Included by the .cpp files that use HDF5 only.
#pragma once
#include <hdf5.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace knead::hdf5 {

struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline void check(bool good, const std::string& what) {
  if (!good) throw Failure(what);
}

class Id {
 public:
  using Close = herr_t (*)(hid_t);
  Id(hid_t id, Close close, const std::string& what) : id_(id), close_(close) { check(id >= 0, what); }
  Id(Id&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  ~Id() { reset(); }
  operator hid_t() const { return id_; }
  void reset() {
    if (id_ >= 0) close_(id_);
    id_ = -1;
  }

 private:
  hid_t id_;
  Close close_;
};

// HDF5 prints its error stack by default; while this lives it does not.
class QuietErrors {
 public:
  QuietErrors() {
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~QuietErrors() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }
  QuietErrors(const QuietErrors&) = delete;
  QuietErrors& operator=(const QuietErrors&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

// A one-dimensional (components == 0) or two-dimensional array that grows along its first axis.
struct ArrayShape {
  hid_t file_type;
  hsize_t components = 0;
  hsize_t chunk_rows = 1024;
  bool compressed = false;
  const void* fill = nullptr;  // value of what is never written
};

Id create_group(hid_t parent, const std::string& name);
Id open_group(hid_t parent, const std::string& name);
Id open_array(hid_t parent, const std::string& name);
void create_array(hid_t parent, const std::string& name, const ArrayShape& shape);
std::vector<hsize_t> array_extent(hid_t array);

// Adds `rows` rows; without data only the extent grows, and the new rows have the fill value.
void append_rows(hid_t parent, const std::string& name, hsize_t rows, hid_t memory_type, const void* data);
void read_rows(hid_t parent, const std::string& name, hsize_t first, hsize_t rows, hid_t memory_type, void* data);

// Attributes: a fixed-length string, or integers.
void write_text(hid_t object, const std::string& name, const std::string& text);
std::string read_text(hid_t object, const std::string& name);
void write_integers(hid_t object, const std::string& name, const std::vector<long long>& values);

}  // namespace knead::hdf5
