// SPDX-License-Identifier: MIT
#include "molecule/superposition.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <Eigen/SVD>
#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include "cisolve/core/error.hpp"

namespace cisolve::detail {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

Vector3d vector_of(const Position& p) { return {p[0], p[1], p[2]}; }

/// The rotation about the centres of nuclear charge that brings each atom nearest to that of the same number.
/// @see W. Kabsch, Acta Cryst. A 32 (1976) 922, doi:10.1107/S0567739476001873
Superposition turned(const Geometry& geometry, const Geometry& target) {
  Superposition found;
  found.origin = vector_of(charge_centre(geometry));
  const Vector3d centre = vector_of(charge_centre(target));
  Matrix3d covariance = Matrix3d::Zero();
  for (std::size_t a = 0; a < geometry.atoms.size(); ++a) {
    covariance += (vector_of(target.atoms[a].position) - centre) *
                  (vector_of(geometry.atoms[a].position) - found.origin).transpose();
  }
  const Eigen::JacobiSVD<Matrix3d> svd(covariance, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Vector3d signs(1.0, 1.0, 1.0);
  signs[2] = (svd.matrixU() * svd.matrixV().transpose()).determinant() < 0.0 ? -1.0 : 1.0;
  found.turn = svd.matrixU() * signs.asDiagonal() * svd.matrixV().transpose();
  found.origin -= found.turn.transpose() * centre;
  return found;
}

/// Gives each atom the nearest of the frame that is of its kind.
/// @return the largest distance, bohr; infinite where two have the same
double match(const Geometry& geometry, const Geometry& target, Superposition& trial) {
  double largest = 0.0;
  std::vector<bool> taken(target.atoms.size(), false);
  trial.atom.clear();
  for (const Atom& atom : geometry.atoms) {
    const Vector3d at = trial.turn * (vector_of(atom.position) - trial.origin);
    double nearest = std::numeric_limits<double>::infinity();
    std::size_t found = 0;
    for (std::size_t b = 0; b < target.atoms.size(); ++b) {
      const double distance = (vector_of(target.atoms[b].position) - at).norm();
      const bool is_same =
          target.atoms[b].element() == atom.element() && target.atoms[b].is_ghost() == atom.is_ghost();
      if (!is_same || taken[b] || !(distance < nearest)) continue;
      nearest = distance;
      found = b;
    }
    if (nearest == std::numeric_limits<double>::infinity()) return nearest;
    taken[found] = true;
    trial.atom.push_back(static_cast<int>(found));
    largest = std::max(largest, nearest);
  }
  return largest;
}

/// "OH2" by descending charge; ghosts, "Gh(O)", after the nuclei.
std::string formula(const Geometry& geometry) {
  std::vector<Atom> atoms = geometry.atoms;
  const auto before = [](const Atom& a, const Atom& b) {
    return a.is_ghost() != b.is_ghost() ? b.is_ghost() : a.element() > b.element();
  };
  std::ranges::sort(atoms, before);
  std::string text;
  for (auto first = atoms.begin(); first != atoms.end();) {
    const auto last =
        std::find_if(first, atoms.end(), [&](const Atom& atom) { return before(*first, atom); });
    const auto count = last - first;
    text += fmt::format("{}{}", atom_symbol(*first), count > 1 ? std::to_string(count) : "");
    first = last;
  }
  return text;
}

}  // namespace

Superposition superpose(const Geometry& geometry, const SymmetryFrame& frame, double tolerance,
                        const std::string& where) {
  const Geometry& target = frame.geometry;
  if (formula(geometry) != formula(target)) {
    throw InputError(fmt::format("{}: its atoms are {}, those of [molecule] {}", where, formula(geometry),
                                 formula(target)));
  }
  Superposition in_input_axes;
  in_input_axes.origin = vector_of(frame.origin);
  for (std::size_t k = 0; k < frame.axes.size(); ++k)
    in_input_axes.turn.row(static_cast<Eigen::Index>(k)) = vector_of(frame.axes[k]).transpose();
  double least = std::numeric_limits<double>::infinity();
  for (Superposition trial : {Superposition{}, in_input_axes, turned(geometry, target)}) {
    const double largest = match(geometry, target, trial);
    if (largest <= tolerance) return trial;
    least = std::min(least, largest);
  }
  throw InputError(fmt::format(
      "{}: its atoms are not where those of [molecule] are: laid over them, one is {:.1e} bohr off; "
      "up to {:.0e} is allowed",
      where, least, tolerance));
}

}  // namespace cisolve::detail
