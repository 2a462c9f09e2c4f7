// SPDX-License-Identifier: MIT
#include "cisolve/problem/selected_ci.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <optional>
#include <parallel/algorithm>
#include <string>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/core/number_text.hpp"
#include "cisolve/problem/followed_roots.hpp"
#include "cisolve/ranks/communicator.hpp"
#include "cisolve/selection/heat_bath.hpp"
#include "cisolve/selection/list_hamiltonian.hpp"
#include "cisolve/selection/strongest_rows.hpp"
#include "cisolve/space/excitations.hpp"
#include "cisolve/sparse/growing_matrix.hpp"
#include "cisolve/sparse/row_lengths.hpp"
#include "problem/devices.hpp"
#include "problem/planners.hpp"
#include "problem/row_sample.hpp"

namespace cisolve {
namespace {

/// Nonzeros of each row of both triangles.
std::vector<std::int64_t> row_lengths_of(const GrowingMatrix& matrix) {
  std::vector<std::int64_t> lengths(matrix.num_rows(), 0);
  for (std::int64_t row = 0; row < matrix.num_rows(); ++row) {
    matrix.for_each_stored(row, [&](ColumnIndex column, double) {
      ++lengths[row];
      if (column != row) ++lengths[column];
    });
  }
  return lengths;
}

template <int Words>
class SelectedCiOf final : public SelectedCi {
public:
  SelectedCiOf(const BasisDefinition& definition, double threshold, PlanOptions options, Resources resources,
               double floor, const SelectedStart& given)
      : definition_(definition), options_(std::move(options)), resources_(std::move(resources)),
        floor_(floor), tables_(std::make_shared<const IntegralTables>(*definition.integrals, threshold)),
        alpha_moves_(*tables_) {
    if (tables_->is_unrestricted()) own_beta_moves_.emplace(tables_->beta());
    const auto& selection = std::get<DeterminantSelection>(definition.functions);
    require_room(definition, resources_.memory, options_.solver.num_roots);
    is_complete_ = selection.spin_complete;
    irrep_ = selection.irrep;
    for (const auto& reference : selection.references) references_.push_back(with_words<Words>(reference));
    definition_.spin_complete = is_complete_;
    matrix_ = std::make_shared<GrowingMatrix>();
    if (given.alpha.empty()) {
      begin_with(make_space(with_words<Words>(selection)));
    } else {
      go_on_from(given);
    }
    describe_levels(0);
    require_states();
  }

  std::int64_t size() const override { return std::ssize(determinants_); }
  std::int64_t nonzeros() const override {
    return elsewhere_ ? elsewhere_->nonzeros : matrix_->num_nonzeros();
  }
  std::int64_t matrix_bytes() const override { return elsewhere_ ? elsewhere_->bytes : matrix_->bytes(); }
  std::int64_t memory() const override { return resources_.memory; }
  const std::string& why_not_device() const override { return why_not_device_; }
  std::span<const double> energies() const override { return energies_; }
  std::span<const double> vectors() const override { return vectors_; }

  Roots solve(const std::function<SolverAction(const SearchState&)>& observer, const BuildOptions& building,
              const FurtherRoots& further) override {
    const Problem problem = make_problem();
    const bool is_known = is_explored();
    Search search;
    search.start = seen_vectors(vectors_, size());
    search.add_model_space = !vectors_.empty() && !is_known;
    search.observer = observer;
    search.num_roots = options_.solver.num_roots + further.count;
    const auto settings = [&](StoredPlan plan) {
      if (is_known) plan.placement.solver.start_perturbation = plan.placement.solver.exploration_margin = 0.0;
      return plan;
    };
    std::optional<Roots> roots;
    if (is_for_device()) {
      try {
        const auto matrix = list_hamiltonian(problem);
        roots = find(problem, settings(list_plan(problem, matrix)), search, further.follow);
        elsewhere_ = {matrix->num_nonzeros(), matrix->bytes()};
      } catch (const ResourceError&) {
        is_list_refused_ = true;
        why_not_device_ = "the list of " + format_count(size()) + " determinants has no room on the device";
      }
    }
    if (!roots && is_shared()) {
      StoredPlan plan = shared_plan(problem, building);
      elsewhere_ = {plan.sizes.nonzeros, plan.placement.matrix_bytes};
      roots = find(problem, settings(std::move(plan)), search, further.follow, building);
    } else if (!roots) {
      extend_matrix(problem, building);
      elsewhere_.reset();
      roots = find(problem, settings(symmetric_plan(problem, false)), search, further.follow);
    }
    return std::move(*roots);
  }

