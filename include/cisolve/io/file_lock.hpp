// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

namespace cisolve {

/// Keeps a file to one run: two that write the same result file or checkpoint would replace each other's.
///
/// The lock is an advisory one (flock) on the empty-handed companion `.<name>.lock` in the folder of the file, since the
/// file itself is replaced by renaming. It ends with the process, however that ends, so that a companion that a killed
/// process leaves is harmless; else it is removed with the lock. Where the folder is shared by NFS, the lock holds between
/// hosts.
class FileLock {
public:
  /// Takes the lock, or says in `why_not_locked` that the file system has none. A symbolic link is followed.
  /// @throws SystemError if another run holds it: which, and on which host
  explicit FileLock(const std::filesystem::path& file);
  ~FileLock();
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&&) = delete;

  /// Empty: the file is locked.
  const std::string& why_not_locked() const noexcept { return why_not_locked_; }

private:
  std::filesystem::path companion_;
  int descriptor_ = -1;
  std::string why_not_locked_;
};

}  // namespace cisolve
