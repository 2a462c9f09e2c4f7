// SPDX-License-Identifier: MIT
// What the kinds of files are made of.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cisolve/lapw/input_file.hpp"
#include "lapw/input_file_reader.hpp"

namespace cisolve::lapw {

/// Reads /atoms/type, which counts from 1: at least one atom, each of a type there is.
/// @return from 0
std::vector<int> read_atom_types(const FileReader& reader, const Hdf5Group& atoms, int num_types);

/// Values of l = 0 .. lmax.
std::vector<double> read_by_l(const FileReader& reader, const Hdf5Group& type, const std::string& name,
                              int lmax);

/// Reads udot_norm, N_l >= 0.
std::vector<double> read_udot_norm(const FileReader& reader, const Hdf5Group& type, int lmax);

/// Refuses negative weights, and coordinates so large that digits are lost.
/// @param path_of_point, path_of_weight  for messages, as in "dataset '/k_points/point'"
void require_k_point(const FileReader& reader, const KPoint& point, const std::string& path_of_point,
                     const std::string& path_of_weight);

// --- kind "coefficients"

struct CoefficientSets {
  std::vector<int> atom_types;
  std::vector<MuffinTin> tins;
  std::int64_t rows = 0;  ///< K
  std::vector<KPoint> points;
  std::vector<std::int64_t> waves;  ///< N of each k-point
  std::vector<char> has_interstitial;
};

/// All but the coefficients, whose types and shapes are checked.
CoefficientSets read_coefficient_sets(const FileReader& reader);

/// @param k  from 0
GivenCoefficients read_coefficients(const FileReader& reader, const CoefficientSets& sets, int k);

// --- kinds "radial" and "potential"

/// Lattice, atoms and their types, without what a type's functions are made from.
Crystal read_crystal(const FileReader& reader);

/// Reads u, udot and so on of a type, and the non-spherical part.
void read_radial_functions(const FileReader& reader, const Hdf5Group& group, AtomType& type);

std::unique_ptr<SpherePotential> read_sphere_potential(const FileReader& reader, const Hdf5Group& group,
                                                       const AtomType& type);

struct KPointList {
  std::vector<KPoint> points;
  std::vector<std::string> labels;  ///< one per k-point, or none
  std::optional<double> k_max;
  std::vector<std::vector<Index3>> waves;  ///< one list per k-point; empty: k_max says
};
KPointList read_k_points(const FileReader& reader, const Lattice& lattice);

std::optional<FourierPotential> read_interstitial(const FileReader& reader);

}  // namespace cisolve::lapw
