#include "frames/vtkhdf.h"

#include <doctest/doctest.h>
#include <hdf5.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/error.h"
#include "frames/sample_frame.h"

using namespace knead;
using namespace knead::test;

namespace {

constexpr std::size_t counts[] = {300, 1000, 0, 450};

void append_samples(const std::string& path, int begin, int end) {
  for (int k = begin; k < end; ++k) append_vtkhdf(sample_frame(counts[k % 4], k), path);
}

// Plain HDF5, no code of ours: a whole data set as doubles.
std::vector<double> read_set(hid_t file, const char* name) {
  const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
  REQUIRE(set >= 0);
  const hid_t space = H5Dget_space(set);
  std::vector<double> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  CHECK(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0);
  H5Sclose(space);
  H5Dclose(set);
  return values;
}

}  // namespace

TEST_CASE("VTKHDF: frames come back as they were written, whatever their number of particles") {
  const ScratchFolder folder("vtkhdf_round_trip");
  const std::string path = folder.file("frames.vtkhdf");
  append_samples(path, 0, 6);
  REQUIRE(vtkhdf_frame_count(path) == 6);
  for (int k = 0; k < 6; ++k) CHECK(same(read_vtkhdf_frame(path, static_cast<std::size_t>(k)), sample_frame(counts[k % 4], k)));
  CHECK_THROWS_AS(read_vtkhdf_frame(path, 6), InputError);
  CHECK(listing(folder.path).size() == 1);
}

TEST_CASE("VTKHDF: plain HDF5 finds the groups, offsets and types that the format asks for") {
  const ScratchFolder folder("vtkhdf_layout");
  const std::string path = folder.file("frames.vtkhdf");
  append_samples(path, 0, 4);
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  REQUIRE(file >= 0);
  CHECK(read_set(file, "/VTKHDF/NumberOfPoints") == std::vector<double>{300, 1000, 0, 450});
  CHECK(read_set(file, "/VTKHDF/NumberOfCells") == read_set(file, "/VTKHDF/NumberOfPoints"));
  CHECK(read_set(file, "/VTKHDF/NumberOfConnectivityIds") == read_set(file, "/VTKHDF/NumberOfPoints"));
  CHECK(read_set(file, "/VTKHDF/Steps/Values") == std::vector<double>{0, 1 / 24.0, 2 / 24.0, 3 / 24.0});
  CHECK(read_set(file, "/VTKHDF/Steps/PartOffsets") == std::vector<double>{0, 1, 2, 3});
  CHECK(read_set(file, "/VTKHDF/Steps/NumberOfParts") == std::vector<double>{1, 1, 1, 1});
  for (const char* name : {"/VTKHDF/Steps/PointOffsets", "/VTKHDF/Steps/CellOffsets", "/VTKHDF/Steps/ConnectivityIdOffsets"})
    CHECK(read_set(file, name) == std::vector<double>{0, 300, 1300, 1300});
  const std::vector<double> types = read_set(file, "/VTKHDF/Types"), offsets = read_set(file, "/VTKHDF/Offsets"),
                            connectivity = read_set(file, "/VTKHDF/Connectivity");
  REQUIRE(types.size() == 1750);
  REQUIRE(connectivity.size() == 1750);
  REQUIRE(offsets.size() == 1754);
  for (const double type : types) REQUIRE(type == 1);  // VTK_VERTEX
  CHECK(connectivity[300 + 999] == 999);
  CHECK(offsets[301] == 0);  // the second part begins after the 300 + 1 of the first
  CHECK(offsets[301 + 1000] == 1000);
  CHECK(read_set(file, "/VTKHDF/Points")[3 * 1300 + 2] == sample_value(0, 0, 2, 3));
  CHECK(read_set(file, "/VTKHDF/PointData/F").size() == 9 * 1750);

  const hid_t root = H5Gopen2(file, "/VTKHDF", H5P_DEFAULT), attribute = H5Aopen(root, "Type", H5P_DEFAULT), type = H5Aget_type(attribute);
  CHECK(!H5Tis_variable_str(type));  // VTK reads fixed-length strings only
  CHECK(H5Tget_size(type) == 16);
  char text[17] = {};
  H5Aread(attribute, type, text);
  CHECK(std::string(text) == "UnstructuredGrid");
  H5Tclose(type), H5Aclose(attribute), H5Gclose(root), H5Fclose(file);
}

TEST_CASE("VTKHDF: taking frames back and writing them again gives the bytes of an uninterrupted run") {
  const ScratchFolder folder("vtkhdf_truncate");
  const std::string whole = folder.file("whole.vtkhdf"), resumed = folder.file("resumed.vtkhdf");
  append_samples(whole, 0, 7);
  append_samples(resumed, 0, 5);
  truncate_vtkhdf(resumed, 3);
  CHECK(vtkhdf_frame_count(resumed) == 3);
  append_samples(resumed, 3, 7);
  CHECK(read_bytes(whole) == read_bytes(resumed));
  truncate_vtkhdf(resumed, 0);
  truncate_vtkhdf(resumed, 0);
  CHECK(listing(folder.path) == std::vector<std::string>{"whole.vtkhdf"});
}

