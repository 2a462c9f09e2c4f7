// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cisolve/tasks/scan/scan.hpp"

namespace cisolve {

inline constexpr double hartree_in_wavenumbers = 219474.6313632;  // cm^-1, CODATA 2018

/// What the minimum of a curve of a diatomic molecule says, with the masses of the most abundant isotopes.
struct SpectroscopicConstants {
  std::string state;                    ///< multiplicity and irrep: "1 A1"
  std::string term;                     ///< "1Sigma+", if all points of the curve have it
  bool is_followed = false;             ///< the curve is that of a state, whatever lies below it
  int number = 1;                       ///< of its kind, by energy, from 1; followed: of the state
  double distance = 0.0;                ///< r_e, bohr
  double energy = 0.0;                  ///< at r_e, hartree
  double wavenumber = 0.0;              ///< omega_e, cm^-1
  double rotation = 0.0;                ///< B_e, cm^-1
  double dissociation = 0.0;            ///< D_e, hartree: up to the longest bond of the scan
  double longest = 0.0;                 ///< that bond, bohr
  int first_point = 0, last_point = 0;  ///< of the five that the polynomial of degree 4 goes through, from 1
};

struct ScanCurvePoint {
  double value;   ///< of the coordinate, in the unit of the scan
  double energy;  ///< hartree
  int number;     ///< of the point, from 1
};

/// A curve of a scan with its name: of its constants state, term, number and is_followed alone.
struct ScanCurve {
  SpectroscopicConstants name;
  std::vector<ScanCurvePoint> points;
};

/// The curves of a scan by state where states are followed, else by kind and number.
std::map<std::pair<std::string, int>, ScanCurve> curves_of(const ScanResult& scan);

/// Constants of every curve of a scan: of a state where states are followed, else of the roots of one kind and number.
/// Of a scan along the bond of a diatomic molecule; a curve has its minimum between points, two or more on each side of
/// the lowest. Empty for other scans.
/// @see K. P. Huber, G. Herzberg, Constants of Diatomic Molecules, 1979, doi:10.1007/978-1-4757-0961-2 (definitions)
std::vector<SpectroscopicConstants> spectroscopic_constants(const ScanResult& scan);

/// "1 A1 (2) 1Sigma+"; of a state that is followed "2: 1 A1 1Sigma+".
std::string name_of(const SpectroscopicConstants& curve);

}  // namespace cisolve
