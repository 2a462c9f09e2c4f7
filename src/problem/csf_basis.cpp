// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "cisolve/analysis/csf_states.hpp"
#include "cisolve/hamiltonian/csf_model_rows.hpp"
#include "cisolve/hamiltonian/csf_rows.hpp"
#include "cisolve/hamiltonian/spin_rows.hpp"
#include "cisolve/problem/basis.hpp"

namespace cisolve {
namespace {

/// "22110": one character per orbital.
template <int Words>
std::string occupation_text(const Configuration<Words>& configuration, int num_orbitals) {
  std::string text;
  for (int p = 0; p < num_orbitals; ++p) text += static_cast<char>('0' + configuration.occupation(p));
  return text;
}

/// Configuration state functions of one S.
template <int Words>
class CsfBasis final : public Basis {
public:
  CsfBasis(const BasisDefinition& definition, std::shared_ptr<const ConfigurationSpace<Words>> space)
      : Basis(definition), space_(std::move(space)), exact_(integrals(), 0.0), hamiltonian_(*space_, exact_) {
  }

  std::unique_ptr<Basis> over(std::shared_ptr<const Integrals> integrals, std::optional<int>) const override {
    return std::make_unique<CsfBasis>(definition_over(std::move(integrals), definition().multiplicity),
                                      space_);
  }

  std::int64_t size() const override { return space_->size(); }

  BasisSummary summary() const override {
    const auto& selection = space_->selection();
    const Configuration<Words>& first = selection.references.front();
    const bool is_full = selection.excitation_level >= max_excitation_level(first, selection.num_orbitals);
    return {.basis = "csf",
            .dimension = size(),
            .reference_dimension = space_->num_reference_csfs(),
            .excitation_level = is_full ? full_excitation : selection.excitation_level,
            .irrep = selection.irrep + 1,
            .hash = space_->fingerprint(),
            .level_counts = space_->level_counts(),
            .reference = occupation_text(first, selection.num_orbitals)};
  }

  FunctionList list(bool) const override {
    FunctionList out;
    out.steps = space_->steps(0, size());
    return out;
  }

  std::unique_ptr<RowSource> make_rows(const IntegralTables& tables) const override {
    const auto hamiltonian = std::make_shared<const CsfHamiltonian<Words>>(*space_, tables);
    of_rows_ = hamiltonian;
    return std::make_unique<CsfRowSource<Words>>(hamiltonian);
  }

  std::int64_t rows_bytes(const IntegralTables& tables) const override {
    // Integrals twice, the configurations with their index, and the coupling blocks met so far: after counting
    // rows, or a sample of them, nearly all of them.
    const auto pairs = std::int64_t{tables.num_pairs()};
    const auto of_rows = of_rows_.lock();
    return 16 * pairs * pairs + space_->bytes() + (of_rows ? of_rows->couplings().bytes() : 0);
  }

  std::int64_t bytes_outside_solver(int num_roots, bool with_densities) const override {
    // Vectors as found and as written, steps; for properties the determinants with their index, and the vectors
    // over them, the last of which is being made.
    const std::int64_t roots = std::min<std::int64_t>(num_roots, size());
    std::int64_t listed = space_->bytes() + size() * (2 * 8 * roots + space_->num_orbitals());
    if (with_densities) {
      constexpr std::int64_t of_determinant = 16 + 16 + 2 * (16 + 8);
      listed += count_determinants() * (of_determinant + 2 * 8 * roots);
    }
    return std::max(listed, space_->peak_bytes());
  }

  std::vector<double> diagonal() const override { return hamiltonian_.diagonal(); }

  using Basis::dense_block;
  Matrix dense_block(std::span<const std::int64_t> rows) const override {
    return hamiltonian_.dense_block(rows);
  }

  using Basis::model_rows;
  std::vector<std::int64_t> model_rows(std::span<const double> diagonal,
                                       const ModelRowsConfig& config) const override {
    return choose_model_csfs(*space_, diagonal, config);
  }

  Matrix s_squared_block(std::span<const std::int64_t> rows) const override {
    const double spin = 0.5 * space_->selection().two_s;
    const int n = static_cast<int>(rows.size());
    Matrix block(n, n);
    for (int i = 0; i < n; ++i) block(i, i) = spin * (spin + 1.0);
    return block;
  }

  std::vector<StateLabel> label(std::span<const double> energies, std::span<double> vectors,
                                const ClusterConfig& config, std::vector<bool>* rotated) const override {
    return label_csf_states(*space_, integrals().irreps, energies, vectors, config, rotated);
  }

  std::string text_of(std::int64_t row) const override { return csf_text(*space_, row); }

  DeterminantVector<most_string_words> heaviest(std::span<const double> vector, int most,
                                                double minimum_weight) const override {
    DeterminantVector<Words> expanded = expand_heaviest<Words>(*space_, vector, most, minimum_weight);
    DeterminantVector<most_string_words> found;
    for (const auto& d : expanded.determinants)
      found.determinants.push_back(with_words<most_string_words>(d));
    found.coefficients = std::move(expanded.coefficients);
    return found;
  }

  DensityMatrices density_matrices(std::span<const double> vectors, int num_vectors) const override {
    const Expanded all = expand(vectors, num_vectors);
    return cisolve::density_matrices<Words>(all.space, integrals().irreps, all.vectors, num_vectors);
  }

  TwoParticleDensity two_particle_density(std::span<const double> vector,
                                          std::int64_t max_bytes) const override {
    DeterminantVector<Words> expanded = sorted(expand_in_determinants<Words>(*space_, vector));
    const auto& selection = space_->selection();
    const SpaceSelection<Words> of_determinants{.num_orbitals = space_->num_orbitals(),
                                                .irreps = selection.irreps,
                                                .references = {expanded.determinants.front()},
                                                .irrep = selection.irrep};
    // As blocks where they are made of them: a list takes much longer.
    const std::int64_t one_level[] = {std::ssize(expanded.determinants)};
    if (const auto blocks = ProductSpace<Words>::from_list(of_determinants, expanded.determinants, one_level))
      return cisolve::two_particle_density<Words>(*blocks, expanded.coefficients, max_bytes);
    const ListSpace<Words> space(std::move(expanded.determinants), space_->num_orbitals(), selection.irrep, 0,
                                 {});
    return cisolve::two_particle_density<Words>(space, expanded.coefficients, max_bytes);
  }

  SpinDensities spin_densities(std::span<const double> bras, int num_bras,
                               const VectorsOfBasis& kets) const override {
    return between(bras, num_bras, kets,
                   [&](const VectorsOver<Words>& left, const VectorsOver<Words>& right) {
                     return cisolve::spin_densities<Words>(left, right, integrals().irreps);
                   });
  }

  SpinFlipDensities spin_flip_densities(std::span<const double> bras, int num_bras,
                                        const VectorsOfBasis& kets) const override {
    return between(bras, num_bras, kets,
                   [&](const VectorsOver<Words>& left, const VectorsOver<Words>& right) {
                     return cisolve::spin_flip_densities<Words>(left, right, integrals().irreps);
                   });
  }

  int ms2() const override { return space_->selection().two_s; }

  std::vector<double> project(const FunctionView& functions,
                              std::span<const std::span<const double>> vectors) const override {
    const int two_s = space_->selection().two_s;
    const int spin = twice_spin(functions);
    const std::size_t n = size();
    if (functions.kind == FunctionKind::determinant) {
      if (std::abs(spin) > two_s) return {};
      const auto determinants = determinants_of<Words>(functions);
      std::vector<double> projected;
      projected.reserve(n * vectors.size());
      for (const std::span<const double> vector : vectors) {
        const std::vector<double> csfs = project_on_csfs<Words>(*space_, determinants, vector);
        projected.insert(projected.end(), csfs.begin(), csfs.end());
      }
      return projected;
    }
    if (spin != two_s) return {};
    const CsfList<Words> list = csfs_of<Words>(functions);
    std::vector<double> projected(n * vectors.size(), 0.0);
    for (std::size_t i = 0; i < list.configurations.size(); ++i) {
      const std::int32_t number = space_->find(list.configurations[i]);
      if (number < 0) continue;
      const std::size_t row = space_->offset(number) + list.couplings[i];
      for (std::size_t k = 0; k < vectors.size(); ++k) projected[k * n + row] = vectors[k][i];
    }
    return projected;
  }

private:
  /// The same with the determinants in ascending order.
  static DeterminantVector<Words> sorted(const DeterminantVector<Words>& vector) {
    std::vector<std::size_t> order(vector.determinants.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t k) { return vector.determinants[k]; });
    DeterminantVector<Words> ascending;
    for (const std::size_t k : order) {
      ascending.determinants.push_back(vector.determinants[k]);
      ascending.coefficients.push_back(vector.coefficients[k]);
    }
    return ascending;
  }

