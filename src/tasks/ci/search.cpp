// SPDX-License-Identifier: MIT
#include "tasks/ci/search.hpp"

#include <algorithm>

#include "cisolve/tasks/report/report.hpp"
#include "cisolve/vectors/host_backend.hpp"
#include "tasks/ci/plan.hpp"
#include "tasks/files/checkpoint_writer.hpp"
#include "tasks/run/progress_line.hpp"
#ifdef CISOLVE_HAVE_CUDA
#include "cuda/vectors/cuda_backend.hpp"
#endif

namespace cisolve {
namespace {

/// Model-space eigenvectors beyond the roots asked for: they complete clusters and keep a root from
/// being missed that starts above its neighbours.
constexpr int guard_vectors = 2;

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

/// What is given (checkpoint or guess), filled up by model-space eigenvectors.
template <class Backend>
class StartSource {
public:
  StartSource(const Backend& backend, std::int64_t n, const SolveRequest& request)
      : backend_(backend), request_(request), model_rows_(backend.make_indices(request.model_space.rows)),
        given_(request.checkpoint != nullptr ? std::span<const double>(request.checkpoint->vectors)
                                             : request.guess),
        rows_(static_cast<std::size_t>(n)) {
    const int roots = request.num_roots;
    const auto columns = static_cast<int>(given_.size() / rows_);
    // A checkpoint of enough roots is taken as it is: it continues exactly where it was written. One of
    // fewer gives its Ritz vectors, which come first; its other directions know nothing of further roots.
    const int known =
        request.checkpoint == nullptr
            ? columns
            : std::min(columns, static_cast<int>(request.checkpoint->header.history.back().energies.size()));
    const bool continues = request.checkpoint != nullptr && known >= roots;
    have_ = continues ? columns : std::min(known, roots);
    from_model_ = model_columns(request, given_, n, have_, continues);
  }

  /// At least one column, if the model has none of the states wanted: zero, and replaced by the solver.
  StartBlock<Backend> block() const {
    return {std::max(have_ + static_cast<int>(from_model_.size()), 1),
            [this](int first, typename Backend::View out) { write(first, out); }};
  }

private:
  void write(int first, typename Backend::View out) const {
    for (int k = 0; k < out.columns; ++k) {
      const auto column = out.slice(k, 1);
      const int number = first + k;
      if (number < have_) {
        backend_.from_host(given_.subspan(static_cast<std::size_t>(number) * rows_, rows_), column);
        continue;
      }
      backend_.fill(column, 0.0);
      if (number >= have_ + static_cast<int>(from_model_.size())) continue;
      const int of_model = from_model_[static_cast<std::size_t>(number - have_)];
      Matrix coefficients(request_.start.rows(), 1);
      for (int i = 0; i < coefficients.rows(); ++i) coefficients(i, 0) = request_.start(i, of_model);
      backend_.scatter(coefficients, model_rows_, column);
    }
  }

  const Backend& backend_;
  const SolveRequest& request_;
  typename Backend::Indices model_rows_;
  std::span<const double> given_;
  std::size_t rows_;
  int have_ = 0;                 ///< given vectors
  std::vector<int> from_model_;  ///< eigenvectors of the model that follow them
};

/// Decides after each iteration whether a checkpoint is due, and writes it.
template <class Backend>
class Checkpointer {
public:
  Checkpointer(const Backend& backend, const SolveRequest& request, std::int64_t rows)
      : backend_(backend), request_(request), rows_(rows),
        writer_(
            {request.config.checkpoint_file, request.finished, request.checkpoint_buffer, request.control}) {}

  SolverAction operator()(const SolverState<Backend>& state) {
    print_iteration(request_.report, state.record);
    request_.report.flush();
    const bool stop = request_.control.stop_requested();
    const bool asked = request_.control.checkpoint_requested();
    const bool last = ++iterations_ == request_.config.max_iterations;  // a restart can go on from there
    // One that is due waits for the one before; a user's wish does not.
    const bool due = since_last_.seconds() >= request_.config.checkpoint_interval && !writer_.is_busy();
    if (stop || asked || due || last) {
      write(state);
      since_last_ = Stopwatch();
    }
    if (stop) writer_.finish();
    return stop ? SolverAction::stop : SolverAction::proceed;
  }

  /// Waits for what is being written.
  void finish() { writer_.finish(); }

private:
  using ConstView = typename Backend::ConstView;

  void write(const SolverState<Backend>& state) {
    const RestartVectors<Backend> vectors = state.restart_vectors();
    CheckpointHeader header = request_.header;
    header.dimension = rows_;
    header.num_vectors = vectors.columns;
    header.history = state.history;
    const auto column = [&](int k) { return vectors.column(k); };
    writer_.write(std::move(header), [&, current = -1, view = ConstView{}](int k, std::int64_t first_row,
                                                                           std::span<double> rows) mutable {
      if (k != current) view = column(current = k);
      backend_.to_host(view.row_slice(first_row, std::ssize(rows)), rows);
    });
  }

  const Backend& backend_;
  const SolveRequest& request_;
  std::int64_t rows_;
  CheckpointWriter writer_;
  Stopwatch since_last_;
  int iterations_ = 0;
};

}  // namespace

template <class Backend>
SolveResult solve(const Backend& backend, const Operator<Backend>& h, const SolveRequest& request,
                  const SubspaceFilter<Backend>* filter) {
  const StartSource<Backend> start(backend, h.size(), request);
  Checkpointer<Backend> observer(backend, request, h.size());
  DavidsonConfig config = davidson_config(request.config, h.size());
  config.num_roots = request.num_roots;
  config.max_columns = request.max_columns;
  auto result = davidson<Backend>(
      backend, h, start.block(), request.model_space, config, std::ref(observer),
      request.checkpoint != nullptr ? request.checkpoint->header.history : request.history, filter);
  observer.finish();

  SolveResult out;
  out.status = result.status;
  out.energies = std::move(result.energies);
  out.residual_norms = std::move(result.residual_norms);
  out.converged = std::move(result.converged);
  out.history = std::move(result.history);
  out.num_applications = result.num_applications;
  out.vectors = Array<double>(static_cast<std::size_t>(result.vectors.rows()) *
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
