// SPDX-License-Identifier: MIT
#include "cisolve/io/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/io/seal.hpp"
#include "io/file_bytes.hpp"
#include "io/targets.hpp"

namespace cisolve {
namespace {

namespace fs = std::filesystem;
using io::fail_to_write;
using io::folder_of;
using io::host_name;
using io::resolve_target;

/// `.<name>.tmp-<host>-`; the host, because on a shared file system a process number says nothing
/// about processes elsewhere.
std::string temporary_prefix(const fs::path& target) {
  return "." + io::short_name(target) + ".tmp-" + host_name() + "-";
}

/// The number of a process of this host that no longer runs.
bool is_dead_process(std::string_view digits) {
  pid_t process = 0;
  digits = digits.substr(0, digits.find('-'));
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
  fs::path resolved = resolve_target(target_);
  const fs::path folder = folder_of(resolved);
  const std::string prefix = temporary_prefix(resolved);
  remove_stale_files(folder, prefix);
  FileDescriptor file;
  // A process of another container may have the same number.
  constexpr int most_numbers = 100;
  for (int number = 0; file.get() < 0; ++number) {
    temporary_ =
        folder / fmt::format("{}{}{}", prefix, ::getpid(), number == 0 ? "" : fmt::format("-{}", number));
    file.reset(::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (file.get() < 0 && (errno != EEXIST || number == most_numbers)) fail_to_write(target_, errno);
  }
  const int error = try_to_reserve(file.get(), expected_bytes);
  if (error != 0) {
    ::unlink(temporary_.c_str());
    fail_to_write(target_, error);
  }
  target_ = std::move(resolved);  // takes no memory: the file is there, and nobody's yet
  descriptor_ = file.release();
}

AtomicFile::~AtomicFile() {
  ::close(descriptor_);
  if (!committed_) ::unlink(temporary_.c_str());
}

fs::path AtomicFile::resolve(const fs::path& path) { return resolve_target(path); }

fs::path AtomicFile::beside(const fs::path& path, std::string_view ending) {
  const fs::path resolved = resolve_target(path);
  return resolved.parent_path() / (io::short_name(resolved) + std::string(ending));
}

void AtomicFile::sync() const {
  if (::fsync(descriptor_) != 0) fail_to_write(target_, errno);
}

void AtomicFile::verify() const {
  try {
    verify_seal(temporary_, target_);
  } catch (const InputError& error) {
    throw SystemError(fmt::format("a new '{}' is not what was written, the old one stays: {}",
                                  target_.string(), error.what()));
  }
}

/// Gives the old file a second name, so that at no instant there is none of the first; where the file system has no second
/// names, another.
void AtomicFile::keep_old(const fs::path& name) const {
  const fs::path second = temporary_.string() + "-old";
  const bool linked = ::link(target_.c_str(), second.c_str()) == 0;
  const bool kept = ::rename((linked ? second : target_).c_str(), name.c_str()) == 0;
  const int error = errno;
  if (linked) ::unlink(second.c_str());  // stays where both were the same file
  if (!kept && error != ENOENT) fail_to_write(target_, error);
}

void AtomicFile::commit(const fs::path& keep_old_as) {
  sync();
  if (!keep_old_as.empty()) keep_old(keep_old_as);
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
    const int error = errno;
    // Where the old file could not have two names.
    std::error_code ignored;
    if (!keep_old_as.empty() && !fs::exists(target_, ignored)) ::rename(keep_old_as.c_str(), target_.c_str());
    fail_to_write(target_, error);
  }
  committed_ = true;
  const FileDescriptor folder(::open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() < 0) return;  // a folder may be writable but not readable
  // Some file systems cannot sync a folder, and say EINVAL.
  if (::fsync(folder.get()) != 0 && errno != EINVAL) fail_to_write(target_, errno);
}

}  // namespace cisolve
