// SPDX-License-Identifier: MIT
#include "cisolve/tasks/ci.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <ostream>

#include "build_info.hpp"
#include "cisolve/analysis/states.hpp"
#include "cisolve/core/error.hpp"
#include "cisolve/hamiltonian/model_rows.hpp"
#include "cisolve/hamiltonian/slater_condon.hpp"
#include "cisolve/io/atomic_file.hpp"
#include "cisolve/sparse/region_statistics.hpp"
#include "cisolve/tasks/molecule_report.hpp"
#include "cisolve/tasks/report.hpp"
#include "cisolve/tasks/result_file.hpp"
#include "tasks/ci_solve.hpp"
#include "tasks/ci_steps.hpp"
#include "tasks/progress_line.hpp"
#include "tasks/properties.hpp"
#include "tasks/stored_operator.hpp"
#ifdef CISOLVE_HAVE_CUDA
#include "cuda/sparse/formats.hpp"
#endif

namespace cisolve {
namespace {

/// One run, from the plan on.
class CiRun {
public:
  CiRun(const CiConfig& config, const RunControl& control, std::ostream& report, CiResult& result, CiProblem& problem,
        const Checkpoint* checkpoint)
      : config_(config), control_(control), report_(report), result_(result), problem_(problem),
        checkpoint_(checkpoint) {}

  /// Builds the matrix, solves, labels the roots; fills `result`.
  SolverStatus operator()() {
    std::unique_ptr<StoredMatrix> matrix = build();
    if (!problem_.plan.on_cuda) {
      const HostBackend backend;
      const HostStoredOperator h(backend, std::move(matrix), problem_.diagonal, dense_block_function());
      return solve_and_label(backend, h);
    }
#ifdef CISOLVE_HAVE_CUDA
    const Stopwatch stopwatch;
    const cuda::CudaBackend backend;
    std::unique_ptr<cuda::DeviceMatrix> on_device = cuda::upload(*matrix, backend.stream());
    matrix.reset();
    const CudaStoredOperator h(backend, std::move(on_device), problem_.diagonal, dense_block_function());
    result_.timing.transfer = stopwatch.seconds();
    return solve_and_label(backend, h);
#else
    throw Error("a plan on CUDA in a build without CUDA");
#endif
  }

private:
  std::unique_ptr<StoredMatrix> build() {
    const Stopwatch stopwatch;
    ProgressLine progress(control_, "Building the Hamiltonian");
    BuildOptions options;
    options.progress = progress.callback();
    options.stop = control_.stop;
    const CiPlan& plan = problem_.plan;
    const RegionCounter rows(*problem_.rows, result_.space.reference_dimension);
    auto matrix = plan.format->build(rows, plan.row_lengths, plan.format_options, options);
    result_.timing.hamiltonian = problem_.count_seconds + stopwatch.seconds();
    describe(*matrix, rows.statistics());
    // What only building needed makes room for the vectors.
    problem_.rows.reset();
    problem_.plan.row_lengths = {};
    return matrix;
  }

  void describe(const StoredMatrix& matrix, const RegionStatistics& regions) {
    const bool hybrid = matrix.format() == "hybrid";
    const StorageSizes& sizes = problem_.plan.sizes;
    auto& h = result_.hamiltonian;
    h.storage = matrix.format();
    h.rows = matrix.num_rows();
    h.nonzeros = sizes.nonzeros;
    h.bytes = matrix.bytes();
    h.ell_width = hybrid ? sizes.ell_width : 0;
    h.tail_nonzeros = hybrid ? sizes.tail_nonzeros : 0;
    h.csr_bytes = sizes.csr_bytes;
    h.ell_bytes = sizes.ell_bytes;
    h.reference_sparsity = regions.reference_sparsity();
    h.expansion_sparsity = regions.expansion_sparsity();
    h.sparsity = regions.sparsity();
    h.build_seconds = result_.timing.hamiltonian;
    h.device = problem_.plan.device;
    print_hamiltonian(report_, h);
    report_.flush();
  }

  DenseBlock dense_block_function() const {
    return [this](std::span<const std::int64_t> rows) {
      return cisolve::dense_block(problem_.job.active.integrals, *problem_.space, rows);
    };
  }

  template <class Backend>
  SolverStatus solve_and_label(const Backend& backend, const Operator<Backend>& h) {
    const Stopwatch solving;
    ModelRowsConfig rows_config;
    constexpr std::int64_t least_per_root = 2;
    constexpr std::int64_t least = 8;
    rows_config.minimum = std::max(rows_config.minimum, least_per_root * config_.count + least);
    rows_config.cover_all_spins = !config_.multiplicity;
    const ModelSpace model = make_model_space(h, choose_model_rows(*problem_.space, problem_.diagonal, rows_config));
    SolveRequest request{config_, problem_.job, *problem_.space, model, problem_.guess, checkpoint_, {}, control_, report_};
    request.header.version = build_info::version;
    request.header.created = utc_timestamp();
    request.header.resolved_input = config_.resolved_text;
    request.header.integrals_hash = result_.system.integrals_hash;
    request.header.space_hash = result_.space.hash;
    SolveResult found = solve(backend, h, request);
    result_.timing.solve = solving.seconds();
    describe_solver(found);
    if (found.status == SolverStatus::interrupted) return found.status;

    const Stopwatch analysing;
    label(backend, h, found);
    result_.timing.analysis = analysing.seconds();
    return found.status;
  }

