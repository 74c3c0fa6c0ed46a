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

struct Range {
  float low = std::numeric_limits<float>::infinity(), high = -std::numeric_limits<float>::infinity();
  void add(float value) { low = std::min(low, value), high = std::max(high, value); }
  void add(const Range& other) { low = std::min(low, other.low), high = std::max(high, other.high); }
  bool empty() const { return low > high; }
};

struct Survey {
  std::array<Range, 3> position;
  Range value;
  std::int32_t last_body = 0;
  std::uint32_t hidden = 0;
  double value_low = 0, value_high = 0;  // 1st and 99th percentile
};

bool has_place(const FrameColumns& columns, std::size_t i) {
  const float* p = &columns.position[3 * i];
  return std::isfinite(p[0]) && std::isfinite(p[1]) && std::isfinite(p[2]);
}

Survey survey_block(const FrameColumns& columns, std::size_t begin, std::size_t end) {
  Survey survey;
  for (std::size_t i = begin; i < end; ++i) {
    if (!has_place(columns, i)) {
      ++survey.hidden;
      continue;
    }
    for (std::size_t c = 0; c < 3; ++c) survey.position[c].add(columns.position[3 * i + c]);
    if (!columns.body.empty()) survey.last_body = std::max(survey.last_body, columns.body[i]);
    if (!columns.value.empty() && std::isfinite(columns.value[i])) survey.value.add(columns.value[i]);
  }
  return survey;
}

// Percentiles of at most some thousands of values, evenly spread: extremes of a few particles must not wash out all colours.
void add_percentiles(const FrameColumns& columns, Survey& survey) {
  std::vector<float> sample;
  const std::size_t stride = std::max<std::size_t>(1, columns.value.size() / 8192);
  for (std::size_t i = 0; i < columns.value.size(); i += stride)
    if (std::isfinite(columns.value[i])) sample.push_back(columns.value[i]);
  if (sample.empty()) return;
  const auto rank = [&](double part) {
    const auto at = sample.begin() + std::lround(part * static_cast<double>(sample.size() - 1));
    std::nth_element(sample.begin(), at, sample.end());
    return static_cast<double>(*at);
  };
  survey.value_low = rank(0.01), survey.value_high = rank(0.99);
}

Survey survey_frame(const FrameColumns& columns) {
  std::vector<Survey> blocks((columns.count + block_size - 1) / block_size);
  parallel_for(blocks.size(), 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t b = first; b < last; ++b)
      blocks[b] = survey_block(columns, b * block_size, std::min((b + 1) * block_size, columns.count));
  });
  Survey survey;
  for (const Survey& block : blocks) {
    for (std::size_t c = 0; c < 3; ++c) survey.position[c].add(block.position[c]);
    survey.value.add(block.value);
    survey.last_body = std::max(survey.last_body, block.last_body);
    survey.hidden += block.hidden;
  }
  for (Range& range : survey.position)
    if (range.empty()) range = {0, 0};
  if (survey.value.empty()) survey.value = {0, 0};
  add_percentiles(columns, survey);
  return survey;
}

struct Scale {
  std::array<float, 3> origin{}, extent{};
  float value_low = 0, value_high = 0;
};

// The values that 16 bits cover: all of them, unless a few lie so far out that the others would look alike.
void choose_value_range(const Survey& survey, Scale& scale) {
  scale.value_low = survey.value.low, scale.value_high = survey.value.high;
  const double usual = survey.value_high - survey.value_low;
  if (usual <= 0 || static_cast<double>(survey.value.high) - survey.value.low < 100 * usual) return;
  scale.value_low = std::max(scale.value_low, static_cast<float>(survey.value_low - 10 * usual));
  scale.value_high = std::min(scale.value_high, static_cast<float>(survey.value_high + 10 * usual));
}

float fraction(float value, float low, float high) { return high > low ? std::clamp((value - low) / (high - low), 0.0f, 1.0f) : 0.0f; }

void write_narrow_rows(const FrameColumns& columns, const Scale& scale, std::size_t begin, std::size_t end, std::uint16_t* rows) {
  std::array<float, 3> factor{};
  for (std::size_t c = 0; c < 3; ++c) factor[c] = scale.extent[c] > 0 ? 65535 / scale.extent[c] : 0;
  for (std::size_t i = begin; i < end; ++i) {
    std::uint16_t* row = rows + 4 * i;
    for (std::size_t c = 0; c < 3; ++c) {
      const float steps = (columns.position[3 * i + c] - scale.origin[c]) * factor[c];
      row[c] = static_cast<std::uint16_t>(std::max(0.0f, std::min(steps + 0.5f, 65535.0f)));  // in this order NaN becomes 0
    }
    const float value = columns.value.empty() ? 0 : columns.value[i];
    const float part = fraction(value, scale.value_low, scale.value_high);
    row[3] = std::isfinite(value) ? static_cast<std::uint16_t>(std::lround(part * 65534)) : 65535;
  }
}

