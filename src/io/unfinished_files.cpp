// SPDX-License-Identifier: MIT
#include "cisolve/io/unfinished_files.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <climits>
#include <cstddef>
#include <string_view>

namespace cisolve {
namespace {

constexpr int most_files = 1024;  // that are looked at; what is beyond stays for the next run to remove

/// As AtomicFile names them: `.<name>.tmp-<host>-<pid>`, or `-<number>` behind that.
bool is_temporary_of(long process, std::string_view name) {
  const std::size_t ending = name.find(".tmp-");
  if (ending == std::string_view::npos) return false;
  std::array<char, 24> digits{'-'};
  const std::string_view number(digits.data(), std::to_chars(digits.begin() + 1, digits.end(), process).ptr);
  const std::size_t at = name.find(number, ending);
  if (at == std::string_view::npos) return false;
  const std::string_view behind = name.substr(at + number.size());
  return behind.empty() || behind.starts_with('-');
}

/// As FileLock names them, and locked by whoever opened this.
bool is_held_lock(int file, std::string_view name) {
  return name.ends_with(".lock") && ::flock(file, LOCK_EX | LOCK_NB) == 0;
}

}  // namespace

void remove_unfinished_files() noexcept {
  const long process = ::getpid();
  for (int file = 0; file < most_files; ++file) {
    // Files of whoever started the program are not closed by exec.
    const int flags = ::fcntl(file, F_GETFD);
    if (flags < 0 || (flags & FD_CLOEXEC) == 0) continue;
    std::array<char, 40> link{};
    constexpr std::string_view open_files = "/proc/self/fd/";
    open_files.copy(link.data(), open_files.size());
    std::to_chars(link.begin() + open_files.size(), link.end() - 1, file);
    std::array<char, PATH_MAX> path;
    const ssize_t length = ::readlink(link.data(), path.data(), path.size() - 1);
    if (length <= 0) continue;
    path[static_cast<std::size_t>(length)] = '\0';
    std::string_view name(path.data(), static_cast<std::size_t>(length));
    name.remove_prefix(name.rfind('/') + 1);
    if (!name.starts_with('.')) continue;
    if (is_temporary_of(process, name) || is_held_lock(file, name)) ::unlink(path.data());
  }
}

}  // namespace cisolve
