// A second implementation: a reader written from the published layout of Houdini's classic geometry, version 5.
#include "frames/bgeo.h"

#include <doctest/doctest.h>

#include <cstring>

#include "base/error.h"
#include "base/random.h"
#include "frames/sample_frame.h"

using namespace knead;
using namespace knead::test;

namespace {

struct BigEndianReader {
  const std::string& bytes;
  std::size_t at = 0;
  std::uint32_t unsigned_integer(int size) {
    std::uint32_t value = 0;
    for (int i = 0; i < size; ++i) value = value << 8 | static_cast<unsigned char>(bytes.at(at++));
    return value;
  }
  std::int32_t i32() { return static_cast<std::int32_t>(unsigned_integer(4)); }
  float f32() {
    const std::uint32_t bits = unsigned_integer(4);
    float value;
    std::memcpy(&value, &bits, 4);
    return value;
  }
  std::string text(std::size_t size) {
    at += size;
    return bytes.substr(at - size, size);
  }
};

struct Attribute {
  std::string name;
  int size, type;
};

Attribute read_attribute(BigEndianReader& reader) {
  Attribute attribute;
  attribute.name = reader.text(reader.unsigned_integer(2));
  attribute.size = static_cast<int>(reader.unsigned_integer(2));
  attribute.type = reader.i32();
  REQUIRE((attribute.type == 0 || attribute.type == 1 || attribute.type == 5));
  for (int c = 0; c < attribute.size; ++c) CHECK(reader.i32() == 0);  // default
  return attribute;
}

}  // namespace

TEST_CASE("bgeo: a reader made from the published layout finds every value") {
  const ScratchFolder folder("bgeo");
  const Frame frame = sample_frame(9000, 12);  // more than one batch of the writer
  write_bgeo(frame, folder.file("frame.bgeo"));
  const std::string bytes = read_bytes(folder.file("frame.bgeo"));
  BigEndianReader reader{bytes};
  CHECK(reader.text(4) == "Bgeo");
  CHECK(reader.text(1) == "V");
  CHECK(reader.i32() == 5);
  CHECK(reader.i32() == 9000);                           // points
  for (int k = 0; k < 3; ++k) CHECK(reader.i32() == 0);  // primitives, point groups, primitive groups
  CHECK(reader.i32() == 10);                             // point attributes: all columns but the position
  CHECK(reader.i32() == 0);                              // vertex attributes
  CHECK(reader.i32() == 0);                              // primitive attributes
  CHECK(reader.i32() == 2);                              // detail attributes
  for (std::size_t k = 1; k < frame.columns.size(); ++k) {
    const Attribute attribute = read_attribute(reader);
    CHECK(attribute.name == frame.columns[k].name);
    CHECK(attribute.size == frame.columns[k].components);
    CHECK(attribute.type == (frame.columns[k].is_integer ? 1 : attribute.name == "velocity" ? 5 : 0));
  }
  bool equal = true;
  for (std::size_t i = 0; i < frame.count; ++i) {
    for (std::size_t k = 0; k < frame.columns.size(); ++k) {
      const FrameColumn& column = frame.columns[k];
      for (int c = 0; c < column.components; ++c) {
        const std::size_t index = i * static_cast<std::size_t>(column.components) + static_cast<std::size_t>(c);
        if (column.is_integer) equal = equal && reader.i32() == column.ints[index];
        else equal = equal && reader.f32() == column.floats[index];
      }
      if (k == 0) equal = equal && reader.f32() == 1.0f;  // homogeneous coordinate
    }
  }
  CHECK(equal);
  CHECK(read_attribute(reader).name == "time");
  CHECK(read_attribute(reader).name == "frame");
  CHECK(reader.f32() == 0.5f);
  CHECK(reader.i32() == 12);
  CHECK(reader.unsigned_integer(1) == 0x00);
  CHECK(reader.unsigned_integer(1) == 0xff);
  CHECK(reader.at == bytes.size());
}

TEST_CASE("bgeo: a frame comes back as it was written, but for the names of the bodies") {
  const ScratchFolder folder("bgeo_round_trip");
  for (const std::size_t count : {0, 1, 7, 20000}) {
    Frame frame = sample_frame(count, 6);  // its time, 0.25 s, is the same in 32 bits
    write_bgeo(frame, folder.file("frame.bgeo"));
    frame.body_names.clear();
    CHECK(same(read_bgeo_frame(folder.file("frame.bgeo")), frame));
  }
}

TEST_CASE("bgeo: broken bytes give an InputError, never a crash or a large allocation") {
  const ScratchFolder folder("bgeo_broken");
  const std::string path = folder.file("frame.bgeo");
  write_bgeo(sample_frame(4, 1), path);
  const std::string good = read_bytes(path);
  CHECK_THROWS_AS(read_bgeo_frame(folder.file("missing.bgeo")), InputError);
  CHECK_THROWS_AS(read_bgeo_frame(folder.path.string()), InputError);
  for (std::size_t length = 0; length < good.size(); length += 13) {
    write_bytes(path, good.substr(0, length));
    CHECK_THROWS_AS(read_bgeo_frame(path), InputError);
  }
  write_bytes(path, good + "x");
  CHECK_THROWS_WITH_AS(read_bgeo_frame(path), doctest::Contains("frame.bgeo is not a frame that knead wrote"), InputError);
  // Every number of the header in turn, made as large and as negative as it goes.
  for (std::size_t at = 5; at < 41; at += 4)
    for (const char* value : {"\x7f\xff\xff\xff", "\xff\xff\xff\xff"}) {
      std::string bytes = good;
      bytes.replace(at, 4, value, 4);
      write_bytes(path, bytes);
      CHECK_THROWS_AS(read_bgeo_frame(path), InputError);
    }
  // Single changed bytes in the header: either still a frame or an InputError.
  for (std::size_t trial = 0; trial < 200; ++trial) {
    std::string bytes = good;
    bytes[static_cast<std::size_t>(random_uniform(7, 0, trial) * 300)] = static_cast<char>(mix_bits(trial));
    write_bytes(path, bytes);
    std::size_t count = 4;
    try {
      count = read_bgeo_frame(path).count;
    } catch (const InputError&) {}
    CHECK(count == 4);
  }
}
