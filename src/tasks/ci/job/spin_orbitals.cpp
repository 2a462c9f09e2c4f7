// SPDX-License-Identifier: MIT
#include "tasks/ci/job/spin_orbitals.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <sstream>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/integrals/spin_overlap.hpp"
#include "core/symmetric_eigenpairs.hpp"

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
    for (std::string field; fields >> field; ++column) {
      double value = 0.0;
      const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
      if (error != std::errc() || end != field.data() + field.size() || !std::isfinite(value)) {
        throw InputError(
            fmt::format("integrals.overlap: {}:{}: found '{}', expected a number: <p alpha|q beta> "
                        "for all q of one p",
                        file.string(), number, field));
      }
      if (row < n && column < n) matrix(row, column) = value;
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

constexpr double negligible_overlap = 1e-6;  ///< of 1

/// Elements between different irreps are zero, or the file is of other orbitals.
void require_symmetry(const std::filesystem::path& file, const std::vector<int>& irreps, Matrix& overlap) {
  for (int q = 0; q < overlap.columns(); ++q) {
    for (int p = 0; p < overlap.rows(); ++p) {
      if (irreps[p] == irreps[q]) continue;
      if (std::abs(overlap(p, q)) > negligible_overlap) {
        throw InputError(
            fmt::format("integrals.overlap: {}: found <{} alpha|{} beta> = {:g}, expected 0 between orbitals "
                        "of different irreps",
                        file.string(), p + 1, q + 1, overlap(p, q)));
      }
      overlap(p, q) = 0.0;
    }
  }
}

/// What files of few digits have of 1.
constexpr double same_overlap = 1e-4;

/// Orthonormal orbitals of one spin have no part in those of the other that is longer than 1.
void require_projections(const std::filesystem::path& file, const Matrix& overlap) {
  const int n = overlap.rows();
  Eigen::MatrixXd u(n, n);
  for (int q = 0; q < n; ++q) {
    for (int p = 0; p < n; ++p) u(p, q) = overlap(p, q);
  }
  const double scale = n > 0 ? u.cwiseAbs().maxCoeff() : 0.0;
  if (scale == 0.0) return;
  u /= scale;  // squares of what stands in a wrong file could overflow
  const double largest = scale * std::sqrt(symmetric_eigenvalues(u.transpose() * u).maxCoeff());
  if (largest <= 1.0 + same_overlap) return;
  throw InputError(
      fmt::format("integrals.overlap: {} is no overlap of orthonormal orbitals: found a singular value "
                  "of {:.6g}, expected at most 1",
                  file.string(), largest));
}

/// Beta orbitals that the file does not have are taken to be empty: S_- reaches them as it does frozen virtuals.
/// @returns the largest part of an alpha orbital's density that lies outside
double add_orbitals_outside(SpinOverlap& overlap) {
  const int n = overlap.active.rows();
  double largest = 0.0;
  for (int r = 0; r < n; ++r) {
    for (int p = 0; p < n; ++p) {
      double inside = 0.0;
      for (int q = 0; q < n; ++q) inside += overlap.active(p, q) * overlap.active(r, q);
      overlap.virtuals(p, r) = (p == r ? 1.0 : 0.0) - inside;
    }
    largest = std::max(largest, overlap.virtuals(r, r));
  }
  return largest;
}

}  // namespace

void settle_overlap(const CiConfig& config, Integrals& integrals, std::vector<std::string>& warnings) {
  BetaIntegrals& beta = *integrals.beta;
  RecoveredOverlap found = recover_overlap(integrals);
  const bool one_space = found.violation <= one_space_violation;
  if (!config.overlap_file.empty()) {
    Matrix given = read_matrix(config.overlap_file, integrals.num_orbitals);
    require_symmetry(config.overlap_file, integrals.irreps, given);
    if (const double off = distance(given, found.overlap); one_space && off > same_overlap) {
      throw InputError(
          fmt::format("integrals.overlap: {} is not the overlap of the orbitals of {}: it differs by {:.1e} "
                      "from the one that their integrals have; rows are alpha orbitals, columns beta ones",
                      config.overlap_file.string(), config.integrals_file.string(), off));
    }
    require_projections(config.overlap_file, given);
    beta.overlap = spin_overlap(std::move(given), "file");
    if (one_space) return;
    if (const double outside = add_orbitals_outside(*beta.overlap); outside > negligible_overlap) {
      warnings.push_back(fmt::format(
          "<S^2> takes beta orbitals that the integrals leave out ({:.1e} of an alpha orbital is in them) to "
          "be "
          "empty; where a core was folded into the integrals, it brings more to <S^2>, which is not known",
          outside));
    }
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
  const auto trexio = std::ranges::find(config.also, ".trexio", &std::filesystem::path::extension);
  if (trexio != config.also.end())
    refuse("output.also", fmt::format("{} would be of orbitals that both share", trexio->string()));
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
  if (!config.also.empty()) refuse("output.also", "files of other programs are written of real coefficients");
  if (!config.overlap_file.empty())
    refuse("integrals.overlap", "it is of alpha and beta orbitals of real unrestricted integrals");
}

}  // namespace cisolve
