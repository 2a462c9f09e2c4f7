// SPDX-License-Identifier: MIT
#include "tasks/csf_basis.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cisolve/analysis/csf_states.hpp"
#include "cisolve/core/error.hpp"
#include "cisolve/hamiltonian/csf_model_rows.hpp"
#include "tasks/csf_job.hpp"

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
  // rows, all of them.
  constexpr std::int64_t per_configuration = 64;
  const auto pairs = std::int64_t{tables.num_pairs()};
  const auto of_rows = of_rows_.lock();
  return 16 * pairs * pairs + per_configuration * space_->num_configurations() +
         (of_rows ? of_rows->couplings().bytes() : 0);
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

/// Rows here of the CSFs of an earlier result, -1 where there is none.
std::vector<std::int64_t> CsfBasis::common_rows(const CiResult::Space& space, const std::string& name) const {
  const auto norb = static_cast<std::size_t>(space_->num_orbitals());
  std::vector<std::int64_t> rows;
  std::vector<SpinStep> path;
  for (std::size_t i = 0; i < static_cast<std::size_t>(space.dimension); ++i) {
    Configuration<string_words> configuration;
    path.clear();
    int two_s = 0;
    for (std::size_t p = 0; p < norb; ++p) {
      const std::uint8_t step = space.steps[i * norb + p];
      if (step == 3) configuration.doubly.set(static_cast<int>(p));
      if (step != 1 && step != 2) continue;
      configuration.singly.set(static_cast<int>(p));
      path.push_back(static_cast<SpinStep>(step));
      two_s += step == 1 ? 1 : -1;
    }
    if (two_s != space_->selection().two_s) {
      throw InputError(fmt::format("{} holds CSFs of multiplicity {}, this job has {}", name, two_s + 1,
                                   space_->selection().two_s + 1));
    }
    const std::int32_t number = space_->find(configuration);
    rows.push_back(number < 0 ? -1 : space_->offset(number) + space_->couplings().number(path));
  }
  return rows;
}

std::vector<double> CsfBasis::project(const CiResult::Space& space, std::span<const double> vectors,
                                      const std::string& name) const {
  const auto n = static_cast<std::size_t>(size());
  const auto old = static_cast<std::size_t>(space.dimension);
  const std::size_t count = vectors.size() / old;
  std::vector<double> projected(n * count, 0.0);
  if (space.basis == "csf") {
    const std::vector<std::int64_t> rows = common_rows(space, name);
    for (std::size_t i = 0; i < old; ++i) {
      if (rows[i] < 0) continue;
      for (std::size_t k = 0; k < count; ++k) {
        projected[k * n + static_cast<std::size_t>(rows[i])] = vectors[k * old + i];
      }
    }
    return projected;
  }
  if (space.basis != "determinant" || space.words != string_words) {
    throw InputError(
        fmt::format("{} holds functions of basis \"{}\", which this version cannot read", name, space.basis));
  }
  std::vector<Determinant<string_words>> determinants(old);
  for (std::size_t i = 0; i < old; ++i) {
    determinants[i].alpha.words[0] = space.alpha[i];
    determinants[i].beta.words[0] = space.beta[i];
  }
  const int ms2 = determinants.front().alpha.count() - determinants.front().beta.count();
  if (ms2 != space_->selection().two_s) {
    throw InputError(
        fmt::format("{} holds determinants with ms2 = {}; CSFs of multiplicity {} can be found in those with "
                    "ms2 = {}",
                    name, ms2, space_->selection().two_s + 1, space_->selection().two_s));
  }
  for (std::size_t k = 0; k < count; ++k) {
    const std::vector<double> csfs =
        project_on_csfs<string_words>(*space_, determinants, vectors.subspan(k * old, old));
    std::copy(csfs.begin(), csfs.end(), projected.begin() + static_cast<std::ptrdiff_t>(k * n));
  }
  return projected;
}

}  // namespace cisolve
