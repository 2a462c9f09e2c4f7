// SPDX-License-Identifier: MIT
#include "tasks/files/checkpoint_checksum.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <span>
#include <string>

#include "cisolve/core/hash.hpp"

namespace cisolve {
namespace {

// Rows of a column that are hashed together.
constexpr std::int64_t hashed_rows = 1 << 18;

/// Everything but the vectors.
void add_header(Hasher& hasher, const CheckpointHeader& header) {
  for (const std::string* text :
       {&header.version, &header.created, &header.resolved_input, &header.sectors, &header.basis}) {
    if (text == &header.basis && text->empty()) continue;  // as in files that don't say
    hasher.add(static_cast<std::uint64_t>(text->size()));
    hasher.add(*text);
  }
  hasher.add(header.integrals_hash);
  hasher.add(std::bit_cast<std::uint64_t>(header.threshold));
  hasher.add(std::int64_t{header.sector});
  hasher.add(header.space_hash);
  hasher.add(header.dimension);
  hasher.add(std::int64_t{header.num_vectors});
  for (const IterationRecord& record : header.history) {
    hasher.add(std::int64_t{record.iteration});
    hasher.add(std::int64_t{record.subspace_size});
    hasher.add(record.num_applications);
    hasher.add(std::bit_cast<std::uint64_t>(record.seconds));
    for (const double energy : record.energies) hasher.add(std::bit_cast<std::uint64_t>(energy));
    for (const double norm : record.residual_norms) hasher.add(std::bit_cast<std::uint64_t>(norm));
  }
}

/// What a restart takes from the finished sectors.
void add_finished(Hasher& hasher, std::span<const CiResult::Sector> finished) {
  for (const CiResult::Sector& sector : finished) {
    hasher.add(sector.space.hash);
    for (double Root::*member : {&Root::energy, &Root::residual_norm}) {
      Hasher values;
      for (const Root& root : sector.roots) values.add_bytes(std::as_bytes(std::span(&(root.*member), 1)));
      hasher.add(values.digest());
    }
    Hasher values;
    Array<double> buffer;
    for (int k = 0; sector.vectors && k < sector.vectors->columns(); ++k) {
      for (std::int64_t first = 0; first < sector.vectors->rows(); first += hashed_rows) {
        const std::int64_t count = std::min(hashed_rows, sector.vectors->rows() - first);
        values.add_bytes(std::as_bytes(sector.vectors->piece(k, first, count, buffer)));
      }
    }
    hasher.add(values.digest());
  }
}

}  // namespace

std::uint64_t checksum_of(const Checkpoint& checkpoint) {
  Hasher hasher;
  add_header(hasher, checkpoint.header);
  const std::int64_t rows = checkpoint.header.dimension;
  Array<double> buffer;
  for (int column = 0; column < checkpoint.header.num_vectors; ++column) {
    for (std::int64_t first = 0; first < rows; first += hashed_rows) {
      const std::int64_t count = std::min(hashed_rows, rows - first);
      hasher.add(hash_bytes(std::as_bytes(checkpoint.vectors->piece(column, first, count, buffer))));
    }
  }
  add_finished(hasher, checkpoint.finished);
  return hasher.digest();
}

}  // namespace cisolve
