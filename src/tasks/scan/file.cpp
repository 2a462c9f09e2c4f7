// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cisolve/analysis/spin.hpp"
#include "cisolve/core/error.hpp"
#include "cisolve/io/atomic_file.hpp"
#include "cisolve/tasks/scan/scan.hpp"
#include "tasks/files/column_io.hpp"
#include "tasks/files/file_additions.hpp"
#include "tasks/files/result_file_common.hpp"
#include "tasks/scan/spectroscopy.hpp"

namespace cisolve {
namespace {

constexpr Column<ScanPoint> point_columns[] = {
    {"energies", &ScanPoint::energies, "hartree",
     "total energies of the roots of each point, ascending, padded with NaN"},
    {.name = "energies_with_q",
     .member = &ScanPoint::energies_with_q,
     .unit = "hartree",
     .description = "the same with the Davidson correction; NaN: none"},
    {"scf_energies", &ScanPoint::scf_energy, "hartree", "of the SCF; NaN: there was none"},
    {"scf_notes", &ScanPoint::scf_note, "",
     "where the SCF state is not the one of the point before, or not the one that a fresh start finds"},
    {"status", &ScanPoint::status, "",
     "converged; not converged: some roots are not; failed: there are no roots; pending"},
    {"message", &ScanPoint::message, "", "why a point failed"},
};

constexpr Column<SpectroscopicConstants> constants_columns[] = {
    {"state", &SpectroscopicConstants::state, "", "multiplicity and irrep of the curve"},
    {"number", &SpectroscopicConstants::number, "",
     "of its kind, by energy at each point; of the state where states are followed"},
    {"term", &SpectroscopicConstants::term, "",
     "term symbol, where it is the same at all points; else empty"},
    {"r_e", &SpectroscopicConstants::distance, "bohr", "bond length of the minimum"},
    {"energy", &SpectroscopicConstants::energy, "hartree", "at the minimum"},
    {"omega_e", &SpectroscopicConstants::wavenumber, "cm^-1", "harmonic wavenumber, most abundant isotopes"},
    {"B_e", &SpectroscopicConstants::rotation, "cm^-1", "rotational constant"},
    {"D_e", &SpectroscopicConstants::dissociation, "hartree", "up to the longest bond of the curve"},
    {"longest_bond", &SpectroscopicConstants::longest, "bohr", "that bond"},
    {"first_point", &SpectroscopicConstants::first_point, "", "of the five that the polynomial goes through"},
    {"last_point", &SpectroscopicConstants::last_point, "", "of these"},
};

/// Which state each root is, where states are followed: [points, most roots].
void write_states(Hdf5Group& group, const ScanResult& scan) {
  if (std::ranges::none_of(scan.points, &ScanPoint::is_followed)) return;
  std::size_t most = 0;
  for (const ScanPoint& point : scan.points) most = std::max(most, point.numbers.size());
  std::vector<std::int32_t> states;
  for (const ScanPoint& point : scan.points) {
    states.insert(states.end(), point.numbers.begin(), point.numbers.end());
    states.resize(states.size() + most - point.numbers.size(), 0);
  }
  group.write<std::int32_t>(
      "states", states, {scan.points.size(), most},
      {.description =
           "of each root, the root of the point done first that goes on in it; 0: not known, padding"});
}

void write_table(Hdf5Group& root, const ScanResult& scan) {
  Hdf5Group group = root.create_group("scan");
  group.write_attribute("coordinate", scan.coordinate);
  group.write<double>("values", scan.values, {scan.points.size()},
                      {scan.unit, "of the coordinate, or numbers of files"});
  write_columns<ScanPoint>(group, scan.points, point_columns);
  write_states(group, scan);
  if (const auto constants = spectroscopic_constants(scan); !constants.empty()) {
    Hdf5Group of_curves = group.create_group("constants");
    write_columns<SpectroscopicConstants>(of_curves, constants, constants_columns);
  }
  root.write_strings("warnings", scan.warnings, {scan.warnings.size()},
                     {.description = "of the scan as a whole; those of a point stand with it"});
}

/// Replaces all but the points' trees and the head.
void write_table_anew(Hdf5Group& root, const ScanResult& scan) {
  root.remove("scan");
  root.remove("warnings");
  write_table(root, scan);
}

/// Opens a new file or a copy of the old one, with the table of `scan`.
Hdf5File begin(const AtomicFile& atomic, const std::filesystem::path& file, const ScanResult& scan,
               bool is_new) {
  if (!is_new) copy_to_add(atomic, file);
  Hdf5File hdf5 =
      is_new ? Hdf5File::create(atomic.temporary(), file) : Hdf5File::modify(atomic.temporary(), file);
  Hdf5Group root = hdf5.root();
  if (is_new) {
    write_head(root, scan.head);
    root.create_group("point");
    write_table(root, scan);
  } else {
    Hdf5Group points = root.open_group("point");
    for (std::size_t k = 0; k < scan.points.size(); ++k) {
      const std::string name = std::to_string(k + 1);
      if (!scan.points[k].has_roots() && points.contains(name)) points.remove(name);
    }
    write_table_anew(root, scan);
  }
  return hdf5;
}

/// The points' trees under other numbers.
void renumber(Hdf5Group& root, const std::vector<int>& numbers) {
  constexpr const char* earlier_name = "earlier";
  root.move("point", root, earlier_name);
  Hdf5Group points = root.create_group("point");
  {
    Hdf5Group earlier = root.open_group(earlier_name);
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      const std::string name = std::to_string(numbers[k]);
      if (numbers[k] > 0 && earlier.contains(name)) earlier.move(name, points, std::to_string(k + 1));
    }
  }
  root.remove(earlier_name);
}

std::uint64_t bytes_of(const std::filesystem::path& file, bool is_new) {
  return is_new ? 0 : std::filesystem::file_size(file);
}

Hdf5Group open_scan(const Hdf5File& hdf5, const std::filesystem::path& file) {
  if (!hdf5.root().contains("scan")) throw InputError("'" + file.string() + "' is not the result of a scan");
  return hdf5.root().open_group("scan");
}

ScanPoint read_point(const Hdf5Group& points, int number, const std::filesystem::path& file) {
  if (!points.contains(std::to_string(number))) return {};
  CiResult result;
  read_findings(points.open_group(std::to_string(number)), false, file, result);
  return summary_of(result);
}

/// What happened to the SCF state of a point that began with the orbitals of another.
std::string scf_note(const CiResult::Molecule& molecule, double energy) {
  constexpr double same = 1e-6;  // hartree; ScfConfig::lower
  if (!molecule.carried_energy) return "";
  const double fresh = molecule.fresh_energy.value_or(energy);
  if (*molecule.carried_energy > energy + same) {
    return fmt::format(
        "another state than at the point before, which would be {:.6f} hartree higher here{}",
        *molecule.carried_energy - energy,
        fresh > energy + same
            ? fmt::format("; a fresh SCF would give {:.10f}, {:.6f} hartree higher", fresh, fresh - energy)
            : "");
  }
  if (!molecule.fresh_energy) return "carried over from the point before; a fresh SCF does not converge";
  if (std::abs(fresh - energy) <= same) return "";
  return fmt::format("carried over from the point before; a fresh SCF {} {:.10f}, {:.6f} hartree {}",
                     fresh < energy ? "gives" : "would give", fresh, std::abs(fresh - energy),
                     fresh < energy ? "lower" : "higher");
}

}  // namespace