  DensityMatrices density_matrices() const override {
    return make_basis_of_list()->density_matrices(vectors_, static_cast<int>(energies_.size()));
  }

  void keep_strongest(std::span<const int> roots, std::int64_t first, std::int64_t most) override {
    const std::size_t n = determinants_.size();
    std::vector<double> energies, vectors, largest(n, 0.0);
    for (const int root : roots) {
      const auto begin = vectors_.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(root) * n);
      energies.push_back(energies_[static_cast<std::size_t>(root)]);
      vectors.insert(vectors.end(), begin, begin + static_cast<std::ptrdiff_t>(n));
      for (std::size_t i = 0; i < n; ++i)
        largest[i] = std::max(largest[i], std::abs(begin[static_cast<std::ptrdiff_t>(i)]));
    }
    energies_ = std::move(energies);
    vectors_ = std::move(vectors);
    std::fill_n(largest.begin(), std::min(first, size()), std::numeric_limits<double>::infinity());
    std::vector<std::int64_t> strong = strongest_rows(largest, std::max(most, first));
    constexpr double noise = 1e-5;  // of coefficients: what a root of another symmetry has
    std::erase_if(strong, [&](std::int64_t row) { return largest[row] < noise; });
    keep(is_complete_ ? with_their_configurations(strong) : strong);
  }

  GrownList grow(const SelectionPass& pass, const ExternalOptions& options) override {
    switch (pass.criterion) {
      case SelectionCriterion::heat_bath:
        return grow_by_heat_bath(pass, options);
      case SelectionCriterion::perturbation:
        return grow_by_perturbation(pass, options);
      case SelectionCriterion::amplitude:
        return grow_by_amplitude(pass, options);
    }
    return {};
  }

  SecondOrder second_order(const Wavefunctions& wavefunctions,
                           const ExternalOptions& options) const override {
    return sum_externals(determinants_, wavefunctions, {}, nullptr, options);
  }

  SecondOrder estimate_second_order(const Wavefunctions& wavefunctions, const SamplingConfig& config,
                                    const ExternalOptions& options) const override {
    return on_device_or_host(
        determinants_,
        [&](const Device& device, const ListedHamiltonian<Words>& list) {
          return estimate_externals_on_device<Words>(device, list, wavefunctions, config, options);
        },
        [&](const ExternalSpace<Words>& space) { return space.estimate(wavefunctions, config, options); });
  }

  FunctionList list() const override {
    FunctionList out;
    for (const Determinant<Words>& d : determinants_) {
      out.alpha.insert(out.alpha.end(), d.alpha.words.begin(), d.alpha.words.end());
      out.beta.insert(out.beta.end(), d.beta.words.begin(), d.beta.words.end());
    }
    return out;
  }
  int num_words() const override { return Words; }

  SelectedProblem finish(double tolerance, const BuildOptions& building) override {
    Problem problem = make_problem();
    if (!is_for_device() && !is_shared()) extend_matrix(problem, building);
    options_.solver.tolerance = tolerance;
    options_.solver.start_perturbation = 0.0;  // passes have looked for what start vectors did not hold
    if (is_explored()) options_.solver.exploration_margin = 0.0;
    Plan plan = final_plan(problem, building);
    matrix_ = std::make_shared<GrowingMatrix>();
    return {std::move(problem), std::move(plan), std::move(vectors_)};
  }

private:
  const SameSpinMoves& beta_moves() const { return own_beta_moves_ ? *own_beta_moves_ : alpha_moves_; }
  Wavefunctions wavefunctions() const { return {vectors_, energies_}; }

  /// A list that has changed much since other states were looked for may have another one among its lowest; else the roots
  /// that are known lead there.
  bool is_explored() const {
    constexpr double much = 0.25;
    return static_cast<double>(changed_) < much * static_cast<double>(explored_size_);
  }

  /// The roots over the list, which are kept; of them those that continue the last ones, or all.
  Roots find(const Problem& problem, StoredPlan plan, const Search& search, bool follow,
             const BuildOptions& building = {}) {
    const std::unique_ptr<RootFinder> finder = make_root_finder(problem, std::move(plan), building);
    Roots roots = finder->solve(search);
    const std::size_t n = determinants_.size();
    std::vector<double> vectors(n * roots.energies.size());
    for (std::size_t k = 0; k < roots.energies.size(); ++k)
      roots.vectors->read(static_cast<int>(k), 0, std::span(vectors).subspan(k * n, n));
    roots.vectors.reset();                                            // the finder that holds them goes
    if (roots.status == SolverStatus::converged && !is_explored()) {  // then others were looked for
      explored_size_ = size();
      changed_ = 0;
    }
    if (follow && !vectors_.empty()) leave_followed(roots, vectors);
    energies_ = roots.energies;
    vectors_ = std::move(vectors);
    return roots;
  }