void write_float_rows(const FrameColumns& columns, const Scale& scale, std::size_t begin, std::size_t end, float* rows) {
  for (std::size_t i = begin; i < end; ++i) {
    float* row = rows + 4 * i;
    for (std::size_t c = 0; c < 3; ++c) row[c] = has_place(columns, i) ? columns.position[3 * i + c] : 0;
    const float value = columns.value.empty() ? 0 : columns.value[i];
    row[3] = std::isfinite(value) ? fraction(value, scale.value_low, scale.value_high) * (65534.0f / 65535.0f) : 2;
  }
}

template <class Number> void write_bodies(const FrameColumns& columns, std::size_t begin, std::size_t end, char* target) {
  constexpr Number hidden = std::numeric_limits<Number>::max();
  for (std::size_t i = begin; i < end; ++i) {
    const std::int32_t body = columns.body.empty() ? 0 : columns.body[i];
    const Number number = has_place(columns, i) && body >= 0 && body < hidden ? static_cast<Number>(body) : hidden;
    std::memcpy(target + i * sizeof(Number), &number, sizeof number);
  }
}

template <class T> void put(std::string& bytes, std::size_t at, const T& value) { std::memcpy(bytes.data() + at, &value, sizeof value); }

void write_header(const FrameColumns& columns, const Survey& survey, const Scale& scale, std::uint32_t flags, std::string& bytes) {
  std::memcpy(bytes.data(), "KVF1", 4);
  put(bytes, 4, static_cast<std::uint32_t>(columns.count));
  put(bytes, 8, static_cast<std::int32_t>(columns.index));
  put(bytes, 12, flags);
  put(bytes, 16, columns.time);
  for (std::size_t c = 0; c < 3; ++c) {
    put(bytes, 24 + 8 * c, flags & float_rows ? 0.0 : static_cast<double>(scale.origin[c]));
    put(bytes, 48 + 8 * c, flags & float_rows ? 1.0 : static_cast<double>(scale.extent[c]));
  }
  const double values[6]{scale.value_low, scale.value_high, survey.value.low, survey.value.high, survey.value_low, survey.value_high};
  put(bytes, 72, values);
  put(bytes, 120, survey.hidden);
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

std::string pack_frame(const FrameFile& file, const std::string& attribute, double spacing) {
  const FrameColumns columns = read_columns(file, attribute);
  if (columns.count > std::numeric_limits<std::uint32_t>::max()) throw InputError(file.path + " has too many particles to be shown.");
  const Survey survey = survey_frame(columns);
  Scale scale;
  float longest = 0;
  for (std::size_t c = 0; c < 3; ++c) {
    scale.origin[c] = survey.position[c].low;
    scale.extent[c] = survey.position[c].high - survey.position[c].low;
    longest = std::max(longest, scale.extent[c]);
  }
  choose_value_range(survey, scale);
  std::uint32_t flags = 0;
  if (!std::isfinite(longest) || (spacing > 0 && longest / 131070 > spacing / 16)) flags |= float_rows;
  if (survey.last_body >= most_narrow_bodies) flags |= wide_bodies;

  const std::size_t row_bytes = flags & float_rows ? 16 : 8, body_bytes = flags & wide_bodies ? 2 : 1;
  const std::size_t bodies_at = packed_header_bytes + columns.count * row_bytes;
  std::string bytes(bodies_at + columns.count * body_bytes, '\0');
  write_header(columns, survey, scale, flags, bytes);
  char* rows = bytes.data() + packed_header_bytes;
  parallel_for((columns.count + block_size - 1) / block_size, 1, [&](std::size_t first, std::size_t last) {
    const std::size_t begin = first * block_size, end = std::min(last * block_size, columns.count);
    if (flags & float_rows) write_float_rows(columns, scale, begin, end, reinterpret_cast<float*>(rows));
    else write_narrow_rows(columns, scale, begin, end, reinterpret_cast<std::uint16_t*>(rows));
    if (flags & wide_bodies) write_bodies<std::uint16_t>(columns, begin, end, bytes.data() + bodies_at);
    else write_bodies<std::uint8_t>(columns, begin, end, bytes.data() + bodies_at);
  });
  return bytes;
}

}  // namespace knead::viewer
