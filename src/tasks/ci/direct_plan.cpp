// SPDX-License-Identifier: MIT
#include "tasks/ci/direct_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/hamiltonian/spin_links.hpp"
#include "cisolve/tasks/report/report.hpp"
#include "tasks/run/progress_line.hpp"
#ifdef CISOLVE_HAVE_CUDA
#include "cuda/hamiltonian/direct_product.hpp"
#endif

namespace cisolve {
namespace {

SpinParity parity_of(int twice_s) { return twice_s / 2 % 2 == 0 ? SpinParity::even : SpinParity::odd; }

/// The parity of the spin that is asked for, if the space can be restricted to it.
SpinParity wanted_parity(const CiJob& job, const ProductSpace<string_words>& space) {
  if (!job.multiplicity || job.ms2 != 0) return SpinParity::none;
  const SpinParity parity = parity_of(*job.multiplicity - 1);
  return parity_dimension(space, parity) > 0 ? parity : SpinParity::none;
}

/// Leaves out the spins that the product's parity already excludes.
void drop_other_parity(SpinParity parity, std::unique_ptr<SpinStructure>& spin) {
  if (parity == SpinParity::none || !spin) return;
  std::erase_if(spin->others, [&](double s_squared) {
    const auto twice_s = static_cast<int>(std::lround(std::sqrt(1.0 + 4.0 * s_squared))) - 1;
    return parity_of(twice_s) != parity;
  });
  if (spin->others.empty()) spin.reset();
}

/// Bytes of what StringSpin tabulates, at most.
std::int64_t spin_table_bytes(const ProductSpace<string_words>& space) {
  constexpr std::int64_t bytes_per_entry = 16;
  const std::int64_t per_string = std::int64_t{space.num_beta()} * (space.num_orbitals() - space.num_beta());
  return bytes_per_entry * per_string * space.beta().size();
}

/// Makes the plan of a sector: where, with how many vectors.
class DirectPlanner {
public:
  DirectPlanner(const CiConfig& config, const CiProblem& problem, std::int64_t memory)
      : config_(config), problem_(problem), product_(*problem.direct), memory_(memory),
        vector_(8 * product_.size()), projects_(problem.spin && has_lower_spins(*problem.spin)) {
    plan_.sizes.nonzeros = product_.count_nonzeros();
    plan_.sizes.csr_bytes = 12 * plan_.sizes.nonzeros + 8 * (product_.size() + 1);
    tables_ = problem.tables->bytes() + product_.bytes() + vector_;  // and the diagonal
    if (projects_) {
      tables_ +=
          vector_ +
          spin_table_bytes(dynamic_cast<const ProductSpace<string_words>&>(*problem.basis->determinants()));
    }
  }

  /// What a device will need, if the plan says one.
  std::shared_ptr<cuda::PlannedDirectProduct> planned() { return std::move(planned_); }

  /// @throws ResourceError
  CiPlan operator()() {
    if (const auto cuda = cuda_candidate(config_)) {
      plan_for_cuda(*cuda);
      if (plan_.on_cuda) return std::move(plan_);
    }
    plan_.device = cpu_name();
    plan_.device_bytes = 0;
    plan_.matrix_bytes = product_.bytes() + product_.workspace_bytes();
    const std::int64_t fixed = program_bytes + tables_ + product_.workspace_bytes() + filter_bytes();
    fit_vectors(memory_ - fixed);
    plan_.host_bytes = fixed + plan_.vector_bytes;
    require_host();
    return std::move(plan_);
  }

private:
  /// What the program itself and its libraries keep resident, as measured: 25 MiB for H2, 4 MiB more per thread.
  static constexpr std::int64_t program_bytes = std::int64_t{28} << 20;
  /// What the libraries of a device keep resident on the host, as measured with CUDA 13 on a Hopper device.
  static constexpr std::int64_t device_libraries = std::int64_t{140} << 20;
  /// On a device, the scratch of BLAS, pinned buffers and kernels.
  static constexpr std::int64_t device_scratch = std::int64_t{256} << 20;

  /// Work vectors of the filters, where the solver runs.
  std::int64_t filter_bytes() const {
    return (product_.parity() != SpinParity::none ? vector_ : 0) + (projects_ ? vector_ : 0);
  }

  /// The solver's vectors, no more than there is room for.
  /// @return false if even the fewest do not fit
  bool fit_vectors(std::int64_t room) {
    DavidsonConfig solver = davidson_config(config_, product_.size());
    plan_.usual_subspace = davidson_subspace(solver, product_.size());
    solver.max_columns = plan_.max_columns = std::max<std::int64_t>(room / vector_, 1);
    plan_.subspace = davidson_subspace(solver, product_.size());
    plan_.vector_bytes = vector_ * davidson_columns(solver, product_.size());
    return plan_.vector_bytes <= room;
  }

