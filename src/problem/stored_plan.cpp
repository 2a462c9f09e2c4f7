// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "cisolve/core/number_text.hpp"
#include "cisolve/ranks/communicator.hpp"
#include "cisolve/sparse/coded_sample.hpp"
#include "cisolve/sparse/row_shares.hpp"
#include "problem/numbers_of_devices.hpp"
#include "problem/planners.hpp"
#include "problem/row_sample.hpp"

namespace cisolve {

const StorageFormat& best_on_cuda(std::int64_t hybrid_bytes, std::int64_t coded_bytes,
                                  std::int64_t num_values, std::int64_t room, const StorageRates& rates) {
  const double hybrid_seconds = static_cast<double>(hybrid_bytes) / rates.plain;
  const double coded_seconds = static_cast<double>(coded_bytes) / rates.coded;
  const bool faster = num_values <= rates.most_values && coded_seconds < hybrid_seconds;
  const bool fits = (faster ? coded_bytes : hybrid_bytes) <= room;
  const bool coded = fits ? faster : coded_bytes < hybrid_bytes;
  return *find_storage_format(coded ? "coded" : "hybrid");
}

namespace {

std::int64_t bytes_for_lengths(const StorageFormat& format, std::span<const std::int64_t> lengths,
                               const FormatOptions& options, FunctionKind kind) {
  const std::int64_t bytes = format.bytes_for(lengths, options);
  if (kind != FunctionKind::csf || format.name != "coded") return bytes;
  // The estimate of this format is that of determinants. Over CSFs, integrals times coupling coefficients are
  // too many values for a dictionary: most stand beside it, and the whole is hardly smaller than CSR.
  return std::max(bytes, find_storage_format("csr")->bytes_for(lengths, options));
}

}  // namespace

std::int64_t bytes_in_format(const StorageFormat& format, const StoredPlan& plan, FunctionKind kind) {
  return bytes_for_lengths(format, plan.row_lengths, plan.format_options, kind);
}

namespace {

/// What a run holds besides matrix and vectors, bytes of the host.
struct AuxiliaryBytes {
  std::int64_t tables = 0;          ///< integrals and what rows are made from
  std::int64_t outside_solver = 0;  ///< all that is held before and after; see Basis::bytes_outside_solver
};

/// The format asked for; "auto": the one that suits the device.
const StorageFormat* choose_format(const PlanOptions& options, bool on_device) {
  // A warp per row gains from aligned, fixed-width rows; a core does not, and CSR is smaller.
  const std::string_view name = options.storage != "auto" ? std::string_view(options.storage)
                                : on_device               ? "hybrid"
                                                          : "csr";
  const StorageFormat* format = find_storage_format(name);
  if (format == nullptr) throw InputError(fmt::format("there is no storage format \"{}\"", name));
  return format;
}

/// Plans the matrix of one problem.
class StoredPlanner {
public:
  StoredPlanner(const Problem& problem, const PlanOptions& options, const Resources& resources)
      : problem_(problem), basis_(*problem.basis), options_(options), resources_(resources),
        size_(basis_.size()) {}

  /// @throws DoesNotFit
  StoredPlan operator()(const BuildOptions& counting) {
    require_rows();
    plan_.rows = basis_.make_rows(*problem_.tables);
    count(counting);
    if (problem_.spin) {
      plan_.spin_rows = basis_.s_squared_rows();
      plan_.spin_row_lengths = count_rows(*plan_.spin_rows, {});
    }
    FormatOptions& format = plan_.format_options;
    format.coded = sample_coded(*plan_.rows, counting.stop);
    format.row_order = options_.row_order;
    if (options_.ell_by_reference) format.reference_columns = basis_.summary().reference_dimension;
    const Device* device = device_to_plan_for(resources_);
    if (!place(device)) refuse(device);
    plan_.placement.seconds = clock_.seconds() + uncounted_seconds_;
    return std::move(plan_);
  }

  /// Nonzeros per row from a sample, if the plan fits.
  std::optional<double> estimate() {
    plan_.rows = basis_.make_rows(*problem_.tables);
    const RowSample sample(*plan_.rows);
    plan_.row_lengths = sample.spread();
    if (!place(device_to_plan_for(resources_))) return std::nullopt;
    return sample.nonzeros() / static_cast<double>(size_);
  }

private:
  /// A row number has 31 bits.
  void require_rows() const {
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max() - 1;
    if (size_ <= most) return;
    throw DoesNotFit(DoesNotFit::Limit::stored_rows,
                     fmt::format("{} {}s are more than the 2^31 rows of a stored matrix", format_count(size_),
                                 basis_.function_name()),
                     basis_.as_product() != nullptr && problem_.tables->threshold() == 0.0
                         ? "\"direct\" stores none"
                         : "lower excitation_level, freeze orbitals or restrict the irrep");
  }

  /// Row lengths: counted, or for a plan that is only looked at, sampled where that saves time.
  void count(const BuildOptions& counting) {
    const RowSample sample(*plan_.rows);
    refuse_hopeless(sample);
    // Rows that go from string to string are counted in a fraction of the time that others take.
    if (!options_.sampled || basis_.as_product() != nullptr) {
      plan_.row_lengths = count_rows(*plan_.rows, counting);
      return;
    }
    plan_.row_lengths = sample.spread();
    plan_.is_estimate = !sample.is_whole();
    uncounted_seconds_ = clock_.seconds() * (1.0 / sample.share() - 1.0);
  }

  /// Says from a sample of rows that a matrix is far too large for the memory, so that nobody waits for the
  /// count of all of them. What passes may still be refused.
  void refuse_hopeless(const RowSample& sample) const {
    constexpr double margin = 1.5;  // far beyond the sampling error of a few percent
    if (sample.is_whole()) return;  // counted in no time, and refused with exact numbers
    const StorageFormat& format = *choose_format(options_, false);
    const double bytes = static_cast<double>(format.bytes_for(sample.lengths(), {})) / sample.share();
    if (bytes < margin * static_cast<double>(resources_.memory)) return;
    throw DoesNotFit(DoesNotFit::Limit::host_memory,
                     fmt::format("{} {}s have about {:.2g} nonzeros, {} in format {}, but {} may be used",
                                 format_count(sample.num_rows()), basis_.function_name(), sample.nonzeros(),
                                 format_bytes(static_cast<std::int64_t>(bytes)), format.name,
                                 format_bytes(resources_.memory)),
                     basis_.kind() == FunctionKind::csf
                         ? smaller_csfs()
                         : fmt::format("lower excitation_level, {}freeze orbitals or restrict the irrep",
                                       is_completed() ? "set spin_complete = false, " : ""));
  }

  /// Whether determinants were added that complete configurations in spin.
  bool is_completed() const {
    const auto* selection = std::get_if<DeterminantSelection>(&basis_.definition().functions);
    return selection != nullptr && selection->spin_complete;
  }

  /// Puts the matrix on devices if there is room, else into the memory of the host.
  /// @return false if it does not fit
  bool place(const Device* device) {
    Placement& placement = plan_.placement;
    placement.memory = resources_.memory;
    placement.solver = solver_of(options_, size_);
    plan_.sizes = storage_sizes(plan_.row_lengths,
                                options_.ell_width > 0 ? std::optional(options_.ell_width) : std::nullopt);
    const AuxiliaryBytes auxiliary{
        .tables = basis_.rows_bytes(*problem_.tables),
        .outside_solver = basis_.bytes_outside_solver(options_.solver.num_roots, options_.with_densities)};
    if (device != nullptr) {
      share_out(1);
      const double seconds = product_seconds();
      place_on_devices(
          resources_, placement, [&](int devices) { return expected_seconds(seconds, devices); },
          [&](std::span<const Device> devices, bool) { place_on(devices); });
      if (placement.on_device) return fits_host(auxiliary, 0);
      if (resources_.device_required) return false;
    }
    place_on_host();
    return fits_host(auxiliary, placement.vector_bytes + here_ * bytes_to_gather());
  }

  /// Shares out the rows from now on.
  void share_out(int ranks_here) {
    Placement& placement = plan_.placement;
    here_ = ranks_here;
    placement.processes = resources_.processes;
    placement.ranks = ranks_here * (resources_.processes != nullptr ? resources_.processes->size() : 1);
    plan_.first_rows.clear();
    plan_.format_options.ell_width = plan_.sizes.ell_width;
    rows_ = size_;
    if (placement.ranks == 1) return;
    plan_.first_rows = cut_rows(plan_.row_lengths, placement.ranks);
    if (options_.ell_width == 0) plan_.format_options.ell_width.reset();  // what suits each part
    rows_ = 0;
    for (int rank = 0; rank < placement.ranks; ++rank)
      rows_ = std::max(rows_, RowShares{plan_.first_rows, rank}.own().size());
  }

