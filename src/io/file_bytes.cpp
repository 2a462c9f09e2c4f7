// SPDX-License-Identifier: MIT
#include "io/file_bytes.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace cisolve {

void FileDescriptor::reset(int number) noexcept {
  if (number_ >= 0) ::close(number_);
  number_ = number;
}

int FileDescriptor::close() noexcept {
  // An interrupted close has closed it on Linux.
  return ::close(std::exchange(number_, -1)) == 0 || errno == EINTR ? 0 : errno;
}

int read_at(int file, std::uint64_t offset, std::span<std::byte> bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t got = ::pread(file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) break;
    offset += static_cast<std::uint64_t>(got);
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
  if (!bytes.empty()) std::memset(bytes.data(), 0, bytes.size());
  return 0;
}

int write_at(int file, std::uint64_t offset, std::span<const std::byte> bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t put = ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return put < 0 ? errno : EIO;
    offset += static_cast<std::uint64_t>(put);
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
  return 0;
}

void begin_writeback([[maybe_unused]] int file, [[maybe_unused]] std::uint64_t offset,
                     [[maybe_unused]] std::uint64_t bytes) noexcept {
#ifdef __linux__
  const int before = errno;
  ::sync_file_range(file, static_cast<off64_t>(offset), static_cast<off64_t>(bytes), SYNC_FILE_RANGE_WRITE);
  errno = before;
#endif
}

}  // namespace cisolve
