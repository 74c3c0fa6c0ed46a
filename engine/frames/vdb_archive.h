// An OpenVDB file as bytes, the same ones every time. A template, so that OpenVDB's headers stay in the sources that need them.
#pragma once
#include <memory>
#include <sstream>
#include <string>

#include "base/error.h"

namespace knead {

// Archive: openvdb::io::Archive, which keeps the function that writes for its own classes.
template <class Archive> struct MemoryArchive : Archive {
  std::shared_ptr<Archive> copy() const override { return std::make_shared<MemoryArchive>(*this); }
  template <class Grids, class Metadata> std::string bytes(const Grids& grids, const Metadata& metadata) const {
    std::ostringstream stream(std::ios::binary);
    this->write(stream, grids, true, metadata);
    std::string text = stream.str();
    // Behind magic number (8), version of the format (4), of the library (4 + 4) and a flag (1) there is a random UUID.
    constexpr std::size_t uuid_at = 21, uuid_size = 36;
    static constexpr char fixed[] = "6b6e6561-6400-4000-8000-000000000000";
    static_assert(sizeof fixed == uuid_size + 1);
    if (text.size() < uuid_at + uuid_size || text[uuid_at + 8] != '-' || text[uuid_at + 23] != '-')
      throw SimulationError("this version of OpenVDB begins its files in a way that knead does not know.");
    return text.replace(uuid_at, uuid_size, fixed);
  }
};

}  // namespace knead
