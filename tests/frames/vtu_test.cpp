// A second implementation: a reader written from VTK's description of its XML files with raw appended data.
#include "frames/vtu.h"

#include <doctest/doctest.h>

#include <cstring>

#include "frames/sample_frame.h"

using namespace knead;
using namespace knead::test;

namespace {

std::string attribute(const std::string& element, const std::string& name) {
  const std::size_t at = element.find(" " + name + "=\"");
  REQUIRE(at != std::string::npos);
  const std::size_t begin = at + name.size() + 3;
  return element.substr(begin, element.find('"', begin) - begin);
}

// The element that names this array, and its bytes.
std::pair<std::string, std::string> appended(const std::string& bytes, const std::string& name) {
  const std::size_t begin = bytes.rfind('<', bytes.find("Name=\"" + name + "\""));
  const std::string element = bytes.substr(begin, bytes.find('>', begin) - begin);
  const std::size_t data = bytes.find("<AppendedData encoding=\"raw\">") + 29;
  const std::size_t at = bytes.find('_', data) + 1 + std::stoul(attribute(element, "offset"));
  std::uint64_t size = 0;
  std::memcpy(&size, bytes.data() + at, 8);
  return {element, bytes.substr(at + 8, size)};
}

}  // namespace

TEST_CASE("vtu: a reader made from the published layout finds every value and a vertex per particle") {
  const ScratchFolder folder("vtu");
  for (const std::size_t count : {0, 1, 5000}) {
    const Frame frame = sample_frame(count, 6);
    write_vtu(frame, folder.file("frame.vtu"));
    const std::string bytes = read_bytes(folder.file("frame.vtu"));
    CHECK(bytes.find("NumberOfPoints=\"" + std::to_string(count) + "\" NumberOfCells=\"" + std::to_string(count) + "\"") !=
          std::string::npos);
    CHECK(bytes.find(">0.25</DataArray>") != std::string::npos);  // the time
    for (const FrameColumn& column : frame.columns) {
      const auto [element, data] = appended(bytes, column.name);
      CHECK(attribute(element, "type") == (column.is_integer ? "Int32" : "Float32"));
      CHECK(attribute(element, "NumberOfComponents") == std::to_string(column.components));
      const void* values = column.is_integer ? static_cast<const void*>(column.ints.data()) : column.floats.data();
      REQUIRE(data.size() == 4 * count * static_cast<std::size_t>(column.components));
      CHECK((count == 0 || std::memcmp(data.data(), values, data.size()) == 0));
    }
    const std::string connectivity = appended(bytes, "connectivity").second, offsets = appended(bytes, "offsets").second;
    REQUIRE(connectivity.size() == 8 * count);
    REQUIRE(offsets.size() == 8 * count);
    bool right = appended(bytes, "types").second == std::string(count, '\1');
    for (std::size_t i = 0; i < count; ++i) {
      std::int64_t point, end;
      std::memcpy(&point, connectivity.data() + 8 * i, 8);
      std::memcpy(&end, offsets.data() + 8 * i, 8);
      right = right && point == static_cast<std::int64_t>(i) && end == static_cast<std::int64_t>(i + 1);
    }
    CHECK(right);
  }
}

TEST_CASE("pvd: every frame so far with its time, whatever the frame that wrote it") {
  const ScratchFolder folder("pvd");
  write_pvd(sample_frame(1, 0), folder.path.string());
  CHECK(read_bytes(folder.file("frames.pvd")).find("timestep=\"0\" part=\"0\" file=\"frames/frame_000000.vtu\"") != std::string::npos);
  write_pvd(sample_frame(1, 3), folder.path.string());
  const std::string text = read_bytes(folder.file("frames.pvd"));
  CHECK(text.find("timestep=\"0.0833333333\" part=\"0\" file=\"frames/frame_000002.vtu\"") != std::string::npos);
  CHECK(text.find("timestep=\"0.125\" part=\"0\" file=\"frames/frame_000003.vtu\"") != std::string::npos);
  CHECK(text.find("frame_000004") == std::string::npos);
}
