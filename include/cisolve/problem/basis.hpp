// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "cisolve/analysis/csf_states.hpp"
#include "cisolve/analysis/density_matrix.hpp"
#include "cisolve/analysis/site_correlations.hpp"
#include "cisolve/analysis/spin_density.hpp"
#include "cisolve/analysis/states.hpp"
#include "cisolve/analysis/two_particle_density.hpp"
#include "cisolve/core/matrix.hpp"
#include "cisolve/hamiltonian/direct_product.hpp"
#include "cisolve/hamiltonian/integral_tables.hpp"
#include "cisolve/hamiltonian/model_rows.hpp"
#include "cisolve/integrals/complex_integrals.hpp"
#include "cisolve/integrals/point_group.hpp"
#include "cisolve/problem/does_not_fit.hpp"
#include "cisolve/problem/functions.hpp"
#include "cisolve/space/configuration_space.hpp"
#include "cisolve/space/space.hpp"
#include "cisolve/sparse/row_source.hpp"

namespace cisolve {

using DeterminantSelection = SpaceSelection<most_string_words>;
using CsfSelection = ConfigurationSelection<most_string_words>;

/// What a basis is made for: electrons and orbitals with their integrals, the functions that states are expanded
/// in, and the spin of the states wanted.
struct BasisDefinition {
  std::shared_ptr<const Integrals> integrals;  ///< where `complex` is there: that have the diagonal of H
  std::variant<DeterminantSelection, CsfSelection> functions;
  std::optional<int> multiplicity =
      {};                       ///< 2S + 1 of the states wanted; none: every S >= |Ms|. CSFs have their own
  PointGroup point_group = {};  ///< for the names of irreps in messages
  std::shared_ptr<const ComplexIntegrals> complex =
      {};  ///< of determinants alone; spinors are alpha orbitals
  std::optional<bool> spin_complete =
      {};  ///< of functions that are listed: whether they are closed under spin flips; none: `functions` say so

  FunctionKind kind() const { return functions.index() == 0 ? FunctionKind::determinant : FunctionKind::csf; }

  /// "irrep A1", or "any irrep": of the functions, for messages.
  std::string irrep_text() const;
};

/// How the states of the wanted spin are told from the others in a basis that is closed under spin flips.
struct SpinStructure {
  std::int64_t dimension = 0;  ///< states of the wanted spin in the basis
  double wanted = 0.0;         ///< S (S + 1) of the wanted spin
  std::vector<double> others;  ///< S (S + 1) of all other spins in the basis, ascending

  /// Whether states of lower spins, which as a rule lie below, would be found first: then S^2 is projected on from
  /// the start, else only once a root of another spin has come up.
  bool has_lower_spins() const { return !others.empty() && others.front() < wanted; }
};

class Basis;

/// Vectors over the functions of a basis.
struct VectorsOfBasis {
  const Basis& basis;
  std::span<const double> vectors;  ///< [basis.size() x count], column-major
  int count = 1;
};

/// The functions that the states of one irrep and one spin are expanded in: nobody else knows whether they are
/// determinants or CSFs, or how many words their strings have. Rows are numbered in the order of files: references
/// first.
class Basis {
public:
  virtual ~Basis() = default;

  const BasisDefinition& definition() const { return definition_; }
  FunctionKind kind() const { return definition_.kind(); }

  /// What a message calls one function: "determinant" or "CSF".
  const char* function_name() const { return kind() == FunctionKind::csf ? "CSF" : "determinant"; }

  /// The same functions, shared with this basis, over other integrals of the same orbitals: nothing of them is made
  /// anew, nor what was tabulated of their strings.
  /// @param multiplicity  2S + 1 of the states wanted; CSFs have their own, whatever it is
  /// @throws DimensionError if the orbitals differ in number or irreps
  virtual std::unique_ptr<Basis> over(std::shared_ptr<const Integrals> integrals,
                                      std::optional<int> multiplicity) const = 0;

  /// Likewise, for the same states.
  std::unique_ptr<Basis> over(std::shared_ptr<const Integrals> integrals) const {
    return over(std::move(integrals), definition_.multiplicity);
  }

  /// Real numbers that a coefficient of a vector takes: 1, or 2 where coefficients are complex.
  virtual int components() const { return 1; }

