#include "world/state.h"

#include <sys/mman.h>

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/threads.h"

namespace knead {

namespace {

constexpr std::size_t cache_line = 64, page = 4096, huge_page = std::size_t(2) << 20;
constexpr std::size_t slack = 64;  // readable bytes past the last particle of every component

constexpr std::size_t round_up(std::size_t value, std::size_t multiple) { return (value + multiple - 1) / multiple * multiple; }

// Components a multiple of a page apart would share cache sets when a loop reads all nine of F: shift them by a line each.
std::size_t component_stride(std::size_t capacity, ScalarType type) {
  const std::size_t stride = round_up(capacity * size_of(type) + slack, cache_line);
  return stride % page == 0 ? stride + cache_line : stride;
}

// Zeroed slots. Large buffers lie on huge pages where the system grants them: a step streams through all of them, and
// the misses of the address translation cost more than those of the cache.
std::vector<Slot> allocate_slots(std::size_t count, std::size_t capacity, ScalarType type) {
  const std::size_t stride = component_stride(capacity, type), bytes = stride * count;
  const bool large = bytes >= huge_page;
  const std::size_t alignment = large ? huge_page : cache_line;
  const std::size_t size = round_up(bytes, alignment);
  void* memory = std::aligned_alloc(alignment, size);
  if (!memory) throw std::bad_alloc();
#if defined(MADV_HUGEPAGE)
  if (large) madvise(memory, size, MADV_HUGEPAGE);  // advice only: a refusal changes nothing
#endif
  const std::shared_ptr<std::byte[]> buffer(static_cast<std::byte*>(memory), [](std::byte* pointer) { std::free(pointer); });
  parallel_for(bytes, huge_page, [&](std::size_t a, std::size_t b) { std::memset(buffer.get() + a, 0, b - a); });
  std::vector<Slot> slots;
  for (std::size_t c = 0; c < count; ++c) slots.push_back({buffer, buffer.get() + c * stride, capacity * size_of(type)});
  return slots;
}

template <class Function> auto with_type(ScalarType type, Function&& function) {
  switch (type) {
    case ScalarType::f32: return function(float{});
    case ScalarType::f64: return function(double{});
    case ScalarType::u16: return function(std::uint16_t{});
    case ScalarType::u32: break;
  }
  return function(std::uint32_t{});
}

template <class States> auto find_column(States& columns, std::string_view name) -> decltype(&columns.front()) {
  for (auto& column : columns)
    if (column.name() == name) return &column;
  return nullptr;
}

}  // namespace

std::size_t size_of(ScalarType type) {
  return with_type(type, [](auto zero) { return sizeof(zero); });
}

Column::Column(std::string name, ScalarType type, int components) : name_(std::move(name)), type_(type), components_(components) {}

void Column::reserve(std::size_t capacity, std::size_t used) {
  if (capacity <= capacity_ && !slots_.empty()) return;
  std::vector<Slot> slots = allocate_slots(static_cast<std::size_t>(components_), capacity, type_);
  for (std::size_t c = 0; c < slots_.size(); ++c) std::memcpy(slots[c].data, slots_[c].data, used * size_of(type_));
  slots_ = std::move(slots);
  capacity_ = capacity;
}

double Column::value(int component, std::size_t particle) const {
  return with_type(type_, [&](auto zero) { return static_cast<double>(data<decltype(zero)>(component)[particle]); });
}

void Column::set_value(int component, std::size_t particle, double value) {
  with_type(type_, [&](auto zero) { data<decltype(zero)>(component)[particle] = static_cast<decltype(zero)>(value); });
}

Column* State::find(std::string_view name) { return find_column(columns, name); }
const Column* State::find(std::string_view name) const { return find_column(columns, name); }

Column& State::column(std::string_view name) {
  Column* found = find(name);
  assert(found && "no such column");
  return *found;
}
const Column& State::column(std::string_view name) const {
  const Column* found = find(name);
  assert(found && "no such column");
  return *found;
}

Column& State::add(const std::string& name, ScalarType type, int components) {
  if (Column* found = find(name)) {
    assert(found->type() == type && found->components() == components);
    return *found;
  }
  std::size_t capacity = count;
  for (const Column& column : columns) capacity = std::max(capacity, column.capacity());
  columns.emplace_back(name, type, components).reserve(capacity, 0);
  return columns.back();
}

void State::resize(std::size_t new_count) {
  for (Column& column : columns) {
    // The first size is exact; later growth (emitters) leaves room, so that it is not a copy per step.
    if (new_count > column.capacity())
      column.reserve(column.capacity() == 0 ? new_count : std::max(new_count, column.capacity() * 3 / 2), count);
    if (new_count > count)
      for (int c = 0; c < column.components(); ++c) {
        const std::size_t size = size_of(column.type());
        std::memset(column.bytes(c) + count * size, 0, (new_count - count) * size);
      }
  }
  count = new_count;
}

// Each component moves into the spare slot and leaves its own as the next spare one: nothing is copied back, unless the slots of the
// column are of another size.
void Column::permute(const std::vector<std::uint32_t>& from, Slot& spare) {
  for (Slot& slot : slots_) {
    with_type(type_, [&](auto zero) {
      using T = decltype(zero);
      const T* const old = reinterpret_cast<const T*>(slot.data);
      T* const place = reinterpret_cast<T*>(spare.data);
      parallel_for(from.size(), 1 << 14, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) place[i] = old[from[i]];
      });
      return 0;
    });
    if (slot.size == spare.size) std::swap(slot, spare);
    else std::memcpy(slot.data, spare.data, from.size() * size_of(type_));
  }
}

void State::permute(const std::vector<std::uint32_t>& from) {
  ScalarType widest = ScalarType::u16;
  std::size_t capacity = 0;
  for (const Column& values : columns) {
    if (size_of(values.type()) > size_of(widest)) widest = values.type();
    capacity = std::max(capacity, values.capacity());
  }
  if (spare_.size != capacity * size_of(widest)) spare_ = allocate_slots(1, capacity, widest).front();
  for (Column& values : columns) values.permute(from, spare_);
  count = from.size();
}

}  // namespace knead
