#include "viewer/survey.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "frames/ply.h"
#include "viewer/frame_columns.h"
#include "viewer/frame_packing.h"

namespace knead::viewer {
namespace {

constexpr std::size_t most_frames = 8, blocks_per_frame = 64, rows_per_block = 64;

using Samples = std::map<std::string, std::vector<float>>;

struct Percentiles {
  double low = 0, high = 0;
};

Percentiles percentiles(std::vector<float>& values, double part) {
  if (values.empty()) return {};
  const double last = static_cast<double>(values.size() - 1);
  const auto at = [&](double rank) {
    const auto place = values.begin() + static_cast<std::ptrdiff_t>(std::lround(rank * last));
    std::nth_element(values.begin(), place, values.end());
    return static_cast<double>(*place);
  };
  return {at(part), at(1 - part)};
}

// Some blocks of rows, spread over the file.
void sample_ply(const FrameFile& file, Samples& samples) {
  const PlyLayout layout = read_ply_layout(file.path);
  std::ifstream stream(file.path, std::ios::binary);
  std::vector<float> words(layout.row_bytes / 4);
  const std::vector<Attribute> attributes = attributes_of(layout.frame);
  std::vector<std::vector<float>*> targets;
  for (const Attribute& attribute : attributes) targets.push_back(&samples[attribute.name]);
  const std::size_t stride = std::max(rows_per_block, layout.frame.count / blocks_per_frame);
  for (std::size_t begin = 0; begin < layout.frame.count; begin += stride) {
    stream.seekg(static_cast<std::streamoff>(layout.data_offset + begin * layout.row_bytes));
    for (std::size_t row = begin; row < std::min(begin + rows_per_block, layout.frame.count); ++row) {
      if (!stream.read(reinterpret_cast<char*>(words.data()), static_cast<std::streamsize>(layout.row_bytes))) return;
      for (std::size_t a = 0; a < attributes.size(); ++a) {
        const float value = scalar_of_row(layout.frame, attributes[a], reinterpret_cast<const std::byte*>(words.data()));
        if (std::isfinite(value)) targets[a]->push_back(value);
      }
    }
  }
}

}  // namespace

nlohmann::json survey_frames(const std::vector<FrameFile>& frames) {
  Samples samples;
  const std::size_t count = std::min(most_frames, frames.size());
  for (std::size_t i = 0; i < count; ++i) {
    const FrameFile& file = frames[count == 1 ? 0 : i * (frames.size() - 1) / (count - 1)];
    try {
      if (file.format == FrameFormat::ply) sample_ply(file, samples);
      else if (i == 0 || i + 1 == count)  // no part of such a frame can be read alone
        for (const Attribute& attribute : attributes_of(read_frame_layout(file))) {
          const FrameColumns columns = read_columns(file, attribute.name);
          for (std::size_t row = 0; row < columns.count; ++row)
            if (std::isfinite(columns.rows[row][3])) samples[attribute.name].push_back(columns.rows[row][3]);
        }
    } catch (const InputError&) {}
  }
  nlohmann::json json{{"attributes", nlohmann::json::object()}};
  for (auto& [name, values] : samples) {
    const Percentiles usual = percentiles(values, 0.01);
    json["attributes"][name] = {usual.low, usual.high};
  }
  for (const char* name : {"position.x", "position.y", "position.z"}) {
    const Percentiles all = percentiles(samples[name], 0.0003);
    json["minimum"].push_back(all.low);
    json["maximum"].push_back(all.high);
  }
  return json;
}

}  // namespace knead::viewer
