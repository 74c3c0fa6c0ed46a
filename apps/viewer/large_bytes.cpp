#include "viewer/large_bytes.h"

#include <sys/mman.h>

#include <cstdlib>
#include <mutex>

namespace knead::viewer {
namespace {

constexpr std::size_t large_page = std::size_t{2} << 20, most_spare_bytes = std::size_t{96} << 20;

struct Block {
  void* memory;
  std::size_t bytes;
};

struct Spare {
  std::mutex mutex;
  std::vector<Block> blocks;  // the oldest first
  std::size_t bytes = 0;
};

// Never destroyed: vectors of other threads may still end while the program does.
Spare& spare() {
  static auto* blocks = new Spare;
  return *blocks;
}

std::size_t whole_pages(std::size_t bytes) { return (bytes + large_page - 1) / large_page * large_page; }

}  // namespace

void* take_block(std::size_t bytes) {
  const bool large = bytes >= large_page;
  const std::size_t size = whole_pages(bytes);
  if (large) {
    const std::lock_guard lock(spare().mutex);
    auto& blocks = spare().blocks;
    for (std::size_t i = 0; i < blocks.size(); ++i)
      if (blocks[i].bytes == size) {
        void* memory = blocks[i].memory;
        blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(i));
        spare().bytes -= size;
        return memory;
      }
  }
  void* memory = large ? std::aligned_alloc(large_page, size) : std::malloc(bytes);
  if (!memory) throw std::bad_alloc();
  if (large) ::madvise(memory, size, MADV_HUGEPAGE);  // a wish; small pages do as well
  return memory;
}

void give_block(void* block, std::size_t bytes) {
  const std::size_t size = whole_pages(bytes);
  if (bytes < large_page || size > most_spare_bytes) return std::free(block);
  const std::lock_guard lock(spare().mutex);
  auto& blocks = spare().blocks;
  blocks.push_back({block, size});
  spare().bytes += size;
  while (spare().bytes > most_spare_bytes) {
    std::free(blocks.front().memory);
    spare().bytes -= blocks.front().bytes;
    blocks.erase(blocks.begin());
  }
}

}  // namespace knead::viewer
