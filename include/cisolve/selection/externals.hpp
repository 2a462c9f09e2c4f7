// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "cisolve/core/progress.hpp"
#include "cisolve/hamiltonian/integral_tables.hpp"
#include "cisolve/selection/moves.hpp"
#include "cisolve/space/bit_string.hpp"

namespace cisolve {

/// Wavefunctions over listed determinants, several at a time.
struct Wavefunctions {
  std::span<const double> vectors;   ///< [determinants x energies.size()], column-major
  std::span<const double> energies;  ///< hartree, one for each vector
};

/// What determinants outside of a list bring to the wavefunctions over it, to second order (Epstein-Nesbet): with
/// H_ac = sum over listed i of H_ai c_i,
///     E2 = sum over external a of |H_ac|^2 / (E - H_aa)         variance = sum of |H_ac|^2
struct SecondOrder {
  std::vector<double> energy;        ///< E2, hartree, of each wavefunction
  std::vector<double> energy_error;  ///< standard error, hartree; 0 where all externals were summed
  std::vector<double> variance;      ///< hartree^2
  std::int64_t externals = 0;        ///< determinants with any H_ac; where they were sampled: that were met
  std::int64_t contributions = 0;    ///< H_ai c_i that were added up
  std::int64_t intruders = 0;  ///< externals no higher than a wavefunction, of which E2 makes little sense
};

/// By what external determinants are told apart.
enum class ExternalMeasure {
  contribution,  ///< |H_ac|^2 / |E - H_aa|, hartree: of CIPSI
  amplitude      ///< |H_ac / (E - H_aa)|: of ASCI
};

/// Which external determinants are wanted: those of the largest measure, in any wavefunction.
struct ExternalChoice {
  ExternalMeasure measure = ExternalMeasure::contribution;
  double threshold = 0.0;  ///< those above
  std::int64_t most =
      std::numeric_limits<std::int64_t>::max();  ///< of them no more, those of one measure included
};

/// An external determinant and its measure.
template <int Words>
struct External {
  Determinant<Words> determinant;
  double measure;
};

/// How a sum over externals goes.
struct ExternalOptions {
  Progress progress = {};
  std::stop_token stop = {};
};

/// How a part of the externals stands for all.
struct SamplingConfig {
  double error = 1e-5;               ///< standard error of E2 to be reached, hartree, of every wavefunction
  std::uint64_t seed = 1;            ///< the same seed gives the same bits
  std::int64_t first_samples = 512;  ///< strings of each spin, about, before the error is known
  std::int64_t most_samples = 1 << 24;  ///< then the error that was reached stands
};

template <int Words>
class ExternalSweep;

/// The determinants outside of a list that H connects to it.
///
/// They are gone through by their alpha strings: what all listed determinants bring to the externals of one alpha string is
/// summed in a small table, strings side by side on the threads, and nothing of the length of all externals is ever held.
/// Alpha strings that only alpha double excitations lead to are gone through by their beta strings, which are listed.
/// Results do not depend on the number of threads.
template <int Words>
class ExternalSpace {
public:
  /// @param determinants   the list, distinct; must outlive this object, as must the others
  /// @param most_numbered  beta strings of externals up to which each has a place of its own, sums of which then stay in
  ///                       cache; of more, those of an alpha string are hashed
  /// @throws ResourceError  there is no memory for the excitations between the alpha strings
  ExternalSpace(const IntegralTables& tables, const SameSpinMoves& alpha_moves,
                const SameSpinMoves& beta_moves, std::span<const Determinant<Words>> determinants,
                std::int64_t most_numbered = 1 << 19);
  ~ExternalSpace();
  ExternalSpace(ExternalSpace&&) noexcept;

  /// Sums over all externals.
  /// @throws Interrupted
  SecondOrder sum(const Wavefunctions& wavefunctions, const ExternalOptions& options = {}) const;

  /// Sums over all externals, and gives those that are chosen, descending by measure, of one measure ascending as
  /// determinants.
  /// @param[out] chosen
  SecondOrder sum(const Wavefunctions& wavefunctions, const ExternalChoice& choice,
                  std::vector<External<Words>>& chosen, const ExternalOptions& options = {}) const;

  /// Sums over the externals of the heaviest strings, and over a sample of the others: strings are drawn with probabilities
  /// in proportion to what they are expected to bring, until the error is that asked for.
  /// @see Y. Garniron, A. Scemama, P.-F. Loos, M. Caffarel, J. Chem. Phys. 147 (2017) 034101, doi:10.1063/1.4992127;
  ///      S. Sharma, A. A. Holmes, G. Jeanmairet, A. Alavi, C. J. Umrigar, J. Chem. Theory Comput. 13 (2017) 1595,
  ///      doi:10.1021/acs.jctc.6b01028; UnitSample
  SecondOrder estimate(const Wavefunctions& wavefunctions, const SamplingConfig& config,
                       const ExternalOptions& options = {}) const;

private:
  std::unique_ptr<ExternalSweep<Words>> sweep_;
};

}  // namespace cisolve
