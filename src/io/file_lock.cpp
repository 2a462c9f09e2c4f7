// SPDX-License-Identifier: MIT
#include "cisolve/io/file_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "cisolve/core/error.hpp"
#include "io/file_bytes.hpp"
#include "io/targets.hpp"

namespace cisolve {
namespace {

struct Companion {
  FileDescriptor file;  ///< none: not to be opened; errno says why
  bool is_new;          ///< this process made it
};

Companion open_companion(const std::filesystem::path& path) {
  constexpr int flags = O_CLOEXEC | O_NOFOLLOW;
  if (const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | flags, 0666); file >= 0)
    return {FileDescriptor(file), true};
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | flags, 0666);
  // What another user's run has left may not be writable; locks of most file systems do not need that.
  if (file < 0 && errno == EACCES) return {FileDescriptor(::open(path.c_str(), O_RDONLY | flags)), false};
  return {FileDescriptor(file), false};
}

/// 0: locked; else why not.
int try_to_lock(int file) {
  while (::flock(file, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

/// Whether the name still belongs to what was opened: the run that had the lock may have removed it meanwhile.
bool is_current(int file, const std::filesystem::path& path) {
  struct stat opened = {}, named = {};
  return ::fstat(file, &opened) == 0 && ::stat(path.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
         opened.st_dev == named.st_dev;
}

std::string owner_text() {
  return "process " + std::to_string(::getpid()) + " on host '" + io::host_name() + "'";
}

/// For who comes second; a courtesy.
void write_owner(int file, const std::string& text) {
  if (::ftruncate(file, 0) != 0) return;
  static_cast<void>(::pwrite(file, text.data(), text.size(), 0) == 0);
}

std::string read_owner(int file) {
  std::array<char, 256> text{};
  const ssize_t size = ::pread(file, text.data(), text.size(), 0);
  return size > 0 ? std::string(text.data(), static_cast<std::size_t>(size)) : "another process";
}

}  // namespace

FileLock::FileLock(const std::filesystem::path& file) {
  const std::filesystem::path target = io::resolve_target(file);
  companion_ = io::folder_of(target) / ("." + io::short_name(target) + ".lock");
  const std::string owner = owner_text();  // whatever takes memory comes before there is something to remove
  for (;;) {
    Companion opened = open_companion(companion_);
    const int file_number = opened.file.get();
    if (file_number < 0) {
      why_not_locked_ = std::generic_category().message(errno);
      return;
    }
    const int error = try_to_lock(file_number);
    if (error == 0 && is_current(file_number, companion_)) {
      descriptor_ = opened.file.release();
      break;
    }
    if (error == 0 || error == ESTALE) continue;
    if (error == EWOULDBLOCK) {
      throw SystemError("'" + file.string() + "' is being written by " + read_owner(file_number) +
                        ": end that run first, or give this one files of other names (output.file, "
                        "output.checkpoint)");
    }
    if (opened.is_new) ::unlink(companion_.c_str());
    why_not_locked_ = std::generic_category().message(error);
    return;
  }
  write_owner(descriptor_, owner);
}

FileLock::FileLock(FileLock&& other) noexcept
    : companion_(std::move(other.companion_)), descriptor_(std::exchange(other.descriptor_, -1)),
      why_not_locked_(std::move(other.why_not_locked_)) {}

FileLock::~FileLock() {
  if (descriptor_ < 0) return;
  ::unlink(companion_.c_str());  // first: a name without its lock is nobody's
  ::close(descriptor_);
}

}  // namespace cisolve
