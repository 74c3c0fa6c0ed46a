#include "frames/hdf5_access.h"

#include <algorithm>

namespace knead::hdf5 {

namespace {

Id creation_list(hid_t kind) {
  Id list(H5Pcreate(kind), H5Pclose, "a property list");
  // No times in the file: the same run gives the same bytes.
  check(H5Pset_obj_track_times(list, false) >= 0, "a property list");
  return list;
}

std::vector<hsize_t> block(const std::vector<hsize_t>& extent, hsize_t rows) {
  std::vector<hsize_t> result = extent;
  result[0] = rows;
  return result;
}

Id select_rows(hid_t array, const std::vector<hsize_t>& extent, hsize_t first, hsize_t rows, const std::string& name) {
  Id space(H5Dget_space(array), H5Sclose, name);
  std::vector<hsize_t> start(extent.size(), 0);
  start[0] = first;
  check(H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, block(extent, rows).data(), nullptr) >= 0, name);
  return space;
}

Id memory_space(const std::vector<hsize_t>& size, const std::string& name) {
  return {H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr), H5Sclose, name};
}

}  // namespace

Id create_group(hid_t parent, const std::string& name) {
  const Id list = creation_list(H5P_GROUP_CREATE);
  return {H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, list, H5P_DEFAULT), H5Gclose, name};
}

Id open_group(hid_t parent, const std::string& name) { return {H5Gopen2(parent, name.c_str(), H5P_DEFAULT), H5Gclose, name}; }
Id open_array(hid_t parent, const std::string& name) { return {H5Dopen2(parent, name.c_str(), H5P_DEFAULT), H5Dclose, name}; }

void create_array(hid_t parent, const std::string& name, const ArrayShape& shape) {
  std::vector<hsize_t> extent{0}, limit{H5S_UNLIMITED}, chunk{shape.chunk_rows};
  if (shape.components > 0) extent.push_back(shape.components), limit.push_back(shape.components), chunk.push_back(shape.components);
  const int rank = static_cast<int>(extent.size());
  const Id space(H5Screate_simple(rank, extent.data(), limit.data()), H5Sclose, name);
  const Id list = creation_list(H5P_DATASET_CREATE);
  check(H5Pset_chunk(list, rank, chunk.data()) >= 0, name);
  if (shape.compressed) check(H5Pset_shuffle(list) >= 0 && H5Pset_deflate(list, 1) >= 0, name);
  if (shape.fill) check(H5Pset_fill_value(list, shape.file_type, shape.fill) >= 0, name);
  const Id array(H5Dcreate2(parent, name.c_str(), shape.file_type, space, H5P_DEFAULT, list, H5P_DEFAULT), H5Dclose, name);
}

std::vector<hsize_t> array_extent(hid_t array) {
  const Id space(H5Dget_space(array), H5Sclose, "an extent");
  std::vector<hsize_t> extent(static_cast<std::size_t>(std::max(H5Sget_simple_extent_ndims(space), 0)));
  check(!extent.empty() && H5Sget_simple_extent_dims(space, extent.data(), nullptr) >= 0, "an extent");
  return extent;
}

void append_rows(hid_t parent, const std::string& name, hsize_t rows, hid_t memory_type, const void* data) {
  const Id array = open_array(parent, name);
  std::vector<hsize_t> extent = array_extent(array);
  const hsize_t first = extent[0];
  extent[0] += rows;
  check(H5Dset_extent(array, extent.data()) >= 0, name);
  if (!data || rows == 0) return;
  const Id file_space = select_rows(array, extent, first, rows, name), memory = memory_space(block(extent, rows), name);
  check(H5Dwrite(array, memory_type, memory, file_space, H5P_DEFAULT, data) >= 0, name);
}

void read_rows(hid_t parent, const std::string& name, hsize_t first, hsize_t rows, hid_t memory_type, void* data) {
  const Id array = open_array(parent, name);
  const std::vector<hsize_t> extent = array_extent(array);
  check(first <= extent[0] && rows <= extent[0] - first, name + " is too short");
  if (rows == 0) return;
  const Id file_space = select_rows(array, extent, first, rows, name), memory = memory_space(block(extent, rows), name);
  check(H5Dread(array, memory_type, memory, file_space, H5P_DEFAULT, data) >= 0, name);
}

void write_text(hid_t object, const std::string& name, const std::string& text) {
  const Id type(H5Tcopy(H5T_C_S1), H5Tclose, name), space(H5Screate(H5S_SCALAR), H5Sclose, name);
  check(H5Tset_size(type, std::max<std::size_t>(text.size(), 1)) >= 0 && H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0, name);
  const Id attribute(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose, name);
  check(H5Awrite(attribute, type, text.empty() ? "\0" : text.data()) >= 0, name);
}

std::string read_text(hid_t object, const std::string& name) {
  const Id attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose, name), type(H5Aget_type(attribute), H5Tclose, name);
  check(H5Tget_class(type) == H5T_STRING && !H5Tis_variable_str(type), name + " is not text");
  std::string text(H5Tget_size(type), '\0');
  check(H5Aread(attribute, type, text.data()) >= 0, name);
  return text.substr(0, text.find_last_not_of('\0') + 1);
}

void write_integers(hid_t object, const std::string& name, const std::vector<long long>& values) {
  const hsize_t size = values.size();
  const Id space(size == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &size, nullptr), H5Sclose, name);
  const bool exists = H5Aexists(object, name.c_str()) > 0;
  const Id attribute(exists ? H5Aopen(object, name.c_str(), H5P_DEFAULT)
                            : H5Acreate2(object, name.c_str(), H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT),
                     H5Aclose, name);
  check(H5Awrite(attribute, H5T_NATIVE_LLONG, values.data()) >= 0, name);
}

}  // namespace knead::hdf5
