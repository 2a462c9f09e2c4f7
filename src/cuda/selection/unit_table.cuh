// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "cuda/selection/bits.cuh"
#include "cuda/selection/external_views.hpp"

namespace cisolve::cuda {

/// Whether a string belongs into the tables as they are.
template <int Words>
__device__ bool is_of_portion(const ListView& list, const BatchView& batch, const Bits<Words>& string) {
  const std::uint64_t hash = place_of(key_of(string, list.none)) >> 32U;
  return static_cast<std::uint32_t>(hash * batch.portion.of >> 32U) == batch.portion.number;
}

/// The table of one unit.
template <int Words>
class UnitTable {
public:
  __device__ UnitTable(const ListView& list, const BatchView& batch, std::int64_t unit)
      : none_(list.none), first_(batch.slots[unit]),
        size_(static_cast<std::uint32_t>(batch.slots[unit + 1] - batch.slots[unit])) {}
  __device__ UnitTable(std::uint64_t none, std::int64_t first, std::uint32_t size)
      : none_(none), first_(first), size_(size) {}

  /// A search for a string that is under way: its first slot is being read.
  struct Search {
    std::uint64_t key, found;
    std::uint32_t at;
  };

  __device__ Search begin(const SumTable& table, const Bits<Words>& string) const {
    Search search;
    search.key = key_of(string, none_);
    search.at = first_probe(search.key);
    search.found = read(table, search.at);
    return search;
  }

  /// Slot of a string, a new one where it has none, or below 0 where there is no room.
  /// @param energy  called for a new one
  template <class Energy>
  __device__ std::int64_t end(const SumTable& table, Search search, const Bits<Words>& string,
                              const Energy& energy) const {
    for (std::uint32_t probe = 0; probe < size_ && probe < most_probes; ++probe) {
      const std::int64_t slot = first_ + search.at;
      if (search.found == none_) {
        search.found = atomicCAS(reinterpret_cast<unsigned long long*>(table.keys + slot), none_, search.key);
        if (search.found == none_) {
          table.energies[slot] = energy();
          if constexpr (Words > 1) string.store(table.strings, slot);
          return slot;
        }
      }
      if (search.found == search.key) return slot;
      search.at = next_probe(search.at);
      search.found = read(table, search.at);
    }
    return -1;
  }

  template <class Energy>
  __device__ std::int64_t claim(const SumTable& table, const Bits<Words>& string,
                                const Energy& energy) const {
    return end(table, begin(table, string), string, energy);
  }

  /// Slot of a string, or below 0.
  __device__ std::int64_t find(const SumTable& table, const Bits<Words>& string) const {
    const std::uint64_t key = key_of(string, none_);
    std::uint32_t at = first_probe(key);
    for (std::uint32_t probe = 0; probe < size_ && probe < most_probes; ++probe) {
      const std::int64_t slot = first_ + at;
      if (table.keys[slot] == key) return slot;
      if (table.keys[slot] == none_) return -1;
      at = next_probe(at);
    }
    return -1;
  }

  __device__ std::int64_t first() const { return first_; }
  __device__ std::uint32_t size() const { return size_; }

private:
  static constexpr std::uint32_t most_probes = 256;  // in a table with room some ten are many

  __device__ std::uint32_t first_probe(std::uint64_t key) const {
    return static_cast<std::uint32_t>((place_of(key) & 0xffffffffU) * size_ >> 32U);
  }
  __device__ std::uint32_t next_probe(std::uint32_t at) const { return at + 1 < size_ ? at + 1 : 0; }

  __device__ std::uint64_t read(const SumTable& table, std::uint32_t at) const {
    return __ldcg(reinterpret_cast<const unsigned long long*>(table.keys + first_) + at);
  }

  std::uint64_t none_;
  std::int64_t first_;
  std::uint32_t size_;
};

/// Energy beyond all, of a string that was taken out.
__device__ inline double removed() { return __longlong_as_double(0x7ff0000000000000LL); }  // infinity

}  // namespace cisolve::cuda
