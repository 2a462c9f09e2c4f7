// SPDX-License-Identifier: MIT
#include "problem/ranked/ranked_finder.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "cisolve/ranks/rows.hpp"

namespace cisolve {

SharedProblem::SharedProblem(const Problem& problem, Plan plan, const BuildOptions& building)
    : problem_(problem), plan_(std::move(plan)), building_(building) {
  if (is_stored()) {
    const std::vector<double> diagonal = problem.basis->diagonal();
    diagonal_ = Array<double>(diagonal.size());
    std::ranges::copy(diagonal, diagonal_.begin());
    rows_ = std::make_unique<MatrixRows>(*stored().rows, problem.basis->summary().reference_dimension);
  }
}

std::span<const double> SharedProblem::averaged_diagonal() const {
  std::call_once(averaging_, [&] {
    averaged_ = problem_.basis->averaged_diagonal(RowMap::whole(std::ssize(diagonal_)), diagonal_);
  });
  return averaged_;
}

const StringSpin& SharedProblem::string_spin() const {
  std::call_once(tabulating_, [&] { spin_links_.emplace(*problem_.basis->as_product()); });
  return *spin_links_;
}

BuildOptions SharedProblem::building(bool is_first) const {
  // A stop that comes to one process alone would leave the others waiting.
  const bool is_one_process = placement().processes == nullptr;
  return {.progress = is_first ? building_.progress : Progress(),
          .stop = is_one_process ? building_.stop : std::stop_token(),
          .rows_per_chunk = building_.rows_per_chunk};
}

RegionStatistics SharedProblem::forget_rows() {
  const RegionStatistics statistics = rows_->statistics();
  rows_.reset();
  auto& plan = std::get<StoredPlan>(plan_);
  plan.rows.reset();
  plan.spin_rows.reset();
  plan.row_lengths = plan.spin_row_lengths = {};
  return statistics;
}

namespace {

RankTeam make_team(const Placement& placement) {
  if (placement.processes == nullptr) return RankTeam(placement.ranks);
  return RankTeam(*placement.processes, placement.ranks / placement.processes->size());
}

}  // namespace

RankedFinder::RankedFinder(const Problem& problem, Plan plan, const MakeShare& make,
                           const BuildOptions& building)
    : team_(make_team(placement_of(plan))), is_one_process_(placement_of(plan).processes == nullptr),
      shared_(problem, std::move(plan), building), shares_(static_cast<std::size_t>(team_.here())) {
  team_.run([&](const Communicator& ranks) { shares_[here(ranks)] = make(ranks, shared_); });
  if (shared_.is_stored()) add_up_matrix();
}

void RankedFinder::add_up_matrix() {
  const RegionStatistics regions = shared_.forget_rows();
  team_.run([&](const Communicator& ranks) {
    StoredSums mine{.sizes = shares_[here(ranks)]->matrix(), .regions = regions};
    if (here(ranks) > 0) mine.regions = {};  // those of a process are counted together
    StoredSums all;
    for (const StoredSums& one : all_values(ranks, mine)) all.add(one);
    if (here(ranks) == 0) stored_ = all;
  });
}

RankedFinder::~RankedFinder() {
  found_.clear();
  for (auto& one : shares_) {
    try {
      one->make_current();
    } catch (const Error&) {
      // Its device has failed, which was said before.
    }
    one.reset();
  }
}

std::size_t RankedFinder::here(const Communicator& ranks) const {
  return static_cast<std::size_t>(ranks.rank() % team_.here());
}

/// body(part, ranks, rows of the rank) on every rank.
template <class Body>
void RankedFinder::on_all(const Body& body) const {
  team_.run([&](const Communicator& ranks) {
    FinderShare& mine = *shares_[here(ranks)];
    try {
      mine.make_current();
      body(mine.part(), ranks, mine.map());
    } catch (...) {
      for (const auto& one : shares_) one->abort();  // the others' devices may wait for this one
      throw;
    }
  });
}

/// A rank's rows of whole columns, which the first process has: of those that are not in its memory a piece at a time.
/// @param columns  on the first rank
Array<double> RankedFinder::own_columns(const Communicator& ranks, const RowMap& map,
                                        const VectorSource* columns, int count) const {
  const auto local = static_cast<std::size_t>(map.local_rows());
  Array<double> own(local * static_cast<std::size_t>(count)), buffer;
  const bool is_seen = is_one_process_ && dynamic_cast<const SeenVectors*>(columns) != nullptr;
  for (int k = 0; k < count; ++k) {
    const auto own_column = std::span(own).subspan(static_cast<std::size_t>(k) * local, local);
    if (is_seen) {
      take_rows(map, columns->piece(k, 0, map.rows(), buffer), own_column);
      continue;
    }
    constexpr std::int64_t most = std::int64_t{1} << 24;  // rows at a time
    for (std::int64_t first = 0; first < map.rows(); first += most) {
      const std::int64_t rows = std::min(most, map.rows() - first);
      const std::int64_t below = map.local_below(first), end = map.local_below(first + rows);
      hand_out_rows(
          ranks, map, first, rows,
          ranks.rank() == 0 ? columns->piece(k, first, rows, buffer) : std::span<const double>(),
          own_column.subspan(static_cast<std::size_t>(below), static_cast<std::size_t>(end - below)));
    }
  }
  return own;
}

/// body(a rank's rows of vectors).
template <class Body>
auto RankedFinder::with_own(const Communicator& ranks, const RowMap& map, const Vectors& vectors, int count,
                            const Body& body) const {
  if (vectors.id != 0) return body(*found_.at(vectors.id)[here(ranks)]);
  const auto whole = seen_vectors(vectors.whole, map.rows());
  const Array<double> own = own_columns(ranks, map, whole.get(), count);
  return body(SeenVectors(own, map.local_rows(), count));
}

/// The reverse, for some rows of a column.
void RankedFinder::bring_home(const Communicator& ranks, const RowMap& map, std::int64_t first_row,
                              std::int64_t count, std::span<const double> own, std::span<double> out) const {
  if (is_one_process_)
    put_rows(map, first_row, own, out);
  else
    collect_rows(ranks, map, first_row, count, own, out);
}

void RankedFinder::project_on_spin() {
  on_all([](FinderPart& part, const Communicator&, const RowMap&) { part.project_on_spin(); });
}

Roots RankedFinder::solve(const Search& search, int num_start, const ModelStart& start, int id,
                          const TakeRequests& take) {
  std::vector<Roots> found(shares_.size());
  const TakeRequests none;
  std::exception_ptr failure;  // of the observer, which is called by one rank
  on_all([&](FinderPart& part, const Communicator& ranks, const RowMap& map) {
    Search local = search;
    const Array<double> own = own_columns(ranks, map, search.start.get(), num_start);
    local.start = num_start > 0 ? std::make_shared<SeenVectors>(own, map.local_rows(), num_start) : nullptr;
    if (search.observer)
      local.observer = led_observer(ranks, map, search.observer, here(ranks) == 0 ? take : none, failure);
    found[here(ranks)] = part.solve(local, start.model, start.coefficients);
  });
  if (failure) std::rethrow_exception(failure);
  for (Roots& one : found) found_[id].push_back(std::move(one.vectors));
  return std::move(found.front());
}

void RankedFinder::read(int id, int column, std::int64_t first_row, std::int64_t count,
                        std::span<double> out) const {
  const auto& sources = found_.at(id);
  if (!is_one_process_) {
    return on_all([&](FinderPart&, const Communicator& ranks, const RowMap& map) {
      const std::int64_t first = map.local_below(first_row), end = map.local_below(first_row + count);
      Array<double> buffer;
      collect_rows(ranks, map, first_row, count,
                   sources[here(ranks)]->piece(column, first, end - first, buffer), out);
    });
  }
  const auto put = [&](std::int64_t row, std::span<const double> elements) {
    std::ranges::copy(elements, out.begin() + (row - first_row));
  };
  // Not worth a thread each: the rows of a piece of a file.
  constexpr std::int64_t few_rows = std::int64_t{1} << 20;
  if (count > few_rows) {
    return on_all([&](FinderPart&, const Communicator& ranks, const RowMap& map) {
      read_own(*sources[here(ranks)], column, map, first_row, count, put);
    });
  }
  for (std::size_t r = shares_.size(); r-- > 0;) {  // the first last: its device is the caller's
    shares_[r]->make_current();
    read_own(*sources[r], column, shares_[r]->map(), first_row, count, put);
  }
}

int RankedFinder::columns(int id) const { return found_.at(id).front()->columns(); }

void RankedFinder::forget(int id) {
  for (std::size_t r = shares_.size(); r-- > 0;) {
    shares_[r]->make_current();
    found_.at(id)[r].reset();
  }
  found_.erase(id);
}

void RankedFinder::multiply(std::span<const double> x, int columns, std::span<double> y) const {
  const std::int64_t n = size();
  on_all([&](FinderPart& part, const Communicator& ranks, const RowMap& map) {
    const auto whole = seen_vectors(x, n);
    const Array<double> own = own_columns(ranks, map, whole.get(), columns);
    Array<double> product(own.size());
    part.apply(own, columns, product);
    const auto local = static_cast<std::size_t>(map.local_rows());
    for (std::size_t k = 0; k < static_cast<std::size_t>(columns); ++k) {
      const auto column =
          y.empty() ? y : y.subspan(k * static_cast<std::size_t>(n), static_cast<std::size_t>(n));
      bring_home(ranks, map, 0, n, std::span<const double>(product).subspan(k * local, local), column);
    }
  });
}

std::vector<double> RankedFinder::residual_norms(const Vectors& vectors,
                                                 std::span<const double> energies) const {
  std::vector<double> norms;
  on_all([&](FinderPart& part, const Communicator& ranks, const RowMap& map) {
    std::vector<double> found =
        with_own(ranks, map, vectors, static_cast<int>(energies.size()),
                 [&](const VectorSource& own) { return part.residual_norms(own, energies); });
    if (here(ranks) == 0) norms = std::move(found);
  });
  return norms;
}

std::optional<std::vector<double>> RankedFinder::resolve_spins(int id, std::span<const double> energies,
                                                               const ClusterConfig& config,
                                                               std::vector<bool>& rotated) const {
  std::optional<std::vector<double>> spins;
  on_all([&](FinderPart& part, const Communicator& ranks, const RowMap&) {
    std::vector<bool> own_rotated;
    auto found = part.resolve_spins(*found_.at(id)[here(ranks)], energies, config, own_rotated);
    if (here(ranks) != 0) return;
    spins = std::move(found);
    rotated = std::move(own_rotated);
  });
  return spins;
}

std::vector<LeadingDeterminant> RankedFinder::leading(int id, int column, int most,
                                                      double minimum_weight) const {
  std::vector<LeadingDeterminant> leading;
  on_all([&](FinderPart& part, const Communicator& ranks, const RowMap&) {
    auto found = part.leading(*found_.at(id)[here(ranks)], column, most, minimum_weight);
    if (here(ranks) == 0) leading = std::move(found);
  });
  return leading;
}

std::optional<SpinDensities> RankedFinder::spin_densities(int id, std::span<const int> columns,
                                                          bool pairs) const {
  std::optional<SpinDensities> densities;
  on_all([&](FinderPart&, const Communicator& ranks, const RowMap&) {
    auto found = shares_[here(ranks)]->densities_together(*found_.at(id)[here(ranks)], columns, pairs);
    if (here(ranks) == 0) densities = std::move(found);
  });
  return densities;
}

MissedRootProbe RankedFinder::probe(const Vectors& vectors, int count, double lowest, double highest,
                                    std::int64_t most_products, std::vector<double>& below) const {
  MissedRootProbe probe;
  below.clear();
  on_all([&](FinderPart& part, const Communicator& ranks, const RowMap& map) {
    std::vector<double> own_below;
    const MissedRootProbe found = with_own(ranks, map, vectors, count, [&](const VectorSource& own) {
      return part.probe(own, lowest, highest, most_products, own_below);
    });
    const std::vector<std::size_t> sizes = all_values(ranks, own_below.size());
    if (here(ranks) == 0) probe = found;
    if (std::ranges::all_of(sizes, [](std::size_t one) { return one == 0; })) return;
    if (ranks.rank() == 0) below.resize(static_cast<std::size_t>(size()));
    ranks.barrier();
    bring_home(ranks, map, 0, size(), own_below, below);
  });
  return probe;
}

double RankedFinder::expectation(std::span<const std::int64_t> rows,
                                 std::span<const double> coefficients) const {
  double value = 0.0;
  on_all([&](FinderPart& part, const Communicator& ranks, const RowMap&) {
    const double found = part.expectation(rows, coefficients);
    if (here(ranks) == 0) value = found;
  });
  return value;
}

KeptRows RankedFinder::keep(int id, std::span<const int> columns) const {
  std::vector<std::pair<std::int64_t, std::int64_t>> slabs;
  for (const auto& share : shares_) {
    for (const RowMap::Slab& slab : share->map().slabs()) slabs.emplace_back(slab.first_row, slab.count);
  }
  RowMap of_process(size(), std::move(slabs));
  const auto rows = static_cast<std::size_t>(of_process.local_rows());
  Array<double> values(rows * columns.size());
  on_all([&](FinderPart&, const Communicator& ranks, const RowMap& map) {
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const auto column = std::span(values).subspan(k * rows, rows);
      read_own(*found_.at(id)[here(ranks)], columns[k], map, 0, size(),
               [&](std::int64_t row, std::span<const double> elements) {
                 std::ranges::copy(elements, column.begin() + of_process.local_below(row));
               });
    }
  });
  return {std::move(of_process), std::move(values), static_cast<int>(columns.size())};
}

LowestRows RankedFinder::lowest_rows(const ModelRowsConfig& config) const {
  LowestRows lowest;
  on_all([&](FinderPart&, const Communicator& ranks, const RowMap& map) {
    const LowestRows own =
        shared_.problem().basis->lowest_rows(map, shares_[here(ranks)]->diagonal(), config);
    const auto of_all = gather_all<LowestRows::Element>(ranks, own.of_all);
    const auto of_references = gather_all<LowestRows::Element>(ranks, own.of_references);
    const auto of_open_shells = gather_all<LowestRows::Element>(ranks, own.of_open_shells);
    if (here(ranks) != 0) return;
    for (std::size_t r = 0; r < of_all.size(); ++r)
      lowest.merge({of_all[r], of_references[r], of_open_shells[r]}, config.maximum);
  });
  return lowest;
}

}  // namespace cisolve
