// SPDX-License-Identifier: MIT
#include "cisolve/io/atomic_file.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "cisolve/core/error.hpp"
#include "io/file_bytes.hpp"

namespace cisolve {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& target, int error) {
  throw SystemError("cannot write '" + target.string() + "': " + std::generic_category().message(error));
}

/// Follows a symbolic link, which rename would replace, and refuses what rename would destroy.
fs::path resolve_target(const fs::path& target) {
  std::error_code error;
  fs::path resolved = target;
  // Link by link, since the last may point to a file that is yet to be.
  constexpr int most_links = 40;
  for (int link = 0; fs::is_symlink(resolved, error); ++link) {
    if (link == most_links) fail(target, ELOOP);
    resolved = resolved.parent_path() / fs::read_symlink(resolved, error);
  }
  const fs::file_status status = fs::status(resolved, error);
  if (fs::is_directory(status)) fail(target, EISDIR);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw SystemError("cannot write '" + target.string() + "': it is not a plain file");
  }
  return resolved;
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

/// `.<name>.tmp-<host>-`; the host, because on a shared file system a process number says nothing
/// about processes elsewhere.
std::string temporary_prefix(const fs::path& target) {
  std::array<char, 65> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  std::string host_name(host.data());
  std::replace(host_name.begin(), host_name.end(), '/', '_');
  // Names have at most 255 bytes.
  constexpr std::size_t longest_name = 160;
  return "." + target.filename().string().substr(0, longest_name) + ".tmp-" + host_name + "-";
}

/// The number of a process of this host that no longer runs.
bool is_dead_process(std::string_view digits) {
  pid_t process = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), process);
  if (error != std::errc() || end != digits.data() + digits.size() || process <= 0) return false;
  return ::kill(process, 0) != 0 && errno == ESRCH;
}

void remove_stale_files(const fs::path& folder, const std::string& prefix) {
  // Tidying is a courtesy: what cannot be read or removed is left.
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  while (!error && entry != fs::directory_iterator()) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with(prefix) && is_dead_process(std::string_view(name).substr(prefix.size()))) {
      std::error_code ignored;
      fs::remove(entry->path(), ignored);
    }
    entry.increment(error);
  }
}

/// Takes the space and gives it back: 0, or why that failed.
int try_to_reserve(int file, std::uint64_t bytes) {
  if (bytes == 0) return 0;
#ifdef __linux__
  int result = 0;
  do {
    result = ::fallocate(file, 0, 0, static_cast<off_t>(bytes));
  } while (result != 0 && errno == EINTR);
  const int error = result == 0 ? 0 : errno;
  if (::ftruncate(file, 0) != 0) return errno;
  if (error != EOPNOTSUPP && error != ENOSYS) return error;
#endif
  struct statvfs info {};
  if (::fstatvfs(file, &info) != 0) return 0;
  return static_cast<std::uint64_t>(info.f_bavail) * info.f_frsize < bytes ? ENOSPC : 0;
}

}  // namespace

AtomicFile::AtomicFile(fs::path target, std::uint64_t expected_bytes) : target_(std::move(target)) {
  const fs::path resolved = resolve_target(target_);
  const fs::path folder = folder_of(resolved);
  const std::string prefix = temporary_prefix(resolved);
  remove_stale_files(folder, prefix);
  temporary_ = folder / (prefix + std::to_string(::getpid()));

  const FileDescriptor file(
      ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666));
  if (file.get() < 0) fail(target_, errno);
  const int error = try_to_reserve(file.get(), expected_bytes);
  if (error != 0) {
    ::unlink(temporary_.c_str());
    fail(target_, error);
  }
  target_ = resolved;
}

AtomicFile::~AtomicFile() {
  if (!committed_) ::unlink(temporary_.c_str());
}

void AtomicFile::commit() {
  {
    const FileDescriptor file(::open(temporary_.c_str(), O_WRONLY | O_CLOEXEC));
    if (file.get() < 0 || ::fsync(file.get()) != 0) fail(target_, errno);
  }
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail(target_, errno);
  committed_ = true;
  const FileDescriptor folder(::open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() < 0) return;  // a folder may be writable but not readable
  // Some file systems cannot sync a folder, and say EINVAL.
  if (::fsync(folder.get()) != 0 && errno != EINVAL) fail(target_, errno);
}

}  // namespace cisolve