  void plan_for_cuda([[maybe_unused]] const CudaCandidate& device) {
#ifdef CISOLVE_HAVE_CUDA
    auto cut = cuda::DirectConfig::for_device();
    std::shared_ptr<cuda::PlannedDirectProduct> planned;
    cuda::DirectBytes bytes;
    bool fits = false;
    const auto plan = [&] {
      planned = std::make_shared<cuda::PlannedDirectProduct>(product_, cut);
      bytes = planned->bytes();
      const std::int64_t fixed = device_scratch + bytes.tables + bytes.workspace + vector_ +
                                 filter_bytes();  // with the solver's diagonal
      fits = fit_vectors(device.free_bytes - fixed);
      plan_.device_bytes = fixed + plan_.vector_bytes;
    };
    try {
      plan();
      if (!fits) {
        cut.most_pack_bytes = 0;
        plan();
      }
    } catch (const ResourceError& error) {
      plan_.why_not_cuda = error.what();
      if (config_.device != DeviceChoice::cuda) return;
      throw ResourceError(
          fmt::format("run.device: {} cannot run this space with hamiltonian.storage = \"direct\": "
                      "{}; use \"auto\" or \"cpu\", or another storage",
                      device.name, error.what()));
    }
    plan_.matrix_bytes = bytes.tables + bytes.workspace;
    if (!fits) {
      plan_.why_not_cuda = what_is_free(plan_.device_bytes, device);
      if (config_.device != DeviceChoice::cuda) return;
      throw ResourceError(fmt::format(
          "run.device: {} determinants need {} ({} of it for string tables and work vectors, {} for the "
          "solver's), "
          "but {} are free on {}; use \"auto\" or \"cpu\", or {}",
          format_count(product_.size()), format_bytes(plan_.device_bytes), format_bytes(plan_.matrix_bytes),
          format_bytes(plan_.vector_bytes), format_bytes(device.free_bytes), device.name,
          what_would_fit(*problem_.job, plan_, product_.size(), static_cast<double>(device.free_bytes))));
    }
    // The roots, S^2 times one of them, and the vectors on their way to and from S^2.
    const std::int64_t roots = std::min<std::int64_t>(config_.count, product_.size());
    const std::int64_t vectors = roots + 1 + (projects_ ? 2 : 0);
    // The plan is gone when they come, but may meet a guess.
    plan_.host_bytes = program_bytes + device_libraries + device_scratch + tables_ +
                       std::max(vectors * vector_, planned->host_bytes() + roots * vector_);
    if (plan_.host_bytes > memory_ && config_.device != DeviceChoice::cuda) {
      plan_.why_not_cuda = fmt::format("{} of host memory are needed to use {}, but {} may be used",
                                       format_bytes(plan_.host_bytes), device.name, format_bytes(memory_));
      return;
    }
    plan_.on_cuda = true;
    plan_.device = device.name;
    planned_ = std::move(planned);
    require_host();
#endif
  }

  void require_host() {
    plan_.checkpoint_buffer = memory_ - plan_.host_bytes;
    if (plan_.host_bytes <= memory_) return;
    const std::int64_t vectors = plan_.on_cuda ? 0 : plan_.vector_bytes;
    const double room = static_cast<double>(memory_ - (plan_.host_bytes - plan_.matrix_bytes - vectors));
    throw ResourceError(fmt::format(
        "run.memory: {} determinants need {} ({} of it for string tables and work vectors, {} for "
        "the solver's), but {} may be used; {}",
        format_count(product_.size()), format_bytes(plan_.host_bytes), format_bytes(plan_.matrix_bytes),
        format_bytes(vectors), format_bytes(memory_),
        what_would_fit(*problem_.job, plan_, product_.size(), room)));
  }

  const CiConfig& config_;
  const CiProblem& problem_;
  const DirectProduct& product_;
  std::int64_t memory_;
  std::int64_t vector_;  ///< bytes of one
  bool projects_;        ///< on S^2, from the start
  std::int64_t tables_;  ///< host
  CiPlan plan_;
  std::shared_ptr<cuda::PlannedDirectProduct> planned_;
};

}  // namespace

bool has_lower_spins(const SpinStructure& spin) {
  return std::ranges::any_of(spin.others, [&](double other) { return other < spin.wanted; });
}

void set_up_direct(const CiConfig& config, CiProblem& problem, CiResult& result) {
  const Stopwatch planning;
  const auto& space = dynamic_cast<const ProductSpace<string_words>&>(*problem.basis->determinants());
  problem.spin = problem.basis->spin_structure();
  require_states_of_spin(config, problem, result);
  const SpinParity parity = wanted_parity(*problem.job, space);
  drop_other_parity(parity, problem.spin);
  problem.diagonal = string_diagonal(space, *problem.tables);
  problem.direct = std::make_unique<DirectProduct>(space, *problem.tables, problem.diagonal, parity);
  DirectPlanner planner(config, problem, memory_limit(config));
  problem.plan = planner();
  problem.planned = planner.planned();
  problem.count_seconds += planning.seconds();
}

}  // namespace cisolve
