// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cisolve/core/array.hpp"
#include "cisolve/solver/davidson.hpp"
#include "cisolve/tasks/ci/ci_result.hpp"
#include "cisolve/vectors/vector_source.hpp"

namespace cisolve {

inline constexpr int checkpoint_format_version = 3;
inline constexpr int checkpoint_parts_version = 4;  ///< of those whose vectors stand in files beside them
inline constexpr const char* checkpoint_format = "cisolve-checkpoint";

/// Vectors over the space of a sector.
struct SectorVectors {
  std::uint64_t space_hash = 0;
  std::int64_t dimension = 0;
  std::vector<double> values;  ///< [dimension x k], column-major
};

/// What an orbital optimisation has reached.
struct CheckpointOrbitals {
  CiResult::Orbitals reached;  ///< weights in the order of the checkpoint's sectors
  /// Of all sectors over these orbitals, while they are optimised; null: the last CI has begun.
  std::shared_ptr<const std::vector<SectorVectors>> vectors;
};

/// A list of determinants that the vectors are over, and how it grew.
struct CheckpointSelection {
  FunctionList list;  ///< alpha and beta
  int words = 1;      ///< of a string
  CiResult::Selection reached;
};

/// What identifies a checkpoint and goes with its vectors.
struct CheckpointHeader {
  std::string version, created;  ///< of the program; UTC, ISO 8601
  std::string resolved_input;
  std::uint64_t integrals_hash = 0;
  double threshold = 0.0;  ///< hamiltonian.threshold, hartree
  std::string basis;       ///< space.basis; empty: the file doesn't say
  std::string sectors;     ///< irreps and multiplicities of the run, in its order, see join_sectors
  int sector = 1;          ///< number of the one that the vectors belong to, from 1
  std::uint64_t space_hash = 0;
  std::int64_t dimension = 0;  ///< rows of the vectors
  int num_vectors = 0;
  std::vector<IterationRecord> history;
  std::shared_ptr<const CheckpointOrbitals> orbitals;    ///< null: none are optimised
  std::shared_ptr<const CheckpointSelection> selection;  ///< null: the space is none that grows
};

/// A checkpoint as it is read: header, vectors and the sectors that are done.
struct Checkpoint {
  CheckpointHeader header;
  /// dimension x num_vectors, orthonormal, no columns if its sector has not begun. Those that were read stay in the file, which
  /// stays open as long as they are there.
  std::shared_ptr<const VectorSource> vectors;
  std::vector<CiResult::Sector> finished;  ///< the sectors before that one
};

/// Fills `rows` with the elements of `column` from `first_row` on. Called with ascending columns and
/// rows, each element once.
using ColumnSource = std::function<void(int column, std::int64_t first_row, std::span<double> rows)>;

/// Writes a checkpoint in one step (see AtomicFile): a kill at any instant leaves the old or the new
/// one. The vectors pass through a buffer of a few MiB.
/// @throws SystemError if I/O fails; an older checkpoint of that name is untouched
void write_checkpoint(const std::filesystem::path& file, const CheckpointHeader& header,
                      const ColumnSource& vectors, std::span<const CiResult::Sector> finished = {});

/// Writes a checkpoint whose vectors stand in memory, in one step.
/// @param file      replaced
/// @param header    dimension and num_vectors are those of `vectors`
/// @param vectors   [dimension x num_vectors], column-major
/// @param finished  the sectors before that of the vectors
/// @throws DimensionError if vectors.size() is something else
void write_checkpoint(const std::filesystem::path& file, const CheckpointHeader& header,
                      std::span<const double> vectors, std::span<const CiResult::Sector> finished = {});

/// Reads a checkpoint, and checks that nothing in it has changed since it was written.
/// @throws InputError  absent, damaged, not a checkpoint or of another format version; says which
Checkpoint read_checkpoint(const std::filesystem::path& file);

/// Names of sectors ("irrep A1, multiplicity 3") in one string: CheckpointHeader::sectors.
std::string join_sectors(std::span<const std::string> names);

/// Checks that a checkpoint belongs to this job.
/// @param header    of the checkpoint
/// @param expected  of this job: basis, integrals_hash and threshold are compared
/// @param source    begins the message: "checkpoint 'h2o.chk.h5'"
/// @throws InputError that says whether integrals, threshold or basis differ, with both values
void validate_job(const CheckpointHeader& header, const CheckpointHeader& expected, std::string_view source);

/// The order of a checkpoint's sectors: position k of it is number order[k], from 0, among `names`.
/// @param header  of the checkpoint
/// @param names   of this job's sectors
/// @param source  begins the message
/// @throws InputError with both if they are not the same sectors, in whatever order
std::vector<std::size_t> match_sectors(const CheckpointHeader& header, std::span<const std::string> names,
                                       std::string_view source);

/// Checks that a space of a checkpoint is that of this job.
/// @param source  begins the message
/// @throws InputError with both values
void validate_space(std::uint64_t hash_in_checkpoint, std::int64_t dimension_in_checkpoint,
                    std::uint64_t space_hash, std::int64_t dimension, std::string_view source);

}  // namespace cisolve
