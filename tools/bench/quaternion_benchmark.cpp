// SPDX-License-Identifier: MIT
#include "quaternion_benchmark.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <type_traits>
#include <utility>

#include "adapted_functions.hpp"
#include "cisolve/core/error.hpp"
#include "cisolve/core/memory.hpp"
#include "cisolve/hamiltonian/kramers.hpp"
#include "cisolve/hamiltonian/spinor_rows.hpp"
#include "cisolve/solver/davidson.hpp"
#include "cisolve/space/string_table.hpp"
#include "cisolve/sparse/row_lengths.hpp"
#include "cisolve/vectors/host_backend.hpp"
#include "core/stopwatch.hpp"
#include "random.hpp"
#include "report.hpp"

namespace cisolve::bench {
namespace {

Complex taken_as(const Complex& value, Complex*) { return value; }
double taken_as(const Complex& value, double*) { return value.real(); }

template <class Scalar>
BasicMatrix<Scalar> taken_as(const BasicMatrix<Complex>& block, BasicMatrix<Scalar>*) {
  BasicMatrix<Scalar> result(block.rows(), block.columns());
  for (int j = 0; j < block.columns(); ++j) {
    for (int i = 0; i < block.rows(); ++i)
      result(i, j) = taken_as(block(i, j), static_cast<Scalar*>(nullptr));
  }
  return result;
}

/// H(indices, indices)
using DenseBlock = std::function<BasicMatrix<Complex>(std::span<const std::int64_t> indices)>;

/// A stored matrix as what the solver sees.
template <class Backend, class Matrix>
class MatrixOperator final : public Operator<Backend> {
public:
  using Scalar = typename Backend::Scalar;

  MatrixOperator(const Matrix& matrix, typename Backend::Block diagonal, DenseBlock dense_block)
      : matrix_(matrix), diagonal_(std::move(diagonal)), dense_block_(std::move(dense_block)) {}

