// libFuzzer: any bytes are a mesh or an InputError. The first byte picks the format.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "geometry/mesh.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    if (data[0] % 4 == 3) knead::read_points_bytes(bytes);
    else knead::check_mesh(knead::read_mesh_bytes(bytes, static_cast<knead::MeshFormat>(data[0] % 4)));
  } catch (const knead::InputError&) {}
  return 0;
}
