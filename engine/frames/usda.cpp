#include "frames/usda.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "frames/aside_file.h"
#include "frames/by_body.h"

namespace knead {

namespace {

// Text that is handed to the file in large pieces.
class TextFile {
 public:
  explicit TextFile(const std::string& path) : file_(path) {}
  TextFile& operator<<(const std::string& text) {
    buffer_ += text;
    flush(1 << 20);
    return *this;
  }
  template <class Number> void number(Number value) {
    char digits[32];
    const auto result = std::to_chars(digits, digits + sizeof digits, value);  // the shortest text that reads back the same
    buffer_.append(digits, result.ptr);
  }
  void number(float value) {
    if (std::isfinite(value)) number<float>(value);
    else buffer_ += std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
  }
  void commit() {
    flush(0);
    file_.commit();
  }

 private:
  void flush(std::size_t limit) {
    if (buffer_.size() <= limit) return;
    file_.write(buffer_.data(), buffer_.size());
    buffer_.clear();
  }
  AsideFile file_;
  std::string buffer_;
};

struct Attribute {
  const FrameColumn* column;
  std::string declaration;  // "float[] primvars:density"
  std::string metadata;     // "(interpolation = "vertex")", or empty
};

std::vector<Attribute> attributes_of(const Frame& frame) {
  std::vector<Attribute> attributes;
  for (const FrameColumn& column : frame.columns) {
    if (column.name == "body") continue;  // the prim is the body
    if (column.name == "position") attributes.push_back({&column, "point3f[] points", ""});
    else if (column.name == "velocity") attributes.push_back({&column, "vector3f[] velocities", ""});
    else if (column.name == "id") attributes.push_back({&column, "int64[] ids", ""});
    else {
      const std::string type = column.is_integer ? "int" : column.components == 3 ? "vector3f" : "float";
      const bool is_list = column.components > 1 && column.components != 3;
      const std::string size = is_list ? "elementSize = " + std::to_string(column.components) + ", " : "";
      attributes.push_back({&column, type + "[] primvars:" + column.name, " (" + size + "interpolation = \"vertex\")"});
    }
  }
  return attributes;
}

std::string number_text(double value) {
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
}

// The frame rate is in frames.usda alone: a single frame, the first one above all, does not know it.
std::string layer_header(int first, int last, const std::string& what, const std::string& rate = "") {
  return "#usda 1.0\n(\n    defaultPrim = \"knead\"\n    doc = \"" + what + "\"\n    endTimeCode = " + std::to_string(last) + "\n" +
         (rate.empty() ? "" : "    framesPerSecond = " + rate + "\n") +
         "    metersPerUnit = 1\n    startTimeCode = " + std::to_string(first) + "\n" +
         (rate.empty() ? "" : "    timeCodesPerSecond = " + rate + "\n") + "    upAxis = \"Y\"\n)\n\n";
}

// "name.timeSamples = { 42: [a, b, c] }", with write_one(i) for each particle.
template <class WriteOne>
void write_samples(TextFile& file, const std::string& declaration, int index, std::size_t count, const std::string& metadata,
                   WriteOne&& write_one) {
  // Metadata can stand at the declaration only, not at the samples.
  if (!metadata.empty()) file << "        " + declaration + metadata + "\n";
  file << "        " + declaration + ".timeSamples = {\n            " + std::to_string(index) + ": [";
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) file << ", ";
    write_one(i);
  }
  file << "],\n        }\n";
}

void write_extent(TextFile& file, const FrameColumn& position, const BodyParticles& body, int index) {
  float low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
  for (std::size_t c = 0; c < 3; ++c) {
    if (body.particles.empty()) continue;
    low[c] = INFINITY, high[c] = -INFINITY;
    for (const std::uint32_t i : body.particles) {
      low[c] = std::min(low[c], position.floats[3 * i + c] - body.spacing / 2);
      high[c] = std::max(high[c], position.floats[3 * i + c] + body.spacing / 2);
    }
  }
  write_samples(file, "float3[] extent", index, 2, "", [&](std::size_t corner) {
    const float* values = corner == 0 ? low : high;
    for (int c = 0; c < 3; ++c) {
      file << (c == 0 ? "(" : ", ");
      file.number(values[c]);
    }
    file << ")";
  });
}

void write_values(TextFile& file, const Attribute& attribute, const BodyParticles& body, int index) {
  const FrameColumn& column = *attribute.column;
  const auto components = static_cast<std::size_t>(column.components);
  const bool is_vector = components == 3;
  write_samples(file, attribute.declaration, index, body.particles.size(), attribute.metadata, [&](std::size_t i) {
    if (is_vector) file << "(";
    for (std::size_t c = 0; c < components; ++c) {
      const std::size_t at = body.particles[i] * components + c;
      if (c > 0) file << ", ";
      if (column.is_integer) file.number(column.ints[at]);
      else file.number(column.floats[at]);
    }
    if (is_vector) file << ")";
  });
}

// What the clips hold, without values: in frames.usda it makes the attributes, in the manifest it says where to look.
std::string declarations(const Frame& frame) {
  std::string text;
  for (const BodyParticles& body : by_body(frame)) {
    text += "    def Points \"" + body.identifier + "\"\n    {\n        float3[] extent\n        float[] widths\n";
    for (const Attribute& attribute : attributes_of(frame)) text += "        " + attribute.declaration + attribute.metadata + "\n";
    text += "    }\n";
  }
  return text;
}

std::string clips(const Frame& latest) {
  std::string paths, pairs;
  for (int index = 0; index <= latest.index; ++index) {
    const std::string separator = index == 0 ? "" : ", ", number = std::to_string(index);
    paths += separator + "@./frames/" + numbered_frame(index, "usda") + "@";
    pairs += separator + "(" + number + ", " + number + ")";
  }
  return "    clips = {\n        dictionary default = {\n            double2[] active = [" + pairs +
         "]\n            asset[] assetPaths = [" + paths +
         "]\n            asset manifestAssetPath = @./frames/frame_manifest.usda@\n            string primPath = \"/knead\"\n"
         "            double2[] times = [" +
         pairs + "]\n        }\n    }\n";
}

void write_text(const std::string& path, const std::string& text) {
  TextFile file(path);
  file << text;
  file.commit();
}

}  // namespace

void write_usda(const Frame& frame, const std::string& path) {
  const std::vector<BodyParticles> bodies = by_body(frame);
  TextFile file(path);
  file << layer_header(frame.index, frame.index, "frame " + std::to_string(frame.index) + " of a run of knead") +
              "def Xform \"knead\"\n{\n";
  for (const BodyParticles& body : bodies) {
    file << "    def Points \"" + body.identifier + "\"\n    {\n";
    write_extent(file, *frame.find("position"), body, frame.index);
    for (const Attribute& attribute : attributes_of(frame)) write_values(file, attribute, body, frame.index);
    write_samples(file, "float[] widths", frame.index, body.particles.size(), "", [&](std::size_t) { file.number(body.spacing); });
    file << "    }\n";
  }
  file << "}\n";
  file.commit();
}

void write_usda_series(const Frame& latest, const std::string& directory) {
  const std::string prims = declarations(latest), rate = number_text(frame_rate(latest));
  write_text(directory + "/frames/frame_manifest.usda",
             "#usda 1.0\n(\n    defaultPrim = \"knead\"\n)\n\nover \"knead\"\n{\n" + prims + "}\n");
  write_text(directory + "/frames.usda", layer_header(0, latest.index, "the frames of a run of knead", rate) + "def Xform \"knead\" (\n" +
                                             clips(latest) + ")\n{\n" + prims + "}\n");
}

}  // namespace knead
