#include "frames/vtu.h"

#include <bit>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <vector>

#include "base/error.h"
#include "frames/aside_file.h"

namespace knead {

static_assert(std::endian::native == std::endian::little, "the values are written as they lie in memory");

namespace {

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

// The XML text, with the places of the arrays behind it: each is its size as uint64, then its bytes.
class Layout {
 public:
  explicit Layout(std::size_t particles) : particles_(particles) {}
  std::string array(const std::string& name, const char* type, int components, std::size_t value_bytes, const void* values) {
    const std::size_t bytes = particles_ * static_cast<std::size_t>(components) * value_bytes;
    std::string text = std::string("<DataArray type=\"") + type + "\" Name=\"" + name + "\" NumberOfComponents=\"" +
                       std::to_string(components) + "\" format=\"appended\" offset=\"" + std::to_string(offset_) + "\"/>\n";
    offset_ += sizeof(std::uint64_t) + bytes;
    blocks_.push_back({values, bytes});
    return text;
  }
  std::string array(const FrameColumn& column) {
    const void* values = column.is_integer ? static_cast<const void*>(column.ints.data()) : column.floats.data();
    return array(column.name, column.is_integer ? "Int32" : "Float32", column.components, 4, values);
  }
  void write_blocks(AsideFile& file) const {
    for (const Block& block : blocks_) {
      const auto bytes = static_cast<std::uint64_t>(block.bytes);
      file.write(&bytes, sizeof bytes);
      file.write(block.values, block.bytes);
    }
  }

 private:
  struct Block {
    const void* values;
    std::size_t bytes;
  };
  std::size_t particles_, offset_ = 0;
  std::vector<Block> blocks_;
};

}  // namespace

void write_vtu(const Frame& frame, const std::string& path) {
  const FrameColumn* position = frame.find("position");
  if (!position) throw SimulationError("cannot write " + path + ": the frame has no positions.");
  // Cell i is the point i, and its list of points ends at i + 1.
  std::vector<std::int64_t> sequence(frame.count + 1);
  std::iota(sequence.begin(), sequence.end(), 0);
  const std::vector<std::uint8_t> types(frame.count, 1);  // VTK_VERTEX

  Layout layout(frame.count);
  const std::string count = std::to_string(frame.count);
  std::string text =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"
      "<UnstructuredGrid>\n<FieldData><DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">" +
      number(frame.time) + "</DataArray></FieldData>\n<Piece NumberOfPoints=\"" + count + "\" NumberOfCells=\"" + count +
      "\">\n<PointData>\n";
  for (const FrameColumn& column : frame.columns)
    if (&column != position) text += layout.array(column);
  text += "</PointData>\n<Points>\n" + layout.array(*position) + "</Points>\n<Cells>\n";
  text += layout.array("connectivity", "Int64", 1, 8, sequence.data());
  text += layout.array("offsets", "Int64", 1, 8, sequence.data() + 1);
  text += layout.array("types", "UInt8", 1, 1, types.data());
  text += "</Cells>\n</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_";

  AsideFile file(path);
  file.write(text.data(), text.size());
  layout.write_blocks(file);
  const std::string end = "\n</AppendedData>\n</VTKFile>\n";
  file.write(end.data(), end.size());
  file.commit();
}

void write_pvd(const Frame& latest, const std::string& directory) {
  std::string text = "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n";
  for (int index = 0; index <= latest.index; ++index) {
    const double time = index == 0 ? 0 : latest.time * index / latest.index;
    text += "<DataSet timestep=\"" + number(time) + "\" part=\"0\" file=\"frames/" + numbered_frame(index, "vtu") + "\"/>\n";
  }
  text += "</Collection>\n</VTKFile>\n";
  AsideFile file(directory + "/frames.pvd");
  file.write(text.data(), text.size());
  file.commit();
}

}  // namespace knead
