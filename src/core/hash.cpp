// SPDX-License-Identifier: MIT
#include "cisolve/core/hash.hpp"

#include <xxhash.h>

namespace cisolve {

void Hasher::add(std::string_view text) {
  add(static_cast<std::int64_t>(text.size()));
  add_bytes(text.data(), text.size());
}

void Hasher::add_bytes(const void* data, std::size_t size) {
  const auto* first = static_cast<const std::byte*>(data);
  bytes_.insert(bytes_.end(), first, first + size);
}

std::uint64_t Hasher::digest() const { return hash_bytes(bytes_); }

std::uint64_t hash_bytes(std::span<const std::byte> bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

}  // namespace cisolve
