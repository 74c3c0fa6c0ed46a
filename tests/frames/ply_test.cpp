#include <doctest/doctest.h>

#include <cstring>

#include "base/error.h"
#include "base/random.h"
#include "frames/ply.h"
#include "frames/sample_frame.h"

using namespace knead;
using namespace knead::test;

TEST_CASE("PLY: a frame comes back as it was written") {
  const ScratchFolder folder("ply_round_trip");
  for (const std::size_t count : {0, 1, 7, 20000}) {
    const Frame frame = sample_frame(count, 6);
    write_ply(frame, folder.file("frame.ply"));
    CHECK(same(read_ply_frame(folder.file("frame.ply")), frame));
  }
  CHECK(listing(folder.path).size() == 1);
}

TEST_CASE("PLY: header and bytes are those of the format") {
  const ScratchFolder folder("ply_bytes");
  const Frame frame = sample_frame(3, 6);
  write_ply(frame, folder.file("frame.ply"));
  const std::string bytes = read_bytes(folder.file("frame.ply"));
  const std::string header =
      "ply\nformat binary_little_endian 1.0\ncomment knead\ncomment time 0.25\ncomment frame 6\n"
      "comment body 0 column\ncomment body 1 left ball\nelement vertex 3\n"
      "property float x\nproperty float y\nproperty float z\nproperty float vx\nproperty float vy\nproperty float vz\n"
      "property int id\nproperty int body\nproperty float density\nproperty float J\nproperty float pressure\n"
      "property float von_mises\nproperty float plastic_strain\n"
      "property float F_00\nproperty float F_01\nproperty float F_02\nproperty float F_10\nproperty float F_11\nproperty float F_12\n"
      "property float F_20\nproperty float F_21\nproperty float F_22\n"
      "property float stress_xx\nproperty float stress_yy\nproperty float stress_zz\n"
      "property float stress_xy\nproperty float stress_yz\nproperty float stress_zx\nend_header\n";
  REQUIRE(bytes.substr(0, header.size()) == header);
  constexpr std::size_t row = 28 * 4;
  REQUIRE(bytes.size() == header.size() + 3 * row);
  const auto real = [&](std::size_t particle, std::size_t property) {
    float value;
    std::memcpy(&value, bytes.data() + header.size() + particle * row + property * 4, 4);
    return value;
  };
  CHECK(real(1, 2) == sample_value(0, 1, 2, 6));    // z of the second particle
  CHECK(real(2, 8) == sample_value(4, 2, 0, 6));    // density of the third
  CHECK(real(2, 27) == sample_value(10, 2, 5, 6));  // stress_zx of the third, the last value of the file
}

TEST_CASE("PLY: broken bytes give an InputError, never a crash or a large allocation") {
  const ScratchFolder folder("ply_broken");
  const std::string path = folder.file("frame.ply");
  write_ply(sample_frame(4, 1), path);
  const std::string good = read_bytes(path);
  CHECK_THROWS_AS(read_ply_frame(folder.file("missing.ply")), InputError);
  CHECK_THROWS_AS(read_ply_frame(folder.path.string()), InputError);
  for (std::size_t length = 0; length < good.size(); length += 37) {
    write_bytes(path, good.substr(0, length));
    CHECK_THROWS_AS(read_ply_frame(path), InputError);
  }
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string bytes = good;
    bytes.replace(bytes.find(from), from.size(), to);
    write_bytes(path, bytes);
    CHECK_THROWS_AS(read_ply_frame(path), InputError);
  };
  replaced("vertex 4", "vertex 4611686018427387905");  // times 112 bytes overflows 64 bits
  replaced("vertex 4", "vertex -1");
  replaced("vertex 4", "face 4");
  replaced("float density", "double density");
  replaced("float density", "list uchar int density");
  replaced("float density", "float x");
  replaced("time 0.041666666666666664", "time soon");
  replaced("binary_little", "binary_big");
  // Single flipped bytes in the header: either still a frame or an InputError.
  const std::size_t header_size = good.find("end_header");
  for (std::size_t trial = 0; trial < 120; ++trial) {
    std::string bytes = good;
    const auto at = static_cast<std::size_t>(random_uniform(7, 0, trial) * static_cast<double>(header_size));
    bytes[at] = static_cast<char>(mix_bits(trial));
    write_bytes(path, bytes);
    std::size_t count = 4;
    try {
      count = read_ply_frame(path).count;
    } catch (const InputError&) {}
    CHECK(count == 4);
  }
}