  /// Seconds of a product on one device, by the format that suits it.
  double product_seconds() const {
    const StorageRates rates;
    const auto seconds = [&](const StorageFormat& format) {
      return static_cast<double>(bytes_in(format)) / (format.name == "coded" ? rates.coded : rates.plain);
    };
    if (options_.storage != "auto") return seconds(*choose_format(options_, true));
    return std::min(seconds(*find_storage_format("hybrid")), seconds(*find_storage_format("coded")));
  }

  /// Seconds that finding the roots is expected to take on so many devices, without what they share on the host.
  double expected_seconds(double product, int devices) const {
    // A whole vector comes to each while it multiplies by its own columns: at the least by its part of all.
    constexpr double gathered_bytes_per_second = 330e9;  // by NVLink, docs/performance.md
    const double gather =
        8.0 * static_cast<double>(size_) * (devices - 1) / devices / gathered_bytes_per_second;
    const double own_columns = product / devices / devices;
    const double shared = product / devices + std::max(gather - own_columns, 0.0);
    return products_per_root * options_.solver.num_roots * shared + start_of_a_device * devices;
  }

  void place_on(std::span<const Device> devices) {
    Placement& placement = plan_.placement;
    share_out(static_cast<int>(devices.size()));
    const std::int64_t room = room_on(devices);
    plan_.format = choose_format(options_, true);
    placement.vector_bytes = bytes_of_vectors();
    const std::int64_t besides = placement.vector_bytes + bytes_of_spin() + 16 * rows_ + bytes_to_gather() +
                                 (placement.ranks > 1 ? exchange_scratch : 0);
    if (options_.storage == "auto") {
      plan_.format = &best_on_cuda(bytes_of_rank(*find_storage_format("hybrid")),
                                   bytes_of_rank(*find_storage_format("coded")),
                                   plan_.format_options.coded.num_values, room - besides);
    }
    placement.matrix_bytes = bytes_of_rank(*plan_.format);
    placement.device_bytes = placement.matrix_bytes + besides;
    if (placement.device_bytes <= room) return take_devices(placement, devices);
    placement.why_not_device = what_is_free(placement.device_bytes, room, devices.front());
  }

  void place_on_host() {
    Placement& placement = plan_.placement;
    const bool stands_in = !resources_.devices.empty();  // for as many devices as were asked for
    share_out(stands_in ? 1 : std::max(resources_.ranks, 1));
    plan_.format = choose_format(options_, false);
    placement.device = cpu_name();
    placement.matrix_bytes = here_ * bytes_of_rank(*plan_.format);
    placement.vector_bytes = here_ * bytes_of_vectors();
    placement.device_bytes = 0;
  }

  /// @param vectors  bytes of the solver's vectors that are on the host
  bool fits_host(const AuxiliaryBytes& auxiliary, std::int64_t vectors) {
    Placement& placement = plan_.placement;
    // Vectors (found, and as written), strings, diagonal, lengths.
    const std::int64_t result_bytes = 8 * size_ * (2 * std::int64_t{placement.solver.num_roots} + 4);
    const std::int64_t matrix = placement.on_device ? here_ * placement.matrix_bytes : placement.matrix_bytes;
    placement.host_bytes =
        std::max(matrix + vectors + here_ * bytes_of_spin() + auxiliary.tables + result_bytes,
                 auxiliary.outside_solver);
    return placement.host_bytes <= resources_.memory;
  }

  /// Of the solver's vectors, the rows of the rank that has the most.
  std::int64_t bytes_of_vectors() const {
    return 8 * rows_ * davidson_columns(plan_.placement.solver, size_);
  }