  std::int64_t size() const override { return diagonal_.rows(); }
  void apply(typename Backend::ConstView x, typename Backend::View y) const override {
    spmv(matrix_, x, y, workspace_);
  }
  typename Backend::ConstView diagonal() const override { return diagonal_.view(); }
  BasicMatrix<Scalar> dense_block(std::span<const std::int64_t> indices) const override {
    return taken_as(dense_block_(indices), static_cast<BasicMatrix<Scalar>*>(nullptr));
  }

private:
  const Matrix& matrix_;
  typename Backend::Block diagonal_;
  DenseBlock dense_block_;
  mutable SpmvWorkspace workspace_;
};

/// The lowest roots of a stored matrix, hartree.
/// @param dense_block  of the matrix over some rows
template <class Backend, class Matrix>
std::vector<double> lowest_roots(const Matrix& matrix, const std::vector<double>& diagonal,
                                 const DenseBlock& dense_block, const QuaternionOptions& options) {
  const auto n = static_cast<std::int64_t>(diagonal.size());
  const Backend backend;
  auto diagonal_block = backend.allocate(n, 1);
  std::copy(diagonal.begin(), diagonal.end(), diagonal_block.view().data);
  const MatrixOperator<Backend, Matrix> h(matrix, std::move(diagonal_block), dense_block);

  constexpr std::int64_t most_model_rows = 100;
  std::vector<std::int64_t> rows;
  for (const auto& [value, row] : backend.lowest(h.diagonal(), std::min(n, most_model_rows)))
    rows.push_back(row);
  const auto model = make_model_space(h, rows);
  const int columns = std::min(options.roots, static_cast<int>(rows.size()));
  auto start = backend.allocate(n, columns);
  backend.fill(start.view(), 0.0);
  BasicMatrix<typename Backend::Scalar> lowest(static_cast<int>(rows.size()), columns);
  for (int k = 0; k < columns; ++k) {
    for (int i = 0; i < lowest.rows(); ++i) lowest(i, k) = model.vectors(i, k);
  }
  backend.scatter(lowest, backend.make_indices(rows), start.view());
  DavidsonConfig config;
  config.num_roots = columns;
  config.tolerance = options.davidson_residual;
  const auto result = davidson<Backend>(backend, h, std::as_const(start).view(), model, config);
  if (result.status != SolverStatus::converged) throw Error("quaternion: the roots have not converged");
  return result.energies;
}

constexpr std::int64_t bytes_per_nonzero = sizeof(Complex) + sizeof(ColumnIndex);

void require_memory(const char* what, std::int64_t bytes) {
  const std::int64_t available = available_memory() / 4 * 3;  // the rest is for vectors, and for others
  if (bytes <= available) return;
  throw ResourceError(fmt::format(
      "quaternion: {} takes {:.1f} GiB, and {:.1f} GiB may be taken; fewer spinors or electrons fit", what,
      static_cast<double>(bytes) / (1 << 30), static_cast<double>(available) / (1 << 30)));
}

/// What determinants and the tables of their excitations take, about: two entries for each pair of electrons.
std::int64_t table_bytes(int num_spinors, int num_electrons) {
  double determinants = 1.0;
  for (int k = 0; k < num_electrons; ++k) determinants *= static_cast<double>(num_spinors - k) / (k + 1);
  constexpr double bytes_per_pair = 48.0, most = 1e18;
  const double pairs = 1.0 + 0.5 * num_electrons * (num_electrons - 1);
  return static_cast<std::int64_t>(std::min(most, determinants * pairs * bytes_per_pair));
}

/// The formats of one problem, one after the other.
class QuaternionRun {
public:
  QuaternionRun(const SpinorProblem& problem, const QuaternionOptions& options)
      : options_(options), integrals_(problem.integrals),
        strings_(StringSelection<1>{.num_orbitals = integrals_.num_orbitals,
                                    .reference = String::lowest(problem.num_electrons),
                                    .max_level = problem.num_electrons,
                                    .irreps = std::vector<int>(integrals_.num_orbitals, 0),
                                    .class_by_irrep = false}),
        rows_(strings_, integrals_, options.threshold), pairs_(strings_), functions_(pairs_) {}

  nlohmann::json operator()() {
    const std::vector<std::int64_t> lengths = count_rows(rows_);
    // The largest of the matrices; there is one at a time.
    require_memory("complex csr", storage_sizes(lengths, 0).nonzeros * bytes_per_nonzero);
    make_known_products();
    {
      const ComplexCsrMatrix a = build("complex csr", [&] { return build_csr(rows_, lengths); });
      // The definition: its products are what all others are compared with.
      spmv(a, known_.in(known_.columns), {known_.y.data(), n(), known_.columns, n()});
      measure(a, known_, "complex csr");
      compare_roots<ComplexHostBackend>(a, diagonal(rows_), determinants_block(), "complex csr");
    }
    {
      const ComplexHybridMatrix a = build("complex hybrid", [&] {
        return build_hybrid(rows_, lengths, choose_ell_width(lengths, ell_costs<Complex>()));
      });
      measure(a, known_, "complex hybrid");
      compare_roots<ComplexHostBackend>(a, diagonal(rows_), determinants_block(), "complex hybrid");
    }
    if (pairs_.has_odd_electrons())
      run_quaternions();
    else
      run_real();
    return report();
  }

private:
  std::int64_t n() const { return strings_.size(); }

  void make_known_products() {
    known_.num_rows = n();
    known_.columns = *std::max_element(options_.columns.begin(), options_.columns.end());
    Random random(2026);
    // Real over the adapted functions, so that real matrices can take them, too.
    std::vector<Complex> x(static_cast<std::size_t>(n()) * static_cast<std::size_t>(known_.columns));
    for (Complex& element : x) {
      element = 2.0 * random.uniform() - 1.0;
      if (pairs_.has_odd_electrons()) element += Complex(0.0, 2.0 * random.uniform() - 1.0);
    }
    known_.x = functions_.expand(x);
    known_.y.resize(known_.x.size());
  }

