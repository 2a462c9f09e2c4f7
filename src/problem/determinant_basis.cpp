// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <unordered_map>

#include "cisolve/analysis/csf_states.hpp"
#include "cisolve/core/parallel.hpp"
#include "cisolve/hamiltonian/row_source.hpp"
#include "cisolve/hamiltonian/slater_condon.hpp"
#include "cisolve/hamiltonian/spin_rows.hpp"
#include "cisolve/hamiltonian/string_links.hpp"
#include "cisolve/problem/basis.hpp"
#include "cisolve/space/excitations.hpp"

namespace cisolve {
namespace {

template <int Words>
void append(const BitString<Words>& string, std::vector<std::uint64_t>& out) {
  out.insert(out.end(), string.words.begin(), string.words.end());
}

template <int Words>
std::vector<std::uint64_t> words_of(const Strings& strings) {
  std::vector<std::uint64_t> words;
  for (std::int32_t i = 0; i < strings.size(); ++i) {
    BitString<Words> string;
    for (const std::uint8_t p : strings.orbitals(i)) string.set(p);
    append(string, words);
  }
  return words;
}

template <int Words>
StringBlocks blocks_of(const StringProduct& space) {
  StringBlocks out;
  out.alpha = words_of<Words>(space.alpha());
  out.beta = words_of<Words>(space.beta());
  out.list_offsets.push_back(0);
  std::map<const std::int32_t*, std::int32_t> list_numbers;
  for (int level = 0; level < space.num_levels(); ++level) {
    for (std::int32_t a = 0; a < space.alpha().size(); ++a) {
      const auto betas = space.run_betas(level, a);
      if (betas.empty()) continue;
      const auto [at, is_new] =
          list_numbers.try_emplace(betas.data(), static_cast<std::int32_t>(list_numbers.size()));
      if (is_new) {
        out.list_members.insert(out.list_members.end(), betas.begin(), betas.end());
        out.list_offsets.push_back(std::ssize(out.list_members));
      }
      out.run_first_row.push_back(space.run_offset(level, a));
      out.run_alpha.push_back(a);
      out.run_list.push_back(at->second);
    }
  }
  return out;
}

/// Bytes of what rows over blocks are made from for one spin: excitations of its strings. Those within the spin are
/// counted for some strings.
std::int64_t link_bytes(const Strings& strings, bool is_alpha) {
  constexpr std::int64_t most_counted = 256;
  constexpr std::int64_t of_remainder = 16;  // a member of a set, and the number of the set
  const std::int64_t n = strings.size();
  if (n == 0) return 0;
  const StringExcitations& singles = strings.singles();
  std::int64_t symmetric = 0;
  for (std::int32_t i = 0; i < strings.size(); ++i) {
    symmetric += std::ranges::count_if(
        singles[i], [&](const auto& link) { return strings.irrep(link.target) == strings.irrep(i); });
  }
  const std::int64_t counted = std::min(n, most_counted);
  std::vector<std::int32_t> some;
  for (std::int64_t k = 0; k < counted; ++k) some.push_back(static_cast<std::int32_t>(n * k / counted));
  const std::int64_t doubles = std::ssize(strings.doubles(some).links) * n / counted;
  const std::int64_t all = std::ssize(singles.links), electrons = strings.num_electrons();
  const auto own = static_cast<std::int64_t>(sizeof(OwnLink)) * (n + doubles + (is_alpha ? all : symmetric));
  const std::int64_t opposite = is_alpha ? 0 : static_cast<std::int64_t>(sizeof(SingleLink)) * all;
  return own + opposite + static_cast<std::int64_t>(sizeof(StringExcitations::Link)) * all +
         of_remainder * n * electrons * (electrons - 1) / 2;
}

bool is_unit(const Matrix& m) {
  for (int j = 0; j < m.columns(); ++j) {
    for (int i = 0; i < m.rows(); ++i) {
      if (m(i, j) != (i == j ? 1.0 : 0.0)) return false;
    }
  }
  return true;
}

/// Slater determinants of one Ms.
template <int Words>
class DeterminantBasis final : public Basis {
public:
  DeterminantBasis(const BasisDefinition& definition, std::shared_ptr<const Space<Words>> space)
      : Basis(definition),
        selection_(with_words<Words>(std::get<DeterminantSelection>(definition.functions))),
        spin_complete_(!definition.integrals->is_unrestricted() &&
                       definition.spin_complete.value_or(
                           is_spin_complete(std::get<DeterminantSelection>(definition.functions)))),
        space_(std::move(space)) {}

  std::unique_ptr<Basis> over(std::shared_ptr<const Integrals> integrals,
                              std::optional<int> multiplicity) const override {
    return std::make_unique<DeterminantBasis>(definition_over(std::move(integrals), multiplicity), space_);
  }

  std::int64_t size() const override { return space_->size(); }

