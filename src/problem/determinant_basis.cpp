// SPDX-License-Identifier: MIT
#include "problem/determinant_basis.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <unordered_map>

#include "cisolve/analysis/csf_states.hpp"
#include "cisolve/hamiltonian/row_source.hpp"
#include "cisolve/hamiltonian/slater_condon.hpp"
#include "cisolve/hamiltonian/spin_rows.hpp"
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

}  // namespace

template <int Words>
DeterminantBasis<Words>::DeterminantBasis(const BasisDefinition& definition,
                                          const SpaceSelection<Words>& selection,
                                          std::unique_ptr<Space<Words>> space)
    : Basis(definition), selection_(selection),
      spin_complete_(is_spin_complete(std::get<DeterminantSelection>(definition.functions))),
      space_(std::move(space)) {}

template <int Words>
BasisSummary DeterminantBasis<Words>::summary() const {
  BasisSummary out;
  out.kind = FunctionKind::determinant;
  out.size = space_->size();
  out.num_references = space_->num_references();
  out.excitation_level = selection_.excitation_level;
  out.is_full = selection_.excitation_level >= max_excitation_level(selection_);
  out.irrep = space_->irrep();
  out.spin_complete = spin_complete_;
  out.hash = space_->fingerprint();
  out.level_counts = space_->level_counts();
  out.words = Words;
  out.reference = occupation_text(selection_.references.front(), space_->num_orbitals());
  return out;
}

template <int Words>
FunctionList DeterminantBasis<Words>::list(bool as_blocks) const {
  FunctionList out;
  if (const StringProduct* product = space_->as_product(); as_blocks && product != nullptr) {
    out.blocks = blocks_of<Words>(*product);
    return out;
  }
  std::vector<Determinant<Words>> determinants(space_->size());
  space_->enumerate(0, determinants);
  out.alpha.reserve(determinants.size() * Words);
  out.beta.reserve(determinants.size() * Words);
  for (const auto& d : determinants) {
    append(d.alpha, out.alpha);
    append(d.beta, out.beta);
  }
  return out;
}

template <int Words>
std::unique_ptr<RowSource> DeterminantBasis<Words>::make_rows(const IntegralTables& tables) const {
  return make_row_source(*space_, tables);
}

template <int Words>
std::int64_t DeterminantBasis<Words>::rows_bytes(const IntegralTables& tables) const {
  // Integrals, and about what the string excitations take; the matrix dwarfs both.
  const auto pairs = std::int64_t{tables.num_pairs()};
  const int norb = space_->num_orbitals();
  const std::int64_t links = std::int64_t{16} * norb * norb * norb;
  return 16 * pairs * pairs + std::min(links * norb, 40 * size());
}

template <int Words>
std::vector<double> DeterminantBasis<Words>::diagonal() const {
  return cisolve::diagonal(integrals(), *space_);
}

template <int Words>
Matrix DeterminantBasis<Words>::dense_block(std::span<const std::int64_t> rows) const {
  return cisolve::dense_block(integrals(), *space_, rows);
}

template <int Words>
Matrix DeterminantBasis<Words>::dense_block(std::span<const std::int64_t> rows, SpinParity parity,
                                            double shift) const {
  return cisolve::dense_block(integrals(), *space_, rows, parity, shift);
}

template <int Words>
std::vector<std::int64_t> DeterminantBasis<Words>::model_rows(std::span<const double> diagonal,
                                                              const ModelRowsConfig& config) const {
  return choose_model_rows(*space_, diagonal, config);
}

template <int Words>
Matrix DeterminantBasis<Words>::s_squared_block(std::span<const std::int64_t> rows) const {
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

template <int Words>
std::optional<SpinStructure> DeterminantBasis<Words>::spin_structure() const {
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

template <int Words>
std::unique_ptr<RowSource> DeterminantBasis<Words>::s_squared_rows() const {
  return std::make_unique<SpinRowSource<Words>>(*space_);
}

template <int Words>
std::vector<double> DeterminantBasis<Words>::averaged_diagonal(std::span<const double> diagonal) const {
  return average_over_configurations(*space_, integrals(), diagonal);
}

template <int Words>
std::vector<StateLabel> DeterminantBasis<Words>::label(std::span<const double> energies,
                                                       std::span<double> vectors, const ClusterConfig& config,
                                                       std::vector<bool>* rotated) const {
  return label_states(*space_, selection_.irreps, energies, vectors, config, rotated);
}

template <int Words>
std::vector<LeadingConfiguration> DeterminantBasis<Words>::leading(std::span<const double> vector, int most,
                                                                   double minimum_weight) const {
  std::vector<LeadingConfiguration> found;
  for (const LeadingDeterminant& d : leading_determinants(vector, most, minimum_weight)) {
    found.push_back({occupation_text(space_->determinant(d.row), space_->num_orbitals()), d.coefficient,
                     d.coefficient * d.coefficient});
  }
  return found;
}

template <int Words>
DensityMatrices DeterminantBasis<Words>::density_matrices(std::span<const double> vectors,
                                                          int num_vectors) const {
  return cisolve::density_matrices(*space_, selection_.irreps, vectors, num_vectors);
}

template <int Words>
std::vector<double> DeterminantBasis<Words>::project(const FunctionView& functions,
                                                     std::span<const std::span<const double>> vectors) const {
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

#define INSTANTIATE(W) template class DeterminantBasis<W>;
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve
