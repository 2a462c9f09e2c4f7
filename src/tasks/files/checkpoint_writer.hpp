// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <thread>

#include "cisolve/core/array.hpp"
#include "cisolve/tasks/files/checkpoint.hpp"
#include "cisolve/tasks/run/run_control.hpp"
#include "tasks/files/checkpoint_generations.hpp"

namespace cisolve {

/// Writes the checkpoints of a run. Vectors that take long to write are copied to a buffer first, and a thread
/// writes and verifies them while the solver goes on; at most one is on its way. Nobody else may use HDF5 meanwhile.
class CheckpointWriter {
public:
  struct Settings {
    CheckpointGenerations& generations;
    std::span<const CiResult::Sector> finished;  ///< goes into every checkpoint
    std::int64_t buffer_bytes = 0;  ///< most that the buffer may take; vectors beyond are waited for
    const RunControl& control;
  };
  explicit CheckpointWriter(Settings settings) : settings_(settings) {}
  ~CheckpointWriter();
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;

  /// Vectors that take longer to write than a user notices, bytes.
  static constexpr std::int64_t large_bytes = std::int64_t{64} << 20;

  /// @param vectors  called before this returns
  /// @throws SystemError if I/O fails, also that of the checkpoint before
  void write(CheckpointHeader header, const ColumnSource& vectors);

  /// Whether a checkpoint is still on its way.
  /// @throws SystemError if it was, and failed
  bool is_busy();

  /// Waits for it.
  /// @throws SystemError if it failed
  void finish();

  /// Why the last checkpoint is not in place although it was written, and the one before still is; "": it is in place.
  /// @pre nothing is on its way
  const std::string& failure() const { return failure_; }

private:
  template <class F>
  void start(F&& write_and_verify);

  Settings settings_;
  Array<double> buffer_;
  CheckpointHeader header_;  ///< of what is on its way
  std::thread thread_;
  std::atomic<bool> done_ = false;
  std::string failure_;
  std::exception_ptr error_;
};

}  // namespace cisolve