  BasisSummary summary() const override {
    const bool is_full = selection_.excitation_level >= max_excitation_level(selection_);
    return {.basis = "determinant",
            .dimension = size(),
            .reference_dimension = space_->num_references(),
            .excitation_level = is_full ? full_excitation : selection_.excitation_level,
            .irrep = space_->irrep() + 1,
            .spin_complete = spin_complete_,
            .hash = space_->fingerprint(),
            .level_counts = space_->level_counts(),
            .words = Words,
            .reference = occupation_text(selection_.references.front(), space_->num_orbitals())};
  }

  FunctionList list(bool as_blocks) const override {
    FunctionList out;
    if (const StringProduct* product = as_product(); as_blocks && product != nullptr) {
      out.blocks = blocks_of<Words>(*product);
      return out;
    }
    const std::int64_t rows = size();
    out.alpha.resize(static_cast<std::size_t>(rows) * Words);
    out.beta.resize(static_cast<std::size_t>(rows) * Words);
    constexpr std::int64_t at_once = 1 << 14;
    parallel_for((rows + at_once - 1) / at_once, 1, [&](std::int64_t piece) {
      const std::int64_t first = piece * at_once;
      std::vector<Determinant<Words>> determinants(static_cast<std::size_t>(std::min(at_once, rows - first)));
      space_->enumerate(first, determinants);
      auto alpha = out.alpha.begin() + first * Words, beta = out.beta.begin() + first * Words;
      for (const auto& d : determinants) {
        alpha = std::ranges::copy(d.alpha.words, alpha).out;
        beta = std::ranges::copy(d.beta.words, beta).out;
      }
    });
    return out;
  }

  std::vector<std::int64_t> find(std::span<const std::uint64_t> alpha,
                                 std::span<const std::uint64_t> beta) const override {
    FunctionView view;
    view.size = std::ssize(alpha) / Words;
    view.alpha = alpha;
    view.beta = beta;
    const auto determinants = determinants_of<Words>(view);
    std::vector<std::int64_t> rows(determinants.size());
    std::ranges::transform(determinants, rows.begin(), [&](const auto& d) { return space_->find(d); });
    return rows;
  }

  std::unique_ptr<RowSource> make_rows(const IntegralTables& tables) const override {
    return make_row_source(*space_, tables);
  }

  std::int64_t rows_bytes(const IntegralTables& tables) const override {
    // Integrals, and what the string excitations take.
    const auto pairs = std::int64_t{tables.num_pairs()};
    if (const StringProduct* product = as_product())
      return 16 * pairs * pairs + link_bytes(product->alpha(), true) + link_bytes(product->beta(), false);
    const int norb = space_->num_orbitals();
    const std::int64_t links = std::int64_t{16} * norb * norb * norb;
    return 16 * pairs * pairs + std::min(links * norb, 40 * size());
  }

  const StringProduct* as_product() const override { return space_->as_product(); }
  std::int64_t bytes_outside_solver(int, bool) const override { return 0; }
  std::vector<double> diagonal() const override { return cisolve::diagonal(integrals(), *space_); }

  Matrix dense_block(std::span<const std::int64_t> rows) const override {
    return cisolve::dense_block(integrals(), *space_, rows);
  }
  Matrix dense_block(std::span<const std::int64_t> rows, SpinParity parity, double shift) const override {
    return cisolve::dense_block(integrals(), *space_, rows, parity, shift);
  }

  std::vector<std::int64_t> model_rows(std::span<const double> diagonal,
                                       const ModelRowsConfig& config) const override {
    return choose_model_rows(*space_, diagonal, config);
  }

  LowestRows lowest_rows(const RowMap& rows, std::span<const double> diagonal,
                         const ModelRowsConfig& config) const override {
    return find_lowest_rows(*space_, rows, diagonal, config);
  }
  std::vector<std::int64_t> model_rows(const LowestRows& lowest,
                                       const ModelRowsConfig& config) const override {
    return choose_model_rows(*space_, lowest, config);
  }

  Matrix s_squared_block(std::span<const std::int64_t> rows) const override {
    const int n = static_cast<int>(rows.size());
    std::unordered_map<std::int64_t, int> place;  // of a row in the block
    for (int i = 0; i < n; ++i) place.emplace(rows[i], i);
    Matrix block(n, n);
    for (int j = 0; j < n; ++j) {
      const Determinant<Words> d = space_->determinant(rows[j]);
      block(j, j) = s_squared_diagonal(d);
      for_each_spin_exchange(d, [&](const Determinant<Words>& exchanged, double element) {
        const auto at = place.find(space_->find(exchanged));
        if (at != place.end()) block(at->second, j) = element;
      });
    }
    return block;
  }

  std::optional<SpinStructure> spin_structure() const override {
    if (!definition().multiplicity || !spin_complete_) return std::nullopt;
    const auto s_squared = [](int twice_s) { return 0.25 * twice_s * (twice_s + 2); };
    const int wanted = *definition().multiplicity - 1;
    const std::vector<std::int64_t> configurations = count_open_shells(*space_);
    SpinStructure structure;
    for (int twice_s = std::abs(ms2()); twice_s < std::ssize(configurations); twice_s += 2) {
      std::int64_t states = 0;
      for (int open = 0; open < std::ssize(configurations); ++open) {
        states += configurations[open] * num_spin_functions(open, twice_s);
      }
      if (twice_s == wanted) {
        structure.dimension = states;
      } else if (states > 0) {
        structure.others.push_back(s_squared(twice_s));
      }
    }
    if (structure.others.empty()) return std::nullopt;
    structure.wanted = s_squared(wanted);
    return structure;
  }