TEST_CASE("VTKHDF: a process killed while it appends leaves a file with all frames before") {
  const ScratchFolder folder("vtkhdf_kill");
  const std::string path = folder.file("frames.vtkhdf");
  append_samples(path, 0, 1);  // on a busy machine the first kill may come before a first frame
  for (int trial = 0; trial < 8; ++trial) {
    const pid_t child = ::fork();
    if (child == 0) {
      try {
        for (int k = static_cast<int>(vtkhdf_frame_count(path));; ++k) append_vtkhdf(sample_frame(counts[k % 4], k), path);
      } catch (...) {
        ::_exit(1);
      }
    }
    std::this_thread::sleep_for(std::chrono::microseconds(40000 + 1731 * trial));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    REQUIRE(WIFSIGNALED(status));
    const std::size_t frames = vtkhdf_frame_count(path);
    REQUIRE(frames > 0);
    for (std::size_t k = 0; k < frames; k += std::max<std::size_t>(frames / 8, 1))
      CHECK(same(read_vtkhdf_frame(path, k), sample_frame(counts[k % 4], static_cast<int>(k))));
  }
  // Nothing of the interruptions stays in the file.
  const int frames = static_cast<int>(vtkhdf_frame_count(path));
  append_samples(path, frames, frames + 2);
  append_samples(folder.file("uninterrupted.vtkhdf"), 0, frames + 2);
  CHECK(read_bytes(path) == read_bytes(folder.file("uninterrupted.vtkhdf")));
}

TEST_CASE("VTKHDF: a commit that was interrupted after its journal was complete is completed by the next access") {
  const ScratchFolder folder("vtkhdf_journal");
  const std::string path = folder.file("frames.vtkhdf");
  append_samples(path, 0, 3);
  const std::string good = read_bytes(path);
  REQUIRE(good.size() > 3 * 4096);
  // The journal as documented: magic, final size, number of pages, then page number and page. The file has lost these pages
  // and has a tail that was not cut off yet.
  std::string broken = good + std::string(10000, 'x'), journal = "kneadjn1";
  const auto number = [&](std::uint64_t value) { journal.append(reinterpret_cast<const char*>(&value), 8); };
  number(good.size());
  number(2);
  for (const std::uint64_t page : {0, 2}) {
    number(page);
    journal += good.substr(page * 4096, 4096);
    broken.replace(page * 4096, 4096, std::string(4096, '?'));
  }
  write_bytes(path, broken);
  CHECK_THROWS_AS(vtkhdf_frame_count(path), InputError);
  write_bytes(path + ".journal", journal);
  CHECK(vtkhdf_frame_count(path) == 3);
  CHECK(read_bytes(path) == good);
  CHECK(listing(folder.path).size() == 1);
  // Of a file that is gone, nothing comes back.
  std::filesystem::remove(path);
  write_bytes(path + ".journal", journal);
  append_samples(path, 0, 3);
  CHECK(read_bytes(path) == good);
  CHECK(listing(folder.path).size() == 1);
}

TEST_CASE("VTKHDF: a disk that is full leaves the file as it was, and says so") {
  const ScratchFolder folder("vtkhdf_full");
  const std::string path = folder.file("frames.vtkhdf");
  append_samples(path, 0, 2);
  const std::string before = read_bytes(path);
  // A limit on the size of files stands for the full disk: root is not above it.
  rlimit old_limit{};
  getrlimit(RLIMIT_FSIZE, &old_limit);
  const auto old_handler = ::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{before.size() + 20000, old_limit.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  std::string message;
  try {
    append_vtkhdf(sample_frame(5000, 2), path);
  } catch (const SimulationError& error) {
    message = error.what();
  }
  setrlimit(RLIMIT_FSIZE, &old_limit);
  ::signal(SIGXFSZ, old_handler);
  CHECK(message == "cannot write " + path + ": File too large.");
  CHECK(read_bytes(path) == before);
  append_samples(path, 2, 3);
  CHECK(vtkhdf_frame_count(path) == 3);
  CHECK(listing(folder.path).size() == 1);
}

TEST_CASE("VTKHDF: frames with other attributes, and files of another kind, are refused") {
  const ScratchFolder folder("vtkhdf_refused");
  const std::string path = folder.file("frames.vtkhdf");
  append_samples(path, 0, 1);
  Frame other = sample_frame(10, 1);
  other.columns.pop_back();
  CHECK_THROWS_AS(append_vtkhdf(other, path), SimulationError);
  CHECK(vtkhdf_frame_count(path) == 1);
  const std::string text = folder.file("text.vtkhdf"), good = read_bytes(path);
  write_bytes(text, "not HDF5 at all");
  CHECK_THROWS_AS(vtkhdf_frame_count(text), InputError);
  CHECK_THROWS_AS(append_vtkhdf(other, text), SimulationError);
  CHECK(read_bytes(text) == "not HDF5 at all");
  write_bytes(text, good.substr(0, good.size() / 2));
  CHECK_THROWS_AS(vtkhdf_frame_count(text), InputError);
}
