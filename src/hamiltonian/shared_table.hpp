// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>

namespace cisolve {

/// Values by 64-bit key, inserted by any thread and never removed or changed: readers take no lock.
template <class Value>
class SharedTable {
public:
  SharedTable() = default;
  SharedTable(const SharedTable&) = delete;
  SharedTable& operator=(const SharedTable&) = delete;

  const Value* find(std::uint64_t key) const {
    for (const Node* node = bucket(key).load(std::memory_order_acquire); node != nullptr; node = node->next) {
      if (node->key == key) return &node->value;
    }
    return nullptr;
  }

  /// Keeps the first value given for a key.
  const Value& insert(std::uint64_t key, Value value) {
    const std::lock_guard lock(mutex_);
    if (const Value* present = find(key)) return *present;
    std::atomic<const Node*>& head = bucket(key);
    const Node& node = nodes_.emplace_back(Node{key, std::move(value), head.load(std::memory_order_relaxed)});
    head.store(&node, std::memory_order_release);
    return node.value;
  }

private:
  struct Node {
    std::uint64_t key;
    Value value;
    const Node* next;
  };
  static constexpr int bits = 16;

  static std::size_t slot(std::uint64_t key) { return (key * 0x9e3779b97f4a7c15U) >> (64 - bits); }
  std::atomic<const Node*>& bucket(std::uint64_t key) { return buckets_[slot(key)]; }
  const std::atomic<const Node*>& bucket(std::uint64_t key) const { return buckets_[slot(key)]; }

  std::array<std::atomic<const Node*>, std::size_t{1} << bits> buckets_{};
  std::deque<Node> nodes_;
  std::mutex mutex_;
};

}  // namespace cisolve