  /// Vectors over determinants of Ms = S.
  struct Expanded {
    ListSpace<Words> space;
    std::vector<double> vectors;  ///< [space.size() x vectors], column-major
  };

  Expanded expand(std::span<const double> vectors, int num_vectors) const {
    const std::size_t n = size();
    std::vector<Determinant<Words>> determinants;  // the same for every vector
    std::vector<double> expanded;
    for (int k = 0; k < num_vectors; ++k) {
      auto vector =
          expand_in_determinants<Words>(*space_, vectors.subspan(static_cast<std::size_t>(k) * n, n));
      expanded.insert(expanded.end(), vector.coefficients.begin(), vector.coefficients.end());
      if (k == 0) determinants = std::move(vector.determinants);
    }
    return {
        ListSpace<Words>(std::move(determinants), space_->num_orbitals(), space_->selection().irrep, 0, {}),
        std::move(expanded)};
  }

  /// @param densities  (bras, kets) over determinants
  template <class Densities>
  auto between(std::span<const double> bras, int num_bras, const VectorsOfBasis& kets,
               const Densities& densities) const {
    const auto* other = dynamic_cast<const CsfBasis*>(&kets.basis);
    if (other == nullptr) throw DimensionError("densities: both bases must be CSFs over the same orbitals");
    const Expanded right = other->expand(kets.vectors, kets.count);
    const VectorsOver<Words> of_kets{right.space, right.vectors, kets.count};
    if (other == this && kets.vectors.data() == bras.data() && kets.count == num_bras)
      return densities(of_kets, of_kets);
    const Expanded left = expand(bras, num_bras);
    return densities({left.space, left.vectors, num_bras}, of_kets);
  }

  /// Determinants of Ms = S of all configurations.
  std::int64_t count_determinants() const {
    const int two_s = space_->selection().two_s;
    std::vector<std::int64_t> of_open(space_->couplings().max_open() + 1, 0);
    for (int open = two_s; open < std::ssize(of_open); open += 2) {
      for (int spin = two_s; spin <= open; spin += 2) of_open[open] += num_spin_functions(open, spin);
    }
    std::int64_t count = 0;
    for (const auto& c : space_->configurations()) count += of_open[c.num_open()];
    return count;
  }

  std::shared_ptr<const ConfigurationSpace<Words>> space_;
  IntegralTables exact_;               ///< without threshold, for the diagonal and dense blocks
  CsfHamiltonian<Words> hamiltonian_;  ///< over those
  mutable std::weak_ptr<const CsfHamiltonian<Words>> of_rows_;  ///< what make_rows gave out last
};

}  // namespace

template <int Words>
std::unique_ptr<Basis> make_basis(const BasisDefinition& definition,
                                  std::unique_ptr<ConfigurationSpace<Words>> space) {
  if (space->size() == 0) {
    throw EmptySpaceError(fmt::format("the space holds no CSF of {} with multiplicity {}",
                                      definition.irrep_text(), space->selection().two_s + 1));
  }
  return std::make_unique<CsfBasis<Words>>(definition, std::move(space));
}

#define INSTANTIATE(W) \
  template std::unique_ptr<Basis> make_basis(const BasisDefinition&, std::unique_ptr<ConfigurationSpace<W>>);
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve
