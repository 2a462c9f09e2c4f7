// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "cisolve/core/number_text.hpp"
#include "cisolve/hamiltonian/string_shares.hpp"
#include "cisolve/ranks/communicator.hpp"
#include "problem/devices.hpp"
#include "problem/numbers_of_devices.hpp"
#include "problem/planners.hpp"

namespace cisolve {
namespace {

SpinParity parity_of(int twice_s) { return twice_s / 2 % 2 == 0 ? SpinParity::even : SpinParity::odd; }

/// Leaves out the spins that the product's parity already excludes.
void drop_other_parity(SpinParity parity, std::optional<SpinStructure>& spin) {
  if (parity == SpinParity::none || !spin) return;
  std::erase_if(spin->others, [&](double s_squared) {
    const auto twice_s = static_cast<int>(std::lround(std::sqrt(1.0 + 4.0 * s_squared))) - 1;
    return parity_of(twice_s) != parity;
  });
  if (spin->others.empty()) spin.reset();
}

/// Bytes of what StringSpin tabulates, at most.
std::int64_t spin_table_bytes(const StringProduct& space) {
  constexpr std::int64_t bytes_per_entry = 16;
  const std::int64_t per_string = std::int64_t{space.num_beta()} * (space.num_orbitals() - space.num_beta());
  return bytes_per_entry * per_string * space.beta().size();
}

/// Plans one problem: where, with how many vectors.
class DirectPlanner {
public:
  DirectPlanner(const Problem& problem, const PlanOptions& options, const Resources& resources)
      : problem_(problem), space_(*problem.basis->as_product()), options_(options), resources_(resources),
        size_(problem.basis->size()), whole_vector_(8 * size_), vector_(whole_vector_) {}

  /// @throws DoesNotFit
  DirectPlan operator()() {
    const Device* device = device_to_plan_for(resources_);
    require_vectors(device);
    tabulate();
    placement_.memory = resources_.memory;
    if (device != nullptr) {
      place_on_devices(
          resources_, placement_, [this](int ranks) { return expected_seconds(ranks); },
          [this](std::span<const Device> devices, bool is_last) { place_on(devices, is_last); });
    }
    if (!placement_.on_device) place_on_host();
    plan_.placement.seconds = clock_.seconds();
    return std::move(plan_);
  }

private:
  /// What the program itself and its libraries keep resident, as measured: 25 MiB for H2, 4 MiB more per thread.
  static constexpr std::int64_t program_bytes = std::int64_t{28} << 20;
  /// What the libraries of a device keep resident on the host, as measured with CUDA 13 on a Hopper device.
  static constexpr std::int64_t device_libraries = std::int64_t{140} << 20;
  /// On a device, the scratch of BLAS, pinned buffers and kernels.
  static constexpr std::int64_t device_scratch = std::int64_t{256} << 20;
  /// Ranks gather x whole where that takes no more than such a part of a device, and leaves the solver the vectors that it
  /// wants. Else in strips of so many bytes, or of such a part of the device or of x, whichever is least.
  static constexpr std::int64_t whole_x_of_room = 4, strips_in_room = 32, least_strips = 8;
  static constexpr std::int64_t usual_strip = std::int64_t{4} << 30;
  /// Rows of a vector that S^2, which is done on the host, may have from the start of a search on a device. It is needed
  /// some tens of times, which takes a minute for 5e8 rows, as measured with 16 cores and an H200: a quarter of a second
  /// for these. For more, the products of H that it saves there take less.
  static constexpr std::int64_t most_rows_from_device = 2'000'000;

