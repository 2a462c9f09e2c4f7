// SPDX-License-Identifier: MIT
#include "tasks/ci_solve.hpp"

#include <algorithm>

#include "cisolve/tasks/report.hpp"
#include "cisolve/vectors/host_backend.hpp"
#include "tasks/ci_plan.hpp"
#include "tasks/progress_line.hpp"
#ifdef CISOLVE_HAVE_CUDA
#include "cuda/vectors/cuda_backend.hpp"
#endif

namespace cisolve {
namespace {

/// Model-space eigenvectors beyond the roots asked for: they complete clusters and keep a root from
/// being missed that starts above its neighbours.
constexpr int guard_vectors = 2;

/// Writes start vector `column` into a vector of the whole space, zero elsewhere.
void expand(const SolveRequest& request, int column, std::span<double> vector) {
  std::fill(vector.begin(), vector.end(), 0.0);
  const std::vector<std::int64_t>& rows = request.model_space.rows;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    vector[static_cast<std::size_t>(rows[i])] = request.start(static_cast<int>(i), column);
  }
}

/// Columns of the model space's start to add to `have` given vectors: none to those that continue a run, its best
/// where roots are missing; and those that lie mostly outside of what an earlier point left, so that no state is
/// missed that comes down from above.
std::vector<int> model_columns(const SolveRequest& request, std::span<const double> given, std::int64_t n,
                               int have, bool continues) {
  constexpr double half = 0.5;  // of the norm squared
  const int most = std::min(request.num_roots + guard_vectors, request.start.columns());
  std::vector<int> columns;
  if (continues || (have >= request.num_roots && !request.add_model_space)) return columns;
  const std::vector<std::int64_t>& rows = request.model_space.rows;
  for (int column = 0; column < most; ++column) {
    double inside = 0.0;
    for (int k = 0; k < have && request.add_model_space; ++k) {
      double overlap = 0.0;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        overlap +=
            request.start(static_cast<int>(i), column) * given[static_cast<std::size_t>(k * n + rows[i])];
      }
      inside += overlap * overlap;
    }
    if (inside < half) columns.push_back(column);
  }
  return columns;
}

/// Start block: what is given (checkpoint or guess), filled up by model-space eigenvectors.
template <class Backend>
typename Backend::Block start_block(const Backend& backend, std::int64_t n, const SolveRequest& request) {
  const std::span<const double> given = request.checkpoint != nullptr
                                            ? std::span<const double>(request.checkpoint->vectors)
                                            : std::span<const double>(request.guess);
  const int roots = request.num_roots;
  const auto columns = static_cast<int>(std::ssize(given) / n);
  // A checkpoint of enough roots is taken as it is: it continues exactly where it was written. One of
  // fewer gives its Ritz vectors, which come first; its other directions know nothing of further roots.
  const int known =
      request.checkpoint == nullptr
          ? columns
          : std::min(columns, static_cast<int>(request.checkpoint->header.history.back().energies.size()));
  const bool continues = request.checkpoint != nullptr && known >= roots;
  const int have = continues ? columns : std::min(known, roots);
  // At least one column, if the model has none of the states wanted: replaced by the solver.
  const std::vector<int> from_model = model_columns(request, given, n, have, continues);
  const auto more = static_cast<int>(from_model.size());
  if (have + more == 0) {
    auto block = backend.allocate(n, 1);
    backend.fill(block.view(), 0.0);
    return block;
  }

  auto block = backend.allocate(n, have + more);
  if (have > 0) {
    backend.from_host(given.first(static_cast<std::size_t>(n) * static_cast<std::size_t>(have)),
                      block.view().slice(0, have));
  }
  std::vector<double> vector(static_cast<std::size_t>(n));
  for (int k = 0; k < more; ++k) {
    expand(request, from_model[static_cast<std::size_t>(k)], vector);
    backend.from_host(vector, block.view().slice(have + k, 1));
  }
  return block;
}

