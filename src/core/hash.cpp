// SPDX-License-Identifier: MIT
#include "cisolve/core/hash.hpp"

#include <xxhash.h>

#include <new>

namespace cisolve {

namespace {

XXH3_state_t* xxh3(void* state) { return static_cast<XXH3_state_t*>(state); }

}  // namespace

void Hasher::Release::operator()(void* state) const { XXH3_freeState(xxh3(state)); }

Hasher::Hasher() : state_(XXH3_createState()) {
  if (!state_) throw std::bad_alloc();
  XXH3_64bits_reset(xxh3(state_.get()));
}

void Hasher::add(std::string_view text) {
  add(static_cast<std::int64_t>(text.size()));
  add_bytes(text.data(), text.size());
}

void Hasher::add_bytes(std::span<const std::byte> bytes) {
  XXH3_64bits_update(xxh3(state_.get()), bytes.data(), bytes.size());
}

std::uint64_t Hasher::digest() const { return XXH3_64bits_digest(xxh3(state_.get())); }

std::uint64_t hash_bytes(std::span<const std::byte> bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

}  // namespace cisolve
