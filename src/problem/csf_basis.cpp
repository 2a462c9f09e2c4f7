// SPDX-License-Identifier: MIT
#include "problem/csf_basis.hpp"

#include <algorithm>
#include <cstdlib>

#include "cisolve/analysis/csf_states.hpp"
#include "cisolve/hamiltonian/csf_model_rows.hpp"
#include "cisolve/hamiltonian/spin_rows.hpp"

namespace cisolve {
namespace {

/// "22110": one character per orbital.
template <int Words>
std::string occupation_text(const Configuration<Words>& configuration, int num_orbitals) {
  std::string text;
  for (int p = 0; p < num_orbitals; ++p) text += static_cast<char>('0' + configuration.occupation(p));
  return text;
}

}  // namespace

template <int Words>
CsfBasis<Words>::CsfBasis(const BasisDefinition& definition, std::unique_ptr<ConfigurationSpace<Words>> space)
    : Basis(definition), space_(std::move(space)), exact_(*definition.integrals, 0.0),
      hamiltonian_(*space_, exact_) {}

template <int Words>
BasisSummary CsfBasis<Words>::summary() const {
  const auto& selection = space_->selection();
  const Configuration<Words>& first = selection.references.front();
  BasisSummary out;
  out.kind = FunctionKind::csf;
  out.size = size();
  out.num_references = space_->num_reference_csfs();
  out.excitation_level = selection.excitation_level;
  out.is_full = selection.excitation_level >= max_excitation_level(first, selection.num_orbitals);
  out.irrep = selection.irrep;
  out.hash = space_->fingerprint();
  out.level_counts = space_->level_counts();
  out.reference = occupation_text(first, selection.num_orbitals);
  return out;
}

template <int Words>
FunctionList CsfBasis<Words>::list(bool) const {
  FunctionList out;
  out.steps = space_->steps(0, size());
  return out;
}

template <int Words>
std::unique_ptr<RowSource> CsfBasis<Words>::make_rows(const IntegralTables& tables) const {
  const auto hamiltonian = std::make_shared<const CsfHamiltonian<Words>>(*space_, tables);
  of_rows_ = hamiltonian;
  return std::make_unique<CsfRowSource<Words>>(hamiltonian);
}

template <int Words>
std::int64_t CsfBasis<Words>::rows_bytes(const IntegralTables& tables) const {
  // Integrals twice, the configurations with their index, and the coupling blocks met so far: after counting
  // rows, or a sample of them, nearly all of them.
  const auto pairs = std::int64_t{tables.num_pairs()};
  const auto of_rows = of_rows_.lock();
  return 16 * pairs * pairs + space_->bytes() + (of_rows ? of_rows->couplings().bytes() : 0);
}

/// Determinants of Ms = S of all configurations.
template <int Words>
std::int64_t CsfBasis<Words>::count_determinants() const {
  const int two_s = space_->selection().two_s;
  std::vector<std::int64_t> of_open(space_->couplings().max_open() + 1, 0);
  for (int open = two_s; open < std::ssize(of_open); open += 2) {
    for (int spin = two_s; spin <= open; spin += 2) of_open[open] += num_spin_functions(open, spin);
  }
  std::int64_t count = 0;
  for (const auto& c : space_->configurations()) count += of_open[c.num_open()];
  return count;
}

template <int Words>
std::int64_t CsfBasis<Words>::bytes_outside_solver(int num_roots, bool with_densities) const {
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

template <int Words>
std::vector<double> CsfBasis<Words>::diagonal() const {
  return hamiltonian_.diagonal();
}

template <int Words>
Matrix CsfBasis<Words>::dense_block(std::span<const std::int64_t> rows) const {
  return hamiltonian_.dense_block(rows);
}

template <int Words>
std::vector<std::int64_t> CsfBasis<Words>::model_rows(std::span<const double> diagonal,
                                                      const ModelRowsConfig& config) const {
  return choose_model_csfs(*space_, diagonal, config);
}

template <int Words>
Matrix CsfBasis<Words>::s_squared_block(std::span<const std::int64_t> rows) const {
  const double spin = 0.5 * space_->selection().two_s;
  const int n = static_cast<int>(rows.size());
  Matrix block(n, n);
  for (int i = 0; i < n; ++i) block(i, i) = spin * (spin + 1.0);
  return block;
}

template <int Words>
std::vector<StateLabel> CsfBasis<Words>::label(std::span<const double> energies, std::span<double> vectors,
                                               const ClusterConfig& config,
                                               std::vector<bool>* rotated) const {
  return label_csf_states(*space_, integrals().irreps, energies, vectors, config, rotated);
}

template <int Words>
std::vector<LeadingConfiguration> CsfBasis<Words>::leading(std::span<const double> vector, int most,
                                                           double minimum_weight) const {
  std::vector<LeadingConfiguration> found;
  for (const LeadingDeterminant& csf : leading_determinants(vector, most, minimum_weight)) {
    found.push_back({csf_text(*space_, csf.row), csf.coefficient, csf.coefficient * csf.coefficient});
  }
  return found;
}

template <int Words>
DensityMatrices CsfBasis<Words>::density_matrices(std::span<const double> vectors, int num_vectors) const {
  const std::size_t n = size();
  std::vector<Determinant<Words>> determinants;  // the same for every vector
  std::vector<double> expanded;
  for (int k = 0; k < num_vectors; ++k) {
    auto vector = expand_in_determinants<Words>(*space_, vectors.subspan(static_cast<std::size_t>(k) * n, n));
    expanded.insert(expanded.end(), vector.coefficients.begin(), vector.coefficients.end());
    if (k == 0) determinants = std::move(vector.determinants);
  }
  const ListSpace<Words> space(std::move(determinants), space_->num_orbitals(), space_->selection().irrep, 0,
                               {});
  return cisolve::density_matrices<Words>(space, integrals().irreps, expanded, num_vectors);
}

template <int Words>
std::vector<double> CsfBasis<Words>::project(const FunctionView& functions,
                                             std::span<const std::span<const double>> vectors) const {
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

#define INSTANTIATE(W) template class CsfBasis<W>;
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve
