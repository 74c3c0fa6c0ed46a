#include "viewer/frame_columns.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>

#include "base/error.h"
#include "base/threads.h"
#include "frames/ply.h"
#include "viewer/frame_packing.h"

namespace knead::viewer {
namespace {

// HDF5 is not safe for threads, and requests come from several.
std::mutex& hdf5_mutex() {
  static std::mutex mutex;
  return mutex;
}

Frame read_other(const FrameFile& file) {
  const std::lock_guard lock(hdf5_mutex());
  return read_frame(file);
}

Attribute find_attribute(const Frame& frame, const FrameFile& file, const std::string& name) {
  for (const Attribute& attribute : attributes_of(frame))
    if (attribute.name == name) return attribute;
  throw InputError(file.path + " has no attribute \"" + name + "\".");
}

// Where a column lies in a row of 32-bit words.
struct Place {
  int word = -1, components = 0;
  bool is_integer = false;
};

Place place_of(const Frame& layout, const std::string& name) {
  int word = 0;
  for (const FrameColumn& column : layout.columns) {
    if (column.name == name) return {word, column.components, column.is_integer};
    word += column.components;
  }
  return {};
}

struct Wanted {
  Place position, body, value;
  int component = 0;
};

float scalar_at(const std::byte* row, const Wanted& wanted) {
  const auto number = [&](int component) {
    const std::byte* at = row + 4 * (wanted.value.word + component);
    std::int32_t whole = 0;
    float real = 0;
    std::memcpy(&whole, at, 4);
    std::memcpy(&real, at, 4);
    return wanted.value.is_integer ? static_cast<float>(whole) : real;
  };
  if (wanted.component >= 0) return number(wanted.component);
  float squares = 0;
  for (int c = 0; c < wanted.value.components; ++c) squares += number(c) * number(c);
  return std::sqrt(squares);
}

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr FrameRow all_infinite{infinity, infinity, infinity, infinity};

// What is found in a batch of rows beside the rows themselves.
struct Findings {
  RowRange range{all_infinite, -all_infinite};
  std::uint16_t last_body = 0;
  std::uint32_t hidden = 0;

