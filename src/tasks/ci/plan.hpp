// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "cisolve/hamiltonian/direct_product.hpp"
#include "cisolve/solver/davidson.hpp"
#include "cisolve/sparse/formats.hpp"
#include "cisolve/sparse/row_lengths.hpp"
#include "cisolve/tasks/ci/config/ci_config.hpp"
#include "cisolve/tasks/ci/job/ci_job.hpp"
#include "tasks/ci/basis.hpp"
#include "tasks/ci/row_sample.hpp"

namespace cisolve {

/// What a run will build and where, settled before the matrix takes memory.
struct CiPlan {
  std::vector<std::int64_t> row_lengths;
  StorageSizes sizes;
  const StorageFormat* format = nullptr;  ///< null: nothing is stored, H is applied string by string
  FormatOptions format_options;
  bool on_cuda = false;
  std::string device;             ///< for the report
  std::string why_not_cuda;       ///< where "auto" leaves a device that is there
  std::int64_t matrix_bytes = 0;  ///< direct: tables and work vectors
  std::int64_t vector_bytes = 0;  ///< subspace and work vectors of the solver
  std::int64_t max_columns = 0;   ///< see DavidsonConfig
  int subspace = 0;               ///< basis vectors of the solver, no more than memory holds; 0: not settled
  int usual_subspace = 0;         ///< without that
  std::int64_t checkpoint_buffer = 0;  ///< bytes of host memory left for vectors that are being written
  std::int64_t host_bytes = 0;         ///< all that the host will hold
  std::int64_t device_bytes = 0;
  bool is_estimate = false;  ///< row lengths, and sizes with them, come from a sample of the rows

  bool is_direct() const { return format == nullptr; }
};

/// The word for the string-driven product in hamiltonian.storage.
inline constexpr std::string_view direct_storage = "direct";

/// What a run holds besides the matrix and vectors.
struct AuxiliaryBytes {
  std::int64_t tables = 0;          ///< integrals and what rows are made from; host
  std::int64_t spin = 0;            ///< S^2 where roots of one spin are wanted; where the matrix is
  std::int64_t outside_solver = 0;  ///< all that is held before and after; see Basis::bytes_outside_solver
};

/// Sizes known, chooses device and storage.
/// @param plan    with row_lengths, whether they are an estimate, and format_options
/// @param memory  bytes that the host may use
/// @throws InputError     device = "cuda" without one
/// @throws ResourceError  it does not fit; with the numbers and what would
CiPlan make_plan(const CiConfig& config, const CiJob& job, CiPlan plan, const AuxiliaryBytes& auxiliary,
                 std::int64_t memory);

/// Whether make_plan would find room for it.
bool would_fit(const CiConfig& config, const CiJob& job, CiPlan plan, const AuxiliaryBytes& auxiliary,
               std::int64_t memory);

/// The device that a run would use.
struct CudaCandidate {
  std::string name;
  std::int64_t free_bytes = 0;
};

/// Why something does not fit on a device, in words.
std::string what_is_free(std::int64_t needed, const CudaCandidate& cuda);

/// None if the input asks for the CPU, or "auto" finds no device.
/// @throws InputError  run.device is "cuda", and there is none
std::optional<CudaCandidate> cuda_candidate(const CiConfig& config);

/// Starts the device that a run may use, which takes a while, on a thread of its own: the host reads and tabulates
/// meanwhile. Nothing happens where there is none.
std::jthread start_device(const CiConfig& config);

/// As the report names it, with the number of threads.
std::string cpu_name();

/// The largest level below the one asked for whose run would fit, taking rows as long as here, in words.
/// @param dimension  of the space asked for
/// @param room       bytes for matrix and vectors
std::string what_would_fit(const CiJob& job, const CiPlan& plan, std::int64_t dimension, double room);

/// Whether this sector takes the string-driven product: asked for, or "auto" where it is possible.
/// @throws InputError if it is asked for where it is not possible, saying why
bool takes_direct(const CiConfig& config, const Basis& basis);

/// Bytes that the matrix of a plan would take in a format, as far as the row lengths tell.
std::int64_t bytes_in_format(const StorageFormat& format, const CiJob& job, const CiPlan& plan);

/// Says from a sample of rows that a matrix is far too large for the memory, so that nobody waits for the
/// count of all of them. What passes may still be refused by make_plan.
/// @param memory  bytes that the host may use
/// @throws ResourceError with the estimate
void refuse_hopeless(const CiConfig& config, const CiJob& job, const RowSample& sample, std::int64_t memory);

/// The device that a run of this input would use if everything fits, as the report names it.
std::string expected_device(const CiConfig& config);

/// How the solver is set up for this input.
/// @param dimension  of the space: more roots than it has are not asked for
DavidsonConfig davidson_config(const CiConfig& config, std::int64_t dimension);

}  // namespace cisolve
