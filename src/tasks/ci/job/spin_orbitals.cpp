// SPDX-License-Identifier: MIT
#include "tasks/ci/job/spin_orbitals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/integrals/spin_overlap.hpp"

namespace cisolve {
namespace {

/// Numbers row by row: as many in a line as there are lines. "#" begins a comment.
Matrix read_matrix(const std::filesystem::path& file, int n) {
  std::ifstream stream(file);
  if (!stream) throw InputError(fmt::format("integrals.overlap: {}: the file cannot be read", file.string()));
  Matrix matrix(n, n);
  int row = 0, number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    std::istringstream fields(line.substr(0, line.find('#')));
    int column = 0;
    for (double value = 0.0; fields >> value; ++column) {
      if (row < n && column < n) matrix(row, column) = value;
    }
    if (!fields.eof()) {
      throw InputError(fmt::format(
          "integrals.overlap: {}:{}: found what is no number, expected <p alpha|q beta> for all q of one p",
          file.string(), number));
    }
    if (column == 0) continue;
    if (column != n || row == n) {
      throw InputError(
          fmt::format("integrals.overlap: {}:{}: found {} numbers in row {}, expected {} rows of {}",
                      file.string(), number, column, row + 1, n, n));
    }
    ++row;
  }
  if (row != n) {
    throw InputError(
        fmt::format("integrals.overlap: {}: found {} rows, expected {}, one for each alpha orbital",
                    file.string(), row, n));
  }
  return matrix;
}

/// The largest difference of two matrices, up to a common sign.
double distance(const Matrix& a, const Matrix& b) {
  double same = 0.0, opposite = 0.0;
  for (int q = 0; q < a.columns(); ++q) {
    for (int p = 0; p < a.rows(); ++p) {
      same = std::max(same, std::abs(a(p, q) - b(p, q)));
      opposite = std::max(opposite, std::abs(a(p, q) + b(p, q)));
    }
  }
  return std::min(same, opposite);
}

/// Elements between different irreps are zero, or the file is of other orbitals.
void require_symmetry(const std::filesystem::path& file, const std::vector<int>& irreps, Matrix& overlap) {
  constexpr double negligible = 1e-6;  // of 1
  for (int q = 0; q < overlap.columns(); ++q) {
    for (int p = 0; p < overlap.rows(); ++p) {
      if (irreps[p] == irreps[q]) continue;
      if (std::abs(overlap(p, q)) > negligible) {
        throw InputError(
            fmt::format("integrals.overlap: {}: found <{} alpha|{} beta> = {:g}, expected 0 between orbitals "
                        "of different irreps",
                        file.string(), p + 1, q + 1, overlap(p, q)));
      }
      overlap(p, q) = 0.0;
    }
  }
}

}  // namespace

void settle_overlap(const CiConfig& config, Integrals& integrals, std::vector<std::string>& warnings) {
  BetaIntegrals& beta = *integrals.beta;
  RecoveredOverlap found = recover_overlap(integrals);
  const bool one_space = found.violation <= one_space_violation;
  if (!config.overlap_file.empty()) {
    constexpr double same = 1e-4;  // of 1: what files of few digits have
    Matrix given = read_matrix(config.overlap_file, integrals.num_orbitals);
    require_symmetry(config.overlap_file, integrals.irreps, given);
    if (const double off = distance(given, found.overlap); one_space && off > same) {
      throw InputError(
          fmt::format("integrals.overlap: {} is not the overlap of the orbitals of {}: it differs by {:.1e} "
                      "from the one that their integrals have; rows are alpha orbitals, columns beta ones",
                      config.overlap_file.string(), config.integrals_file.string(), off));
    }
    beta.overlap = spin_overlap(std::move(given), "file");
  } else if (one_space) {
    beta.overlap = spin_overlap(std::move(found.overlap), "integrals");
  } else {
    warnings.push_back(fmt::format(
        "<S^2> is not known: alpha and beta orbitals span different spaces (their integrals disagree by "
        "{:.1e} hartree), and there is no integrals.overlap",
        found.violation));
  }
}

void require_determinants_of_spin_orbitals(const CiConfig& config) {
  const auto refuse = [](std::string_view what, std::string_view why) {
    throw InputError(
        fmt::format("{}: the integrals are unrestricted, alpha and beta electrons have orbitals of their "
                    "own; {}",
                    what, why));
  };
  constexpr std::string_view no_spin =
      "H and S^2 do not commute in a space of their determinants, so that no spin can be asked for";
  if (config.basis == BasisChoice::csf)
    refuse("space.basis = \"csf\"", "spin eigenfunctions need orbitals that both share; use determinants");
  if (!config.multiplicities.empty()) refuse("states.multiplicity", no_spin);
  if (config.orbitals) refuse("orbitals.optimise", "only orbitals that both share can be optimised");
  if (config.natural_orbitals.of != NaturalOrbitalOutput::Of::none)
    refuse("output.natural_orbitals", "those of the sum of both densities are combinations of either");
}

void require_complex_determinants(const CiConfig& config, bool spinors) {
  const auto refuse = [&](std::string_view what, std::string_view why) {
    throw InputError(fmt::format("{}: the integrals of {} are complex{}; {}", what,
                                 config.integrals_file.string(), spinors ? ", over spinors" : "", why));
  };
  if (config.basis == BasisChoice::csf) refuse("space.basis = \"csf\"", "determinants can be used");
  if (!config.multiplicities.empty())
    refuse("states.multiplicity", spinors ? "spinors have no spin" : "roots of all spins come together");
  if (spinors && config.ms2) refuse("states.ms2", "spinors have no spin");
  if (config.orbitals) refuse("orbitals.optimise", "orbitals are optimised over real integrals");
  if (config.guess) refuse("solver.guess", "the search starts from the model space");
  if (config.density != DensityOutput::none)
    refuse("output.density", "densities are those of real coefficients");
  if (config.natural_orbitals.of != NaturalOrbitalOutput::Of::none)
    refuse("output.natural_orbitals", "densities are those of real coefficients");
  if (std::holds_alternative<FileReference>(config.reference))
    refuse("space.reference.file", "references are listed, a CAS, or the lowest");
  if (!config.overlap_file.empty())
    refuse("integrals.overlap", "it is of alpha and beta orbitals of real unrestricted integrals");
}

}  // namespace cisolve
