// SPDX-License-Identifier: MIT
#include "problem/ranked/ranked_root_finder.hpp"

#include <omp.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <numeric>
#include <utility>

#include "core/stopwatch.hpp"
#include "problem/ranked/orders.hpp"

namespace cisolve {
namespace {

/// The ranks of this process, and orders to those of others for what is done with these.
class LedFinder {
public:
  LedFinder(const Problem& problem, Plan plan, const MakeShare& make, const BuildOptions& building)
      : give_(placement_of(plan).processes) {
    give_.or_fail([&] {
      if (placement_of(plan).processes != nullptr) order(MakeOrder{planned(problem, plan)});
      finder_ = std::make_unique<RankedFinder>(problem, std::move(plan), make, building);
    });
  }
  ~LedFinder() {
    try {
      order(DropOrder{});
    } catch (const Error&) {
      // Whoever uses the ranks next meets the same, and says so.
    }
  }
  LedFinder(const LedFinder&) = delete;
  LedFinder& operator=(const LedFinder&) = delete;

  /// Tells the others, and does work(finder) here.
  template <class Arguments, class Work>
  auto operator()(const Arguments& arguments, const Work& work) const {
    return give_.or_fail([&] {
      order(arguments);
      return work(*finder_);
    });
  }

  RankedFinder& finder() const { return *finder_; }

private:
  template <class Arguments>
  void order(const Arguments& arguments) const {
    give_(arguments, reinterpret_cast<FinderNumber>(this));  // which no other has meanwhile
  }

  static PlannedProblem planned(const Problem& problem, const Plan& plan) {
    const Placement& placement = placement_of(plan);
    PlannedProblem planned{.basis = recipe_of(*problem.basis),
                           .threshold = problem.tables->threshold(),
                           .spin = problem.spin,
                           .on_device = placement.on_device,
                           .ranks = placement.ranks,
                           .threads = omp_get_max_threads(),
                           .solver = placement.solver};
    if (const auto* stored = std::get_if<StoredPlan>(&plan)) {
      planned.matrix = {std::string(stored->format->name), stored->format_options, stored->first_rows,
                        placement.device_bytes, placement.matrix_bytes};
    } else {
      const auto& direct = std::get<DirectPlan>(plan);
      planned.parity = direct.product->parity();
      planned.spin = direct.spin;
      planned.keeps_spin = direct.keeps_spin;
      planned.with_packs = direct.with_packs;
      planned.most_strip_bytes = direct.most_strip_bytes;
    }
    return planned;
  }

  OrderGiver give_;
  std::unique_ptr<RankedFinder> finder_;
};

/// Vectors of which every rank has its rows.
class RankedVectors final : public VectorSource {
public:
  RankedVectors(std::shared_ptr<const LedFinder> led, int id) : led_(std::move(led)), id_(id) {}
  ~RankedVectors() override {
    try {
      (*led_)(ForgetOrder{id_}, [&](RankedFinder& finder) { finder.forget(id_); });
    } catch (const Error&) {
      // Whoever uses the ranks next meets the same, and says so.
    }
  }

  int id() const { return id_; }
  bool is_of(const LedFinder& led) const { return led_.get() == &led; }
  std::int64_t rows() const override { return led_->finder().size(); }
  int columns() const override { return led_->finder().columns(id_); }

  void read(int column, std::int64_t first_row, std::span<double> out) const override {
    const std::int64_t count = std::ssize(out);
    (*led_)(ReadOrder{id_, column, first_row, count},
            [&](RankedFinder& finder) { finder.read(id_, column, first_row, count, out); });
  }

private:
  std::shared_ptr<const LedFinder> led_;
  int id_;
};

class RankedRootFinder final : public RootFinder {
public:
  RankedRootFinder(const Problem& problem, Plan plan, const MakeShare& make, const BuildOptions& building)
      : num_roots_(placement_of(plan).solver.num_roots) {
    const Stopwatch stopwatch;
    led_ = std::make_shared<const LedFinder>(problem, std::move(plan), make, building);
    summary_ = shared().is_stored()
                   ? describe_stored(shared().stored(), finder().stored().sizes, finder().stored().regions)
                   : describe_direct(shared().direct(), finder().share().diagonal_facts().zeros);
    summary_.build_seconds = stopwatch.seconds();
  }

  const HamiltonianSummary& hamiltonian() const override { return summary_; }

  const ModelSpace& model_space() override { return start().model; }
  void limit_model_space(std::int64_t rows) override { most_model_rows_ = rows; }

  std::int64_t num_states() const override { return finder().part().num_states(); }
  bool separates_spins() const override { return shared().spin().has_value(); }
  bool may_project_on_spin() const override { return finder().part().may_project_on_spin(); }
  void project_on_spin() override {
    (*led_)(ProjectOrder{}, [](RankedFinder& ranked) { ranked.project_on_spin(); });
  }

  Roots solve(const Search& search) override {
    const ModelStart& model = start();
    const int num_start = search.num_start();
    const int id = ++last_id_;
    SolveOrder order{id, num_start, search, static_cast<bool>(search.observer), model};
    Roots roots =
        (*led_)(order, [&](RankedFinder& ranked) { return ranked.solve(search, num_start, model, id); });
    roots.vectors = std::make_shared<RankedVectors>(led_, id);
    return roots;
  }

  void apply(std::span<const double> x, std::span<double> y) const override {
    const int columns = columns_of(finder().size(), x, y);
    if (columns > 0) multiply(x, columns, y);
  }

  std::optional<int> device() const override { return std::nullopt; }

  void apply_there(const double* x, int columns, double* y) const override {
    const std::size_t elements =
        static_cast<std::size_t>(finder().size()) * static_cast<std::size_t>(columns);
    multiply({x, elements}, columns, {y, elements});
  }

  std::vector<double> residual_norms(std::span<const double> vectors,
                                     std::span<const double> energies) const override {
    return residual_norms_of({.whole = vectors}, energies);
  }
  std::vector<double> residual_norms(const VectorSource& vectors,
                                     std::span<const double> energies) const override {
    const int id = id_of(vectors);
    return id != 0 ? residual_norms_of({.id = id}, energies) : RootFinder::residual_norms(vectors, energies);
  }

  MissedRootProbe probe(std::span<const double> vectors, double lowest, double highest,
                        std::int64_t most_products, std::vector<double>& below) const override {
    return probe_with({.whole = vectors}, columns_in(vectors), lowest, highest, most_products, below);
  }
  MissedRootProbe probe(const VectorSource& vectors, double lowest, double highest,
                        std::int64_t most_products, std::vector<double>& below) const override {
    const int id = id_of(vectors);
    if (id == 0) return RootFinder::probe(vectors, lowest, highest, most_products, below);
    return probe_with({.id = id}, vectors.columns(), lowest, highest, most_products, below);
  }

  std::optional<std::vector<double>> resolve_spins(VectorSource& vectors, std::span<const double> energies,
                                                   const ClusterConfig& config,
                                                   std::vector<bool>& rotated) override {
    const int id = id_of(vectors);
    if (id == 0) return std::nullopt;
    return (*led_)(ResolveOrder{id, {energies.begin(), energies.end()}, config},
                   [&](RankedFinder& ranked) { return ranked.resolve_spins(id, energies, config, rotated); });
  }

  std::vector<LeadingDeterminant> leading(const VectorSource& vectors, int column, int most,
                                          double minimum_weight) const override {
    const int id = id_of(vectors);
    if (id == 0) return RootFinder::leading(vectors, column, most, minimum_weight);
    return (*led_)(LeadingOrder{id, column, most, minimum_weight},
                   [&](RankedFinder& ranked) { return ranked.leading(id, column, most, minimum_weight); });
  }

  /// Of several processes each keeps its rows.
  std::shared_ptr<const VectorSource> keep(
      const std::shared_ptr<const VectorSource>& vectors) const override {
    const Communicator* processes = shared().placement().processes;
    const auto [id, columns] = found_columns(*vectors);
    if (processes == nullptr || id == 0) return RootFinder::keep(vectors);
    static std::atomic<std::uint64_t> last_number = 0;
    const KeepOrder order{id, columns, ++last_number};
    KeptRows own = (*led_)(order, [&](RankedFinder& ranked) { return ranked.keep(order.id, order.columns); });
    return kept_vectors(*processes, order.number, std::move(own));
  }