ScanPoint summary_of(const CiResult& result) {
  ScanPoint point;
  for (std::size_t k = 0; k < result.roots.size(); ++k) {
    const Root& root = result.root(k);
    point.energies.push_back(root.energy);
    point.energies_with_q.push_back(root.energy + root.davidson_q);
    point.residual_norms.push_back(root.residual_norm);
    point.states.push_back(
        fmt::format("{:.0f} {}", std::round(multiplicity_of(root.s_squared)), root.irrep_name));
    point.terms.push_back(root.term);
    point.numbers.push_back(root.state);
  }
  point.scf_energy = result.system.scf_energy;
  point.warnings = result.warnings;
  point.failed_certificates = result.failed_certificates();
  point.seconds = result.timing.total;
  if (result.molecule) {
    point.scf_note = scf_note(*result.molecule, *result.system.scf_energy);
    point.nuclear_charges = result.molecule->charges;
    point.doubly_occupied = result.molecule->doubly_occupied;
    point.singly_occupied = result.molecule->singly_occupied;
  }
  return point;
}

bool holds_scan(const std::filesystem::path& file) {
  const Hdf5File hdf5 = Hdf5File::open(file);
  return hdf5.root().contains("scan");
}

ScanResult read_scan(const std::filesystem::path& file) {
  const Hdf5File hdf5 = Hdf5File::open(file);
  ScanResult scan;
  scan.head = read_head(hdf5.root(), file);
  const Hdf5Group group = open_scan(hdf5, file);
  scan.warnings = hdf5.root().read_strings("warnings").values;
  scan.coordinate = group.read_attribute<std::string>("coordinate");
  const Hdf5Dataset<double> values = group.open_dataset<double>("values");
  scan.unit = values.read_attribute<std::string>("unit");
  scan.values = group.read<double>("values").values;
  const std::vector<std::string> status = group.read_strings("status").values;
  const std::vector<std::string> message = group.read_strings("message").values;
  if (status.size() != scan.values.size() || message.size() != scan.values.size()) {
    throw InputError("'" + file.string() + "' is damaged: /scan does not have a status per value");
  }
  if (scan.values.empty() || !std::ranges::all_of(scan.values, [](double v) { return std::isfinite(v); })) {
    throw InputError("'" + file.string() + "' is damaged: /scan/values has none, or one that is not finite");
  }
  const Hdf5Group points = hdf5.root().open_group("point");
  for (std::size_t k = 0; k < scan.values.size(); ++k) {
    ScanPoint& point = scan.points.emplace_back(read_point(points, static_cast<int>(k) + 1, file));
    point.status = status[k];
    point.message = message[k];
  }
  return scan;
}

