// SPDX-License-Identifier: MIT
#include "io/sealed_bytes.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <system_error>
#include <utility>

#include "cisolve/core/error.hpp"

namespace cisolve {
namespace {

constexpr std::uint64_t block_bytes = Seal::block_bytes;
constexpr std::size_t most_cached = 64;     // blocks: 4 MiB
constexpr std::uint64_t most_at_once = 16;  // blocks of a long read, so that they are hashed in the cache
constexpr std::uint64_t most_pending = std::uint64_t{4} << 20;  // bytes that the disk is not at work on yet

/// Calls f(block, first byte within it, part of `bytes`) for each block that they touch.
template <class Bytes, class F>
void for_each_block(std::uint64_t offset, Bytes bytes, F&& f) {
  while (!bytes.empty()) {
    const std::uint64_t first = offset % block_bytes;
    const std::uint64_t count = std::min<std::uint64_t>(block_bytes - first, bytes.size());
    f(offset / block_bytes, first, bytes.first(count));
    offset += count;
    bytes = bytes.subspan(count);
  }
}

}  // namespace

SealedBytes SealedBytes::open(const std::filesystem::path& path, Use use) {
  int flags = O_CLOEXEC | (use == Use::read ? O_RDONLY : O_RDWR);
  const bool is_new = use == Use::create || use == Use::create_unsealed;
  if (is_new) flags |= O_CREAT | O_TRUNC;
  FileDescriptor file(::open(path.c_str(), flags, 0666));
  if (file.get() < 0) {
    throw SystemError(std::string("cannot ") + (is_new ? "write" : "read") + " '" + path.string() +
                      "': " + std::generic_category().message(errno));
  }
  return of_file(std::move(file), path, use);
}

SealedBytes SealedBytes::of_file(FileDescriptor file, const std::filesystem::path& name, Use use) {
  SealedBytes bytes(std::move(file), use);
  if (use == Use::create || use == Use::create_unsealed) return bytes;
  struct stat info {};
  std::optional<Seal> seal = read_seal(bytes.file_.get(), name);
  if (!seal) bytes.check(::fstat(bytes.file_.get(), &info) == 0 ? 0 : errno);
  bytes.sealed_ = seal.has_value();
  bytes.size_ = seal ? seal->content_bytes : static_cast<std::uint64_t>(info.st_size);
  if (seal) bytes.hashes_.assign(seal->hashes.begin(), seal->hashes.end());
  if (use != Use::modify) return bytes;
  bytes.hashes_.resize(Seal::num_blocks(bytes.size_));
  // It may grow.
  const std::uint64_t last = bytes.size_ / block_bytes;
  if (bytes.size_ % block_bytes != 0 && !bytes.forget_hash(last)) {
    bytes.raise_failure("read all", name.string());
  }
  return bytes;
}

std::uint64_t SealedBytes::length_of(std::uint64_t block) const {
  return std::min(block_bytes, size_ - block * block_bytes);
}

bool SealedBytes::check(int system_error) noexcept {
  if (system_error == 0) return true;
  if (!has_failed()) {
    failure_ = Failure::system;
    system_error_ = system_error;
  }
  return false;
}

// --- reading

bool SealedBytes::compare(std::uint64_t block, std::span<const std::byte> bytes) {
  if (!hashes_[block] || *hashes_[block] == hash_bytes(bytes)) return true;
  if (!has_failed()) {
    failure_ = Failure::damage;
    damaged_block_ = block;
  }
  return false;
}

const SealedBytes::Cached* SealedBytes::find_cached(std::uint64_t block) {
  const auto found = std::ranges::find(cache_, block, &Cached::block);
  if (found != cache_.end()) return &*found;
  Cached read{block, std::vector<std::byte>(block_bytes)};
  if (!check(read_at(file_.get(), block * block_bytes, read.bytes))) return nullptr;
  if (!compare(block, std::span(read.bytes).first(length_of(block)))) return nullptr;
  if (cache_.size() < most_cached) return &cache_.emplace_back(std::move(read));
  next_slot_ = (next_slot_ + 1) % most_cached;
  return &(cache_[next_slot_] = std::move(read));
}

/// All of it within the content.
bool SealedBytes::read_compared(std::uint64_t offset, std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const std::uint64_t block = offset / block_bytes, first = offset % block_bytes;
    std::uint64_t count = 0;
    const std::uint64_t whole = first != 0 ? 0 : std::min(bytes.size() / block_bytes, most_at_once);
    if (whole > 0) {
      count = whole * block_bytes;
      if (!check(read_at(file_.get(), offset, bytes.first(count)))) return false;
      for (std::uint64_t k = 0; k < whole; ++k) {
        if (!compare(block + k, bytes.subspan(k * block_bytes, block_bytes))) return false;
      }
    } else {
      const Cached* cached = find_cached(block);
      if (cached == nullptr) return false;
      count = std::min<std::uint64_t>(cached->bytes.size() - first, bytes.size());
      std::copy_n(cached->bytes.begin() + static_cast<std::ptrdiff_t>(first), count, bytes.begin());
    }
    offset += count;
    bytes = bytes.subspan(count);
  }
  return true;
}

bool SealedBytes::read(std::uint64_t offset, std::span<std::byte> bytes) noexcept {
  try {
    if (hashes_.empty() || given_up_) return check(read_at(file_.get(), offset, bytes));
    const std::uint64_t within = offset < size_ ? std::min<std::uint64_t>(bytes.size(), size_ - offset) : 0;
    std::ranges::fill(bytes.subspan(within), std::byte{0});
    return read_compared(offset, bytes.first(within));
  } catch (const std::bad_alloc&) {
    return check(ENOMEM);
  }
}

