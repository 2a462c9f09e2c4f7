// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace cisolve {

/// 64-bit content hash (XXH3) of a sequence of values; equal sequences, equal digests, on every
/// little-endian machine.
class Hasher {
public:
  Hasher();

  void add(std::string_view text);
  void add(std::int64_t value) { add_bytes(&value, sizeof value); }
  void add(std::uint64_t value) { add_bytes(&value, sizeof value); }
  /// The bytes alone: in pieces as good as at once.
  void add_bytes(std::span<const std::byte> bytes);
  std::uint64_t digest() const;

private:
  void add_bytes(const void* data, std::size_t size) {
    add_bytes({static_cast<const std::byte*>(data), size});
  }

  struct Release {
    void operator()(void* state) const;
  };
  std::unique_ptr<void, Release> state_;
};

/// XXH3 of raw bytes.
std::uint64_t hash_bytes(std::span<const std::byte> bytes);

}  // namespace cisolve
