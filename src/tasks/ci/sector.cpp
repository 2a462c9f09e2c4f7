// SPDX-License-Identifier: MIT
#include "tasks/ci/sector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <ostream>

#include "build_info.hpp"
#include "cisolve/analysis/states.hpp"
#include "cisolve/core/error.hpp"
#include "cisolve/solver/eigenspace_filter.hpp"
#include "cisolve/sparse/hybrid_matrix.hpp"
#include "cisolve/sparse/region_statistics.hpp"
#include "cisolve/tasks/files/result_file.hpp"
#include "cisolve/tasks/report/report.hpp"
#include "tasks/ci/direct_plan.hpp"
#include "tasks/ci/parity_filter.hpp"
#include "tasks/ci/search.hpp"
#include "tasks/ci/sector_roots.hpp"
#include "tasks/ci/stored_operator.hpp"
#include "tasks/report/text.hpp"
#include "tasks/run/progress_line.hpp"
#ifdef CISOLVE_HAVE_CUDA
#include "cuda/sparse/formats.hpp"
#endif

namespace cisolve {
namespace {

std::string_view status_name(SolverStatus status) {
  switch (status) {
    case SolverStatus::converged:
      return "converged";
    case SolverStatus::not_converged:
      return "not converged";
    case SolverStatus::stagnated:
      return "stagnated";
    case SolverStatus::interrupted:
      return "interrupted";
  }
  return "unknown";
}

/// One sector, from the plan on.
class SectorRun {
public:
  SectorRun(const CiConfig& config, const SectorContext& context, const RunControl& control,
            std::ostream& report, CiResult& result, CiResult::Sector& sector, CiProblem& problem)
      : config_(config), context_(context), control_(control), report_(report), result_(result),
        sector_(sector), problem_(problem), roots_(config, problem, context.count > 1, result, sector) {}

  SolverStatus operator()() {
    if (problem_.plan.is_direct()) return solve_directly();
    std::unique_ptr<StoredMatrix> matrix = build();
    std::shared_ptr<const StoredMatrix> s_squared = build_s_squared();
    const std::vector<double>& diagonal = solver_diagonal();
    if (!problem_.plan.on_cuda) {
      const HostBackend backend;
      const HostStoredOperator h(backend, std::move(matrix), diagonal, dense_block_function());
      return solve_filtered(backend, h, host_product(std::move(s_squared)));
    }

#ifdef CISOLVE_HAVE_CUDA
    const Stopwatch stopwatch;
    const cuda::CudaBackend backend;
    std::unique_ptr<cuda::DeviceMatrix> on_device = cuda::upload(*matrix, backend.stream());
    matrix.reset();
    const CudaStoredOperator h(backend, std::move(on_device), diagonal, dense_block_function());
    std::shared_ptr<const cuda::DeviceMatrix> s_squared_on_device;
    if (s_squared) s_squared_on_device = cuda::upload(*s_squared, backend.stream());
    s_squared.reset();
    result_.timing.transfer += stopwatch.seconds();
    const auto workspace = std::make_shared<cuda::SpmvWorkspace>();
    const cuda::CudaBackend* on = &backend;
    return solve_filtered(backend, h, [=](cuda::CudaBackend::ConstView x, cuda::CudaBackend::View y) {
      s_squared_on_device->multiply(on->stream(), x, y, *workspace);
    });

#else
    throw Error("a plan on CUDA in a build without CUDA");
#endif
  }

private:
  /// What commutes with S^2 serves the projection; for the rest it is as good as the diagonal itself.
  const std::vector<double>& solver_diagonal() const {
    return problem_.spin ? problem_.spin_diagonal : problem_.diagonal;
  }

  static EigenspaceFilter<HostBackend>::Product host_product(std::shared_ptr<const StoredMatrix> matrix) {
    const auto workspace = std::make_shared<SpmvWorkspace>();
    return [matrix = std::move(matrix), workspace](HostBackend::ConstView x, HostBackend::View y) {
      matrix->multiply(x, y, *workspace);
    };
  }

  SolverStatus solve_directly() {
    describe_direct();
    if (!problem_.plan.on_cuda) {
      const HostBackend backend;
      HostDirectOperator h(*problem_.direct, problem_.diagonal, dense_block_function());
      return solve_directly<HostBackend>(backend, h);
    }
#ifdef CISOLVE_HAVE_CUDA
    const Stopwatch stopwatch;
    const cuda::CudaBackend backend;
    CudaDirectOperator h(backend, std::move(*problem_.planned), problem_.diagonal, dense_block_function());
    backend.synchronize();
    result_.timing.transfer += stopwatch.seconds();
    return solve_directly<cuda::CudaBackend>(backend, h);
#else
    throw Error("a plan on CUDA in a build without CUDA");
#endif
  }

  /// Within the spin parity if there is one; within the spin itself where that turns out to be needed.
  template <class Backend>
  SolverStatus solve_directly(const Backend& backend, DirectOperator<Backend>& h) {
    const auto& space = dynamic_cast<const ProductSpace<string_words>&>(*problem_.basis->determinants());
    std::optional<ParityFilter<Backend>> by_parity;
    if (problem_.direct->parity() != SpinParity::none) {
      by_parity.emplace(backend, h, parity_dimension(space, problem_.direct->parity()));
    }
    if (!problem_.spin) return solve_and_label<Backend>(backend, h, by_parity ? &*by_parity : nullptr);
    std::optional<EigenspaceFilter<Backend>> by_spin;
    const SpinFilterMaker<Backend> project_on_spin = [&]() -> const SubspaceFilter<Backend>* {
      const SpinStructure& spin = *problem_.spin;
      problem_.spin_diagonal = problem_.basis->averaged_diagonal(problem_.diagonal);
      h.use_diagonal(problem_.spin_diagonal);
      auto s_squared = std::make_shared<const StringSpin>(space);
      by_spin.emplace(backend, string_spin_product(backend, std::move(s_squared)), h.size(), spin.dimension,
                      spin.wanted, spin.others, 1);
      if (!by_parity) return &*by_spin;
      by_parity->restrict_to(*by_spin);
      return &*by_parity;
    };
    if (has_lower_spins(*problem_.spin)) return solve_and_label<Backend>(backend, h, project_on_spin());
    return solve_and_label<Backend>(backend, h, by_parity ? &*by_parity : nullptr, project_on_spin);
  }

  std::unique_ptr<StoredMatrix> build() {
    const Stopwatch stopwatch;
    ProgressLine progress(control_, "Building the Hamiltonian");
    BuildOptions options;
    options.progress = progress.callback();
    options.stop = control_.stop;
    const CiPlan& plan = problem_.plan;
    const RegionCounter rows(*problem_.rows, sector_.space.reference_dimension);
    auto matrix = plan.format->build(rows, plan.row_lengths, plan.format_options, options);
    describe(*matrix, rows.statistics(), problem_.count_seconds + stopwatch.seconds());
    // What only building needed makes room for the vectors.
    problem_.rows.reset();
    problem_.plan.row_lengths = {};
    return matrix;
  }

  /// Null where no spin has to be told from others.
  std::unique_ptr<StoredMatrix> build_s_squared() const {
    if (!problem_.spin) return nullptr;
    return find_storage_format("csr")->build(*problem_.spin_rows, problem_.spin_row_lengths, {}, {});
  }

  template <class Backend>
  SolverStatus solve_filtered(const Backend& backend, const Operator<Backend>& h,
                              typename EigenspaceFilter<Backend>::Product s_squared) {
    if (!problem_.spin) return solve_and_label<Backend>(backend, h, nullptr);
    const SpinStructure& spin = *problem_.spin;
    const EigenspaceFilter<Backend> filter(backend, std::move(s_squared), h.size(), spin.dimension,
                                           spin.wanted, spin.others);
    return solve_and_label<Backend>(backend, h, &filter);
  }

  void describe(const StoredMatrix& matrix, const RegionStatistics& regions, double seconds) {
    const auto* hybrid = dynamic_cast<const StoredAs<HybridMatrix>*>(&matrix);
    const StorageSizes& sizes = problem_.plan.sizes;
    auto& h = sector_.hamiltonian;
    h.storage = matrix.format();
    h.rows = matrix.num_rows();
    h.nonzeros = sizes.nonzeros;
    h.bytes = matrix.bytes();
    h.ell_width = hybrid != nullptr ? hybrid->matrix().ell_width : 0;
    h.tail_nonzeros = hybrid != nullptr ? hybrid->matrix().num_tail_nonzeros() : 0;
    h.csr_bytes = sizes.csr_bytes;
    h.ell_bytes = sizes.ell_bytes;
    h.reference_sparsity = regions.reference_sparsity();
    h.expansion_sparsity = regions.expansion_sparsity();
    h.sparsity = regions.sparsity();
    h.build_seconds = seconds;
    h.device = problem_.plan.device;
    result_.timing.hamiltonian += seconds;
    print_hamiltonian(report_, h);
    report_.flush();
  }

