#include "viewer/frame_packing.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/error.h"
#include "base/threads.h"
#include "frames/ply.h"
#include "viewer/frame_columns.h"

namespace knead::viewer {
namespace {

static_assert(std::endian::native == std::endian::little, "the page reads what lies in memory here");

enum Flag : std::uint32_t { float_rows = 1, wide_bodies = 2 };
constexpr std::size_t block_size = 16384;
constexpr int most_narrow_bodies = 255;  // the last number of a byte, or of two bytes, stands for hidden particles
constexpr float no_number = 65535, last_number = 65534;

typedef std::int32_t Whole __attribute__((vector_size(16)));
typedef std::uint16_t NarrowRow __attribute__((vector_size(8)));

// Particles of a frame lie in the order of space. Taken in steps of 16, in this order of beginnings, the first 1/16, 1/8, 1/4 and 1/2
// of them are each an even sample of all.
constexpr std::size_t steps = packed_parts;
constexpr std::array<std::size_t, steps> beginnings{0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15};

// Where each particle is put.
class PlaceOrder {
 public:
  explicit PlaceOrder(std::size_t count) {
    std::size_t first = 0;
    for (const std::size_t beginning : beginnings) {
      first_[beginning] = first;
      first += (count + steps - 1 - beginning) / steps;
    }
  }
  std::size_t operator()(std::size_t particle) const { return first_[particle % steps] + particle / steps; }

