#include "frames/vtkhdf.h"

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <sstream>

#include "base/error.h"
#include "frames/aside_file.h"
#include "frames/hdf5_access.h"
#include "frames/journaled_file.h"

namespace knead {

namespace {

using hdf5::Id;

constexpr const char* steps_of_one[] = {"PartOffsets", "NumberOfParts", "PointOffsets"};

std::string join_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> column_names(const Frame& frame) {
  std::vector<std::string> names;
  for (const FrameColumn& column : frame.columns) names.push_back(column.name);
  return names;
}

// An empty file for frames like this one. One frame per chunk where it is small, so that short runs do not rewrite chunks.
void create_layout(hid_t file, const Frame& frame) {
  const hsize_t rows = std::clamp<hsize_t>(frame.count, 256, 65536);
  const Id root = hdf5::create_group(file, "VTKHDF");
  hdf5::write_integers(root, "Version", {2, 0});
  hdf5::write_text(root, "Type", "UnstructuredGrid");
  for (const char* name : {"NumberOfPoints", "NumberOfCells", "NumberOfConnectivityIds"})
    hdf5::create_array(root, name, {.file_type = H5T_STD_I64LE, .chunk_rows = 256});
  for (const char* name : {"Connectivity", "Offsets"})
    hdf5::create_array(root, name, {.file_type = H5T_STD_I64LE, .chunk_rows = rows, .compressed = true});
  const unsigned char vertex = 1;  // VTK_VERTEX
  hdf5::create_array(root, "Types", {.file_type = H5T_STD_U8LE, .chunk_rows = rows, .fill = &vertex});
  const Id data = hdf5::create_group(root, "PointData");
  for (const FrameColumn& column : frame.columns) {
    const bool is_position = column.name == "position";
    const hsize_t components = column.components == 1 ? 0 : static_cast<hsize_t>(column.components);
    hdf5::create_array(is_position ? root : data, is_position ? "Points" : column.name,
                       {.file_type = column.is_integer ? H5T_STD_I32LE : H5T_IEEE_F32LE, .components = components, .chunk_rows = rows});
  }
  const Id steps = hdf5::create_group(root, "Steps");
  hdf5::write_integers(steps, "NSteps", {0});
  hdf5::create_array(steps, "Values", {.file_type = H5T_IEEE_F64LE, .chunk_rows = 256});
  for (const char* name : steps_of_one) hdf5::create_array(steps, name, {.file_type = H5T_STD_I64LE, .chunk_rows = 256});
  for (const char* name : {"CellOffsets", "ConnectivityIdOffsets"})
    hdf5::create_array(steps, name, {.file_type = H5T_STD_I64LE, .components = 1, .chunk_rows = 256});
  const Id own = hdf5::create_group(file, "knead");
  hdf5::create_array(own, "FrameIndex", {.file_type = H5T_STD_I64LE, .chunk_rows = 256});
  hdf5::write_text(own, "columns", join_lines(column_names(frame)));
  hdf5::write_text(own, "bodies", join_lines(frame.body_names));
}

hsize_t rows_of(hid_t parent, const char* name) {
  const Id array = hdf5::open_array(parent, name);
  return hdf5::array_extent(array)[0];
}

void append_frame(hid_t file, const Frame& frame) {
  const Id root = hdf5::open_group(file, "VTKHDF"), data = hdf5::open_group(root, "PointData"), steps = hdf5::open_group(root, "Steps"),
           own = hdf5::open_group(file, "knead");
  hdf5::check(split_lines(hdf5::read_text(own, "columns")) == column_names(frame), "its frames have other attributes");
  const auto add = [](hid_t parent, const char* name, long long value) { hdf5::append_rows(parent, name, 1, H5T_NATIVE_LLONG, &value); };
  const auto count = static_cast<long long>(frame.count);
  const auto step = static_cast<long long>(rows_of(own, "FrameIndex")), first_point = static_cast<long long>(rows_of(root, "Types"));

  // One vertex cell per point: cell i has point i, and the lists of cells begin at 0, 1, 2, ..., count.
  std::vector<long long> iota(frame.count + 1);
  std::iota(iota.begin(), iota.end(), 0);
  hdf5::append_rows(root, "Connectivity", frame.count, H5T_NATIVE_LLONG, iota.data());
  hdf5::append_rows(root, "Offsets", frame.count + 1, H5T_NATIVE_LLONG, iota.data());
  hdf5::append_rows(root, "Types", frame.count, H5T_NATIVE_UCHAR, nullptr);
  for (const FrameColumn& column : frame.columns) {
    const bool is_position = column.name == "position";
    const void* values = column.is_integer ? static_cast<const void*>(column.ints.data()) : column.floats.data();
    hdf5::append_rows(is_position ? root : data, is_position ? "Points" : column.name, frame.count,
                      column.is_integer ? H5T_NATIVE_INT : H5T_NATIVE_FLOAT, values);
  }
  for (const char* name : {"NumberOfPoints", "NumberOfCells", "NumberOfConnectivityIds"}) add(root, name, count);
  hdf5::append_rows(steps, "Values", 1, H5T_NATIVE_DOUBLE, &frame.time);
  add(steps, "PartOffsets", step);
  add(steps, "NumberOfParts", 1);
  for (const char* name : {"PointOffsets", "CellOffsets", "ConnectivityIdOffsets"}) add(steps, name, first_point);
  add(own, "FrameIndex", frame.index);
  hdf5::write_integers(steps, "NSteps", {step + 1});
}

Id open_for_reading(const std::string& path) {
  JournaledFile::recover(path);
  return {H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, "HDF5 cannot open it"};
}

FrameColumn read_column(hid_t root, hid_t data, const std::string& name, hsize_t first, hsize_t rows) {
  const bool is_position = name == "position";
  const hid_t parent = is_position ? root : data;
  const std::string array_name = is_position ? "Points" : name;
  const Id array = hdf5::open_array(parent, array_name), type(H5Dget_type(array), H5Tclose, name);
  const std::vector<hsize_t> extent = hdf5::array_extent(array);
  hdf5::check(extent.size() <= 2 && (extent.size() == 1 || (extent[1] >= 1 && extent[1] <= 1024)) && extent[0] >= first &&
                  extent[0] - first >= rows,
              name + " has a wrong size");
  FrameColumn column{.name = name,
                     .components = extent.size() == 1 ? 1 : static_cast<int>(extent[1]),
                     .floats = {},
                     .ints = {},
                     .is_integer = H5Tget_class(type) == H5T_INTEGER};
  const std::size_t values = rows * static_cast<std::size_t>(column.components);
  if (column.is_integer) {
    column.ints.resize(values);
    hdf5::read_rows(parent, array_name, first, rows, H5T_NATIVE_INT, column.ints.data());
  } else {
    column.floats.resize(values);
    hdf5::read_rows(parent, array_name, first, rows, H5T_NATIVE_FLOAT, column.floats.data());
  }
  return column;
}

Frame read_frame(hid_t file, std::size_t step) {
  const Id root = hdf5::open_group(file, "VTKHDF"), data = hdf5::open_group(root, "PointData"), steps = hdf5::open_group(root, "Steps"),
           own = hdf5::open_group(file, "knead");
  const auto integer = [&](hid_t parent, const char* name) {
    long long value = 0;
    hdf5::read_rows(parent, name, step, 1, H5T_NATIVE_LLONG, &value);
    hdf5::check(value >= 0, std::string(name) + " is negative");
    return static_cast<hsize_t>(value);
  };
  const hsize_t first = integer(steps, "PointOffsets"), rows = integer(root, "NumberOfPoints");
  Frame frame;
  frame.index = static_cast<int>(integer(own, "FrameIndex"));
  hdf5::read_rows(steps, "Values", step, 1, H5T_NATIVE_DOUBLE, &frame.time);
  frame.count = rows;
  frame.body_names = split_lines(hdf5::read_text(own, "bodies"));
  for (const std::string& name : split_lines(hdf5::read_text(own, "columns")))
    frame.columns.push_back(read_column(root, data, name, first, rows));
  return frame;
}

std::vector<long long> frame_indices(hid_t file) {
  const Id own = hdf5::open_group(file, "knead");
  std::vector<long long> indices(rows_of(own, "FrameIndex"));
  hdf5::read_rows(own, "FrameIndex", 0, indices.size(), H5T_NATIVE_LLONG, indices.data());
  return indices;
}

// Reads with `function(file)`; whatever HDF5 finds wrong becomes an InputError.
template <class Function> auto with_file(const std::string& path, Function&& function) {
  const hdf5::QuietErrors quiet;
  try {
    const Id file = open_for_reading(path);
    return function(static_cast<hid_t>(file));
  } catch (const hdf5::Failure& failure) {
    throw InputError(path + " is not a VTKHDF file that knead wrote: " + failure.what() + ".");
  }
}

}  // namespace

void append_vtkhdf(const Frame& frame, const std::string& path) {
  const hdf5::QuietErrors quiet;
  JournaledFile journaled(path);
  try {
    Id file(journaled.open(), H5Fclose, "it is not an HDF5 file");
    try {
      if (journaled.is_new()) create_layout(file, frame);
      append_frame(file, frame);
      hdf5::check(H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0, "flushing failed");
    } catch (const hdf5::Failure&) {
      journaled.discard();  // before the file is closed
      throw;
    }
  } catch (const hdf5::Failure& failure) {
    if (journaled.error() != 0) throw_write_error(path, journaled.error());
    throw SimulationError("cannot write " + path + ": " + failure.what() + ".");
  }
  if (journaled.error() != 0) throw_write_error(path, journaled.error());
  journaled.commit();
}

std::size_t vtkhdf_frame_count(const std::string& path) {
  return with_file(path, [](hid_t file) { return frame_indices(file).size(); });
}

Frame read_vtkhdf_frame(const std::string& path, std::size_t step) {
  return with_file(path, [&](hid_t file) {
    hdf5::check(step < frame_indices(file).size(), "it has no frame " + std::to_string(step));
    return read_frame(file, step);
  });
}

void truncate_vtkhdf(const std::string& path, int first_removed) {
  if (!std::filesystem::exists(path)) return;
  std::vector<std::size_t> kept;
  std::size_t total = 0;
  if (first_removed > 0)
    with_file(path, [&](hid_t file) {
      const std::vector<long long> indices = frame_indices(file);
      total = indices.size();
      for (std::size_t step = 0; step < indices.size(); ++step)
        if (indices[step] < first_removed) kept.push_back(step);
    });
  if (total > 0 && kept.size() == total) return;
  const std::string copy = path + ".kept";
  std::filesystem::remove(copy);
  for (const std::size_t step : kept) append_vtkhdf(read_vtkhdf_frame(path, step), copy);
  std::error_code error;
  if (kept.empty()) std::filesystem::remove(path, error);
  else std::filesystem::rename(copy, path, error);
  if (error) throw_write_error(path, error.value());
}

}  // namespace knead
