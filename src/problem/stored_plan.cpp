// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "cisolve/core/number_text.hpp"
#include "cisolve/sparse/coded_sample.hpp"
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

std::int64_t bytes_in_format(const StorageFormat& format, const StoredPlan& plan, FunctionKind kind) {
  const std::int64_t bytes = format.bytes_for(plan.row_lengths, plan.format_options);
  // The estimate of this format is that of determinants. Over CSFs, integrals times coupling coefficients are
  // too many values for a dictionary: most stand beside it, and the whole is hardly smaller than CSR.
  return kind == FunctionKind::csf && format.name == "coded" ? std::max(bytes, plan.sizes.csr_bytes) : bytes;
}

namespace {

/// What a run holds besides the matrix and vectors, bytes.
struct AuxiliaryBytes {
  std::int64_t tables = 0;          ///< integrals and what rows are made from; host
  std::int64_t spin = 0;            ///< S^2 where roots of one spin are wanted; where the matrix is
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

  AuxiliaryBytes auxiliary_bytes() const {
    const int roots = options_.solver.num_roots;
    AuxiliaryBytes auxiliary{.tables = basis_.rows_bytes(*problem_.tables),
                             .spin = 0,
                             .outside_solver = basis_.bytes_outside_solver(roots, options_.with_densities)};
    // The matrix S^2, the averaged diagonal, and the filter's work vectors.
    if (problem_.spin)
      auxiliary.spin = find_storage_format("csr")->bytes_for(plan_.spin_row_lengths, {}) + 8 * 5 * size_;
    return auxiliary;
  }

  /// Puts the matrix on the device if there is room, else into the memory of the host.
  /// @return false if it does not fit
  bool place(const Device* device) {
    Placement& placement = plan_.placement;
    placement.memory = resources_.memory;
    placement.solver = solver_of(options_, size_);
    placement.vector_bytes = 8 * size_ * davidson_columns(placement.solver, size_);
    plan_.sizes = storage_sizes(plan_.row_lengths,
                                options_.ell_width > 0 ? std::optional(options_.ell_width) : std::nullopt);
    plan_.format_options.ell_width = plan_.sizes.ell_width;
    const AuxiliaryBytes auxiliary = auxiliary_bytes();
    if (device != nullptr) {
      place_on(*device, auxiliary);
      if (placement.on_device) return fits_host(auxiliary, 0);
      if (resources_.device_required) return false;
      placement.why_not_device = what_is_free(placement.device_bytes, device->free_bytes, *device);
    }
    plan_.format = choose_format(options_, false);
    placement.device = cpu_name();
    placement.matrix_bytes = bytes_in(*plan_.format);
    placement.device_bytes = 0;
    return fits_host(auxiliary, placement.vector_bytes);
  }

  void place_on(const Device& device, const AuxiliaryBytes& auxiliary) {
    Placement& placement = plan_.placement;
    plan_.format = choose_format(options_, true);
    const std::int64_t besides = placement.vector_bytes + auxiliary.spin + 16 * size_;
    if (options_.storage == "auto") {
      plan_.format =
          &best_on_cuda(bytes_in(*find_storage_format("hybrid")), bytes_in(*find_storage_format("coded")),
                        plan_.format_options.coded.num_values, device.free_bytes - besides);
    }
    placement.matrix_bytes = bytes_in(*plan_.format);
    placement.device_bytes = placement.matrix_bytes + besides;
    placement.on_device = placement.device_bytes <= device.free_bytes;
    if (!placement.on_device) return;
    placement.device = device.name;
    placement.ordinal = device.ordinal;
  }

  bool fits_host(const AuxiliaryBytes& auxiliary, std::int64_t vectors) {
    Placement& placement = plan_.placement;
    // Vectors (found, and as written), strings, diagonal, lengths.
    const std::int64_t result_bytes = 8 * size_ * (2 * std::int64_t{placement.solver.num_roots} + 4);
    placement.host_bytes =
        std::max(placement.matrix_bytes + vectors + auxiliary.spin + auxiliary.tables + result_bytes,
                 auxiliary.outside_solver);
    return placement.host_bytes <= resources_.memory;
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
          fmt::format("{} of matrix and vectors ({} {}s, {} nonzeros, format {}) exceed the {} free on {}",
                      format_bytes(placement.device_bytes), format_count(size_), basis_.function_name(),
                      nonzeros, plan_.format->name, format_bytes(device->free_bytes), device->name),
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
