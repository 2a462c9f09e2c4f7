// SPDX-License-Identifier: MIT
#include "tasks/files/checkpoint_generations.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <system_error>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/io/hdf5_file.hpp"
#include "cisolve/io/seal.hpp"

namespace cisolve {
namespace {

namespace fs = std::filesystem;

bool is_intact(const fs::path& file) {
  try {
    verify_seal(file);
    return true;
  } catch (const Error&) {
    return false;
  }
}

void remove_if_checkpoint(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return;
  try {
    if (Hdf5File::open(file).root().read_attribute<std::string>("format") != checkpoint_format) return;
  } catch (const Error&) {
    return;
  }
  fs::remove(file, error);
}

}  // namespace

fs::path previous_checkpoint(const fs::path& file) {
  constexpr std::size_t longest_name = 240;  // names have at most 255 bytes
  const fs::path newest = AtomicFile::resolve(file);
  return newest.parent_path() / (newest.filename().string().substr(0, longest_name) + ".previous");
}

bool has_checkpoint(const fs::path& file) {
  return fs::exists(file) || fs::exists(previous_checkpoint(file));
}

void CheckpointGenerations::make_room() {
  const fs::path previous = previous_checkpoint(file_);
  std::error_code ignored;
  if (!fs::exists(previous, ignored) || !fs::exists(file_, ignored)) return;
  const bool newest_is_good = newest_is_verified_ || is_intact(file_);
  fs::remove(newest_is_good ? previous : AtomicFile::resolve(file_), ignored);
}

std::unique_ptr<AtomicFile> CheckpointGenerations::write(const CheckpointHeader& header,
                                                         const ColumnSource& vectors,
                                                         std::span<const CiResult::Sector> finished) {
  make_room();
  return write_checkpoint_aside(file_, header, vectors, finished);
}

std::string CheckpointGenerations::put_in_place(AtomicFile& written) {
  written.sync();
  if (before_verifying_) before_verifying_(written.temporary());
  try {
    verify_seal(written.temporary(), file_);
  } catch (const Error& error) {
    return error.what();
  }
  written.commit(previous_checkpoint(file_));
  newest_is_verified_ = true;
  return "";
}

void CheckpointGenerations::save(const CheckpointHeader& header, const ColumnSource& vectors,
                                 std::span<const CiResult::Sector> finished, const RunControl& control) {
  const std::unique_ptr<AtomicFile> written = write(header, vectors, finished);
  say(put_in_place(*written), control);
}

void CheckpointGenerations::say(const std::string& failure, const RunControl& control) const {
  if (failure.empty()) {
    control.say(LogLevel::info, "checkpoint written: " + file_.string());
  } else {
    control.say(LogLevel::warning,
                fmt::format("a new checkpoint is not what was written, the one before stays: {}", failure));
  }
}

FoundCheckpoint read_newest_checkpoint(const fs::path& file, const RunControl& control) {
  const fs::path previous = previous_checkpoint(file);
  std::string reason = fmt::format("there is no checkpoint '{}'", file.string());
  if (fs::exists(file) || !fs::exists(previous)) {
    try {
      return {read_checkpoint(file), file};
    } catch (const InputError& error) {
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
  remove_if_checkpoint(file);
  remove_if_checkpoint(previous_checkpoint(file));
}

}  // namespace cisolve