  /// Refuses, before anything is tabulated, what has no room for the fewest vectors anywhere.
  void require_vectors(const Device* device) const {
    DavidsonConfig fewest = solver_of(options_, size_);
    fewest.max_columns = 1;
    const double bytes = static_cast<double>(vector_) * davidson_columns(fewest, size_);
    // Processes, and ranks of each, share rows of vectors.
    const int processes = resources_.processes != nullptr ? resources_.processes->size() : 1;
    const std::int64_t memory = processes * resources_.memory;
    const std::int64_t devices =
        processes * (resources_.ranks > 0 ? resources_.ranks : std::ssize(resources_.devices));
    const std::int64_t on_devices = device != nullptr ? device->free_bytes * devices : 0;
    const bool fits_host = bytes <= static_cast<double>(memory) && !resources_.device_required;
    if (fits_host || bytes <= static_cast<double>(on_devices)) return;
    const std::int64_t room = resources_.device_required ? on_devices : memory;
    throw DoesNotFit(
        resources_.device_required ? DoesNotFit::Limit::device : DoesNotFit::Limit::host_memory,
        fmt::format("{} determinants need at least {} for the solver's vectors, but {}", format_count(size_),
                    format_bytes(static_cast<std::int64_t>(bytes)),
                    resources_.device_required
                        ? fmt::format("{} are free on {}{}", format_bytes(room),
                                      devices > 1 ? fmt::format("{} x ", devices) : "", device->name)
                    : processes > 1 ? fmt::format("{} may be used on each of {} processes",
                                                  format_bytes(resources_.memory), processes)
                                    : format_bytes(room) + " may be used"),
        smaller_determinant_space(problem_.basis->definition(), bytes / static_cast<double>(size_),
                                  static_cast<double>(room)));
  }

  /// Everything that does not depend on where it will be.
  void tabulate() {
    const SpinParity parity = wanted_parity(*problem_.basis);
    plan_.spin = problem_.spin;
    drop_other_parity(parity, plan_.spin);
    plan_.product =
        std::make_unique<DirectProduct>(space_, *problem_.tables, std::span<const double>(), parity);
    plan_.sizes.nonzeros = plan_.product->count_nonzeros();
    plan_.sizes.csr_bytes = 12 * plan_.sizes.nonzeros + 8 * (size_ + 1);
  }

  void decide_on_spin(bool on_device) {
    plan_.keeps_spin =
        plan_.spin && (plan_.spin->has_lower_spins() || !on_device || size_ <= most_rows_from_device);
  }

  /// Shares out the rows from now on.
  void share_out(int ranks_here) {
    here_ = ranks_here;
    placement_.processes = resources_.processes;
    placement_.ranks = ranks_here * (resources_.processes != nullptr ? resources_.processes->size() : 1);
    vector_ = whole_vector_;
    if (placement_.ranks == 1) return;
    const StringShares first{placement_.ranks, 0};  // which has no less than any other
    vector_ = 8 * rows_of(space_, plan_.product->tables().blocks, first).local_rows();
  }

  /// Of integrals, the diagonal in the rows of this process, and S^2.
  std::int64_t host_tables() const {
    return problem_.tables->bytes() + here_ * vector_ + (plan_.keeps_spin ? spin_table_bytes(space_) : 0);
  }

  /// Of averages of the diagonal over configurations, and of vectors that S^2 is applied to on the host.
  std::int64_t vectors_for_spin(std::int64_t of_one_rank) const {
    if (!plan_.keeps_spin) return 0;
    return placement_.ranks == 1 ? of_one_rank * whole_vector_
                                 : here_ * (2 * whole_vector_ + 2 * vector_);  // gathered
  }

  /// Work vectors of the filters, where the solver runs.
  std::int64_t filter_bytes() const {
    return (plan_.product->parity() != SpinParity::none ? vector_ : 0) + (plan_.keeps_spin ? vector_ : 0);
  }

  /// The solver's vectors, no more than there is room for.
  /// @return false if even the fewest do not fit
  bool fit_vectors(std::int64_t room) {
    DavidsonConfig& solver = placement_.solver = solver_of(options_, size_);
    plan_.usual_subspace = davidson_subspace(solver, size_);
    solver.max_columns = std::max<std::int64_t>(room / vector_, 1);
    plan_.subspace = davidson_subspace(solver, size_);
    placement_.vector_bytes = vector_ * davidson_columns(solver, size_);
    return placement_.vector_bytes <= room;
  }

