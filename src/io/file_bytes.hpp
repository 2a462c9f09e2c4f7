// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace cisolve {

/// An open file; closes itself. -1 is none.
class FileDescriptor {
public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) : number_(number) {}
  ~FileDescriptor() { reset(); }
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    if (this != &other) reset(std::exchange(other.number_, -1));
    return *this;
  }
  int get() const noexcept { return number_; }
  void reset(int number = -1) noexcept;
  /// Some file systems say only now that what was written does not fit.
  /// @return 0, or the error of the system
  int close() noexcept;
  /// The file is the caller's to close.
  int release() noexcept { return std::exchange(number_, -1); }

private:
  int number_ = -1;
};

/// Reads at an offset, as often as it takes; zeros stand for what is beyond the end of the file.
/// @return 0, or the error of the system
int read_at(int file, std::uint64_t offset, std::span<std::byte> bytes) noexcept;

/// Writes at an offset, as often as it takes.
/// @return 0, or the error of the system
int write_at(int file, std::uint64_t offset, std::span<const std::byte> bytes) noexcept;

/// Bids the system begin to bring to the disk what was written there, and does not wait for it: a later fsync
/// has less to wait for, and reports what failed. A hint; where the system does not know it nothing happens.
void begin_writeback(int file, std::uint64_t offset, std::uint64_t bytes) noexcept;

}  // namespace cisolve
