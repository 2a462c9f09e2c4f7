// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace cisolve {

/// Replaces a file in one step: what reads `target` sees the old content or all of the new one, also
/// if the process is killed at any instant or the machine loses power.
///
///     AtomicFile file("out.h5");
///     ... write file.temporary(), close it ...
///     file.commit();
///
/// The temporary file is `.<name>.tmp-<host>-<pid>` (or `-<pid>-<number>`) in the folder of the target, so that rename works
/// within one file system; those that dead processes of this host left there are removed. One object
/// per target and process at a time.
class AtomicFile {
public:
  /// Creates the empty temporary file, and tries whether `expected_bytes` fit the disk.
  /// A symbolic link is followed: what it points to is replaced.
  /// @throws SystemError if the folder is absent or not writable, `target` is something other than a
  ///         plain file, or the disk, a quota or a limit on the size of files leaves too little room
  explicit AtomicFile(std::filesystem::path target, std::uint64_t expected_bytes = 0);

  /// Removes the temporary file unless it was committed.
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  const std::filesystem::path& target() const noexcept { return target_; }
  const std::filesystem::path& temporary() const noexcept { return temporary_; }

  /// Syncs the temporary file to disk, renames it over the target and syncs the folder.
  /// @param keep_old_as  the name that the old file keeps, in the same folder; empty: it goes. On file systems without hard
  ///                     links a kill at the wrong instant leaves it there, and no target.
  /// @throws SystemError if any of that fails; the target is then the old file
  void commit(const std::filesystem::path& keep_old_as = {});

  /// Syncs the temporary file to disk. @throws SystemError
  void sync() const;

  /// Reads back what was synced and compares it with its seal.
  /// @throws SystemError if it is not what was written
  void verify() const;

  /// What a path stands for: links are followed, also to a file that is yet to be.
  /// @throws SystemError if that is something other than a plain file
  static std::filesystem::path resolve(const std::filesystem::path& path);

  /// A file of another ending beside what a path stands for: "job.h5" and ".previous" are "job.h5.previous". A name too long is
  /// cut, and has a hash of all of it. Throws as resolve does.
  static std::filesystem::path beside(const std::filesystem::path& path, std::string_view ending);

private:
  void keep_old(const std::filesystem::path& name) const;

  std::filesystem::path target_;
  std::filesystem::path temporary_;
  int descriptor_ = -1;  ///< of the temporary file, open as long as it is there: see remove_unfinished_files
  bool committed_ = false;
};

}  // namespace cisolve