  /// Of a rank on the host, which gathers x and sends and receives some.
  std::int64_t workspace_of_rank() const {
    return plan_.product->workspace_bytes() + (placement_.ranks > 1 ? whole_vector_ + 2 * vector_ : 0);
  }

  /// What a process has of a vector that was found, once it comes home: all where it labels roots.
  std::int64_t vector_at_home() const {
    const bool labels_there = problem_.basis->summary().irrep - 1 != any_irrep && plan_.most_strip_bytes == 0;
    return resources_.processes != nullptr && labels_there ? here_ * vector_ : whole_vector_;
  }

  void place_on_host() {
    const DirectProduct& product = *plan_.product;
    const bool stands_in = !resources_.devices.empty();  // for as many devices as were asked for
    share_out(stands_in ? 1 : std::max(resources_.ranks, 1));
    placement_.device = cpu_name();
    placement_.device_bytes = 0;
    placement_.matrix_bytes = product.bytes() + here_ * workspace_of_rank();
    decide_on_spin(false);
    const std::int64_t fixed = program_bytes + host_tables() + placement_.matrix_bytes +
                               here_ * filter_bytes() + vectors_for_spin(1);
    fit_vectors((resources_.memory - fixed) / here_);
    placement_.vector_bytes *= here_;
    placement_.host_bytes = fixed + placement_.vector_bytes;
    require_host(placement_.vector_bytes);
  }

  /// Seconds that finding the roots is expected to take on so many devices, without what they share on the host.
  double expected_seconds(int ranks) const {
    // As measured with full CI of water and N2 on an H200, docs/performance.md.
    constexpr double nonzeros_per_second = 1.6e12;
    const double product = static_cast<double>(plan_.sizes.nonzeros) / nonzeros_per_second;
    return products_per_root * options_.solver.num_roots * product / ranks + start_of_a_device * ranks;
  }

  /// @param devices  one for each rank
  /// @param is_last  nothing else is tried where there is no room
  void place_on(std::span<const Device> devices, bool is_last) {
    const Device& device = devices.front();
    share_out(static_cast<int>(devices.size()));
    DevicePlan on_device;
    decide_on_spin(true);
    const std::int64_t room = room_on(devices);
    if (!cut_for(device, room, is_last, on_device)) return;
    // The roots, S^2 times one of them, and the vectors on their way to and from S^2.
    const std::int64_t roots = std::min<std::int64_t>(options_.solver.num_roots, size_) * vector_at_home();
    // The plan is gone when they come, but may meet a guess.
    const std::int64_t plans = on_device.host_bytes * here_;
    placement_.host_bytes = program_bytes + here_ * (device_libraries + device_scratch) + host_tables() +
                            plan_.product->tables().bytes() +
                            std::max(roots + vector_at_home() + vectors_for_spin(2), plans + roots);
    if (placement_.host_bytes > resources_.memory && !resources_.device_required) {
      placement_.why_not_device =
          fmt::format("{} of host memory are needed to use {}, but {} may be used",
                      format_bytes(placement_.host_bytes), device.name, format_bytes(resources_.memory));
      return;
    }
    take_devices(placement_, devices);
    plan_.on_device = std::move(on_device.product);
    require_host(0);
  }