  std::unique_ptr<RowSource> s_squared_rows() const override {
    return std::make_unique<SpinRowSource<Words>>(*space_);
  }

  std::vector<double> averaged_diagonal(const RowMap& rows, std::span<const double> diagonal) const override {
    return average_over_configurations(*space_, integrals(), rows, diagonal);
  }

  std::vector<StateLabel> label(std::span<const double> energies, std::span<double> vectors,
                                const ClusterConfig& config, std::vector<bool>* rotated) const override {
    return label_states(*space_, selection_.irreps, energies, vectors, config, rotated,
                        orbital_spins(integrals()));
  }

  std::string text_of(std::int64_t row) const override {
    return occupation_text(space_->determinant(row), space_->num_orbitals());
  }

  DeterminantVector<most_string_words> heaviest(std::span<const double> vector, int most,
                                                double minimum_weight) const override {
    DeterminantVector<most_string_words> found;
    for (const auto& [row, c] : leading_determinants(vector, most, minimum_weight)) {
      found.determinants.push_back(with_words<most_string_words>(space_->determinant(row)));
      found.coefficients.push_back(c);
    }
    return found;
  }

  DensityMatrices density_matrices(std::span<const double> vectors, int num_vectors) const override {
    return cisolve::density_matrices(*space_, selection_.irreps, vectors, num_vectors);
  }

  TwoParticleDensity two_particle_density(std::span<const double> vector,
                                          std::int64_t max_bytes) const override {
    return cisolve::two_particle_density(*space_, vector, max_bytes);
  }

  SpinDensities spin_densities(std::span<const double> bras, int num_bras,
                               const VectorsOfBasis& kets) const override {
    return cisolve::spin_densities<Words>({*space_, bras, num_bras}, as_vectors(kets), selection_.irreps);
  }

  SpinFlipDensities spin_flip_densities(std::span<const double> bras, int num_bras,
                                        const VectorsOfBasis& kets) const override {
    return cisolve::spin_flip_densities<Words>({*space_, bras, num_bras}, as_vectors(kets),
                                               selection_.irreps);
  }

  SiteCorrelations site_correlations(std::span<const double> vector, const Matrix& coefficients,
                                     std::int64_t max_bytes) const override {
    return is_unit(coefficients) ? cisolve::site_correlations(*space_, vector)
                                 : Basis::site_correlations(vector, coefficients, max_bytes);
  }

  int ms2() const override { return space_->num_alpha() - space_->num_beta(); }

  std::vector<double> project(const FunctionView& functions,
                              std::span<const std::span<const double>> vectors) const override {
    const int spin = twice_spin(functions);
    if (functions.kind == FunctionKind::csf) {
      if (std::abs(ms2()) > spin) return {};
      return project_on_determinants<Words>(*space_, csfs_of<Words>(functions), vectors);
    }
    if (spin != ms2()) return {};
    const std::size_t n = size();
    const std::vector<Determinant<Words>> determinants = determinants_of<Words>(functions);
    std::vector<double> projected(n * vectors.size(), 0.0);
    for (std::size_t i = 0; i < determinants.size(); ++i) {
      const std::int64_t row = space_->find(determinants[i]);
      if (row < 0) continue;
      for (std::size_t k = 0; k < vectors.size(); ++k) {
        projected[k * n + static_cast<std::size_t>(row)] = vectors[k][i];
      }
    }
    return projected;
  }

private:
  static VectorsOver<Words> as_vectors(const VectorsOfBasis& v) {
    const auto* basis = dynamic_cast<const DeterminantBasis*>(&v.basis);
    if (basis == nullptr)
      throw DimensionError("densities: both bases must be determinants over the same orbitals");
    return {*basis->space_, v.vectors, v.count};
  }

  SpaceSelection<Words> selection_;
  bool spin_complete_;
  std::shared_ptr<const Space<Words>> space_;
};

}  // namespace

template <int Words>
std::unique_ptr<Basis> make_basis(const BasisDefinition& definition, std::unique_ptr<Space<Words>> space) {
  if (space->size() == 0) {
    const auto& first = std::get<DeterminantSelection>(definition.functions).references.front();
    throw EmptySpaceError(fmt::format("the space holds no determinant of {} with ms2 = {}",
                                      definition.irrep_text(), first.alpha.count() - first.beta.count()));
  }
  return std::make_unique<DeterminantBasis<Words>>(definition, std::move(space));
}

#define INSTANTIATE(W) \
  template std::unique_ptr<Basis> make_basis(const BasisDefinition&, std::unique_ptr<Space<W>>);
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve
