// SPDX-License-Identifier: MIT
#include "tasks/files/checkpoint_writer.hpp"

#include <utility>

namespace cisolve {

CheckpointWriter::~CheckpointWriter() {
  if (thread_.joinable()) thread_.join();
}

void CheckpointWriter::write(CheckpointHeader header, const ColumnSource& vectors) {
  finish();
  const std::int64_t elements = header.dimension * header.num_vectors;
  const std::int64_t bytes = 8 * elements;
  if (bytes < large_bytes || bytes > settings_.buffer_bytes) {
    write_checkpoint(settings_.file, header, vectors, settings_.finished);
    say_written();
    return;
  }
  if (static_cast<std::int64_t>(buffer_.size()) < elements) {
    buffer_ = {};  // Free first: both need not fit.
    buffer_ = Array<double>(elements);
  }
  const std::size_t rows = header.dimension;
  for (int column = 0; column < header.num_vectors; ++column) {
    vectors(column, 0, std::span(buffer_).subspan(static_cast<std::size_t>(column) * rows, rows));
  }
  header_ = std::move(header);
  done_ = false;
  thread_ = std::thread([this, elements] {
    try {
      write_checkpoint(settings_.file, header_, std::span<const double>(buffer_).first(elements),
                       settings_.finished);
    } catch (...) {
      error_ = std::current_exception();
    }
    done_ = true;
  });
}

bool CheckpointWriter::is_busy() {
  if (thread_.joinable() && done_) finish();
  return thread_.joinable();
}

void CheckpointWriter::finish() {
  if (!thread_.joinable()) return;
  thread_.join();
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  say_written();
}

void CheckpointWriter::say_written() const {
  settings_.control.say(LogLevel::info, "checkpoint written: " + settings_.file.string());
}

}  // namespace cisolve