  /// Elements of a vector: components() for each function. The functions are numbered in rows / components().
  virtual std::int64_t size() const = 0;
  virtual BasisSummary summary() const = 0;

  /// All functions.
  /// @param as_blocks  determinants in blocks as such, not one by one
  virtual FunctionList list(bool as_blocks) const = 0;

  /// Rows of H; `tables` and this basis must outlive them.
  virtual std::unique_ptr<RowSource> make_rows(const IntegralTables& tables) const = 0;

  /// Estimated bytes of what make_rows tabulates.
  virtual std::int64_t rows_bytes(const IntegralTables& tables) const = 0;

  /// The determinants if they are made of blocks of strings, so that H and S^2 can be applied without storing them;
  /// else null.
  virtual const StringProduct* as_product() const { return nullptr; }

  /// The most bytes that are held while the functions are generated, or when the solver has ended and they
  /// are listed and its vectors analysed; 0: less than while it solves.
  /// @param with_densities  density matrices of the roots are wanted, too
  virtual std::int64_t bytes_outside_solver(int num_roots, bool with_densities) const = 0;

  /// Diagonal of H, hartree.
  virtual std::vector<double> diagonal() const = 0;

  /// H over some rows, shape rows.size() x rows.size(), hartree.
  virtual Matrix dense_block(std::span<const std::int64_t> rows) const = 0;

  /// Block of H as a DirectProduct with a parity applies it; see cisolve::dense_block.
  virtual Matrix dense_block(std::span<const std::int64_t> rows, SpinParity, double) const {
    return dense_block(rows);
  }

  /// Rows in which start vectors are found; see choose_model_rows.
  virtual std::vector<std::int64_t> model_rows(std::span<const double> diagonal,
                                               const ModelRowsConfig& config) const = 0;

  /// The same where nobody has the whole diagonal, of determinants: what ranks find in their rows, and what follows from
  /// that once it is merged.
  /// @param rows      of a rank
  /// @param diagonal  of H in these
  /// @throws DimensionError  the functions are no determinants
  virtual LowestRows lowest_rows(const RowMap& rows, std::span<const double> diagonal,
                                 const ModelRowsConfig& config) const;
  virtual std::vector<std::int64_t> model_rows(const LowestRows& lowest, const ModelRowsConfig& config) const;

  /// S^2 over some rows, shape rows.size() x rows.size(), hbar^2.
  virtual Matrix s_squared_block(std::span<const std::int64_t> rows) const = 0;

  /// How the states of the wanted spin are told from the others; none where the functions have that spin
  /// themselves, no spin is wanted, or the basis is not closed under spin flips.
  virtual std::optional<SpinStructure> spin_structure() const { return std::nullopt; }

  /// Rows of S^2, hbar^2, where there is such a structure; this basis must outlive them.
  virtual std::unique_ptr<RowSource> s_squared_rows() const { return nullptr; }

  /// The diagonal of H averaged over each configuration, which commutes with S^2, where there is such a structure.
  /// @param rows      of a rank
  /// @param diagonal  of H in these
  virtual std::vector<double> averaged_diagonal([[maybe_unused]] const RowMap& rows,
                                                std::span<const double> diagonal) const {
    return {diagonal.begin(), diagonal.end()};
  }

  /// Labels the roots and, within clusters, rotates their vectors; see label_states.
  virtual std::vector<StateLabel> label(std::span<const double> energies, std::span<double> vectors,
                                        const ClusterConfig& config, std::vector<bool>* rotated) const = 0;

  /// Rows of determinants; -1: it is none of the basis.
  /// @param alpha, beta  [determinants * words of a string]
  /// @throws DimensionError  the functions are CSFs
  virtual std::vector<std::int64_t> find(std::span<const std::uint64_t> alpha,
                                         std::span<const std::uint64_t> beta) const;

  /// A function as LeadingConfiguration::occupation has it.
  virtual std::string text_of(std::int64_t row) const = 0;

  /// The functions of largest weight in a vector; see leading_determinants. Of complex coefficients the magnitudes.
  virtual std::vector<LeadingConfiguration> leading(std::span<const double> vector, int most,
                                                    double minimum_weight) const;