// --- writing

/// Before a part of a block changes: the rest must be what was written.
bool SealedBytes::forget_hash(std::uint64_t block) {
  if (block >= hashes_.size() || !hashes_[block]) return true;
  if (find_cached(block) == nullptr) return false;
  hashes_[block].reset();
  return true;
}

void SealedBytes::note_part(std::uint64_t block, std::uint64_t first, std::span<const std::byte> bytes) {
  if (bytes.size() == block_bytes) {
    hashes_[block] = hash_bytes(bytes);
    if (growing_ && growing_->block == block) growing_.reset();
    return;
  }
  const bool goes_on = growing_ && growing_->block == block && growing_->bytes == first;
  if (!goes_on && first == 0) growing_.emplace(Growing{block, 0, {}});
  if (!goes_on && first != 0) {
    if (growing_ && growing_->block == block && first < growing_->bytes) growing_.reset();
    return;
  }
  growing_->hasher.add_bytes(bytes);
  growing_->bytes += bytes.size();
  if (growing_->bytes < block_bytes) return;
  hashes_[block] = growing_->hasher.digest();
  growing_.reset();
}

void SealedBytes::note_written(std::uint64_t offset, std::span<const std::byte> bytes) {
  for_each_block(offset, bytes,
                 [&](std::uint64_t block, std::uint64_t first, std::span<const std::byte> part) {
                   note_part(block, first, part);
                   std::erase_if(cache_, [&](const Cached& cached) { return cached.block == block; });
                 });
}

/// The disk works while the rest is made, instead of after it: large files are there sooner.
void SealedBytes::begin_writeback_behind(std::uint64_t offset, std::uint64_t bytes) noexcept {
  if (offset != pending_end_) pending_first_ = offset;
  pending_end_ = offset + bytes;
  if (pending_end_ - pending_first_ < most_pending) return;
  begin_writeback(file_.get(), pending_first_, pending_end_ - pending_first_);
  pending_first_ = pending_end_;
}

void SealedBytes::write(std::uint64_t offset, std::span<const std::byte> bytes) noexcept {
  if (given_up_ || has_failed() || bytes.empty()) return;
  try {
    const std::uint64_t end = offset + bytes.size();
    bool intact = true;
    for_each_block(offset, bytes, [&](std::uint64_t block, std::uint64_t, std::span<const std::byte> part) {
      intact = intact && (part.size() == block_bytes || forget_hash(block));
    });
    if (!intact || !check(write_at(file_.get(), offset, bytes))) return give_up();
    begin_writeback_behind(offset, bytes.size());
    size_ = std::max(size_, end);
    if (use_ == Use::create_unsealed) return;
    hashes_.resize(std::max<std::uint64_t>(hashes_.size(), Seal::num_blocks(size_)));
    note_written(offset, bytes);
  } catch (const std::bad_alloc&) {
    check(ENOMEM);
    give_up();
  }
}

void SealedBytes::resize(std::uint64_t size) noexcept {
  if (given_up_ || has_failed() || use_ == Use::read || size == size_) return;
  try {
    const std::uint64_t stays = std::min(size, size_);
    const bool intact = stays % block_bytes == 0 || forget_hash(stays / block_bytes);
    if (!intact || !check(::ftruncate(file_.get(), static_cast<off_t>(size)) == 0 ? 0 : errno)) {
      return give_up();
    }
    growing_.reset();
    cache_.clear();
    size_ = size;
    if (use_ != Use::create_unsealed) hashes_.resize(Seal::num_blocks(size_));
  } catch (const std::bad_alloc&) {
    check(ENOMEM);
    give_up();
  }
}

void SealedBytes::give_up() noexcept { given_up_ = true; }

void SealedBytes::seal() noexcept {
  if (given_up_ || has_failed() || use_ == Use::read) return;
  if (use_ == Use::create_unsealed) {
    check(file_.close());
    return;
  }
  try {
    Seal seal{size_, {}};
    std::vector<std::byte> buffer(block_bytes);
    for (std::uint64_t block = 0; block < Seal::num_blocks(size_); ++block) {
      if (!hashes_[block]) {
        const auto bytes = std::span(buffer).first(length_of(block));
        if (!check(read_at(file_.get(), block * block_bytes, bytes))) return;
        hashes_[block] = hash_bytes(bytes);
      }
      seal.hashes.push_back(*hashes_[block]);
    }
    if (check(write_seal(file_.get(), seal))) check(file_.close());
  } catch (const std::bad_alloc&) {
    check(ENOMEM);
  }
}

void SealedBytes::raise_failure(const std::string& action, const std::string& name) const {
  if (failure_ == Failure::damage) {
    const std::uint64_t first = damaged_block_ * block_bytes;
    throw InputError("cannot " + action + " of '" + name + "': the file is damaged, its bytes " +
                     std::to_string(first) + " to " + std::to_string(first + length_of(damaged_block_) - 1) +
                     " are not those that cisolve wrote");
  }
  const std::string what = "cannot " + action + (use_ == Use::read ? " of '" : " in '") + name + "': ";
  if (system_error_ == ENOMEM) throw ResourceError(what + "the system refused memory that this takes");
  throw SystemError(what + std::generic_category().message(system_error_));
}

}  // namespace cisolve