CiResult read_scan_point(const std::filesystem::path& file, int number, bool with_vectors) {
  const Hdf5File hdf5 = Hdf5File::open(file);
  CiResult result = read_head(hdf5.root(), file);
  open_scan(hdf5, file);
  read_findings(hdf5.root().open_group("point").open_group(std::to_string(number)), with_vectors, file,
                result);
  return result;
}

void write_scan(const std::filesystem::path& file, const ScanResult& scan, bool is_new) {
  AtomicFile atomic(file, bytes_of(file, is_new));
  Hdf5File hdf5 = begin(atomic, file, scan, is_new);
  put_in_place(hdf5, atomic);
}

void renumber_scan_points(const std::filesystem::path& file, const ScanResult& scan,
                          const std::vector<int>& numbers) {
  AtomicFile atomic(file, bytes_of(file, false));
  copy_to_add(atomic, file);
  Hdf5File hdf5 = Hdf5File::modify(atomic.temporary(), file);
  Hdf5Group root = hdf5.root();
  renumber(root, numbers);
  root.remove("input");
  write_input(root, scan.head);
  write_table_anew(root, scan);
  put_in_place(hdf5, atomic);
}

void write_scan_point(const std::filesystem::path& file, const ScanResult& scan, int number,
                      const CiResult& result, bool with_vectors, bool is_new) {
  AtomicFile atomic(
      file, bytes_of(file, is_new) + expected_bytes(result) + (with_vectors ? bytes_of_vectors(result) : 0));
  Hdf5File hdf5 = begin(atomic, file, scan, is_new);
  Hdf5Group points = hdf5.root().open_group("point");
  const std::string name = std::to_string(number);
  if (points.contains(name)) points.remove(name);
  Hdf5Group group = points.create_group(name);
  group.write_attribute("value", scan.values[number - 1]);
  group.write_attribute("created", result.created);
  write_findings(group, result, with_vectors);
  put_in_place(hdf5, atomic);
}

}  // namespace cisolve