  /// Of the roots those that continue the ones before, and the lowest others if these were fewer; ascending.
  void leave_followed(Roots& roots, std::vector<double>& vectors) const {
    const std::size_t n = determinants_.size(), found = roots.energies.size();
    const std::size_t count = std::min(static_cast<std::size_t>(options_.solver.num_roots), found);
    std::vector<int> numbers =
        followed_roots(vectors, static_cast<int>(found), vectors_, std::min(count, vectors_.size() / n), n);
    for (int other = 0; numbers.size() < count; ++other) {
      if (std::ranges::find(numbers, other) == numbers.end()) numbers.push_back(other);
    }
    std::sort(numbers.begin(), numbers.end());
    bool are_converged = true;
    for (std::size_t k = 0; k < count; ++k) {
      const auto from = static_cast<std::size_t>(numbers[k]);
      roots.energies[k] = roots.energies[from];
      roots.residual_norms[k] = roots.residual_norms[from];
      roots.converged[k] = roots.converged[from];
      are_converged = are_converged && roots.converged[k];
      if (from > k)
        std::copy_n(vectors.begin() + static_cast<std::ptrdiff_t>(from * n), n,
                    vectors.begin() + static_cast<std::ptrdiff_t>(k * n));
    }
    roots.energies.resize(count);
    roots.residual_norms.resize(count);
    roots.converged.resize(count);
    vectors.resize(count * n);
    if (are_converged && roots.status != SolverStatus::interrupted) roots.status = SolverStatus::converged;
  }

  /// Contributions to externals that some determinants may have, about.
  double expected_contributions(std::span<const Determinant<Words>> determinants) const {
    const double n = tables_->num_orbitals(), pairs = std::max(n * (n - 1.0), 1.0);
    const auto moves = [&](int electrons, const SameSpinMoves& of_pairs) {
      return static_cast<double>(of_pairs.size()) * electrons * (electrons - 1.0) / pairs;
    };
    const auto singles = [&](int electrons) { return electrons * (n - electrons); };
    const int alpha = determinants[0].alpha.count(), beta = determinants[0].beta.count();
    const std::span<const int> irreps = tables_->irreps();
    const double num_irreps = 1.0 + *std::max_element(irreps.begin(), irreps.end());
    return static_cast<double>(determinants.size()) *
           (moves(alpha, alpha_moves_) + moves(beta, beta_moves()) +
            singles(alpha) * singles(beta) / num_irreps);
  }

  /// A sum over externals, on a device where there is one and they are many.
  template <class OnDevice, class OnHost>
  SecondOrder on_device_or_host(std::span<const Determinant<Words>> determinants, const OnDevice& on_device,
                                const OnHost& on_host) const {
    constexpr double worth_it = 1e7;  // contributions: what the host sums in a tenth of a second
    if (!resources_.devices.empty() && resources_.devices[0].ordinal != Device::not_here &&
        !is_sum_refused_ && expected_contributions(determinants) > worth_it) {
      try {
        return on_device(resources_.devices[0], {*tables_, alpha_moves_, beta_moves(), determinants});
      } catch (const ResourceError& error) {
        is_sum_refused_ = true;
        why_not_device_ = "the sum over determinants outside of " + format_count(std::ssize(determinants)) +
                          " does not go on the device: " + error.what();
      }
    }
    return on_host(ExternalSpace<Words>(*tables_, alpha_moves_, beta_moves(), determinants));
  }

  /// Of all externals; of those chosen if `chosen` is not null.
  SecondOrder sum_externals(std::span<const Determinant<Words>> determinants,
                            const Wavefunctions& wavefunctions, const ExternalChoice& choice,
                            std::vector<External<Words>>* chosen, const ExternalOptions& options) const {
    return on_device_or_host(
        determinants,
        [&](const Device& device, const ListedHamiltonian<Words>& list) {
          return sum_externals_on_device<Words>(device, list, wavefunctions, choice, chosen, options);
        },
        [&](const ExternalSpace<Words>& space) {
          return chosen == nullptr ? space.sum(wavefunctions, options)
                                   : space.sum(wavefunctions, choice, *chosen, options);
        });
  }

