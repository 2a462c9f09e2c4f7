// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cisolve/core/hash.hpp"
#include "cisolve/io/seal.hpp"
#include "io/file_bytes.hpp"

namespace cisolve {

/// The content of a file as the HDF5 library sees it: what it reads has been compared with the seal, and what it
/// writes goes into the seal. Made for a driver of that library, through which no exception may pass: the
/// first failure is kept for whoever called the library.
class SealedBytes {
public:
  enum class Use { create, create_unsealed, read, modify };

  /// Opens a file; one without a seal is read without comparing, and gets a seal when it is modified.
  /// @throws InputError, SystemError if that fails, or the seal is damaged
  static SealedBytes open(const std::filesystem::path& path, Use use);

  /// The same of a file that is open already.
  static SealedBytes of_file(FileDescriptor file, const std::filesystem::path& name, Use use);

  bool is_sealed() const noexcept { return sealed_; }

  /// Of the content, bytes.
  std::uint64_t size() const noexcept { return size_; }

  /// False: it failed, or the bytes are not those that were written. Zeros are beyond the end.
  bool read(std::uint64_t offset, std::span<std::byte> bytes) noexcept;

  /// After the first that fails writes go nowhere: the library crashes at exit while its buffers cannot be
  /// written. Whoever called it asks for has_failed().
  void write(std::uint64_t offset, std::span<const std::byte> bytes) noexcept;
  void resize(std::uint64_t size) noexcept;

  /// Writes the seal, unless there is to be none, after all else, and closes the file; not after a failure.
  void seal() noexcept;

  bool has_failed() const noexcept { return failure_ != Failure::none; }

  /// Makes all later writes go nowhere.
  void give_up() noexcept;

  /// @param action  "read '/states/energy'"
  /// @param name    of the file
  /// @throws InputError if bytes are not those that were written
  /// @throws ResourceError if memory was refused
  /// @throws SystemError if the system failed, with its reason
  [[noreturn]] void raise_failure(const std::string& action, const std::string& name) const;

private:
  /// A block that was read and compared.
  struct Cached {
    std::uint64_t block = 0;
    std::vector<std::byte> bytes;
  };
  /// What was written of a block so far, from its beginning.
  struct Growing {
    std::uint64_t block = 0;
    std::uint64_t bytes = 0;
    Hasher hasher;
  };

  enum class Failure { none, system, damage };

  SealedBytes(FileDescriptor file, Use use) : file_(std::move(file)), use_(use) {}
  bool check(int system_error) noexcept;
  bool read_compared(std::uint64_t offset, std::span<std::byte> bytes);
  bool compare(std::uint64_t block, std::span<const std::byte> bytes);
  const Cached* find_cached(std::uint64_t block);
  void note_written(std::uint64_t offset, std::span<const std::byte> bytes);
  void note_part(std::uint64_t block, std::uint64_t first, std::span<const std::byte> bytes);
  bool forget_hash(std::uint64_t block);
  void begin_writeback_behind(std::uint64_t offset, std::uint64_t bytes) noexcept;
  std::uint64_t length_of(std::uint64_t block) const;

  FileDescriptor file_;
  Use use_;
  bool sealed_ = false;  ///< when it was opened
  bool given_up_ = false;
  std::uint64_t size_ = 0;
  std::vector<std::optional<std::uint64_t>> hashes_;  ///< none: not known yet, while writing
  std::optional<Growing> growing_;
  std::uint64_t pending_first_ = 0;  ///< what was written without a gap since the system was last bidden to
  std::uint64_t pending_end_ = 0;    ///< bring it to the disk
  std::vector<Cached> cache_;
  std::size_t next_slot_ = 0;
  Failure failure_ = Failure::none;
  int system_error_ = 0;
  std::uint64_t damaged_block_ = 0;
};

}  // namespace cisolve