  void describe_direct() {
    auto& h = sector_.hamiltonian;
    h.storage = direct_storage;
    h.rows = problem_.direct->size();
    h.nonzeros = problem_.plan.sizes.nonzeros;
    h.bytes = problem_.plan.matrix_bytes;
    h.csr_bytes = problem_.plan.sizes.csr_bytes;
    const auto rows = static_cast<double>(h.rows);
    h.sparsity = 1.0 - static_cast<double>(h.nonzeros) / (rows * rows);
    h.reference_sparsity = h.expansion_sparsity = std::numeric_limits<double>::quiet_NaN();  // nobody looked
    h.build_seconds = problem_.count_seconds;
    h.device = problem_.plan.device;
    result_.timing.hamiltonian += h.build_seconds;
    print_hamiltonian(report_, h);
    if (problem_.plan.subspace < problem_.plan.usual_subspace) {
      report::print_field(report_, "solver's subspace",
                          fmt::format("{} vectors, as many as the memory holds (usually {})",
                                      problem_.plan.subspace, problem_.plan.usual_subspace));
    }
    report_.flush();
  }

  DenseBlock dense_block_function() const {
    if (const DirectProduct* direct = problem_.direct.get()) {
      return [this, direct](std::span<const std::int64_t> rows) {
        return cisolve::dense_block(problem_.job->active->integrals, *problem_.basis->determinants(), rows,
                                    direct->parity(), direct->shift());
      };
    }
    return [this](std::span<const std::int64_t> rows) { return problem_.basis->dense_block(rows); };
  }

  /// Makes, when first needed, a filter that also keeps to the wanted spin.
  template <class Backend>
  using SpinFilterMaker = std::function<const SubspaceFilter<Backend>*()>;

  /// @param project_on_spin  where `filter` lets other spins pass but they can be told apart; else empty
  template <class Backend>
  SolverStatus solve_and_label(const Backend& backend, const Operator<Backend>& h,
                               const SubspaceFilter<Backend>* filter,
                               SpinFilterMaker<Backend> project_on_spin = {}) {
    Stopwatch stopwatch;
    ModelRowsConfig rows_config;
    constexpr std::int64_t least_per_root = 2;
    constexpr std::int64_t least = 8;
    rows_config.minimum = std::max(rows_config.minimum, least_per_root * config_.count + least);
    rows_config.maximum = std::max(rows_config.maximum, rows_config.minimum);
    rows_config.may_cut = problem_.spin == nullptr;
    const ModelSpace model = make_model_space(h, problem_.basis->model_rows(problem_.diagonal, rows_config));

    const Matrix start =
        problem_.spin
            ? eigenvectors_within(model, problem_.basis->s_squared_block(model.rows), problem_.spin->wanted)
            : model.vectors;
    sector_.solver.start = describe_start(model);

    const std::int64_t size = problem_.spin       ? problem_.spin->dimension
                              : filter != nullptr ? filter->dimension()
                                                  : problem_.basis->size();
    const int wanted = static_cast<int>(std::min<std::int64_t>(config_.count, size));
    SolveRequest request{config_,
                         wanted,
                         model,
                         start,
                         context_.guess,
                         context_.checkpoint,
                         checkpoint_header(config_, result_, context_),
                         context_.finished,
                         control_,
                         report_,
                         problem_.plan.max_columns,
                         problem_.plan.checkpoint_buffer,
                         context_.add_model_space};
    request.header.space_hash = sector_.space.hash;
    if (roots_.selects_by_spin() && problem_.spin == nullptr && context_.checkpoint != nullptr) {
      const auto tracked = std::ssize(context_.checkpoint->header.history.back().energies);
      request.num_roots = static_cast<int>(std::clamp<std::int64_t>(tracked, wanted, size));
    }
    Array<double> previous;  // what a further search starts from
    print_iteration_heading(report_, sector_.solver.start);
    while (true) {
      SolveResult found = solve(backend, h, request, filter);
      result_.timing.solve += stopwatch.seconds();
      sector_.solver.status = status_name(found.status);
      sector_.solver.num_applications = found.num_applications;
      sector_.solver.history = found.history;
      if (found.status == SolverStatus::interrupted) return found.status;

      stopwatch = Stopwatch();
      const auto labels = label(backend, h, found);
      const std::vector<std::size_t> kept = roots_.choose(found, labels, wanted);
      const bool enough = std::ssize(kept) >= wanted || config_.follow ||
                          (request.num_roots >= size && !project_on_spin) ||
                          found.status != SolverStatus::converged;
      if (enough) {
        const SolverStatus status = found.status;
        const bool searched_all = status == SolverStatus::converged && request.num_roots >= size;
        const bool is_news = !problem_.job->spin_complete;  // else their number was known before
        roots_.take(std::move(found), labels, kept);
        if (roots_.selects_by_spin() && is_news && searched_all && !kept.empty() &&
            std::ssize(kept) < config_.count) {
          warn(result_,
               fmt::format("{} roots were asked for, but the space has {} of multiplicity {}: all are given",
                           config_.count, kept.size(), *problem_.job->multiplicity));
        }
        roots_.correct(backend, h);
        result_.timing.analysis += stopwatch.seconds();
        return status;
      }
      request.history = std::move(found.history);
      request.checkpoint = nullptr;
      if (project_on_spin) {
        // Roots of other spins came first: the same search within the spin, from what it found of that.
        control_.say(LogLevel::info, "a root of another spin was found: going on within the spin asked for");
        previous = columns_of(found.vectors, problem_.basis->size(), kept);
        filter = project_on_spin();
        project_on_spin = {};
        request.max_columns = std::max<std::int64_t>(request.max_columns - 1, 1);  // the filter's
      } else {
        // Too few roots of that spin: more, from where this search ended.
        request.num_roots =
            static_cast<int>(std::min<std::int64_t>(2 * std::int64_t{request.num_roots} + 2, size));
        previous = std::move(found.vectors);
      }
      request.guess = previous;
      request.add_model_space = false;
      stopwatch = Stopwatch();
    }
  }

