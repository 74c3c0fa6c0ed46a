// Plain values to bytes and back, for the head of a checkpoint. The reader never reads past the end: it turns bad instead.
#pragma once
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace knead {

class ByteWriter {
 public:
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void put(const T& value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void text(std::string_view value) {
    put<std::uint64_t>(value.size());
    bytes_.append(value);
  }
  template <class T> void list(const std::vector<T>& values) {
    put<std::uint64_t>(values.size());
    for (const T& value : values) put(value);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void get(T& value) {
    if (rest_.size() < sizeof value) fail();
    if (!good_) return;
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
  }
  void text(std::string& value) {
    const std::uint64_t size = count(1);
    value.assign(rest_.substr(0, size));
    rest_.remove_prefix(size);
  }
  template <class T> void list(std::vector<T>& values) {
    values.resize(count(sizeof(T)));
    for (T& value : values) get(value);
  }
  bool good() const { return good_; }
  bool at_end() const { return rest_.empty(); }

 private:
  // A length that the bytes left can hold; 0 and bad when they cannot.
  std::uint64_t count(std::size_t element) {
    std::uint64_t size = 0;
    get(size);
    if (size > rest_.size() / element) fail(), size = 0;
    return size;
  }
  void fail() {
    good_ = false;
    rest_ = {};
  }

  std::string_view rest_;
  bool good_ = true;
};

}  // namespace knead