/// Decides after each iteration whether a checkpoint is due, and writes it.
template <class Backend>
class Checkpointer {
public:
  Checkpointer(const Backend& backend, const SolveRequest& request) : backend_(backend), request_(request) {}

  SolverAction operator()(const SolverState<Backend>& state) {
    print_iteration(request_.report, state.record);
    request_.report.flush();
    const bool stop = request_.control.stop_requested();
    const bool asked = request_.control.checkpoint_requested();
    const bool due = since_last_.seconds() >= request_.config.checkpoint_interval;
    if (stop || asked || due) {
      write(state);
      since_last_ = Stopwatch();
    }
    return stop ? SolverAction::stop : SolverAction::proceed;
  }

private:
  void write(const SolverState<Backend>& state) {
    using ConstView = typename Backend::ConstView;
    const ConstView vectors = state.restart_vectors();
    CheckpointHeader header = request_.header;
    header.dimension = vectors.rows;
    header.num_vectors = vectors.columns;
    header.history = state.history;
    write_checkpoint(
        request_.config.checkpoint_file, header,
        [&](int column, std::int64_t first_row, std::span<double> rows) {
          const ConstView part{vectors.column(column) + first_row, std::ssize(rows), 1, vectors.stride};
          backend_.to_host(part, rows);
        },
        request_.finished);
    request_.control.say(LogLevel::info, "checkpoint written: " + request_.config.checkpoint_file.string());
  }

  const Backend& backend_;
  const SolveRequest& request_;
  Stopwatch since_last_;
};

}  // namespace

template <class Backend>
SolveResult solve(const Backend& backend, const Operator<Backend>& h, const SolveRequest& request,
                  const SubspaceFilter<Backend>* filter) {
  const auto start = start_block(backend, h.size(), request);
  Checkpointer<Backend> observer(backend, request);
  DavidsonConfig config = davidson_config(request.config, h.size());
  config.num_roots = request.num_roots;
  auto result = davidson<Backend>(
      backend, h, start.view(), request.model_space, config, std::ref(observer),
      request.checkpoint != nullptr ? request.checkpoint->header.history : request.history, filter);

  SolveResult out;
  out.status = result.status;
  out.energies = std::move(result.energies);
  out.residual_norms = std::move(result.residual_norms);
  out.converged = std::move(result.converged);
  out.history = std::move(result.history);
  out.num_applications = result.num_applications;
  out.vectors.resize(static_cast<std::size_t>(result.vectors.rows()) *
                     static_cast<std::size_t>(result.vectors.columns()));
  backend.to_host(std::as_const(result.vectors).view(), out.vectors);
  return out;
}

template <class Backend>
std::vector<double> residual_norms(const Backend& backend, const Operator<Backend>& h,
                                   std::span<const double> vectors, std::span<const double> energies) {
  const int count = static_cast<int>(energies.size());
  auto c = backend.allocate(h.size(), count);
  auto residual = backend.allocate(h.size(), count);
  backend.from_host(vectors, c.view());
  h.apply(std::as_const(c).view(), residual.view());
  Matrix shift(count, count);
  for (int k = 0; k < count; ++k) shift(k, k) = -energies[static_cast<std::size_t>(k)];
  backend.combine(std::as_const(c).view(), shift, 1.0, residual.view());
  return backend.norms(std::as_const(residual).view());
}

template SolveResult solve(const HostBackend&, const Operator<HostBackend>&, const SolveRequest&,
                           const SubspaceFilter<HostBackend>*);
template std::vector<double> residual_norms(const HostBackend&, const Operator<HostBackend>&,
                                            std::span<const double>, std::span<const double>);
#ifdef CISOLVE_HAVE_CUDA
template SolveResult solve(const cuda::CudaBackend&, const Operator<cuda::CudaBackend>&, const SolveRequest&,
                           const SubspaceFilter<cuda::CudaBackend>*);
template std::vector<double> residual_norms(const cuda::CudaBackend&, const Operator<cuda::CudaBackend>&,
                                            std::span<const double>, std::span<const double>);
#endif

}  // namespace cisolve
