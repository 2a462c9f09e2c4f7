// SPDX-License-Identifier: MIT
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

namespace cisolve::fuzz {

/// A file in memory, for readers that take a path; it is used again and again.
class MemoryFile {
public:
  explicit MemoryFile(const char* name) : number_(::memfd_create(name, 0)) {
    if (number_ < 0) std::abort();
  }
  ~MemoryFile() { ::close(number_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  /// Path of the file, which holds these bytes until the next call.
  std::filesystem::path with(std::string_view data) {
    if (::ftruncate(number_, 0) != 0) std::abort();
    if (::pwrite(number_, data.data(), data.size(), 0) != static_cast<ssize_t>(data.size())) std::abort();
    return "/proc/self/fd/" + std::to_string(number_);
  }

  /// The bytes that it holds.
  std::string content() const {
    struct stat info {};
    if (::fstat(number_, &info) != 0) std::abort();
    std::string bytes(static_cast<std::size_t>(info.st_size), '\0');
    if (::pread(number_, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) std::abort();
    return bytes;
  }

private:
  int number_;
};

}  // namespace cisolve::fuzz