  /// The known products over the adapted functions.
  template <class Scalar>
  KnownProducts<Scalar> adapted() const {
    KnownProducts<Scalar> result{known_.num_rows, known_.columns, {}, {}};
    for (const Complex& value : functions_.adapt(known_.x))
      result.x.push_back(taken_as(value, static_cast<Scalar*>(nullptr)));
    for (const Complex& value : functions_.adapt(known_.y))
      result.y.push_back(taken_as(value, static_cast<Scalar*>(nullptr)));
    return result;
  }

  DenseBlock determinants_block() const {
    return [this](std::span<const std::int64_t> indices) { return dense_block(rows_, indices); };
  }
  DenseBlock functions_block() const {
    return [this](std::span<const std::int64_t> indices) { return functions_.dense_block(rows_, indices); };
  }

  void run_quaternions() {
    const QuaternionRows quaternions(rows_, pairs_);
    const auto known = adapted<Complex>();
    const QuaternionHybridMatrix a = build("quaternion hybrid", [&] { return build_hybrid(quaternions); });
    measure(a, known, "quaternion hybrid");
    std::vector<double> energies;
    for (const KramersPairs::Pair& pair : pairs_.pairs())
      energies.insert(energies.end(), 2, rows_.diagonal(pair.first));
    compare_roots<ComplexHostBackend>(a, energies, functions_block(), "quaternion hybrid");
  }

  void run_real() {
    const KramersRealRows real(rows_, pairs_, options_.threshold);
    const auto known = adapted<double>();
    std::vector<double> energies(static_cast<std::size_t>(n()));
    {
      const CsrMatrix a = build("real csr", [&] { return build_csr(real); });
      for (std::int64_t row = 0; row < n(); ++row)
        energies[static_cast<std::size_t>(row)] = diagonal_of(a, row);
      measure(a, known, "real csr");
    }
    const HybridMatrix a = build("real hybrid", [&] { return build_hybrid(real); });
    measure(a, known, "real hybrid");
    compare_roots<HostBackend>(a, energies, functions_block(), "real hybrid");
  }

  static double diagonal_of(const CsrMatrix& a, std::int64_t row) {
    const auto at = static_cast<std::size_t>(row);
    const ColumnIndex* last = a.columns.data() + a.offsets[at + 1];
    const ColumnIndex* found = std::lower_bound(a.columns.data() + a.offsets[at], last, row);
    return found != last && *found == row ? a.values[static_cast<std::size_t>(found - a.columns.data())]
                                          : 0.0;
  }

  template <class Build>
  std::invoke_result_t<Build> build(const std::string& name, const Build& make) {
    const Stopwatch stopwatch;
    auto a = make();
    const double seconds = stopwatch.seconds();
    matrices_.push_back({{"format", name},
                         {"rows", a.num_rows},
                         {"nonzeros", a.num_nonzeros()},
                         {"bytes", array_bytes(a)},
                         {"build_seconds", seconds}});
    fmt::print("{:<18} {:>9} rows {:>11} nonzeros {:>13} bytes, built in {:.2f} s\n", name, a.num_rows,
               a.num_nonzeros(), array_bytes(a), seconds);
    return a;
  }

  /// Checks and times the products of a format.
  template <class Matrix, class Scalar>
  void measure(const Matrix& a, const KnownProducts<Scalar>& known, const std::string& name) {
    measure_on_host(a, known, name);
#ifdef CISOLVE_HAVE_CUDA
    if (options_.on_device) measure_on_device(a, known, name, options_, results_);
#endif
    for (const SpmvMeasurement& result : results_) {
      if (!result.correct) {
        throw Error(fmt::format("quaternion: the product of {} on {} is wrong by {:.1e}", result.name,
                                result.place, result.relative_error));
      }
    }
  }