  /// Cuts the product for a device, or for several that are alike.
  /// @param room     bytes that each has free
  /// @param is_last  nothing else is tried where there is no room
  /// @return false if it cannot be there, and need not
  bool cut_for(const Device& device, std::int64_t room, bool is_last, DevicePlan& on_device) {
    bool fits = false;
    const auto cut_so = [&](const DeviceCut& cut) {
      on_device = plan_on_device(*plan_.product, device, cut, {placement_.ranks, 0});
      const std::int64_t fixed = device_scratch + (placement_.ranks > 1 ? exchange_scratch : 0) +
                                 on_device.tables + on_device.workspace + vector_ +
                                 filter_bytes();  // with the solver's diagonal
      fits = fit_vectors(room - fixed);
      placement_.device_bytes = fixed + placement_.vector_bytes;
      plan_.with_packs = cut.with_packs;
      plan_.most_strip_bytes = cut.most_strip_bytes;
    };
    const auto cut = [&](std::int64_t most_strip_bytes) {
      cut_so({true, most_strip_bytes});
      if (!fits) cut_so({false, most_strip_bytes});
    };
    try {
      const bool x_is_large = whole_vector_ > room / whole_x_of_room;
      if (!x_is_large || placement_.ranks == 1) cut(0);
      if (placement_.ranks > 1 && (!fits || plan_.subspace < plan_.usual_subspace))
        cut(std::min({usual_strip, room / strips_in_room, whole_vector_ / least_strips}));
    } catch (const ResourceError& error) {
      placement_.why_not_device = error.what();
      if (!resources_.device_required) return false;
      throw DoesNotFit(
          DoesNotFit::Limit::device,
          fmt::format("{} cannot run this space with storage = \"direct\": {}", device.name, error.what()),
          "another storage");
    }
    placement_.matrix_bytes = on_device.tables + on_device.workspace;
    if (fits) return true;
    placement_.why_not_device = what_is_free(placement_.device_bytes, room, device);
    if (!resources_.device_required || !is_last) return false;
    throw DoesNotFit(
        DoesNotFit::Limit::device,
        fmt::format("{}, but {} are free on {}{}", needs(placement_.device_bytes, placement_.vector_bytes),
                    format_bytes(room), device.name,
                    on_device.why_whole.empty()
                        ? ""
                        : fmt::format(" ({} of it for a whole vector: {})", format_bytes(whole_vector_),
                                      on_device.why_whole)),
        what_would_fit(static_cast<double>(room)));
  }

  std::string needs(std::int64_t bytes, std::int64_t vectors) const {
    return fmt::format(
        "{} determinants need {}{} ({} of it for string tables and work vectors, {} for the solver's)",
        format_count(size_), format_bytes(bytes),
        placement_.ranks > 1 ? fmt::format(" on each of {}", placement_.ranks) : "",
        format_bytes(placement_.matrix_bytes), format_bytes(vectors));
  }

  std::string what_would_fit(double room) const {
    const auto bytes = static_cast<double>(placement_.matrix_bytes + placement_.vector_bytes);
    return smaller_determinant_space(problem_.basis->definition(), bytes / static_cast<double>(size_), room);
  }

  /// @param vectors  bytes of the solver's vectors that are on the host
  void require_host(std::int64_t vectors) {
    plan_.free_bytes = resources_.memory - placement_.host_bytes;
    if (plan_.free_bytes >= 0) return;
    const std::int64_t besides = placement_.host_bytes - placement_.matrix_bytes - vectors;
    throw DoesNotFit(DoesNotFit::Limit::host_memory,
                     fmt::format("{}, but {} may be used", needs(placement_.host_bytes, vectors),
                                 format_bytes(resources_.memory)),
                     what_would_fit(static_cast<double>(resources_.memory - besides)));
  }

  const Problem& problem_;
  const StringProduct& space_;
  const PlanOptions& options_;
  const Resources& resources_;
  std::int64_t size_;
  std::int64_t whole_vector_;  ///< bytes of one
  std::int64_t vector_;        ///< of the rows that a rank has
  std::int64_t here_ = 1;      ///< ranks of this process
  Stopwatch clock_;
  DirectPlan plan_;
  Placement& placement_ = plan_.placement;
};

}  // namespace

SpinParity wanted_parity(const Basis& basis) {
  const auto& multiplicity = basis.definition().multiplicity;
  if (!multiplicity || *multiplicity % 2 == 0) return SpinParity::none;  // only Ms = 0 has one
  const SpinParity parity = parity_of(*multiplicity - 1);
  return parity_dimension(*basis.as_product(), parity) > 0 ? parity : SpinParity::none;
}

DirectPlan plan_direct(const Problem& problem, const PlanOptions& options, const Resources& resources) {
  return DirectPlanner(problem, options, resources)();
}

}  // namespace cisolve