  void describe_solver(const SolveResult& found) {
    auto& solver = result_.solver;
    switch (found.status) {
      case SolverStatus::converged: solver.status = "converged"; break;
      case SolverStatus::not_converged: solver.status = "not converged"; break;
      case SolverStatus::stagnated: solver.status = "stagnated"; break;
      case SolverStatus::interrupted: solver.status = "interrupted"; break;
    }
    solver.num_applications = found.num_applications;
    solver.history = found.history;
  }

  template <class Backend>
  void label(const Backend& backend, const Operator<Backend>& h, SolveResult& found) {
    ClusterConfig cluster;
    std::vector<bool> rotated;
    const auto labels = label_states(*problem_.space, problem_.job.selection.irreps,
                                     std::span<const double>(found.energies), std::span<double>(found.vectors), cluster,
                                     &rotated);
    if (std::find(rotated.begin(), rotated.end(), true) != rotated.end()) {
      found.residual_norms = residual_norms(backend, h, found.vectors, found.energies);
    }
    auto& states = result_.states;
    states.energy = found.energies;
    states.residual_norm = found.residual_norms;
    for (std::size_t k = 0; k < labels.size(); ++k) {
      states.s_squared.push_back(labels[k].s_squared);
      states.irrep.push_back(labels[k].irrep + 1);
      states.converged.push_back(found.converged[k] ? 1 : 0);
    }
    describe_states(config_, problem_, found.vectors, result_);
    describe_properties(config_, problem_.job, *problem_.space, found.vectors, result_);
    if (config_.write_vectors) {
      states.vectors = Array<double>(found.vectors.size());
      std::copy(found.vectors.begin(), found.vectors.end(), states.vectors.begin());
    }
  }

  const CiConfig& config_;
  const RunControl& control_;
  std::ostream& report_;
  CiResult& result_;
  CiProblem& problem_;
  const Checkpoint* checkpoint_;
};

void use_threads(const CiConfig& config) {
  if (config.threads > 0) omp_set_num_threads(config.threads);
}

CiResult begin_result(const CiConfig& config, std::ostream& report) {
  CiResult result;
  result.version = build_info::version;
  result.created = utc_timestamp();
  result.title = config.title;
  result.input_text = config.input_text;
  result.resolved_text = config.resolved_text;
  print_header(report, result.version, result.created, expected_device(config), config.title);
  return result;
}

/// Strings of every determinant, as files hold them.
void list_determinants(const Space<string_words>& space, CiResult::Space& out) {
  std::vector<Determinant<string_words>> determinants(static_cast<std::size_t>(space.size()));
  space.enumerate(0, determinants);
  out.alpha.reserve(determinants.size());
  out.beta.reserve(determinants.size());
  for (const auto& d : determinants) {
    out.alpha.insert(out.alpha.end(), d.alpha.words.begin(), d.alpha.words.end());
    out.beta.insert(out.beta.end(), d.beta.words.begin(), d.beta.words.end());
  }
}

}  // namespace

RunOutcome run_ci(const CiConfig& config, const CiRunOptions& options, const RunControl& control,
                  std::ostream& report) {
  const Stopwatch total;
  use_threads(config);
  std::optional<Checkpoint> checkpoint;
  if (options.restart) checkpoint = read_checkpoint(options.checkpoint.value_or(config.checkpoint_file));
  CiResult result = begin_result(config, report);
  CiProblem problem = set_up(config, control, report, result, checkpoint ? &*checkpoint : nullptr);
  // Said now rather than after the work: can the files be written?
  static_cast<void>(AtomicFile(config.output_file));
  static_cast<void>(AtomicFile(config.checkpoint_file));
  CiRun run(config, control, report, result, problem, checkpoint ? &*checkpoint : nullptr);
  const SolverStatus status = run();
  if (status == SolverStatus::interrupted) {
    report << fmt::format("\nInterrupted; go on with: cisolve --restart (checkpoint {})\n",
                          config.checkpoint_file.string());
    return RunOutcome::interrupted;
  }
  if (status != SolverStatus::converged) {
    result.warnings.push_back(fmt::format("the solver ended {} after {} iterations; roots marked so are not converged",
                                          result.solver.status, result.solver.history.size()));
  }
  list_determinants(*problem.space, result.space);
  result.timing.total = total.seconds();
  write_result(config.output_file, result);
  print_roots(report, result.states, result.solver);
  if (result.properties) print_properties(report, *result.properties, *result.molecule);
  print_warnings(report, result.warnings);
  print_timing(report, result.timing);
  report << fmt::format("\nResults are in {}.\n", config.output_file.string());
  return status == SolverStatus::converged ? RunOutcome::converged : RunOutcome::not_converged;
}

void show_result(const std::filesystem::path& file, std::ostream& report) {
  print_report(report, read_result(file, false));
}

}  // namespace cisolve