  /// Ranks that share the rows of the matrix, and of vectors, where it is not on one device.
  int num_ranks() const {
    const int here = std::max(resources_.ranks, 1);
    return resources_.processes == nullptr ? here : here * resources_.processes->size();
  }
  bool is_shared() const { return num_ranks() > 1; }

  bool is_for_device() const { return goes_on_device(size()); }

  bool goes_on_device(std::int64_t determinants) const {
    return resources_.processes == nullptr && !is_list_refused_ &&
           is_applied_on_device(options_, resources_, determinants) &&
           resources_.devices[0].ordinal != Device::not_here;
  }

  /// Of a problem over the list, which must outlive it.
  std::shared_ptr<const ListHamiltonian<Words>> list_hamiltonian(const Problem& problem) const {
    return std::make_shared<ListHamiltonian<Words>>(
        *tables_, alpha_moves_, beta_moves(), determinants_,
        [&basis = *problem.basis, tables = tables_] { return basis.make_rows(*tables); });
  }

  /// H over the list on the device, where its rows are made.
  StoredPlan list_plan(const Problem& problem, std::shared_ptr<const StoredMatrix> matrix) const {
    const Device& device = resources_.devices[0];
    StoredPlan plan;
    plan.matrix = std::move(matrix);
    add_spin_rows(problem, plan);
    Placement& placement = plan.placement;
    placement.device = device.name;
    placement.ordinal = device.ordinal;
    placement.on_device = true;
    placement.memory = resources_.memory;
    placement.solver = solver_of(options_, size());
    placement.vector_bytes = 8 * size() * davidson_columns(placement.solver, size());
    placement.device_bytes = bytes_on_device(options_, size());
    placement.host_bytes = tables_->bytes();
    return plan;
  }

  /// The matrix in shares of several ranks, which is built anew whenever the list has changed.
  StoredPlan shared_plan(const Problem& problem, const BuildOptions& building) const {
    const BuildOptions counting{.progress = {}, .stop = building.stop};
    return std::get<StoredPlan>(make_plan(problem, options_, resources_, counting));
  }

  static void add_spin_rows(const Problem& problem, StoredPlan& plan) {
    if (!problem.spin) return;
    plan.spin_rows = problem.basis->s_squared_rows();
    plan.spin_row_lengths = count_rows(*plan.spin_rows, {});
  }

  /// Formats that are asked for, and devices, take the rows anew; a device that has no room leaves the matrix as it is.
  Plan final_plan(const Problem& problem, const BuildOptions& building) {
    if (is_for_device()) return list_plan(problem, list_hamiltonian(problem));
    if (is_shared()) return make_plan(problem, options_, resources_, building);
    if (options_.storage == "auto" && resources_.devices.empty()) return symmetric_plan(problem, true);
    try {
      return make_plan(problem, options_, resources_, building);
    } catch (const DoesNotFit& error) {
      if (options_.storage != "auto" || resources_.device_required) throw;
      StoredPlan plan = symmetric_plan(problem, true);
      plan.placement.why_not_device = error.shortage();
      return plan;
    }
  }

  /// Levels of the determinants from `first` on: substitutions that lead there from a reference, of many the first ones.
  void describe_levels(std::size_t first) {
    constexpr std::size_t most = 256;
    const std::span<const Determinant<Words>> references(references_.data(),
                                                         std::min(most, references_.size()));
    levels_.resize(determinants_.size());
#pragma omp parallel for schedule(static)
    for (std::size_t i = first; i < determinants_.size(); ++i) {
      int level = std::numeric_limits<std::int16_t>::max();
      for (const auto& reference : references) {
        level = std::min(level, (determinants_[i].alpha & ~reference.alpha).count() +
                                    (determinants_[i].beta & ~reference.beta).count());
      }
      levels_[i] = static_cast<std::int16_t>(level);
    }
    for (std::size_t i = first; i < static_cast<std::size_t>(num_references_); ++i) levels_[i] = 0;
  }

  /// @throws EmptySpaceError  no state over the first list has the spin that is asked for
  void require_states() const {
    if (!definition_.multiplicity || !is_complete_) return;
    const auto structure = make_basis_of_list()->spin_structure();
    if (!structure || structure->dimension > 0) return;
    throw EmptySpaceError("the determinants that the list begins with hold no state of multiplicity " +
                          std::to_string(*definition_.multiplicity) +
                          "; references with as many open shells do");
  }

