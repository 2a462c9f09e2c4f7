// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cisolve/problem/plan.hpp"
#include "cisolve/problem/problem.hpp"
#include "cisolve/problem/root_finder.hpp"
#include "cisolve/selection/criterion.hpp"
#include "cisolve/selection/externals.hpp"

namespace cisolve {

/// What a pass has found before anything is added.
struct SelectionCandidates {
  std::int64_t count = 0;                     ///< determinants that would be added
  const SecondOrder* second_order = nullptr;  ///< perturbation: of the roots over the list
};

/// What a list of determinants becomes in one pass.
struct SelectionPass {
  SelectionCriterion criterion = SelectionCriterion::perturbation;
  double epsilon = 0.0;  ///< heat bath, perturbation: hartree; those above are added
  std::int64_t most =
      0;  ///< determinants wanted after the pass, ties included: the best are added; 0: any number
  /// Asked before anything is added; false: nothing is. May be empty.
  std::function<bool(const SelectionCandidates&)> accepts = {};
  std::int64_t core = 0;  ///< amplitude: determinants of largest |c| from whose sums others are taken; 0: all
};

/// Roots beyond those that are planned for.
struct FurtherRoots {
  int count = 0;
  bool follow = false;  ///< of all, those that continue what was found last are kept; else all are
};

/// How a pass ended.
struct GrownList {
  std::int64_t added = 0;    ///< determinants that were not in the list
  std::int64_t removed = 0;  ///< by amplitude: that no longer are
  std::int64_t ties = 0;     ///< added beyond `most`, because they measure as much as the last
  bool was_cut = false;      ///< there was no room for more
};

/// What goes with a list that has grown as far as it is to. The plan may refer to the SelectedCi, which must outlive what is
/// made of it.
struct SelectedProblem {
  Problem problem;
  Plan plan;
  std::vector<double> start;  ///< [rows x roots]: its roots as they were last found
};

/// A CI calculation over a list of determinants that grows by selection: a matrix that gains rows, its lowest roots, and
/// what determinants outside of the list bring to them. Rows are in the order in which determinants came, those of one
/// pass ascending.
///
///     const auto selected = make_selected_ci({...}, options, resources);
///     do selected->solve({}); while (selected->grow({.criterion = SelectionCriterion::heat_bath, .epsilon = 1e-3}).added > 0);
///     const SecondOrder correction = selected->second_order({selected->vectors(), selected->energies()});
class SelectedCi {
public:
  virtual ~SelectedCi() = default;

  virtual std::int64_t size() const = 0;
  virtual std::int64_t nonzeros() const = 0;  ///< of both triangles
  virtual std::int64_t matrix_bytes() const = 0;
  virtual std::int64_t memory() const = 0;  ///< that may be used, bytes
  /// What a device had no room for, so that the CPU did it, in words; empty: nothing.
  virtual const std::string& why_not_device() const = 0;

  /// Finds the lowest roots over the list, as many as planned for, if it has so many; they are kept.
  /// @param observer  as Search::observer
  /// @param building  progress of, and a request to stop, the building of rows
  /// @param further   roots beyond those planned for
  /// @throws Interrupted
  virtual Roots solve(const std::function<SolverAction(const SearchState&)>& observer = {},
                      const BuildOptions& building = {}, const FurtherRoots& further = {}) = 0;

  /// The roots that were found last, hartree; [size() x roots].
  virtual std::span<const double> energies() const = 0;
  virtual std::span<const double> vectors() const = 0;

  /// Their one-particle density matrices.
  virtual DensityMatrices density_matrices() const = 0;

  /// Takes determinants out: the first ones stay, and of the others those of the largest coefficients in some roots, without
  /// those that have next to none. Of the roots only these stay.
  /// @param roots  numbers of those found last, as many as planned for or fewer
  /// @param most   determinants with the first ones; as many more as have the coefficient of the last, and what completes
  ///               configurations
  virtual void keep_strongest(std::span<const int> roots, std::int64_t first, std::int64_t most) = 0;

  /// Changes the list by what the roots that were found last say.
  /// @throws Interrupted, with the list as it was
  virtual GrownList grow(const SelectionPass& pass, const ExternalOptions& options = {}) = 0;

  /// What all determinants outside of the list bring to wavefunctions over it.
  /// @throws Interrupted
  virtual SecondOrder second_order(const Wavefunctions& wavefunctions,
                                   const ExternalOptions& options = {}) const = 0;

  /// Likewise, by a sample.
  virtual SecondOrder estimate_second_order(const Wavefunctions& wavefunctions, const SamplingConfig& config,
                                            const ExternalOptions& options = {}) const = 0;

  /// What is listed.
  virtual FunctionList list() const = 0;
  virtual int num_words() const = 0;  ///< 64-bit words of each of its strings

  /// The problem over the list, planned, and the roots that were found last. The list stays for second_order; it grows no
  /// more.
  /// @param tolerance  of the search there, hartree
  /// @throws DoesNotFit  a device, or a storage format, was asked for that has no room; Interrupted
  virtual SelectedProblem finish(double tolerance, const BuildOptions& building = {}) = 0;
};

/// What a list and the vectors of its roots take on a device, about.
std::int64_t bytes_on_device(const PlanOptions& options, std::int64_t determinants);

/// Whether H over so many determinants is applied on a device without being stored: there is one with room, and the list
/// is so long that the host wouldn't have the roots as soon.
bool is_applied_on_device(const PlanOptions& options, const Resources& resources, std::int64_t determinants);

/// What a selected CI goes on from, in place of the space that its definition says.
struct SelectedStart {
  std::span<const std::uint64_t> alpha, beta;  ///< [determinants * words], distinct, references first
  int words = 1;
  std::span<const double> vectors;  ///< [determinants x any], column-major
};

/// Begins with the space that a definition says, or goes on from a list.
/// @param definition  of determinants with real coefficients
/// @param threshold   hartree; elements of H of at most this magnitude are left out
/// @param options     of the solver, and of storage
/// @param floor       hartree; no heat-bath pass will have a smaller epsilon
/// @throws InputError  the functions are CSFs, or coefficients are complex
/// @throws InputError  determinants of `start` are not like the references, or listed twice
/// @throws EmptySpaceError, DoesNotFit  as make_basis
std::unique_ptr<SelectedCi> make_selected_ci(const BasisDefinition& definition, double threshold,
                                             const PlanOptions& options, const Resources& resources,
                                             double floor = 0.0, const SelectedStart& start = {});

}  // namespace cisolve