  /// The heaviest part of a vector in determinants, CSFs expanded; see leading_determinants.
  virtual DeterminantVector<most_string_words> heaviest(std::span<const double> vector, int most,
                                                        double minimum_weight) const = 0;

  /// One-particle density matrices of vectors over the functions.
  /// @param vectors  [size() x num_vectors], column-major
  virtual DensityMatrices density_matrices(std::span<const double> vectors, int num_vectors) const = 0;

  /// Two-particle density matrices of a vector over the functions; CSFs are expanded in determinants of Ms = S.
  /// @param vector     [size()]
  /// @param max_bytes  of sums under way; see cisolve::two_particle_density
  virtual TwoParticleDensity two_particle_density(std::span<const double> vector,
                                                  std::int64_t max_bytes) const = 0;

  /// Spin-resolved one-particle transition densities of vectors over these functions with vectors over those of any
  /// basis of the same orbitals, kind and Ms (of CSFs: spin); see cisolve::spin_densities. CSFs are expanded in
  /// determinants of Ms = S.
  /// @param bras  [size() x num_bras], column-major
  /// @throws DimensionError if the bases do not go together
  virtual SpinDensities spin_densities(std::span<const double> bras, int num_bras,
                                       const VectorsOfBasis& kets) const = 0;

  /// Spin-flip densities likewise, where Ms (of CSFs: the spin) is one less in the kets; see
  /// cisolve::spin_flip_densities.
  /// @throws DimensionError if the bases do not go together
  virtual SpinFlipDensities spin_flip_densities(std::span<const double> bras, int num_bras,
                                                const VectorsOfBasis& kets) const = 0;

  /// Correlations of a vector of electrons on the sites of a lattice; see cisolve::site_correlations. By determinants where
  /// the orbitals are the sites, else by density matrices. Real coefficients alone.
  /// @param coefficients  [sites x orbitals]
  /// @param max_bytes     as two_particle_density
  virtual SiteCorrelations site_correlations(std::span<const double> vector, const Matrix& coefficients,
                                             std::int64_t max_bytes) const;

  /// n_alpha - n_beta of the determinants; of CSFs those that they are expanded in for densities.
  virtual int ms2() const = 0;

  /// The part of vectors over other functions of the same orbitals that lies in this basis, not normalised:
  /// determinants and CSFs are expanded in each other. Empty where no function of one can have a part in those of
  /// the other: determinants of another Ms, CSFs of another spin or of one without a component of that Ms.
  /// @param vectors  each [functions.size]
  /// @return [size() x vectors.size()], column-major
  /// @throws InputError as csfs_of
  virtual std::vector<double> project(const FunctionView& functions,
                                      std::span<const std::span<const double>> vectors) const = 0;

protected:
  explicit Basis(BasisDefinition definition) : definition_(std::move(definition)) {}

  const Integrals& integrals() const { return *definition_.integrals; }

  /// This definition with other integrals, for states of another spin.
  /// @throws DimensionError as `over`
  BasisDefinition definition_over(std::shared_ptr<const Integrals> integrals,
                                  std::optional<int> multiplicity) const;

private:
  BasisDefinition definition_;
};

/// Checks that there is room to generate the functions.
/// @param memory     bytes that may be used; functions in blocks take less than a vector
/// @param num_roots  that will be asked for, for the message that says what would fit
/// @throws DoesNotFit
void require_room(const BasisDefinition& definition, std::int64_t memory, int num_roots = 1);

/// Generates a basis: the one place where its kind, and the length of its strings, are chosen.
/// @throws EmptySpaceError  there is no function of that irrep and spin
/// @throws DoesNotFit       as require_room
std::unique_ptr<Basis> make_basis(const BasisDefinition& definition, std::int64_t memory, int num_roots = 1);

/// A basis of functions that are there, such as a part of those that the definition says.
template <int Words>
std::unique_ptr<Basis> make_basis(const BasisDefinition& definition, std::unique_ptr<Space<Words>> space);
template <int Words>
std::unique_ptr<Basis> make_basis(const BasisDefinition& definition,
                                  std::unique_ptr<ConfigurationSpace<Words>> space);

/// Whether selected determinants come with all arrangements of their open-shell spins, so that there are
/// eigenfunctions of S^2 among their combinations.
bool is_spin_complete(const DeterminantSelection& selection);

}  // namespace cisolve