  void begin_with(std::unique_ptr<Space<Words>> space) {
    num_references_ = space->num_references();
    determinants_.resize(space->size());
    space->enumerate(0, determinants_);
    if (determinants_.empty()) (void)make_basis<Words>(definition_, std::move(space));  // says so
  }

  void go_on_from(const SelectedStart& start) {
    const std::size_t words = static_cast<std::size_t>(start.words), n = start.alpha.size() / words;
    const auto string = [&](std::span<const std::uint64_t> all, std::size_t at) {
      BitString<Words> s;
      for (std::size_t w = 0; w < words; ++w) {
        if (w < s.words.size()) s.words[w] = all[at * words + w];
        if (w >= s.words.size() && all[at * words + w] != 0)
          throw InputError("a determinant to start from has electrons beyond the orbitals");
      }
      return s;
    };
    for (std::size_t i = 0; i < n; ++i) {
      determinants_.push_back({string(start.alpha, i), string(start.beta, i)});
      require_like_references(determinants_.back());
    }
    std::vector<Determinant<Words>> sorted = determinants_;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
      throw InputError("a determinant to start from is listed twice");
    std::vector<Determinant<Words>> references = references_;
    std::sort(references.begin(), references.end());
    while (num_references_ < size() && std::ranges::binary_search(references, determinants_[num_references_]))
      ++num_references_;
    vectors_.assign(start.vectors.begin(), start.vectors.end());
    if (vectors_.size() % n != 0) throw InputError("vectors to start from are not those of the list");
    if (!is_complete_) return;
    std::vector<Determinant<Words>> missing;
    for (const auto& d : completed(sorted)) {
      if (!std::ranges::binary_search(sorted, d)) missing.push_back(d);
    }
    append(missing);
  }

  /// @throws InputError  a determinant has other electrons, orbitals or another irrep than the references
  void require_like_references(const Determinant<Words>& d) const {
    const BitString<Words> orbitals = BitString<Words>::lowest(tables_->num_orbitals());
    const bool has_orbitals = (d.alpha & ~orbitals).count() + (d.beta & ~orbitals).count() == 0;
    if (!has_orbitals || d.alpha.count() != references_[0].alpha.count() ||
        d.beta.count() != references_[0].beta.count())
      throw InputError("a determinant to start from has other electrons or orbitals than the references");
    const std::span<const int> irreps = tables_->irreps();
    if (irrep_ != any_irrep && (irrep_of(d.alpha, irreps) ^ irrep_of(d.beta, irreps)) != irrep_)
      throw InputError("a determinant to start from has another irrep than the states");
  }

  std::unique_ptr<Basis> make_basis_of_list() const {
    std::vector<std::int64_t> counts(1, 0);
    for (const std::int16_t level : levels_) {
      if (std::ssize(counts) <= level) counts.resize(static_cast<std::size_t>(level) + 1, 0);
      ++counts[level];
    }
    BasisDefinition definition = definition_;
    std::get<DeterminantSelection>(definition.functions).excitation_level =
        static_cast<int>(counts.size()) - 1;
    return make_basis<Words>(
        definition, std::make_unique<ListSpace<Words>>(determinants_, tables_->num_orbitals(), irrep_,
                                                       num_references_, std::move(counts)));
  }

  Problem make_problem() const { return Problem(make_basis_of_list(), tables_); }

  void extend_matrix(const Problem& problem, const BuildOptions& building) {
    if (matrix_->num_rows() == size()) return;
    const std::unique_ptr<RowSource> rows = problem.basis->make_rows(*tables_);
    if (2 * matrix_->num_rows() < size()) require_room_for_first(*rows);
    matrix_->append(*rows, building);
  }

  /// @throws DoesNotFit  the matrix of the list is far too large
  void require_room_for_first(const RowSource& rows) const {
    const RowSample sample(rows);
    constexpr double per_nonzero = 6.0;  // of both triangles, of which one is stored
    const double bytes =
        per_nonzero * sample.nonzeros() +
        8.0 * davidson_columns(solver_of(options_, size()), size()) * static_cast<double>(size());
    if (bytes <= static_cast<double>(resources_.memory)) return;
    throw DoesNotFit(
        DoesNotFit::Limit::host_memory,
        (matrix_->num_rows() == 0 ? "the list begins with " : "the list has ") + format_count(size()) +
            " determinants, which need about " + format_bytes(static_cast<std::int64_t>(bytes)) + ", but " +
            format_bytes(resources_.memory) + " may be used",
        matrix_->num_rows() == 0
            ? "begin with fewer: a lower excitation_level, or fewer references"
            : "let it grow less: a smaller selection.determinants, or a larger selection.epsilon");
  }

  /// @param sizes  what other formats would take is wanted, too
  StoredPlan symmetric_plan(const Problem& problem, bool sizes) const {
    StoredPlan plan;
    plan.matrix = matrix_;
    add_spin_rows(problem, plan);
    if (sizes) plan.sizes = storage_sizes(row_lengths_of(*matrix_), std::nullopt);
    Placement& placement = plan.placement;
    placement.device = cpu_name();
    placement.matrix_bytes = matrix_->bytes();
    placement.solver = solver_of(options_, size());
    placement.vector_bytes = 8 * size() * davidson_columns(placement.solver, size());
    placement.host_bytes = placement.matrix_bytes + placement.vector_bytes + tables_->bytes();
    placement.memory = resources_.memory;
    return plan;
  }

  GrownList grow_by_heat_bath(const SelectionPass& pass, const ExternalOptions& options) {
    if (!opposite_moves_) opposite_moves_.emplace(*tables_, floor_);
    std::vector<Determinant<Words>> news =
        heat_bath_selection<Words>(*tables_, alpha_moves_, beta_moves(), *opposite_moves_, determinants_,
                                   vectors_, pass.epsilon, options);
    GrownList grown;
    if (pass.accepts && !pass.accepts({std::ssize(news), nullptr})) return grown;
    add(std::move(news), grown);
    return grown;
  }

  GrownList grow_by_perturbation(const SelectionPass& pass, const ExternalOptions& options) {
    ExternalChoice choice{.measure = ExternalMeasure::contribution, .threshold = pass.epsilon};
    if (pass.most > 0) choice.most = std::max<std::int64_t>(pass.most - size(), 0);
    std::vector<External<Words>> chosen;
    const SecondOrder found = sum_externals(determinants_, wavefunctions(), choice, &chosen, options);
    GrownList grown;
    if (pass.accepts && !pass.accepts({std::ssize(chosen), &found})) return grown;
    if (pass.most > 0) grown.ties = std::max<std::int64_t>(std::ssize(chosen) - choice.most, 0);
    add(determinants_of_externals(chosen), grown);
    return grown;
  }

  GrownList grow_by_amplitude(const SelectionPass& pass, const ExternalOptions& options);

  static std::vector<Determinant<Words>> determinants_of_externals(
      const std::vector<External<Words>>& externals) {
    std::vector<Determinant<Words>> all;
    all.reserve(externals.size());
    for (const auto& external : externals) all.push_back(external.determinant);
    __gnu_parallel::sort(all.begin(), all.end());
    return all;
  }

  /// Appends determinants, ascending and new, and what completes their configurations.
  void add(std::vector<Determinant<Words>> news, GrownList& grown) {
    if (news.empty()) return;
    if (is_complete_) news = completed(news);
    if (!has_room(size() + std::ssize(news))) {
      grown.was_cut = true;
      return;
    }
    grown.added = std::ssize(news);
    append(news);
  }

  void append(std::span<const Determinant<Words>> news) {
    changed_ += std::ssize(news);
    const std::size_t before = determinants_.size(), after = before + news.size();
    determinants_.insert(determinants_.end(), news.begin(), news.end());
    const std::size_t roots = before > 0 ? vectors_.size() / before : 0;
    describe_levels(before);
    std::vector<double> vectors(after * roots, 0.0);
    for (std::size_t k = 0; k < roots; ++k)
      std::copy_n(vectors_.begin() + static_cast<std::ptrdiff_t>(k * before), before,
                  vectors.begin() + static_cast<std::ptrdiff_t>(k * after));
    vectors_ = std::move(vectors);
  }

  /// All determinants of the configurations of some, ascending. Those of a configuration are in the list together.
  std::vector<Determinant<Words>> completed(const std::vector<Determinant<Words>>& news) const {
    std::vector<Determinant<Words>> configurations, all;
    for (const auto& d : news) configurations.push_back({d.alpha & d.beta, d.alpha ^ d.beta});
    std::sort(configurations.begin(), configurations.end());
    configurations.erase(std::unique(configurations.begin(), configurations.end()), configurations.end());
    if (news.empty()) return all;
    const int num_alpha = news[0].alpha.count();
    for (const auto& configuration : configurations)
      for_each_arrangement(configuration.alpha, configuration.beta, num_alpha,
                           [&](const Determinant<Words>& d) { all.push_back(d); });
    std::sort(all.begin(), all.end());
    return all;
  }

  /// Some rows, and all others of their configurations, ascending.
  std::vector<std::int64_t> with_their_configurations(std::span<const std::int64_t> rows) const {
    const auto configuration = [](const Determinant<Words>& d) {
      return Determinant<Words>{d.alpha & d.beta, d.alpha ^ d.beta};
    };
    std::vector<Determinant<Words>> wanted;
    for (const std::int64_t row : rows) wanted.push_back(configuration(determinants_[row]));
    std::sort(wanted.begin(), wanted.end());
    std::vector<std::int64_t> all;
    for (std::int64_t row = 0; row < size(); ++row) {
      if (std::ranges::binary_search(wanted, configuration(determinants_[row]))) all.push_back(row);
    }
    return all;
  }

  /// Takes all other rows out of the list, and of the matrix.
  void keep(std::span<const std::int64_t> rows) {
    const std::size_t before = determinants_.size(), roots = energies_.size();
    std::vector<Determinant<Words>> determinants;
    std::vector<double> vectors(rows.size() * roots);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      determinants.push_back(determinants_[rows[r]]);
      for (std::size_t k = 0; k < roots; ++k)
        vectors[k * rows.size() + r] = vectors_[k * before + static_cast<std::size_t>(rows[r])];
    }
    num_references_ = std::ranges::lower_bound(rows, num_references_) - rows.begin();
    const auto in_matrix = std::ranges::lower_bound(rows, matrix_->num_rows());  // a device may be ahead
    matrix_ = std::make_shared<GrowingMatrix>(
        matrix_->restricted_to(rows.first(static_cast<std::size_t>(in_matrix - rows.begin()))));
    changed_ += std::ssize(determinants_) - std::ssize(determinants);
    determinants_ = std::move(determinants);
    describe_levels(0);
    vectors_ = std::move(vectors);
  }

  /// Whether so many determinants fit: rows as long as those that there are, and as long again, since they grow.
  bool has_room(std::int64_t after) const {
    constexpr double determinants = 4.0 * sizeof(Determinant<Words>);
    double of_row = 0.0;
    if (goes_on_device(after)) {
      constexpr double copies = 2.0, others = 4.0;  // of the vectors; diagonals and numbers of rows
      of_row = 8.0 * (copies * options_.solver.num_roots + others) + determinants;
    } else {
      constexpr double longer = 2.0;  // new rows are there twice for a moment
      const double of_nonzero =
          is_shared() ? 12.0 : 6.0;  // of both triangles, of which one rank alone stores one
      const double bytes = elsewhere_ ? of_nonzero * static_cast<double>(elsewhere_->nonzeros)
                                      : static_cast<double>(matrix_->bytes());
      const std::int64_t rows = elsewhere_ ? size() : matrix_->num_rows();
      const double of_matrix = longer * bytes / static_cast<double>(std::max<std::int64_t>(rows, 1));
      const double of_vectors = 8.0 * davidson_columns(solver_of(options_, after), after);
      const int processes = resources_.processes == nullptr ? 1 : resources_.processes->size();
      of_row = (of_matrix + of_vectors) / processes + determinants;
    }
    const double bytes = static_cast<double>(after) * of_row + static_cast<double>(tables_->bytes());
    return bytes <= static_cast<double>(resources_.memory);
  }

  BasisDefinition definition_;
  PlanOptions options_;
  Resources resources_;
  double floor_;
  std::shared_ptr<const IntegralTables> tables_;
  SameSpinMoves alpha_moves_;
  std::optional<SameSpinMoves> own_beta_moves_;
  std::optional<OppositeSpinMoves> opposite_moves_;
  std::vector<Determinant<Words>> references_, determinants_;
  std::int64_t num_references_ = 0;
  int irrep_ = any_irrep;
  bool is_complete_ = false;
  std::shared_ptr<GrowingMatrix> matrix_;
  struct Elsewhere {
    std::int64_t nonzeros, bytes;
  };
  std::optional<Elsewhere> elsewhere_;   ///< in place of the matrix, if the last roots are not from here
  bool is_list_refused_ = false;         ///< by the device, which was full
  mutable bool is_sum_refused_ = false;  ///< likewise; sums leave the list as it is
  mutable std::string why_not_device_;
  std::vector<std::int16_t> levels_;  ///< of each determinant
  std::int64_t explored_size_ = 0;    ///< of the list when other states were looked for last
  std::int64_t changed_ = 0;          ///< determinants that came or went since
  std::vector<double> energies_;      ///< of the roots found last, as are the next
  std::vector<double> vectors_;       ///< [size x roots]
};

