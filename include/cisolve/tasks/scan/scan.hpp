// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cisolve/tasks/ci/ci.hpp"
#include "cisolve/tasks/ci/ci_result.hpp"
#include "cisolve/tasks/ci/config/ci_config.hpp"
#include "cisolve/tasks/input/input.hpp"
#include "cisolve/tasks/run/run_control.hpp"

namespace cisolve {

/// Of points; each is a calculation with an input, a geometry and a basis of its own.
inline constexpr int most_scan_points = 10000;

/// A job at several geometries, or with several files of integrals.
struct ScanConfig {
  CiConfig job;            ///< what all points share; geometry or integrals are those of the first
  std::string coordinate;  ///< "bond 1 2", "bond 1 2, bond 1 3"; "file": the points are files
  std::string unit;        ///< of the values: "angstrom", "bohr", "degree"; "1" with files
  std::vector<double> values;
  std::vector<CiConfig> points;
  bool warm_start = true;
  bool carry_lists = false;  ///< of a selected CI, to the next point
  bool follow_scf = false;   ///< keep the SCF state of the point before also where there is a lower one
};

/// The scan that the input asks for, all geometries made and their common point group found.
/// @param values  of the coordinate, in place of the input's; empty: the input's
/// @throws InputError if a value is refused, values contradict each other, or a file is absent or refused
ScanConfig read_scan_config(const Input& input, std::span<const double> values = {});

/// The scan that the input asks for together with the points of its result file, in the order of the coordinate.
/// Where the points are files, the input names all of them, and their order stays.
/// @throws InputError as read_scan_config, and if there is no such file or it belongs to another job; says what differs
ScanConfig read_extended_scan_config(const Input& input);

/// Runs a scan, a CI calculation per point. Each begins with the orbitals and vectors of the one before. The
/// result file has a group per point and is complete at any moment: a point is added when it is done. A point
/// whose SCF does not converge, or that has no state of the kind asked for, is reported and passed over.
/// @param scan     to extend a result file, of read_extended_scan_config
/// @param options  restart: points that are done stay; the one that was running goes on from its checkpoint. extend:
///                 likewise, in a file that may lack points
/// @returns not_converged also if a point failed, not_certified if a root of any fails its certificate
/// @throws InputError, ResourceError, SystemError, Interrupted  as run_ci; what the first point finds wrong with the input ends the scan
RunOutcome run_scan(const ScanConfig& scan, const RunOptions& options, const RunControl& control,
                    std::ostream& report);

/// Prints the plan of the first point and what all of them will need. Writes no file.
/// @throws InputError, SystemError, ResourceError  as check_ci
void check_scan(const ScanConfig& scan, std::ostream& report, const OtherMachine& machine = {},
                const RunControl& control = {});

/// What became of a point of a scan.
struct ScanPoint {
  std::string status = "pending";  ///< "converged", "not converged", "failed", "pending"
  std::string message;             ///< why it failed
  std::vector<double> energies;    ///< of its roots, ascending, hartree
  std::vector<double> residual_norms;
  std::vector<std::string> states;  ///< multiplicity and irrep of each: "3 B2"
  std::vector<std::string> terms;   ///< of each: "3Sigma_g-"; may be empty texts
  std::vector<std::int32_t>
      numbers;  ///< of the states that the roots are, where states are followed; 0: not known
  std::optional<double> scf_energy;
  std::string
      scf_note;  ///< where its state is not that of the point before, or of a fresh start; may be empty
  std::vector<std::int32_t> doubly_occupied,
      singly_occupied;                        ///< per irrep, in the SCF state; empty without one
  std::vector<double> energies_with_q;        ///< with the Davidson correction, hartree; NaN: none
  std::vector<std::int32_t> nuclear_charges;  ///< of its molecule
  std::vector<std::string> warnings;
  std::vector<std::string> failed_certificates;  ///< a sentence per root
  double seconds = 0.0;                          ///< that it took

  bool has_roots() const { return !energies.empty(); }

  /// Whether it is known which state each root is.
  bool is_followed() const {
    return std::ranges::any_of(numbers, [](int number) { return number > 0; });
  }
};

/// A scan so far: what the result file holds besides the points' own trees.
struct ScanResult {
  CiResult head;  ///< program, time, title and input alone
  std::string coordinate, unit;
  std::vector<double> values;
  std::vector<ScanPoint> points;  ///< one per value
  std::vector<std::string> warnings;
};

/// The point of a scan that a result belongs to; the status is left open.
ScanPoint summary_of(const CiResult& result);

/// Whether a result file is that of a scan.
/// @throws InputError  absent or not a result file
bool holds_scan(const std::filesystem::path& file);

/// Reads the result file of a scan, without the trees of its points.
/// @throws InputError  absent, damaged, not a scan, or of another format version; says which
ScanResult read_scan(const std::filesystem::path& file);

/// Reads what was found at a point of a scan, with the head of the scan.
/// @param file          of the scan
/// @param number        from 1
/// @param with_vectors  as for read_result
CiResult read_scan_point(const std::filesystem::path& file, int number, bool with_vectors);

/// Writes a new result file without points, or all but the points' trees of an old one anew, in one step.
/// @throws SystemError  I/O failed; an older file of that name is untouched
void write_scan(const std::filesystem::path& file, const ScanResult& scan, bool is_new);

/// Gives the points of a result file the numbers that they have in a longer scan, and writes the rest as write_scan, with
/// the input of that scan, in one step.
/// @param numbers  of each point of the scan in the file, from 1; 0: it is new
void renumber_scan_points(const std::filesystem::path& file, const ScanResult& scan,
                          const std::vector<int>& numbers);

/// Writes a result file of a scan as write_scan does, and the tree of one point in place of what there may be
/// of it.
/// @param file          replaced
/// @param scan          all points so far
/// @param number        of the point, from 1
/// @param result        of the point
/// @param with_vectors  as for write_result
/// @param is_new        makes a new file; false: the trees of all other points stay
void write_scan_point(const std::filesystem::path& file, const ScanResult& scan, int number,
                      const CiResult& result, bool with_vectors, bool is_new);

/// The value of a point with its unit: "0.8 angstrom"; "3" where the points are files.
std::string value_text(const ScanResult& scan, int number);

/// Prints the heading of a point: "Point 3 of 12: bond 1 2 = 0.8 angstrom".
void print_point_heading(std::ostream& out, const ScanResult& scan, int number);

/// Prints coordinate, number and range of the points.
void print_scan(std::ostream& out, const ScanResult& scan);

/// Prints the table of energies, constants of the curves, and warnings of the scan as a whole.
void print_curve(std::ostream& out, const ScanResult& scan);

/// Prints what all points have in common, then as print_curve.
/// @param file  the result file of the scan
void print_summary(std::ostream& out, const std::filesystem::path& file, const ScanResult& scan);

/// Prints the report of a scan.
/// @param verbose  with that of every point
void print_scan_report(std::ostream& out, const std::filesystem::path& file, bool verbose = false);

/// Does the certificates of all points of a scan again and prints them, what fails first.
/// @return whether all hold
/// @throws InputError  as verify_result
bool verify_scan(const std::filesystem::path& file, std::ostream& report, bool thorough);

}  // namespace cisolve