  template <class Matrix, class Scalar>
  void measure_on_host(const Matrix& a, const KnownProducts<Scalar>& known, const std::string& name) {
    SpmvWorkspace workspace;
    std::vector<Scalar> y(known.y.size());
    for (const int columns : options_.columns) {
      const BlockView<Scalar, Memory::host> out{y.data(), known.num_rows, columns, known.num_rows};
      std::fill(y.begin(), y.end(), std::numeric_limits<double>::quiet_NaN());
      spmv(a, known.in(columns), out, workspace);
      SpmvMeasurement result;
      result.name = name;
      result.format = name;
      result.place = "host";
      result.columns = columns;
      result.bytes = array_bytes(a);
      result.relative_error = known.relative_error(y, columns);
      result.correct = result.relative_error <= options_.error_limit;
      std::vector<double> samples;
      for (int turn = -options_.warm_ups; turn < options_.repeats; ++turn) {
        const Stopwatch stopwatch;
        spmv(a, known.in(columns), out, workspace);
        if (turn >= 0) samples.push_back(1e3 * stopwatch.seconds());
      }
      result.milliseconds = spread_of(std::move(samples));
      results_.push_back(std::move(result));
    }
  }

  template <class Backend, class Matrix>
  void compare_roots(const Matrix& a, const std::vector<double>& diagonal, const DenseBlock& dense_block,
                     const std::string& name) {
    if (options_.roots == 0) return;
    const std::vector<double> energies = lowest_roots<Backend>(a, diagonal, dense_block, options_);
    if (energies_.empty()) energies_ = energies;
    double distance = 0.0;
    for (std::size_t k = 0; k < std::min(energies.size(), energies_.size()); ++k)
      distance = std::max(distance, std::abs(energies[k] - energies_[k]));
    matrices_.back()["energies"] = energies;
    matrices_.back()["root_difference"] = distance;
    fmt::print("{:<18} lowest root {:.11f} hartree, {} roots within {:.1e} of those of complex csr\n", name,
               energies.front(), energies.size(), distance);
    if (!(distance <= options_.energy_limit))
      throw Error(fmt::format("quaternion: roots of {} are {:.1e} hartree from those of complex csr", name,
                              distance));
  }

  nlohmann::json report() {
    print(results_);
    return {{"spinors", integrals_.num_orbitals},
            {"electrons", strings_.num_electrons()},
            {"determinants", n()},
            {"kramers_pairs", std::ssize(pairs_.pairs())},
            {"threshold", options_.threshold},
            {"repeats", options_.repeats},
            {"matrices", matrices_},
            {"products", describe(results_)}};
  }

  const QuaternionOptions& options_;
  const ComplexIntegrals& integrals_;
  StringTable<1> strings_;
  SpinorRows rows_;
  KramersPairs pairs_;
  AdaptedFunctions functions_;
  KnownProducts<Complex> known_;  ///< over determinants
  std::vector<double> energies_;  ///< of complex CSR
  std::vector<nlohmann::json> matrices_;
  std::vector<SpmvMeasurement> results_;
};

}  // namespace

nlohmann::json run_quaternion(const SpinorProblem& problem, const QuaternionOptions& options) {
  if (problem.integrals.num_orbitals > String::max_orbitals)
    throw InputError("quaternion: it takes 64 spinors at most");
  require_kramers_pairs(problem.integrals, options.kramers_limit);
  require_memory("the table of excitations",
                 table_bytes(problem.integrals.num_orbitals, problem.num_electrons));
  fmt::print("{}\n", problem.name);
  // What the integrals miss of the structure would show in the roots: 1e-11 hartree in those of a program.
  const SpinorProblem adapted{with_kramers_symmetry(problem.integrals), problem.num_electrons, problem.name};
  nlohmann::json results = QuaternionRun(adapted, options)();
  results["kramers_violation"] = kramers_violation(problem.integrals);
  return results;
}

}  // namespace cisolve::bench