  /// Of a matrix, what the rank stores that stores the most.
  std::int64_t bytes_of_rank(const StorageFormat& format, std::span<const std::int64_t> lengths,
                             FormatOptions options, FunctionKind kind) const {
    if (plan_.placement.ranks == 1) return bytes_for_lengths(format, lengths, options, kind);
    constexpr std::int64_t of_row = 32;  // of a second part, for its own columns
    options.num_columns = size_;
    std::int64_t most = 0;
    for (int rank = 0; rank < plan_.placement.ranks; ++rank) {
      const RowRange own = RowShares{plan_.first_rows, rank}.own();
      const auto part =
          lengths.subspan(static_cast<std::size_t>(own.first), static_cast<std::size_t>(own.size()));
      most = std::max(most, bytes_for_lengths(format, part, options, kind) + of_row * own.size());
    }
    return most;
  }
  std::int64_t bytes_of_rank(const StorageFormat& format) const {
    return bytes_of_rank(format, plan_.row_lengths, plan_.format_options, basis_.kind());
  }

  /// Of a rank where roots of one spin are wanted: the matrix S^2, the averaged diagonal, and the filter's work vectors.
  std::int64_t bytes_of_spin() const {
    if (!problem_.spin) return 0;
    return bytes_of_rank(*find_storage_format("csr"), plan_.spin_row_lengths, {}, FunctionKind::determinant) +
           8 * 5 * rows_;
  }

  /// Of a rank that gathers the vectors that it multiplies: some at a time, as they come and as products pack them.
  std::int64_t bytes_to_gather() const {
    if (plan_.placement.ranks == 1) return 0;
    constexpr int most_at_a_time = 4;
    return 8 * std::min(plan_.placement.solver.num_roots, most_at_a_time) * (2 * size_ + rows_);
  }

  std::int64_t bytes_in(const StorageFormat& format) const {
    return bytes_in_format(format, plan_, basis_.kind());
  }

  std::string smaller_csfs() const {
    return smaller_csf_space(basis_.definition(), options_, resources_, problem_.tables->threshold());
  }

  std::string what_would_fit(double room) const {
    if (basis_.kind() == FunctionKind::csf) return smaller_csfs();
    const Placement& placement = plan_.placement;
    const auto bytes = static_cast<double>(placement.matrix_bytes + placement.vector_bytes);
    return smaller_determinant_space(basis_.definition(), bytes / static_cast<double>(size_), room);
  }

  [[noreturn]] void refuse(const Device* device) const {
    const Placement& placement = plan_.placement;
    const std::string nonzeros = (plan_.is_estimate ? "about " : "") + format_count(plan_.sizes.nonzeros);
    if (resources_.device_required && !placement.on_device) {
      throw DoesNotFit(
          DoesNotFit::Limit::device,
          fmt::format("{} of matrix and vectors{} ({} {}s, {} nonzeros, format {}) exceed the {} free on {}",
                      format_bytes(placement.device_bytes),
                      placement.ranks > 1 ? fmt::format(" on each of {}", placement.ranks) : "",
                      format_count(size_), basis_.function_name(), nonzeros, plan_.format->name,
                      format_bytes(device->free_bytes), device->name),
          what_would_fit(static_cast<double>(device->free_bytes)));
    }
    const double room =
        static_cast<double>(resources_.memory) -
        static_cast<double>(placement.host_bytes - placement.matrix_bytes - placement.vector_bytes);
    throw DoesNotFit(
        DoesNotFit::Limit::host_memory,
        fmt::format(
            "{} {}s and {} nonzeros need {} ({} of it for the matrix in format {}), but {} may be used",
            format_count(size_), basis_.function_name(), nonzeros, format_bytes(placement.host_bytes),
            format_bytes(placement.matrix_bytes), plan_.format->name, format_bytes(resources_.memory)),
        what_would_fit(room));
  }

  const Problem& problem_;
  const Basis& basis_;
  const PlanOptions& options_;
  const Resources& resources_;
  std::int64_t size_;
  std::int64_t rows_ = 0;  ///< of the rank that has the most
  std::int64_t here_ = 1;  ///< ranks of this process
  Stopwatch clock_;
  double uncounted_seconds_ = 0.0;
  StoredPlan plan_;
};

}  // namespace

StoredPlan plan_stored(const Problem& problem, const PlanOptions& options, const Resources& resources,
                       const BuildOptions& counting) {
  return StoredPlanner(problem, options, resources)(counting);
}

std::optional<double> estimate_stored(const Problem& problem, const PlanOptions& options,
                                      const Resources& resources) {
  return StoredPlanner(problem, options, resources).estimate();
}

}  // namespace cisolve
