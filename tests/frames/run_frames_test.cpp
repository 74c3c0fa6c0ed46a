#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "frames/bgeo.h"
#include "frames/ply.h"
#include "frames/run_frames.h"
#include "frames/vtkhdf.h"

using namespace knead;
namespace fs = std::filesystem;

namespace {

Frame small_frame(int index) {
  Frame frame;
  frame.index = index;
  frame.time = 0.5 * index;
  frame.count = 2;
  frame.columns.push_back({.name = "position", .components = 3, .floats = {0, 1, 2, 3, 4, static_cast<float>(index)}, .ints = {}});
  return frame;
}

std::string empty_run(const char* name) {
  const fs::path folder = fs::path(KNEAD_BINARY_DIR) / "test_run_frames" / name;
  fs::remove_all(folder);
  fs::create_directories(folder / "frames");
  return folder.string();
}

}  // namespace

TEST_CASE("run frames: listed by index, other files left alone, damaged ones named") {
  const std::string folder = empty_run("ply");
  CHECK(list_frames(folder).empty());
  CHECK(list_frames(folder + "/nowhere").empty());
  for (int index : {3, 0, 12}) write_ply(small_frame(index), frame_path(folder, FrameFormat::ply, index));
  for (const char* other : {"frame_000001.ply.part", "frame_x.ply", "frame_-00001.ply", "notes.txt"})
    std::ofstream(folder + "/frames/" + other) << "x";
  std::ofstream(folder + "/frames/frame_000007.ply") << "ply\n";

  const std::vector<FrameFile> files = list_frames(folder);
  REQUIRE(files.size() == 4);
  CHECK(files[1].index == 3);
  CHECK(files[3].index == 12);
  CHECK(read_frame(files[3]).find("position")->floats[5] == 12);
  CHECK_THROWS_WITH_AS(read_frame(files[2]), doctest::Contains("frame_000007.ply"), InputError);
}

TEST_CASE("run frames: bgeo where there is no PLY, PLY where there are both, formats for other programs not at all") {
  const std::string folder = empty_run("bgeo");
  for (int index : {0, 1, 2}) write_bgeo(small_frame(index), frame_path(folder, FrameFormat::bgeo, index));
  write_ply(small_frame(1), frame_path(folder, FrameFormat::ply, 1));
  for (const char* other : {"frame_000003.usda", "frame_000003.vdb", "frame_000003.vtu", "frame_manifest.usda"})
    std::ofstream(folder + "/frames/" + other) << "x";
  const std::vector<FrameFile> files = list_frames(folder);
  REQUIRE(files.size() == 3);
  CHECK(files[0].format == FrameFormat::bgeo);
  CHECK(files[1].format == FrameFormat::ply);
  CHECK(files[2].format == FrameFormat::bgeo);
  for (int index : {0, 1, 2}) {
    const Frame frame = read_frame(files[static_cast<std::size_t>(index)]);
    CHECK(frame.index == index);
    CHECK(frame.time == 0.5 * index);
    CHECK(frame.find("position")->floats[5] == static_cast<float>(index));
  }
}

TEST_CASE("run frames: a run with VTKHDF frames alone") {
  const std::string folder = empty_run("vtkhdf");
  for (int index : {0, 1, 2}) append_vtkhdf(small_frame(index), frame_path(folder, FrameFormat::vtkhdf, index));
  const std::vector<FrameFile> files = list_frames(folder);
  REQUIRE(files.size() == 3);
  CHECK(read_frame(files[2]).find("position")->floats[5] == 2);
}

TEST_CASE("run frames: names of bodies make one folder each") {
  CHECK(surface_path("run", "red ring", 42, "ply") == "run/surface/red_ring/frame_000042.ply");
  CHECK(file_name_of("../a/b") == "___a_b");
}