  double expectation(std::span<const std::int64_t> rows,
                     std::span<const double> coefficients) const override {
    return (*led_)(ExpectationOrder{{rows.begin(), rows.end()}, {coefficients.begin(), coefficients.end()}},
                   [&](RankedFinder& ranked) { return ranked.expectation(rows, coefficients); });
  }

  std::optional<SpinDensities> spin_densities(const VectorSource& vectors, bool pairs) const override {
    const auto [id, columns] = found_columns(vectors);
    if (id != 0) {
      const DensitiesOrder order{id, columns, pairs};
      auto together = (*led_)(
          order, [&](RankedFinder& ranked) { return ranked.spin_densities(order.id, order.columns, pairs); });
      if (together) return together;
    }
    finder().share().make_current();
    return finder().share().spin_densities(vectors, pairs);
  }

private:
  /// Of vectors that a search found and that are still there; 0: of others.
  int id_of(const VectorSource& vectors) const {
    const auto* found = dynamic_cast<const RankedVectors*>(&vectors);
    return found != nullptr && found->is_of(*led_) ? found->id() : 0;
  }

  struct FoundColumns {
    int id = 0;  ///< as id_of
    std::vector<int> columns;
  };

  /// The same of some of them (ChosenVectors), too.
  FoundColumns found_columns(const VectorSource& vectors) const {
    if (const auto* chosen = dynamic_cast<const ChosenVectors*>(&vectors))
      return {id_of(*chosen->source()), {chosen->chosen().begin(), chosen->chosen().end()}};
    std::vector<int> all(static_cast<std::size_t>(vectors.columns()));
    std::iota(all.begin(), all.end(), 0);
    return {id_of(vectors), std::move(all)};
  }

  std::vector<double> residual_norms_of(const RankedFinder::Vectors& vectors,
                                        std::span<const double> energies) const {
    return (*led_)(ResidualOrder{vectors.id, {energies.begin(), energies.end()}},
                   [&](RankedFinder& ranked) { return ranked.residual_norms(vectors, energies); });
  }

  MissedRootProbe probe_with(const RankedFinder::Vectors& vectors, int count, double lowest, double highest,
                             std::int64_t most_products, std::vector<double>& below) const {
    return (*led_)(ProbeOrder{vectors.id, count, lowest, highest, most_products}, [&](RankedFinder& ranked) {
      return ranked.probe(vectors, count, lowest, highest, most_products, below);
    });
  }

  void multiply(std::span<const double> x, int columns, std::span<double> y) const {
    (*led_)(MultiplyOrder{columns}, [&](RankedFinder& ranked) { ranked.multiply(x, columns, y); });
  }

  const ModelStart& start() {
    if (!start_) {
      const auto choose = [&](const ModelRowsConfig& config) { return model_rows(config); };
      start_ = find_start(*shared().problem().basis, finder().part(), choose, shared().spin(), num_roots_,
                          most_model_rows_);
    }
    return *start_;
  }

  std::vector<std::int64_t> model_rows(const ModelRowsConfig& config) const {
    const Basis& basis = *shared().problem().basis;
    if (shared().is_stored()) return basis.model_rows(shared().diagonal(), config);
    return basis.model_rows(
        (*led_)(LowestOrder{config}, [&](RankedFinder& ranked) { return ranked.lowest_rows(config); }),
        config);
  }

  int columns_in(std::span<const double> vectors) const {
    return static_cast<int>(std::ssize(vectors) / finder().size());
  }

  RankedFinder& finder() const { return led_->finder(); }
  const SharedProblem& shared() const { return finder().shared(); }

  std::shared_ptr<const LedFinder> led_;
  int num_roots_;  ///< planned for
  HamiltonianSummary summary_;
  int last_id_ = 0;                   ///< of vectors
  std::int64_t most_model_rows_ = 0;  ///< as limited; 0: not
  std::optional<ModelStart> start_;   ///< once it has been asked for
};

}  // namespace

std::unique_ptr<RootFinder> make_ranked_root_finder(const Problem& problem, Plan plan, const MakeShare& make,
                                                    const BuildOptions& building) {
  return std::make_unique<RankedRootFinder>(problem, std::move(plan), make, building);
}

}  // namespace cisolve
