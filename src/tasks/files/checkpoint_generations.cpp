// SPDX-License-Identifier: MIT
#include "tasks/files/checkpoint_generations.hpp"

#include <fmt/format.h>

#include <array>
#include <system_error>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/io/seal.hpp"
#include "tasks/files/result_file_common.hpp"

namespace cisolve {
namespace {

namespace fs = std::filesystem;

bool is_intact(const fs::path& file) {
  try {
    verify_seal(file);
    verify_parts(file);
    return true;
  } catch (const Error&) {
    return false;
  }
}

bool is_checkpoint(const fs::path& file) { return format_of(file) == checkpoint_format; }

}  // namespace

fs::path previous_checkpoint(const fs::path& file) { return AtomicFile::beside(file, ".previous"); }

namespace {

void remove_unused_parts_of(const fs::path& file) {
  remove_unused_parts(std::array{file, previous_checkpoint(file)});
}

}  // namespace

bool has_checkpoint(const fs::path& file) {
  return fs::exists(file) || fs::exists(previous_checkpoint(file));
}

void CheckpointGenerations::make_room() {
  const fs::path previous = previous_checkpoint(file_);
  std::error_code ignored;
  if (fs::exists(previous, ignored) && fs::exists(file_, ignored)) {
    if (newest_is_verified_ || is_intact(file_)) {
      fs::remove(previous, ignored);
    } else if (is_intact(previous)) {
      fs::remove(AtomicFile::resolve(file_), ignored);
    }
  }
  remove_unused_parts_of(file_);
}

std::unique_ptr<PartedFile> CheckpointGenerations::write(const CheckpointHeader& header,
                                                         const ColumnSource& vectors,
                                                         std::span<const CiResult::Sector> finished) {
  make_room();
  return write_checkpoint_aside(file_, header, vectors, finished, limits_);
}

std::string CheckpointGenerations::put_in_place(PartedFile& written) {
  written.sync();
  if (before_verifying_) before_verifying_(written.temporary());
  try {
    written.verify();
  } catch (const Error& error) {
    return error.what();
  }
  written.commit(previous_checkpoint(file_));
  newest_is_verified_ = true;
  return "";
}

void CheckpointGenerations::say(const std::string& failure, const RunControl& control) const {
  if (failure.empty()) {
    control.say(LogLevel::info, "checkpoint written: " + file_.string());
  } else {
    control.say(LogLevel::warning, failure);
  }
}

FoundCheckpoint read_newest_checkpoint(const fs::path& file, const RunControl& control) {
  const fs::path previous = previous_checkpoint(file);
  std::string reason = fmt::format("there is no checkpoint '{}'", file.string());
  if (fs::exists(file) || !fs::exists(previous)) {
    try {
      return {read_checkpoint(file), file};
    } catch (const Error& error) {  // of the disk too
      if (!fs::exists(previous)) throw;
      reason = error.what();
    }
  }
  try {
    FoundCheckpoint found{read_checkpoint(previous), previous};
    control.say(LogLevel::warning,
                fmt::format("{}; going on from the one before, '{}'", reason, previous.string()));
    return found;
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}; nor can the one before be used: {}", reason, error.what()));
  }
}

void remove_checkpoints(const fs::path& file) {
  const fs::path newest = AtomicFile::resolve(file), previous = previous_checkpoint(file);
  const bool has_previous = is_checkpoint(previous);
  std::error_code ignored;
  // Beside one before, what cannot be read is the damaged newest.
  if (is_checkpoint(newest) || (has_previous && fs::is_regular_file(newest, ignored) && !is_intact(newest)))
    fs::remove(newest, ignored);
  if (has_previous) fs::remove(previous, ignored);
  remove_unused_parts_of(file);
}

}  // namespace cisolve
