// A second implementation: a strict reader of the part of USD's text form that frames are written in.
#include "frames/usda.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <map>

#include "frames/sample_frame.h"

using namespace knead;
using namespace knead::test;

namespace {

struct Samples {
  std::string type;
  int time = 0;
  std::vector<float> values;  // flat: the parentheses of vectors are checked and dropped
};

// Prim paths and attributes to samples: "/knead/column points". Every line of the file must be one of the known kinds.
std::map<std::string, Samples> read_usda(const std::string& text) {
  std::map<std::string, Samples> found;
  std::vector<std::string> path;
  std::string attribute, type, pending;
  std::size_t at = text.find(")\n\n");  // behind the layer's metadata
  REQUIRE(text.rfind("#usda 1.0\n(\n", 0) == 0);
  REQUIRE(at != std::string::npos);
  at += 3;
  while (at < text.size()) {
    std::string line = text.substr(at, text.find('\n', at) - at);
    at += line.size() + 1;
    line.erase(0, line.find_first_not_of(' '));
    if (line.rfind("def ", 0) == 0) {
      pending = line.substr(line.find('"') + 1, line.rfind('"') - line.find('"') - 1);
    } else if (line == "{") {
      path.push_back(pending);
    } else if (line == "}" && !attribute.empty()) {
      attribute.clear();
    } else if (line == "}") {
      REQUIRE(!path.empty());
      path.pop_back();
    } else if (line.ends_with(".timeSamples = {")) {
      const std::size_t space = line.find(' ');
      type = line.substr(0, space);
      attribute = line.substr(space + 1, line.find(".timeSamples") - space - 1);
    } else if (!attribute.empty()) {
      Samples samples{.type = type, .time = 0, .values = {}};
      char* end = nullptr;
      samples.time = static_cast<int>(std::strtol(line.c_str(), &end, 10));
      REQUIRE(std::string(end, 3) == ": [");
      REQUIRE(line.ends_with("],"));
      const char* here = end + 3;
      const bool is_vector = type.find('3') != std::string::npos;
      for (int component = 0; *here != ']'; component = (component + 1) % 3) {
        if (is_vector && component == 0) REQUIRE(*here++ == '(');
        samples.values.push_back(std::strtof(here, &end));
        REQUIRE(end != here);
        here = end;
        if (is_vector && component == 2) REQUIRE(*here++ == ')');
        if (*here == ',') REQUIRE(std::string(here, 2) == ", ");
        if (*here == ',') here += 2;
      }
      std::string place;
      for (const std::string& part : path) place += "/" + part;
      CHECK(found.emplace(place + " " + attribute, samples).second);
    } else {
      CHECK(line.find(" (") != std::string::npos);  // a declaration with its metadata
    }
  }
  CHECK(path.empty());
  return found;
}

Frame two_bodies(int index) {
  Frame frame = sample_frame(100, index);
  frame.body_spacings = {0.5f, 0.25f};
  for (std::size_t i = 0; i < frame.count; ++i) frame.columns[3].ints[i] = i % 3 == 0 ? 1 : 0;
  return frame;
}

}  // namespace

TEST_CASE("USD: a strict reader finds every value of every body, bit for bit") {
  const ScratchFolder folder("usda");
  const Frame frame = two_bodies(6);
  write_usda(frame, folder.file("frame.usda"));
  const auto found = read_usda(read_bytes(folder.file("frame.usda")));
  const std::map<std::string, std::string> renamed{{"position", "points"}, {"velocity", "velocities"}, {"id", "ids"}};
  for (const int body : {0, 1}) {
    const std::string prim = body == 0 ? "/knead/column " : "/knead/left_ball ";
    std::size_t count = 0;
    for (const FrameColumn& column : frame.columns) {
      if (column.name == "body") continue;
      const std::string name = renamed.contains(column.name) ? renamed.at(column.name) : "primvars:" + column.name;
      REQUIRE(found.contains(prim + name));
      std::vector<float> expected;
      for (std::size_t i = 0; i < frame.count; ++i)
        for (int c = 0; frame.columns[3].ints[i] == body && c < column.components; ++c) {
          const std::size_t at = i * static_cast<std::size_t>(column.components) + static_cast<std::size_t>(c);
          expected.push_back(column.is_integer ? static_cast<float>(column.ints[at]) : column.floats[at]);
        }
      CHECK_MESSAGE(found.at(prim + name).values == expected, name);
      CHECK(found.at(prim + name).time == 6);
      if (column.name == "position") count = expected.size() / 3;
    }
    CHECK(found.at(prim + "points").type == "point3f[]");
    CHECK(found.at(prim + "ids").type == "int64[]");
    CHECK(found.at(prim + "widths").values == std::vector<float>(count, body == 0 ? 0.5f : 0.25f));
    CHECK(found.at(prim + "extent").values.size() == 6);
  }
}

TEST_CASE("USD: a body without particles stays in the file, and names become identifiers of their own") {
  const ScratchFolder folder("usda_empty");
  Frame frame = sample_frame(2, 1);
  frame.columns[3].ints = {0, 0};
  frame.body_names = {"1st ring!", "_1st_ring_", "end\"\n}"};
  write_usda(frame, folder.file("frame.usda"));
  const auto found = read_usda(read_bytes(folder.file("frame.usda")));
  CHECK(found.at("/knead/_1st_ring_ points").values.size() == 6);
  CHECK(found.at("/knead/_1st_ring__2 points").values.empty());
  CHECK(found.at("/knead/end___ points").values.empty());
}

TEST_CASE("USD: the series names every frame once, with the frame rate and the attributes of the frames") {
  const ScratchFolder folder("usda_series");
  std::filesystem::create_directories(folder.path / "frames");
  write_usda_series(two_bodies(12), folder.path.string());
  const std::string text = read_bytes(folder.file("frames.usda")), manifest = read_bytes(folder.file("frames/frame_manifest.usda"));
  CHECK(text.find("timeCodesPerSecond = 24\n") != std::string::npos);
  CHECK(text.find("endTimeCode = 12\n") != std::string::npos);
  for (const char* part : {"@./frames/frame_000000.usda@", "@./frames/frame_000012.usda@", "(11, 11), (12, 12)]"})
    CHECK(text.find(part) != std::string::npos);
  CHECK(text.find("frame_000013") == std::string::npos);
  for (const std::string& layer : {text, manifest}) {
    CHECK(layer.find("def Points \"left_ball\"") != std::string::npos);
    CHECK(layer.find("float[] primvars:stress (elementSize = 6, interpolation = \"vertex\")") != std::string::npos);
  }
}
