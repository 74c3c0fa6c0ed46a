// Packed frames that were sent lately, up to a number of bytes; the least recently used go first. Safe for several threads.
#pragma once
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "viewer/large_bytes.h"

namespace knead::viewer {

using Packed = std::shared_ptr<const LargeBytes>;

class PackedCache {
 public:
  explicit PackedCache(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  Packed find(const std::string& key) {
    const std::lock_guard lock(mutex_);
    const auto found = places_.find(key);
    if (found == places_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found->second);
    return found->second->second;
  }

  void add(const std::string& key, Packed packed) {
    const std::lock_guard lock(mutex_);
    if (places_.contains(key)) return;
    bytes_ += packed->size();
    entries_.emplace_front(key, std::move(packed));
    places_[key] = entries_.begin();
    while (bytes_ > most_bytes_ && entries_.size() > 1) {
      bytes_ -= entries_.back().second->size();
      places_.erase(entries_.back().first);
      entries_.pop_back();
    }
  }

 private:
  using Entries = std::list<std::pair<std::string, Packed>>;
  std::mutex mutex_;
  Entries entries_;  // the last used one first
  std::unordered_map<std::string, Entries::iterator> places_;
  std::size_t bytes_ = 0, most_bytes_;
};

}  // namespace knead::viewer
