// SPDX-License-Identifier: MIT
#include "tasks/ci/csf_basis.hpp"

#include <algorithm>
#include <cstdlib>

#include "cisolve/analysis/csf_states.hpp"
#include "cisolve/hamiltonian/csf_model_rows.hpp"
#include "cisolve/hamiltonian/spin_rows.hpp"
#include "tasks/ci/job/csf_job.hpp"
#include "tasks/files/earlier_result.hpp"

namespace cisolve {

CsfBasis::CsfBasis(const CiJob& job, std::unique_ptr<ConfigurationSpace<string_words>> space)
    : job_(job), space_(std::move(space)), exact_(job.active->integrals, 0.0), hamiltonian_(*space_, exact_) {
}

CiResult::Space CsfBasis::describe() const {
  const auto& selection = space_->selection();
  const Configuration<string_words>& first = selection.references.front();
  CiResult::Space out;
  out.basis = "csf";
  out.dimension = size();
  out.reference_dimension = space_->num_reference_csfs();
  out.excitation_level = selection.excitation_level >= max_excitation_level(first, selection.num_orbitals)
                             ? full_excitation
                             : selection.excitation_level;
  out.irrep = selection.irrep + 1;
  out.spin_complete = true;
  out.hash = space_->fingerprint();
  out.level_counts = space_->level_counts();
  out.reference = occupation_text(first, selection.num_orbitals);
  return out;
}

void CsfBasis::list(CiResult::Space& out, DeterminantOutput) const { out.steps = space_->steps(0, size()); }

std::unique_ptr<RowSource> CsfBasis::make_rows(const IntegralTables& tables) const {
  const auto hamiltonian = std::make_shared<const CsfHamiltonian<string_words>>(*space_, tables);
  of_rows_ = hamiltonian;
  return std::make_unique<CsfRowSource<string_words>>(hamiltonian);
}

std::int64_t CsfBasis::rows_bytes(const IntegralTables& tables) const {
  // Integrals twice, the configurations with their index, and the coupling blocks met so far: after counting
  // rows, or a sample of them, nearly all of them.
  const auto pairs = std::int64_t{tables.num_pairs()};
  const auto of_rows = of_rows_.lock();
  return 16 * pairs * pairs + space_->bytes() + (of_rows ? of_rows->couplings().bytes() : 0);
}

/// Determinants of Ms = S of all configurations.
std::int64_t CsfBasis::count_determinants() const {
  const int two_s = space_->selection().two_s;
  std::vector<std::int64_t> of_open(static_cast<std::size_t>(space_->couplings().max_open()) + 1, 0);
  for (int open = two_s; open < std::ssize(of_open); open += 2) {
    for (int spin = two_s; spin <= open; spin += 2)
      of_open[static_cast<std::size_t>(open)] += num_spin_functions(open, spin);
  }
  std::int64_t count = 0;
  for (const auto& c : space_->configurations()) count += of_open[static_cast<std::size_t>(c.num_open())];
  return count;
}

std::int64_t CsfBasis::bytes_outside_solver(const CiConfig& config) const {
  // Vectors as found and as written, steps; for properties the determinants with their index, and the vectors
  // over them, the last of which is being made.
  const std::int64_t roots = std::min<std::int64_t>(config.count, size());
  std::int64_t listed = space_->bytes() + size() * (2 * 8 * roots + space_->num_orbitals());
  if (job_.molecule && config.properties) {
    constexpr std::int64_t of_determinant = 16 + 16 + 2 * (16 + 8);
    listed += count_determinants() * (of_determinant + 2 * 8 * roots);
  }
  return std::max(listed, space_->peak_bytes());
}

std::vector<double> CsfBasis::diagonal() const { return hamiltonian_.diagonal(); }

Matrix CsfBasis::dense_block(std::span<const std::int64_t> rows) const {
  return hamiltonian_.dense_block(rows);
}

std::vector<std::int64_t> CsfBasis::model_rows(std::span<const double> diagonal,
                                               const ModelRowsConfig& config) const {
  return choose_model_csfs(*space_, diagonal, config);
}

Matrix CsfBasis::s_squared_block(std::span<const std::int64_t> rows) const {
  const double spin = 0.5 * space_->selection().two_s;
  const int n = static_cast<int>(rows.size());
  Matrix block(n, n);
  for (int i = 0; i < n; ++i) block(i, i) = spin * (spin + 1.0);
  return block;
}

std::vector<StateLabel> CsfBasis::label(std::span<const double> energies, std::span<double> vectors,
                                        const ClusterConfig& config, std::vector<bool>* rotated) const {
  return label_csf_states(*space_, job_.active->integrals.irreps, energies, vectors, config, rotated);
}

std::vector<LeadingConfiguration> CsfBasis::leading(std::span<const double> vector, int most,
                                                    double minimum_weight) const {
  std::vector<LeadingConfiguration> found;
  for (const LeadingDeterminant& csf : leading_determinants(vector, most, minimum_weight)) {
    found.push_back({csf_text(*space_, csf.row), csf.coefficient, csf.coefficient * csf.coefficient});
  }
  return found;
}

DensityMatrices CsfBasis::density_matrices(std::span<const double> vectors, int num_vectors) const {
  const auto n = static_cast<std::size_t>(size());
  std::vector<Determinant<string_words>> determinants;  // the same for every vector
  std::vector<double> expanded;
  for (int k = 0; k < num_vectors; ++k) {
    auto vector =
        expand_in_determinants<string_words>(*space_, vectors.subspan(static_cast<std::size_t>(k) * n, n));
    expanded.insert(expanded.end(), vector.coefficients.begin(), vector.coefficients.end());
    if (k == 0) determinants = std::move(vector.determinants);
  }
  const ListSpace<string_words> space(std::move(determinants), space_->num_orbitals(),
                                      space_->selection().irrep, 0, {});
  return cisolve::density_matrices<string_words>(space, job_.active->integrals.irreps, expanded, num_vectors);
}

std::vector<double> CsfBasis::project(const CiResult::Space& space,
                                      std::span<const std::span<const double>> vectors,
                                      const std::string& name) const {
  const int two_s = space_->selection().two_s;
  const int spin = earlier_spin(space);
  const auto n = static_cast<std::size_t>(size());
  if (space.basis != "csf") {
    if (std::abs(spin) > two_s) return {};
    const std::vector<Determinant<string_words>> determinants = determinant_list(space);
    std::vector<double> projected;
    projected.reserve(n * vectors.size());
    for (const std::span<const double> vector : vectors) {
      const std::vector<double> csfs = project_on_csfs<string_words>(*space_, determinants, vector);
      projected.insert(projected.end(), csfs.begin(), csfs.end());
    }
    return projected;
  }
  if (spin != two_s) return {};
  const CsfList<string_words> list = csf_list(space, name);
  std::vector<double> projected(n * vectors.size(), 0.0);
  for (std::size_t i = 0; i < list.configurations.size(); ++i) {
    const std::int32_t number = space_->find(list.configurations[i]);
    if (number < 0) continue;
    const auto row = static_cast<std::size_t>(space_->offset(number) + list.couplings[i]);
    for (std::size_t k = 0; k < vectors.size(); ++k) projected[k * n + row] = vectors[k][i];
  }
  return projected;
}

}  // namespace cisolve