/// The core stays; the other determinants of the list and those that the core leads to compete for the places left.
template <int Words>
GrownList SelectedCiOf<Words>::grow_by_amplitude(const SelectionPass& pass, const ExternalOptions& options) {
  const std::size_t n = determinants_.size(), roots = energies_.size();
  std::vector<double> largest(n, 0.0);
  for (std::size_t k = 0; k < roots; ++k) {
    for (std::size_t i = 0; i < n; ++i) largest[i] = std::max(largest[i], std::abs(vectors_[k * n + i]));
  }
  constexpr std::int64_t any = std::numeric_limits<std::int32_t>::max();  // a list has no more
  const std::int64_t most = pass.most > 0 ? pass.most : any;
  const std::vector<std::int64_t> core = strongest_rows(largest, pass.core > 0 ? pass.core : size());
  std::vector<Determinant<Words>> core_determinants;
  std::vector<double> core_vectors(core.size() * roots);
  for (std::size_t c = 0; c < core.size(); ++c) {
    core_determinants.push_back(determinants_[core[c]]);
    for (std::size_t k = 0; k < roots; ++k)
      core_vectors[k * core.size() + c] = vectors_[k * n + static_cast<std::size_t>(core[c])];
  }
  ExternalChoice choice{.measure = ExternalMeasure::amplitude};
  choice.most = most + size() - std::ssize(core);  // those that are listed beyond the core come up, too
  std::vector<External<Words>> found;
  (void)sum_externals(core_determinants, {core_vectors, energies_}, choice, &found, options);
  std::vector<Determinant<Words>> listed = determinants_;
  __gnu_parallel::sort(listed.begin(), listed.end());
  std::erase_if(
      found, [&](const auto& external) { return std::ranges::binary_search(listed, external.determinant); });
  std::vector<double> measures = largest;
  for (const std::int64_t row : core)
    measures[row] = std::numeric_limits<double>::infinity();  // the core stays
  for (const auto& external : found) measures.push_back(external.measure);
  GrownList grown;
  std::vector<std::int64_t> kept;
  std::vector<External<Words>> chosen;
  const std::vector<std::int64_t> best = strongest_rows(measures, most);
  for (const std::int64_t row : best) {
    if (row < size()) {
      kept.push_back(row);
    } else {
      chosen.push_back(found[static_cast<std::size_t>(row - size())]);
    }
  }
  std::vector<Determinant<Words>> news = determinants_of_externals(chosen);
  if (is_complete_) kept = with_their_configurations(kept);
  grown.ties = std::max<std::int64_t>(std::ssize(best) - most, 0);
  if (news.empty() && std::ssize(kept) == size()) return grown;
  if (pass.accepts && !pass.accepts({std::ssize(news), nullptr})) return grown;
  const std::vector<Determinant<Words>> all_news = is_complete_ ? completed(news) : news;
  grown.was_cut = !has_room(std::ssize(kept) + std::ssize(all_news));
  if (grown.was_cut) return grown;
  grown.removed = size() - std::ssize(kept);
  keep(kept);
  add(std::move(news), grown);
  return grown;
}

}  // namespace

std::int64_t bytes_on_device(const PlanOptions& options, std::int64_t determinants) {
  constexpr std::int64_t of_determinant = 250;  // 204 and 207 of long lists of C2 and Cr2
  const DavidsonConfig solver = solver_of(options, determinants);
  return determinants * (of_determinant + 8 * std::int64_t{davidson_columns(solver, determinants)});
}

bool is_applied_on_device(const PlanOptions& options, const Resources& resources, std::int64_t determinants) {
  constexpr std::int64_t least = 20'000;
  return options.storage == "auto" && !resources.devices.empty() && determinants >= least &&
         bytes_on_device(options, determinants) <= resources.devices[0].free_bytes;
}

std::unique_ptr<SelectedCi> make_selected_ci(const BasisDefinition& definition, double threshold,
                                             const PlanOptions& options, const Resources& resources,
                                             double floor, const SelectedStart& start) {
  const auto* selection = std::get_if<DeterminantSelection>(&definition.functions);
  if (selection == nullptr) throw InputError("selection works on determinants, not on CSFs");
  if (definition.complex) throw InputError("selection works on real integrals, and these are complex");
  return with_string_words(selection->num_orbitals, [&]<int Words>() -> std::unique_ptr<SelectedCi> {
    return std::make_unique<SelectedCiOf<Words>>(definition, threshold, options, resources, floor, start);
  });
}

}  // namespace cisolve