  /// Where the start vectors come from, for the report.
  std::string describe_start(const ModelSpace& model) const {
    if (context_.checkpoint != nullptr) return "of the checkpoint";
    return context_.guess_text + (context_.guess_text.empty() ? "" : "; ") + describe_model(model);
  }

  std::string describe_model(const ModelSpace& model) const {
    if (model.rows.empty()) return "the lowest of the diagonal";
    const std::int64_t in_space = sector_.space.reference_dimension;
    const auto references = std::ranges::count_if(model.rows, [&](auto row) { return row < in_space; });
    return fmt::format("model space of {} {}s ({} of {} reference{})", format_count(std::ssize(model.rows)),
                       problem_.basis->function_name(), format_count(references), format_count(in_space),
                       in_space == 1 ? "" : "s");
  }

  template <class Backend>
  std::vector<StateLabel> label(const Backend& backend, const Operator<Backend>& h, SolveResult& found) {
    std::vector<bool> rotated;
    auto labels = problem_.basis->label(found.energies, found.vectors, roots_.cluster(), &rotated);
    if (std::find(rotated.begin(), rotated.end(), true) != rotated.end()) {
      found.residual_norms = residual_norms(backend, h, found.vectors, found.energies);
    }
    return labels;
  }

  const CiConfig& config_;
  const SectorContext& context_;
  const RunControl& control_;
  std::ostream& report_;
  CiResult& result_;
  CiResult::Sector& sector_;
  CiProblem& problem_;
  SectorRoots roots_;
};

}  // namespace

CheckpointHeader checkpoint_header(const CiConfig& config, const CiResult& result,
                                   const SectorContext& context) {
  CheckpointHeader header;
  header.version = build_info::version;
  header.created = utc_timestamp();
  header.resolved_input = config.resolved_text;
  header.integrals_hash = result.system.integrals_hash;
  header.threshold = config.threshold;
  header.basis = config.basis == BasisChoice::csf ? "csf" : "determinant";
  header.sectors = context.names;
  header.sector = context.number;
  return header;
}

SolverStatus solve_sector(const CiConfig& config, const SectorContext& context, const RunControl& control,
                          std::ostream& report, CiResult& result, CiResult::Sector& sector,
                          CiProblem& problem) {
  return SectorRun(config, context, control, report, result, sector, problem)();
}

}  // namespace cisolve