  void add(const Findings& other) {
    range.low = other.range.low < range.low ? other.range.low : range.low;
    range.high = other.range.high > range.high ? other.range.high : range.high;
    last_body = std::max(last_body, other.last_body);
    hidden += other.hidden;
  }
};

// Infinities and what is no number take no part; a particle without a place is hidden.
void find_among_strange(std::size_t begin, std::size_t end, FrameColumns& columns, Findings& found) {
  for (std::size_t i = begin; i < end; ++i) {
    FrameRow& row = columns.rows[i];
    if (!std::isfinite(row[0]) || !std::isfinite(row[1]) || !std::isfinite(row[2])) {
      ++found.hidden;
      row = FrameRow{};
      columns.bodies[i] = no_body;
      continue;
    }
    for (int c = 0; c < 4; ++c)
      if (std::isfinite(row[c]))
        found.range.low[c] = std::min(found.range.low[c], row[c]), found.range.high[c] = std::max(found.range.high[c], row[c]);
  }
}

Findings find_in_rows(std::size_t begin, std::size_t end, FrameColumns& columns) {
  Findings found;
  FrameRow low = all_infinite, high = -all_infinite, strange{};
  for (std::size_t i = begin; i < end; ++i) {
    const FrameRow row = columns.rows[i];
    low = row < low ? row : low, high = row > high ? row : high;
    strange += row - row;  // 0, but for infinities and what is no number
  }
  if (strange[0] == 0 && strange[1] == 0 && strange[2] == 0 && strange[3] == 0) found.range = {low, high};
  else find_among_strange(begin, end, columns, found);
  for (std::size_t i = begin; i < end; ++i)
    if (columns.bodies[i] != no_body) found.last_body = std::max(found.last_body, columns.bodies[i]);
  return found;
}

Findings take_rows(const std::byte* rows, std::size_t row_bytes, std::size_t begin, std::size_t end, const Wanted& wanted,
                   FrameColumns& columns) {
  for (std::size_t i = begin; i < end; ++i) {
    const std::byte* row = rows + (i - begin) * row_bytes;
    float place[3];
    std::memcpy(place, row + 4 * wanted.position.word, sizeof place);
    std::int32_t body = 0;
    if (wanted.body.word >= 0) std::memcpy(&body, row + 4 * wanted.body.word, 4);
    columns.rows[i] = FrameRow{place[0], place[1], place[2], columns.has_values ? scalar_at(row, wanted) : 0};
    columns.bodies[i] = body >= 0 && body < no_body ? static_cast<std::uint16_t>(body) : no_body;
  }
  return find_in_rows(begin, end, columns);
}

void set_findings(const Findings& found, FrameColumns& columns) {
  columns.range = found.range, columns.last_body = found.last_body, columns.hidden = found.hidden;
}

Wanted wanted_columns(const Frame& layout, const FrameFile& file, const std::string& attribute, FrameColumns& columns) {
  Wanted wanted{.position = place_of(layout, "position"), .body = place_of(layout, "body"), .value = {}, .component = 0};
  if (wanted.position.components != 3 || wanted.position.is_integer) throw InputError(file.path + " has no positions.");
  if (!wanted.body.is_integer) wanted.body = {};
  if (!attribute.empty()) {
    const Attribute found = find_attribute(layout, file, attribute);
    wanted.value = place_of(layout, found.column);
    wanted.component = found.component;
  }
  columns.index = layout.index, columns.time = layout.time, columns.count = layout.count;
  columns.has_values = !attribute.empty();
  columns.rows.resize(layout.count);
  columns.bodies.resize(layout.count);
  return wanted;
}

// Reads all of [offset, offset + size); false when the file ends before.
bool read_at(int descriptor, std::byte* target, std::size_t size, std::size_t offset) {
  while (size > 0) {
    const ssize_t count = ::pread(descriptor, target, size, static_cast<off_t>(offset));
    if (count <= 0) return false;
    target += count, offset += static_cast<std::size_t>(count), size -= static_cast<std::size_t>(count);
  }
  return true;
}

// Rows are read and taken apart in parallel; a mapped file would be as quick, but one that is cut while it is read ends the program.
FrameColumns read_ply_columns(const FrameFile& file, const std::string& attribute) {
  const PlyLayout layout = read_ply_layout(file.path);
  FrameColumns columns;
  const Wanted wanted = wanted_columns(layout.frame, file, attribute, columns);
  const int descriptor = ::open(file.path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw InputError(file.path + " cannot be opened: " + std::strerror(errno) + ".");
  std::mutex mutex;  // of the two below
  bool complete = true;
  Findings found;
  constexpr std::size_t batch = 2048;  // rows that stay in the cache until they are taken apart
  parallel_for((columns.count + batch - 1) / batch, 8, [&](std::size_t first, std::size_t last) {
    std::vector<std::byte> rows(batch * layout.row_bytes);
    Findings here;
    bool whole = true;
    for (std::size_t block = first; block < last; ++block) {
      const std::size_t begin = block * batch, end = std::min(begin + batch, columns.count);
      if (read_at(descriptor, rows.data(), (end - begin) * layout.row_bytes, layout.data_offset + begin * layout.row_bytes))
        here.add(take_rows(rows.data(), layout.row_bytes, begin, end, wanted, columns));
      else whole = false;
    }
    const std::lock_guard lock(mutex);
    found.add(here);
    complete = complete && whole;
  });
  ::close(descriptor);
  if (!complete) throw InputError(file.path + " is damaged: it ends too early.");
  set_findings(found, columns);
  return columns;
}

// Any other format: the whole frame, put into rows so that one function takes them apart.
FrameColumns read_other_columns(const FrameFile& file, const std::string& attribute) {
  const Frame frame = read_other(file);
  FrameColumns columns;
  const Wanted wanted = wanted_columns(frame, file, attribute, columns);
  std::size_t words = 0;
  for (const FrameColumn& column : frame.columns) words += static_cast<std::size_t>(column.components);
  std::vector<std::byte> row(4 * words);
  Findings found;
  for (std::size_t i = 0; i < frame.count; ++i) {
    std::byte* target = row.data();
    for (const FrameColumn& column : frame.columns) {
      const std::size_t components = static_cast<std::size_t>(column.components);
      const void* source = column.is_integer ? static_cast<const void*>(&column.ints[i * components]) : &column.floats[i * components];
      std::memcpy(target, source, 4 * components);
      target += 4 * components;
    }
    found.add(take_rows(row.data(), row.size(), i, i + 1, wanted, columns));
  }
  set_findings(found, columns);
  return columns;
}

}  // namespace

Frame read_frame_layout(const FrameFile& file) {
  if (file.format == FrameFormat::ply) return read_ply_layout(file.path).frame;
  Frame frame = read_other(file);
  for (FrameColumn& column : frame.columns) column.floats.clear(), column.ints.clear();
  return frame;
}

float scalar_of_row(const Frame& layout, const Attribute& attribute, const std::byte* row) {
  return scalar_at(row, {.position = {}, .body = {}, .value = place_of(layout, attribute.column), .component = attribute.component});
}

FrameColumns read_columns(const FrameFile& file, const std::string& attribute) {
  return file.format == FrameFormat::ply ? read_ply_columns(file, attribute) : read_other_columns(file, attribute);
}

}  // namespace knead::viewer