 private:
  std::array<std::size_t, steps> first_{};
};

struct Percentiles {
  double low = 0, high = 0;  // 1st and 99th
};

// Of at most some thousands of values, evenly spread: extremes of a few particles must not wash out all colours.
Percentiles percentiles_of(const FrameColumns& columns) {
  std::vector<float> sample;
  if (!columns.has_values) return {};
  const std::size_t stride = std::max<std::size_t>(1, columns.count / 8192);
  for (std::size_t i = 0; i < columns.count; i += stride)
    if (std::isfinite(columns.rows[i][3])) sample.push_back(columns.rows[i][3]);
  if (sample.empty()) return {};
  const auto rank = [&](double part) {
    const auto at = sample.begin() + static_cast<std::ptrdiff_t>(part * static_cast<double>(sample.size() - 1) + 0.5);
    std::nth_element(sample.begin(), at, sample.end());
    return static_cast<double>(*at);
  };
  return {rank(0.01), rank(0.99)};
}

// The values that 16 bits cover: all of them, unless a few lie so far out that the others would look alike.
void choose_value_range(const Percentiles& percentiles, RowRange& range) {
  const double usual = percentiles.high - percentiles.low;
  if (usual <= 0 || static_cast<double>(range.high[3]) - range.low[3] < 100 * usual) return;
  range.low[3] = std::max(range.low[3], static_cast<float>(percentiles.low - 10 * usual));
  range.high[3] = std::min(range.high[3], static_cast<float>(percentiles.high + 10 * usual));
}

FrameRow clamped(FrameRow row, FrameRow high) {
  row = row > 0 ? row : FrameRow{};
  return row < high ? row : high;
}

void write_narrow_rows(const FrameColumns& columns, const RowRange& range, const PlaceOrder& place, std::size_t begin, std::size_t end,
                       char* target) {
  FrameRow factor{};
  for (int c = 0; c < 4; ++c)
    if (range.high[c] > range.low[c]) factor[c] = (c < 3 ? no_number : last_number) / (range.high[c] - range.low[c]);
  const FrameRow half = FrameRow{} + 0.5f, high{no_number, no_number, no_number, last_number}, none = FrameRow{} + no_number;
  for (std::size_t i = begin; i < end; ++i) {
    const FrameRow steps_up = (columns.rows[i] - range.low) * factor;
    const FrameRow shown = steps_up - steps_up == 0 ? clamped(steps_up + half, high) : none;
    const NarrowRow row = __builtin_convertvector(__builtin_convertvector(shown, Whole), NarrowRow);
    std::memcpy(target + sizeof row * place(i), &row, sizeof row);
  }
}

void write_float_rows(const FrameColumns& columns, const RowRange& range, const PlaceOrder& place, std::size_t begin, std::size_t end,
                      char* target) {
  const float extent = range.high[3] - range.low[3], factor = extent > 0 ? 1 / extent : 0;
  for (std::size_t i = begin; i < end; ++i) {
    FrameRow row = columns.rows[i];
    row[3] = std::isfinite(row[3]) ? std::clamp((row[3] - range.low[3]) * factor, 0.0f, 1.0f) * (last_number / no_number) : 2;
    std::memcpy(target + sizeof row * place(i), &row, sizeof row);
  }
}

template <class Number>
void write_bodies(const FrameColumns& columns, const PlaceOrder& place, std::size_t begin, std::size_t end, char* target) {
  constexpr std::uint16_t hidden = std::numeric_limits<Number>::max();
  for (std::size_t i = begin; i < end; ++i) {
    const auto number = static_cast<Number>(std::min(columns.bodies[i], hidden));
    std::memcpy(target + sizeof number * place(i), &number, sizeof number);
  }
}

using Header = std::array<char, packed_header_bytes>;

template <class T> void put(Header& bytes, std::size_t at, const T& value) { std::memcpy(bytes.data() + at, &value, sizeof value); }

Header make_header(const FrameColumns& columns, const RowRange& covered, const Percentiles& percentiles, std::uint32_t flags) {
  Header bytes{};
  std::memcpy(bytes.data(), "KVF2", 4);
  put(bytes, 4, static_cast<std::uint32_t>(columns.count));
  put(bytes, 8, static_cast<std::int32_t>(columns.index));
  put(bytes, 12, flags);
  put(bytes, 16, columns.time);
  for (int c = 0; c < 3; ++c) {
    const auto at = static_cast<std::size_t>(8 * c);
    put(bytes, 24 + at, flags & float_rows ? 0.0 : static_cast<double>(covered.low[c]));
    put(bytes, 48 + at, flags & float_rows ? 1.0 : static_cast<double>(covered.high[c] - covered.low[c]));
  }
  const double values[6]{covered.low[3], covered.high[3], columns.range.low[3], columns.range.high[3], percentiles.low, percentiles.high};
  put(bytes, 72, values);
  put(bytes, 120, columns.hidden);
  put(bytes, 124, std::uint32_t{1});
  return bytes;
}

}  // namespace

std::vector<Attribute> attributes_of(const Frame& frame) {
  std::vector<Attribute> attributes;
  for (const FrameColumn& column : frame.columns) {
    if (column.name == "body") continue;  // bodies have colours of their own
    if (column.components == 1) {
      attributes.push_back({column.name, column.name, 0});
      continue;
    }
    if (column.components == 3 && column.name != "position") attributes.push_back({column.name, column.name, -1});
    for (int c = 0; c < column.components; ++c)
      attributes.push_back({column.name + "." + component_suffix(column.components, c).substr(1), column.name, c});
  }
  return attributes;
}

LargeBytes pack_frame(const FrameFile& file, const std::string& attribute, double spacing) {
  FrameColumns columns = read_columns(file, attribute);
  if (columns.count > std::numeric_limits<std::uint32_t>::max()) throw InputError(file.path + " has too many particles to be shown.");
  for (int c = 0; c < 4; ++c)
    if (columns.range.low[c] > columns.range.high[c]) columns.range.low[c] = columns.range.high[c] = 0;
  const Percentiles percentiles = percentiles_of(columns);
  RowRange covered = columns.range;
  choose_value_range(percentiles, covered);
  const FrameRow extent = covered.high - covered.low;
  const float longest = std::max({extent[0], extent[1], extent[2]});
  std::uint32_t flags = 0;
  if (!std::isfinite(longest) || (spacing > 0 && longest / 131070 > spacing / 16)) flags |= float_rows;
  if (columns.last_body >= most_narrow_bodies) flags |= wide_bodies;

  const std::size_t row_bytes = flags & float_rows ? 16 : 8, body_bytes = flags & wide_bodies ? 2 : 1;
  const std::size_t bodies_at = packed_header_bytes + columns.count * row_bytes;
  LargeBytes bytes(bodies_at + columns.count * body_bytes);
  const Header header = make_header(columns, covered, percentiles, flags);
  std::copy(header.begin(), header.end(), bytes.begin());
  const PlaceOrder place(columns.count);
  parallel_for((columns.count + block_size - 1) / block_size, 1, [&](std::size_t first, std::size_t last) {
    const std::size_t begin = first * block_size, end = std::min(last * block_size, columns.count);
    char* rows = bytes.data() + packed_header_bytes;
    if (flags & float_rows) write_float_rows(columns, covered, place, begin, end, rows);
    else write_narrow_rows(columns, covered, place, begin, end, rows);
    if (flags & wide_bodies) write_bodies<std::uint16_t>(columns, place, begin, end, bytes.data() + bodies_at);
    else write_bodies<std::uint8_t>(columns, place, begin, end, bytes.data() + bodies_at);
  });
  return bytes;
}

std::size_t packed_particles(const LargeBytes& packed) {
  std::uint32_t count;
  std::memcpy(&count, packed.data() + 4, sizeof count);
  return count;
}

LargeBytes sample_of(const LargeBytes& packed) {
  std::uint32_t flags;
  std::memcpy(&flags, packed.data() + 12, sizeof flags);
  const std::size_t row_bytes = flags & float_rows ? 16 : 8, body_bytes = flags & wide_bodies ? 2 : 1;
  const std::size_t count = packed_particles(packed);
  const auto part = static_cast<std::uint32_t>((count + steps - 1) / steps), per_particle = static_cast<std::uint32_t>(steps);
  LargeBytes sample(packed_header_bytes + part * (row_bytes + body_bytes));
  char* const bodies = std::copy_n(packed.data(), packed_header_bytes + part * row_bytes, sample.data());
  std::copy_n(packed.data() + packed_header_bytes + count * row_bytes, part * body_bytes, bodies);
  std::memcpy(sample.data() + 4, &part, sizeof part);
  std::memcpy(sample.data() + 124, &per_particle, sizeof per_particle);
  return sample;
}

}  // namespace knead::viewer
