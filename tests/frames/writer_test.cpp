#include "frames/writer.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "base/error.h"
#include "frames/ply.h"
#include "frames/sample_frame.h"
#include "frames/vtkhdf.h"

using namespace knead;
using namespace knead::test;

TEST_CASE("frame writer: every frame is there in every format, and nothing else") {
  const ScratchFolder folder("writer_formats");
  {
    FrameWriter writer(folder.path.string(),
                       {FrameFormat::ply, FrameFormat::bgeo, FrameFormat::vtkhdf, FrameFormat::vtu, FrameFormat::usda, FrameFormat::vdb});
    for (int k = 0; k < 3; ++k) writer.push(sample_frame(100, k));
    writer.wait();
    CHECK(vtkhdf_frame_count(folder.file("frames.vtkhdf")) == 3);
    writer.push(sample_frame(100, 3));
    writer.finish();
    CHECK(writer.write_seconds() > 0);
  }
  std::vector<std::string> names = listing(folder.path),
                           expected{"frames.vtkhdf", "frames.pvd", "frames.usda", "frames/frame_manifest.usda"};
  for (int k = 0; k < 4; ++k)
    for (const char* extension : {".bgeo", ".ply", ".vtu", ".usda", ".vdb"})
      expected.push_back("frames/frame_00000" + std::to_string(k) + extension);
  std::sort(names.begin(), names.end());
  std::sort(expected.begin(), expected.end());
  CHECK(names == expected);
  CHECK(same(read_ply_frame(folder.file("frames/frame_000002.ply")), sample_frame(100, 2)));
}

TEST_CASE("frame writer: a resumed run takes back the frames after the checkpoint, and leftovers go") {
  const ScratchFolder folder("writer_resume");
  const std::vector<FrameFormat> formats{FrameFormat::ply, FrameFormat::vtkhdf};
  {
    FrameWriter writer(folder.path.string(), formats);
    for (int k = 0; k < 5; ++k) writer.push(sample_frame(100, k));
  }
  const std::string whole = read_bytes(folder.file("frames.vtkhdf"));
  write_bytes(folder.file("frames/frame_000005.ply.part"), "half");
  {
    FrameWriter writer(folder.path.string(), formats, 3);
    CHECK(vtkhdf_frame_count(folder.file("frames.vtkhdf")) == 3);
    for (int k = 3; k < 5; ++k) writer.push(sample_frame(100, k));
  }
  CHECK(read_bytes(folder.file("frames.vtkhdf")) == whole);
  CHECK(listing(folder.path).size() == 6);
}

TEST_CASE("frame writer: one frame is written, one waits, and the next push blocks") {
  const ScratchFolder folder("writer_blocks");
  std::filesystem::create_directories(folder.path / "frames");
  // A pipe in the place of the first file: opening it for writing blocks until somebody reads.
  const std::string pipe = folder.file("frames/frame_000000.ply.part");
  FrameWriter writer(folder.path.string(), {FrameFormat::ply});
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  writer.push(sample_frame(10, 0));
  writer.push(sample_frame(10, 1));
  std::atomic<bool> accepted = false;
  std::thread pusher([&] {
    writer.push(sample_frame(10, 2));
    accepted = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  CHECK(!accepted);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  pusher.join();
  CHECK(accepted);
  writer.finish();
  ::close(reader);
  CHECK(writer.blocked_seconds() > 0.01);
}

TEST_CASE("frame writer: what went wrong is thrown by the next push, names the file and the reason, and leaves no part of it") {
  const ScratchFolder folder("writer_errors");
  SUBCASE("a folder in the place of a file") {
    FrameWriter writer(folder.path.string(), {FrameFormat::ply});
    std::filesystem::create_directories(folder.path / "frames/frame_000001.ply/inside");
    writer.push(sample_frame(10, 0));
    writer.push(sample_frame(10, 1));
    const std::string expected = "cannot write " + folder.file("frames/frame_000001.ply") + ": Is a directory.";
    CHECK_THROWS_WITH_AS(writer.wait(), expected.c_str(), SimulationError);
    CHECK_THROWS_WITH_AS(writer.push(sample_frame(10, 2)), expected.c_str(), SimulationError);
    CHECK_THROWS_WITH_AS(writer.finish(), expected.c_str(), SimulationError);
    CHECK(listing(folder.path) == std::vector<std::string>{"frames/frame_000000.ply"});
  }
  SUBCASE("a device without space") {
    FrameWriter writer(folder.path.string(), {FrameFormat::bgeo});
    std::filesystem::create_symlink("/dev/full", folder.path / "frames/frame_000000.bgeo.part");
    writer.push(sample_frame(10, 0));
    const std::string expected = "cannot write " + folder.file("frames/frame_000000.bgeo") + ": No space left on device.";
    CHECK_THROWS_WITH_AS(writer.finish(), expected.c_str(), SimulationError);
    CHECK(listing(folder.path).empty());
    CHECK(!std::filesystem::is_symlink(folder.path / "frames/frame_000000.bgeo.part"));
  }
  SUBCASE("a file in the place of the run folder") {
    write_bytes(folder.file("run"), "");
    CHECK_THROWS_AS(FrameWriter(folder.file("run"), {FrameFormat::ply}), SimulationError);
  }
}
