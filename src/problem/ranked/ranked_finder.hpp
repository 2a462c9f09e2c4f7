// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "cisolve/core/array.hpp"
#include "cisolve/hamiltonian/string_spin.hpp"
#include "cisolve/problem/root_finder.hpp"
#include "cisolve/ranks/row_map.hpp"
#include "cisolve/ranks/thread_ranks.hpp"
#include "cisolve/sparse/row_shares.hpp"
#include "problem/finder_part.hpp"
#include "problem/finder_steps.hpp"
#include "problem/ranked/kept_rows.hpp"
#include "problem/ranked/led_search.hpp"
#include "problem/ranked/matrix_rows.hpp"

namespace cisolve {

/// What one rank holds of a root finder that is shared out.
class FinderShare {
public:
  virtual ~FinderShare() = default;
  virtual const RowMap& map() const = 0;
  virtual FinderPart& part() = 0;

  /// Makes the rank's device that of the calling thread.
  virtual void make_current() const = 0;

  /// Ends what its device does together with others'; for when a rank has failed. From any thread.
  virtual void abort() noexcept = 0;

  /// As RootFinder::spin_densities, of whole vectors, on the device of this rank alone.
  virtual std::optional<SpinDensities> spin_densities(const VectorSource& vectors, bool pairs) const = 0;

  /// The same of some columns of vectors of which every rank has its rows: all ranks together.
  virtual std::optional<SpinDensities> densities_together(const VectorSource& /*own*/,
                                                          std::span<const int> /*columns*/, bool /*pairs*/) {
    return std::nullopt;
  }

  /// What it stores of H, on the host or before that was copied.
  virtual StoredSizes matrix() const { return {}; }

  /// Of H in its own rows, where that is not stored.
  virtual std::span<const double> diagonal() const { return {}; }
  virtual DiagonalFacts diagonal_facts() const { return {}; }  ///< of all ranks
};

/// What the ranks of a process look at and none changes.
class SharedProblem {
public:
  /// @param building  of a matrix, where one is stored
  SharedProblem(const Problem& problem, Plan plan, const BuildOptions& building = {});

  const Problem& problem() const { return problem_; }
  bool is_stored() const { return std::holds_alternative<StoredPlan>(plan_); }
  const DirectPlan& direct() const { return std::get<DirectPlan>(plan_); }
  const StoredPlan& stored() const { return std::get<StoredPlan>(plan_); }
  const Placement& placement() const { return placement_of(plan_); }
  const std::optional<SpinStructure>& spin() const { return is_stored() ? problem_.spin : direct().spin; }

  /// Of H where it is stored, all rows; the same averaged over configurations, made for the first that asks.
  std::span<const double> diagonal() const { return diagonal_; }
  std::span<const double> averaged_diagonal() const;

  /// S^2 from strings, made for the first that asks.
  const StringSpin& string_spin() const;

  /// Rows of H, where it is stored, until all ranks have stored theirs; and how the first rank of the process builds,
  /// which others follow without a word.
  const MatrixRows& rows() const { return *rows_; }
  BuildOptions building(bool is_first) const;
  /// @return of the rows that were stored here
  RegionStatistics forget_rows();

private:
  const Problem& problem_;
  Plan plan_;
  BuildOptions building_;
  std::unique_ptr<MatrixRows> rows_;
  Array<double> diagonal_;
  mutable std::once_flag averaging_, tabulating_;
  mutable std::vector<double> averaged_;
  mutable std::optional<StringSpin> spin_links_;
};

/// Makes the share of a rank, on its thread; all ranks do so together.
using MakeShare =
    std::function<std::unique_ptr<FinderShare>(const Communicator& ranks, const SharedProblem& shared)>;

/// Makes the shares of ranks that have some threads of the host each.
MakeShare host_shares();

/// The ranks of this process of a root finder that is shared out. Where there are several processes, all make the same calls
/// in the same order, and of what is said of whole vectors the first alone has and gets them: elsewhere spans of these are
/// empty. Members do what those of RootFinder do that are called alike.
class RankedFinder {
public:
  /// @param problem   must outlive this object
  /// @param building  of a matrix, where one is stored
  RankedFinder(const Problem& problem, Plan plan, const MakeShare& make, const BuildOptions& building = {});
  ~RankedFinder();
  RankedFinder(const RankedFinder&) = delete;
  RankedFinder& operator=(const RankedFinder&) = delete;

  const SharedProblem& shared() const { return shared_; }
  const FinderPart& part() const { return shares_.front()->part(); }  ///< of one rank
  const FinderShare& share() const { return *shares_.front(); }       ///< likewise
  std::int64_t size() const { return shares_.front()->map().rows(); }
  const StoredSums& stored() const { return stored_; }  ///< of all ranks, where H is stored

  void project_on_spin();

  /// @param search  its start and its observer on the first process; on others no start, and any observer, that is not
  ///                called, where there is one
  /// @param num_start  vectors in its start
  /// @param id      of the vectors that are found
  /// @param take    called on the first rank of this process before each call of the observer
  /// @return without vectors, which `read` gives
  Roots solve(const Search& search, int num_start, const ModelStart& start, int id,
              const TakeRequests& take = {});

  /// Rows of a vector that was found.
  void read(int id, int column, std::int64_t first_row, std::int64_t count, std::span<double> out) const;
  int columns(int id) const;
  void forget(int id);

  void multiply(std::span<const double> x, int columns, std::span<double> y) const;
  /// Vectors over all rows, or some that a search found.
  struct Vectors {
    std::span<const double> whole = {};
    int id = 0;  ///< not 0: of what was found
  };

  std::vector<double> residual_norms(const Vectors& vectors, std::span<const double> energies) const;
  std::optional<std::vector<double>> resolve_spins(int id, std::span<const double> energies,
                                                   const ClusterConfig& config,
                                                   std::vector<bool>& rotated) const;
  std::vector<LeadingDeterminant> leading(int id, int column, int most, double minimum_weight) const;
  std::optional<SpinDensities> spin_densities(int id, std::span<const int> columns, bool pairs) const;

  /// @param count  of vectors that are given
  /// @param[out] below  [size()] on the first process, or nowhere anything
  MissedRootProbe probe(const Vectors& vectors, int count, double lowest, double highest,
                        std::int64_t most_products, std::vector<double>& below) const;
  double expectation(std::span<const std::int64_t> rows, std::span<const double> coefficients) const;

  /// Copies the rows that this process has of vectors that a search found to its host.
  KeptRows keep(int id, std::span<const int> columns) const;

  /// Where H is not stored.
  LowestRows lowest_rows(const ModelRowsConfig& config) const;

private:
  void add_up_matrix();
  template <class Body>
  void on_all(const Body& body) const;
  std::size_t here(const Communicator& ranks) const;
  Array<double> own_columns(const Communicator& ranks, const RowMap& map, const VectorSource* columns,
                            int count) const;
  template <class Body>
  auto with_own(const Communicator& ranks, const RowMap& map, const Vectors& vectors, int count,
                const Body& body) const;
  void bring_home(const Communicator& ranks, const RowMap& map, std::int64_t first_row, std::int64_t count,
                  std::span<const double> own, std::span<double> out) const;

  RankTeam team_;
  bool is_one_process_;
  SharedProblem shared_;
  std::vector<std::unique_ptr<FinderShare>> shares_;  ///< by rank of this process
  StoredSums stored_;
  std::map<int, std::vector<std::shared_ptr<VectorSource>>> found_;
};

}  // namespace cisolve
