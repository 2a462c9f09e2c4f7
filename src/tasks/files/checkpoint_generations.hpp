// SPDX-License-Identifier: MIT
// Two checkpoints of a run, the newest and the one before, so that there is always one that was verified.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "cisolve/tasks/files/checkpoint.hpp"
#include "cisolve/tasks/run/run_control.hpp"
#include "tasks/files/vector_parts.hpp"

namespace cisolve {

/// Where the checkpoint before the newest one is: "job.chk.h5.previous".
std::filesystem::path previous_checkpoint(const std::filesystem::path& file);

/// Whether there is a checkpoint of either generation.
bool has_checkpoint(const std::filesystem::path& file);

/// Writes the checkpoints of a run, all of them: what it has verified it need not read again. Before a new one is written the
/// older of two goes, or the newer where only the older is as it was written; when the new one has been read back and compared
/// with its seal, it takes the place of the newest, which becomes the one before.
class CheckpointGenerations {
public:
  /// @param before_verifying  is given the new file before it is verified: for tests
  /// @param limits            where vectors are parted
  explicit CheckpointGenerations(std::filesystem::path file,
                                 std::function<void(const std::filesystem::path&)> before_verifying = {},
                                 const PartLimits& limits = {})
      : file_(std::move(file)), before_verifying_(std::move(before_verifying)), limits_(limits) {}

  /// Writes a new one aside. @throws SystemError if that fails; the newest is untouched
  std::unique_ptr<PartedFile> write(const CheckpointHeader& header, const ColumnSource& vectors,
                                    std::span<const CiResult::Sector> finished);

  /// Verifies it and puts it in place. Needs no HDF5 library.
  /// @return "", or why it is not what was written: then it is gone and all is as before
  /// @throws SystemError if it cannot be synced or renamed
  std::string put_in_place(PartedFile& written);

  /// The line: that it was written, or a warning with the reason.
  void say(const std::string& failure, const RunControl& control) const;

  /// The newest was read, and is as it was written.
  void trust_newest() { newest_is_verified_ = true; }

private:
  void make_room();

  std::filesystem::path file_;
  std::function<void(const std::filesystem::path&)> before_verifying_;
  PartLimits limits_;
  bool newest_is_verified_ = false;  ///< as it was written
};

/// A checkpoint that a run can go on from, and its file.
struct FoundCheckpoint {
  Checkpoint checkpoint;
  std::filesystem::path file;
};

/// Reads the newest checkpoint, or the one before if that is damaged or absent; says so in the log.
/// @throws InputError if none of them can be read, with the reason of each
FoundCheckpoint read_newest_checkpoint(const std::filesystem::path& file, const RunControl& control);

/// Removes the checkpoints of a run that has finished, the newest also where it is damaged and there is one before. A file that
/// is no checkpoint stays, and so does one that cannot be removed: the results do not depend on it.
void remove_checkpoints(const std::filesystem::path& file);

/// Writes a checkpoint beside its place, without syncing it.
/// @throws SystemError if I/O fails
std::unique_ptr<PartedFile> write_checkpoint_aside(const std::filesystem::path& file,
                                                   const CheckpointHeader& header,
                                                   const ColumnSource& vectors,
                                                   std::span<const CiResult::Sector> finished,
                                                   const PartLimits& limits = {});

/// Vectors in memory, column-major, as a source.
ColumnSource columns_of(std::span<const double> vectors, std::int64_t dimension);

}  // namespace cisolve
