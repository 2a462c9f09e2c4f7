// SPDX-License-Identifier: MIT
#include "tasks/ci/determinant_basis.hpp"

#include <algorithm>
#include <cstdlib>
#include <unordered_map>

#include "cisolve/analysis/csf_states.hpp"
#include "cisolve/hamiltonian/row_source.hpp"
#include "cisolve/hamiltonian/slater_condon.hpp"
#include "cisolve/hamiltonian/spin_rows.hpp"
#include "cisolve/space/excitations.hpp"
#include "tasks/ci/determinant_list.hpp"
#include "tasks/files/earlier_result.hpp"

namespace cisolve {

CiResult::Space DeterminantBasis::describe() const {
  const auto& selection = job_.selection;
  CiResult::Space out;
  out.basis = "determinant";
  out.dimension = space_->size();
  out.reference_dimension = space_->num_references();
  out.excitation_level = selection.excitation_level >= max_excitation_level(selection)
                             ? full_excitation
                             : selection.excitation_level;
  out.irrep = space_->irrep() + 1;
  out.spin_complete = job_.spin_complete;
  out.hash = space_->fingerprint();
  out.level_counts = space_->level_counts();
  out.words = string_words;
  out.reference = occupation_text(selection.references.front(), space_->num_orbitals());
  return out;
}

void DeterminantBasis::list(CiResult::Space& out, DeterminantOutput choice) const {
  describe_determinants(*space_, choice, out);
}

std::unique_ptr<RowSource> DeterminantBasis::make_rows(const IntegralTables& tables) const {
  return make_row_source(*space_, tables);
}

std::int64_t DeterminantBasis::rows_bytes(const IntegralTables& tables) const {
  // Integrals, and about what the string excitations take; the matrix dwarfs both.
  const auto pairs = std::int64_t{tables.num_pairs()};
  const int norb = space_->num_orbitals();
  const std::int64_t links = std::int64_t{16} * norb * norb * norb;
  return 16 * pairs * pairs + std::min(links * norb, 40 * size());
}

std::vector<double> DeterminantBasis::diagonal() const {
  return cisolve::diagonal(job_.active->integrals, *space_);
}

Matrix DeterminantBasis::dense_block(std::span<const std::int64_t> rows) const {
  return cisolve::dense_block(job_.active->integrals, *space_, rows);
}

std::vector<std::int64_t> DeterminantBasis::model_rows(std::span<const double> diagonal,
                                                       const ModelRowsConfig& config) const {
  return choose_model_rows(*space_, diagonal, config);
}

Matrix DeterminantBasis::s_squared_block(std::span<const std::int64_t> rows) const {
  const int n = static_cast<int>(rows.size());
  std::unordered_map<std::int64_t, int> place;  // of a row in the block
  for (int i = 0; i < n; ++i) place.emplace(rows[static_cast<std::size_t>(i)], i);
  Matrix block(n, n);
  for (int j = 0; j < n; ++j) {
    const Determinant<string_words> d = space_->determinant(rows[static_cast<std::size_t>(j)]);
    block(j, j) = s_squared_diagonal(d);
    for_each_spin_exchange(d, [&](const Determinant<string_words>& exchanged, double element) {
      const auto at = place.find(space_->find(exchanged));
      if (at != place.end()) block(at->second, j) = element;
    });
  }
  return block;
}

std::unique_ptr<SpinStructure> DeterminantBasis::spin_structure() const {
  if (!job_.multiplicity || !job_.spin_complete) return nullptr;
  const auto s_squared = [](int twice_s) { return 0.25 * twice_s * (twice_s + 2); };
  const int wanted = *job_.multiplicity - 1;
  const std::vector<std::int64_t> configurations = count_open_shells(*space_);
  auto structure = std::make_unique<SpinStructure>();
  for (int twice_s = std::abs(job_.ms2); twice_s < std::ssize(configurations); twice_s += 2) {
    std::int64_t states = 0;
    for (int open = 0; open < std::ssize(configurations); ++open) {
      states += configurations[static_cast<std::size_t>(open)] * num_spin_functions(open, twice_s);
    }
    if (twice_s == wanted) {
      structure->dimension = states;
    } else if (states > 0) {
      structure->others.push_back(s_squared(twice_s));
    }
  }
  if (structure->others.empty()) return nullptr;
  structure->wanted = s_squared(wanted);
  return structure;
}

std::unique_ptr<RowSource> DeterminantBasis::s_squared_rows() const {
  return std::make_unique<SpinRowSource<string_words>>(*space_);
}

std::vector<double> DeterminantBasis::averaged_diagonal(std::span<const double> diagonal) const {
  return average_over_configurations(*space_, job_.active->integrals, diagonal);
}

std::vector<StateLabel> DeterminantBasis::label(std::span<const double> energies, std::span<double> vectors,
                                                const ClusterConfig& config,
                                                std::vector<bool>* rotated) const {
  return label_states(*space_, job_.selection.irreps, energies, vectors, config, rotated);
}

std::vector<LeadingConfiguration> DeterminantBasis::leading(std::span<const double> vector, int most,
                                                            double minimum_weight) const {
  std::vector<LeadingConfiguration> found;
  for (const LeadingDeterminant& d : leading_determinants(vector, most, minimum_weight)) {
    found.push_back({occupation_text(space_->determinant(d.row), space_->num_orbitals()), d.coefficient,
                     d.coefficient * d.coefficient});
  }
  return found;
}

DensityMatrices DeterminantBasis::density_matrices(std::span<const double> vectors, int num_vectors) const {
  return cisolve::density_matrices(*space_, job_.selection.irreps, vectors, num_vectors);
}

std::vector<double> DeterminantBasis::project(const CiResult::Space& space,
                                              std::span<const std::span<const double>> vectors,
                                              const std::string& name) const {
  const int spin = earlier_spin(space);
  if (space.basis == "csf") {
    if (std::abs(job_.ms2) > spin) return {};
    return project_on_determinants<string_words>(*space_, csf_list(space, name), vectors);
  }
  if (spin != job_.ms2) return {};
  const auto n = static_cast<std::size_t>(size());
  const std::vector<Determinant<string_words>> determinants = determinant_list(space);
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

}  // namespace cisolve
