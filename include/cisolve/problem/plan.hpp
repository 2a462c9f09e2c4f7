// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cisolve/problem/problem.hpp"
#include "cisolve/problem/resources.hpp"
#include "cisolve/solver/davidson.hpp"
#include "cisolve/sparse/formats.hpp"
#include "cisolve/sparse/row_lengths.hpp"

namespace cisolve {

namespace cuda {
class PlannedDirectProduct;
}

/// The storage that is none: H is applied string by string.
inline constexpr std::string_view direct_storage = "direct";

/// What is asked of a plan.
struct PlanOptions {
  std::string storage = "auto";   ///< a name in the table of sparse/formats.hpp, direct_storage, or "auto"
  std::int32_t ell_width = 0;     ///< of the hybrid format; 0: automatic
  bool ell_by_reference = false;  ///< its ELL part is the reference columns, not a width
  RowOrder row_order = RowOrder::automatic;  ///< of the coded format
  DavidsonConfig solver = {};                ///< num_roots, tolerance, ...; max_columns is the plan's
  bool with_densities = false;               ///< density matrices of the roots will be wanted
  bool sampled = false;  ///< rows that take long to count are sampled: for a plan that is only looked at
};

/// Where a calculation runs and what it takes, settled before anything large is allocated.
struct Placement {
  std::string device;                       ///< its name, or cpu_name()
  int ordinal = -1;                         ///< of the device; below: the host
  int ranks = 1;                            ///< that share the rows of vectors, of all processes
  const Communicator* processes = nullptr;  ///< as Resources has them
  std::vector<int> ordinals = {};  ///< of this process, where ranks are several; bytes are of the fullest
  std::string why_ranks = {};      ///< why so many, where nobody said how many
  bool on_device = false;
  std::string why_not_device;     ///< where a device that may be used is left
  std::int64_t matrix_bytes = 0;  ///< of tables and work vectors, where nothing is stored
  std::int64_t vector_bytes = 0;  ///< subspace and work vectors of the solver
  std::int64_t host_bytes = 0;    ///< all that the host will hold
  std::int64_t device_bytes = 0;
  std::int64_t memory = 0;     ///< that the host may take
  DavidsonConfig solver = {};  ///< with max_columns
  double seconds = 0.0;        ///< that planning takes, with all rows counted
};

/// H is stored. Enough to build it: rows, their lengths, the format.
struct StoredPlan {
  Placement placement;
  std::unique_ptr<RowSource> rows;
  std::vector<std::int64_t> row_lengths;
  bool is_estimate = false;  ///< row lengths, and sizes with them, come from a sample of the rows
  StorageSizes sizes;
  const StorageFormat* format = nullptr;
  FormatOptions format_options;
  std::vector<std::int64_t> first_rows;        ///< where ranks are several: see RowShares
  std::unique_ptr<RowSource> spin_rows;        ///< of S^2, where Problem::spin is
  std::vector<std::int64_t> spin_row_lengths;  ///< of those
  std::shared_ptr<const StoredMatrix> matrix =
      {};  ///< on the host, where it is there already: nothing is built
};

/// H is applied string by string.
struct DirectPlan {
  Placement placement;
  std::unique_ptr<DirectProduct> product;  ///< still without its diagonal
  /// Its form on one device, of several that of rank 0; null on the host.
  std::shared_ptr<cuda::PlannedDirectProduct> on_device;
  bool with_packs = true;  ///< what every product on a device needs alike is made once and kept there
  std::int64_t most_strip_bytes =
      0;  ///< of a strip in which devices gather vectors; 0: they gather them whole
  std::optional<SpinStructure> spin;  ///< Problem::spin without what the product's parity excludes
  bool keeps_spin = false;  ///< a search is kept to that spin from its start, not only once another came up
  StorageSizes sizes;       ///< nonzeros, and bytes as CSR, of a matrix that is not there
  int subspace = 0;         ///< basis vectors of the solver, no more than memory holds
  int usual_subspace = 0;   ///< without that
  std::int64_t free_bytes = 0;  ///< of host memory, while the solver runs
};

using Plan = std::variant<StoredPlan, DirectPlan>;

/// What both kinds of plan have.
const Placement& placement_of(const Plan& plan);

/// Why H cannot be applied string by string.
enum class DirectObstacle {
  none,
  csfs,      ///< the functions are no determinants
  complex,   ///< their coefficients are complex
  list,      ///< the determinants are not made of blocks of strings
  threshold  ///< elements would have to be left out
};
DirectObstacle direct_obstacle(const Problem& problem);

/// Whether make_plan makes a DirectPlan, or throws.
bool is_to_be_direct(const Problem& problem, const PlanOptions& options);

/// Chooses storage and device and counts what they need. Takes seconds, and no memory of the length of a vector
/// where nothing is stored.
/// @param counting  progress of, and a request to stop, the count of the rows
/// @throws DoesNotFit  with the numbers and what would fit
/// @throws InputError  there is no such storage, or it is "direct" and there is an obstacle
/// @throws Interrupted
Plan make_plan(const Problem& problem, const PlanOptions& options, const Resources& resources,
               const BuildOptions& counting = {});

/// Bytes that the matrix of a plan would take in a format, as far as the row lengths tell.
std::int64_t bytes_in_format(const StorageFormat& format, const StoredPlan& plan, FunctionKind kind);

}  // namespace cisolve
