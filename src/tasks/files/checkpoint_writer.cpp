// SPDX-License-Identifier: MIT
#include "tasks/files/checkpoint_writer.hpp"

#include <memory>
#include <utility>

namespace cisolve {

CheckpointWriter::~CheckpointWriter() {
  if (thread_.joinable()) thread_.join();
}

template <class F>
void CheckpointWriter::start(F&& write_and_verify) {
  done_ = false;
  thread_ = std::thread([this, work = std::forward<F>(write_and_verify)] {
    try {
      failure_ = work();
    } catch (...) {
      error_ = std::current_exception();
    }
    done_ = true;
  });
}

void CheckpointWriter::write(CheckpointHeader header, const ColumnSource& vectors) {
  finish();
  const std::int64_t elements = header.dimension * header.num_vectors;
  const std::int64_t bytes = 8 * elements;
  if (bytes < large_bytes) {
    failure_ =
        settings_.generations.put_in_place(*settings_.generations.write(header, vectors, settings_.finished));
    settings_.generations.say(failure_, settings_.control);
    return;
  }
  if (bytes > settings_.buffer_bytes) {
    start([this, written = std::shared_ptr<PartedFile>(
                     settings_.generations.write(header, vectors, settings_.finished))] {
      return settings_.generations.put_in_place(*written);
    });
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
  start([this, elements] {
    const ColumnSource copied =
        columns_of(std::span<const double>(buffer_).first(elements), header_.dimension);
    return settings_.generations.put_in_place(
        *settings_.generations.write(header_, copied, settings_.finished));
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
  settings_.generations.say(failure_, settings_.control);
}

}  // namespace cisolve
