// SPDX-License-Identifier: MIT
// [scan]: the points that an input asks for.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "cisolve/core/error.hpp"
#include "cisolve/core/units.hpp"
#include "cisolve/molecule/internal_coordinate.hpp"
#include "cisolve/tasks/scan/scan.hpp"
#include "tasks/ci/config/readers.hpp"
#include "tasks/input/shared_readers.hpp"
#include "tasks/scan/same_job.hpp"

namespace cisolve {
namespace {

using detail::EntryMap;
using detail::EntryReader;

constexpr std::string_view values_key = "scan.values";

[[noreturn]] void refuse_points(const EntryReader& reader, std::string_view key, std::size_t count) {
  reader.refuse(key, fmt::format("gives {} points; a scan has at most {}", count, most_scan_points));
}

/// A range: both ends, and equal steps between.
std::vector<double> read_range(const EntryReader& reader) {
  const std::string fields[] = {"scan.values.start", "scan.values.stop", "scan.values.points"};
  reader.require_all(fields, "range", "values = { start = 0.8, stop = 2.0, points = 7 }");
  const double start = reader.get<double>(fields[0]), stop = reader.get<double>(fields[1]);
  const int points = reader.integer(fields[2]);
  std::vector<double> values;
  for (int k = 0; k < points; ++k) {
    // The ends themselves, to the last bit.
    values.push_back(k + 1 == points ? stop : start + (stop - start) * k / (points - 1));
  }
  return values;
}

/// Values as given; empty if there are none.
std::vector<double> read_values(const EntryReader& reader) {
  if (reader.has("scan.values.start") || reader.has("scan.values.stop") || reader.has("scan.values.points")) {
    return read_range(reader);
  }
  if (!reader.has(values_key)) return {};
  const auto* values = std::get_if<std::vector<double>>(&reader.value(values_key));
  if (values == nullptr)
    reader.refuse(values_key, "is an empty table; a range is { start = 0.8, stop = 2.0, points = 7 }");
  if (values->empty()) reader.refuse(values_key, "is an empty list; a scan needs at least one value");
  if (std::ssize(*values) > most_scan_points) refuse_points(reader, values_key, values->size());
  return *values;
}

/// The coordinates that take each value.
std::vector<InternalCoordinate> read_coordinates(const EntryReader& reader, const Geometry& geometry) {
  constexpr std::string_view key = "scan.coordinate";
  std::vector<InternalCoordinate> coordinates;
  for (const std::string& text : reader.texts(key)) {
    coordinates.push_back(parse_internal_coordinate(text, geometry, reader.begin(key)));
    const bool is_bond = coordinates.back().kind == InternalCoordinate::Kind::bond;
    if (is_bond != (coordinates.front().kind == InternalCoordinate::Kind::bond)) {
      reader.refuse(key, "lists bonds and angles; what takes the same values must be of one kind");
    }
  }
  if (coordinates.empty()) reader.refuse(key, "is an empty list; it needs at least one coordinate");
  return coordinates;
}

std::string names_of(const std::vector<std::string>& texts) {
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// Geometries along the coordinate; fills values, unless they are given, and unit.
std::vector<Geometry> follow_coordinate(const EntryMap& entries, const std::string& source_name,
                                        ScanConfig& scan) {
  const EntryReader reader(entries);
  if (!detail::has_section(entries, "molecule")) {
    reader.refuse("scan.coordinate", "needs [molecule]; with [integrals], scan.files lists FCIDUMP files");
  }
  const Geometry geometry = detail::read_geometry(entries, source_name);
  const auto coordinates = read_coordinates(reader, geometry);
  scan.coordinate = names_of(reader.texts("scan.coordinate"));
  if (scan.values.empty()) scan.values = read_values(reader);
  if (scan.values.empty()) reader.refuse("scan.coordinate", "needs scan.values");
  std::vector<double> sorted = scan.values;
  std::ranges::sort(sorted);
  const auto twice = std::ranges::adjacent_find(sorted, is_same_value);
  if (twice != sorted.end()) {
    reader.refuse(reader.has(values_key) ? values_key : "scan.values.stop",
                  fmt::format("lists {} twice; each point stands once", *twice));
  }
  const bool is_bond = coordinates.front().kind == InternalCoordinate::Kind::bond;
  const bool in_bohr = detail::length_unit(reader) == LengthUnit::bohr;
  scan.unit = !is_bond ? "degree" : in_bohr ? "bohr" : "angstrom";
  const double factor = is_bond && !in_bohr ? 1.0 / units::bohr_in_angstrom : 1.0;
  std::vector<Geometry> path;
  for (const double value : scan.values) {
    // Always from the geometry given: the points do not depend on each other.
    Geometry& point = path.emplace_back(geometry);
    for (const InternalCoordinate& coordinate : coordinates) {
      set_value(coordinate, value * factor, point, reader.begin("scan.coordinate"));
    }
  }
  return path;
}

bool same_atoms(const Geometry& a, const Geometry& b) {
  return std::equal(a.atoms.begin(), a.atoms.end(), b.atoms.begin(), b.atoms.end(),
                    [](const Atom& x, const Atom& y) {
                      return x.element() == y.element() && x.is_ghost() == y.is_ghost();
                    });
}

/// Geometries of all .xyz files.
std::vector<Geometry> read_path(const EntryMap& entries, const std::vector<std::string>& files) {
  const EntryReader reader(entries);
  for (const char* key : {"molecule.geometry", "molecule.geometry_file"}) {
    if (reader.has(key))
      reader.refuse(key, "contradicts scan.files, which gives the geometries; leave one of them out");
  }
  std::vector<Geometry> path;
  for (const std::string& file : files) {
    auto frames =
        reader.locating("scan.files", [&] { return read_xyz_frames(file, detail::length_unit(reader)); });
    for (Geometry& frame : frames) {
      if (!path.empty() && !same_atoms(frame, path.front())) {
        reader.refuse("scan.files", fmt::format("has other atoms in geometry {} ({}) than in the first; a "
                                                "scan has the same atoms in the same order",
                                                path.size() + 1, file));
      }
      path.push_back(std::move(frame));
    }
    if (std::ssize(path) > most_scan_points) refuse_points(reader, "scan.files", path.size());
  }
  return path;
}

/// Values of points that are files: given, or their numbers.
void number_points(const EntryReader& reader, std::size_t count, ScanConfig& scan) {
  scan.coordinate = "file";
  scan.unit = "1";
  scan.values = read_values(reader);
  if (scan.values.empty()) {
    scan.values.resize(count);
    std::iota(scan.values.begin(), scan.values.end(), 1.0);
  }
  if (scan.values.size() != count) {
    const bool is_range = reader.has("scan.values.points");
    reader.refuse(is_range ? "scan.values.points" : values_key,
                  fmt::format("gives {} values for {} points", scan.values.size(), count));
  }
}

}  // namespace

ScanConfig read_scan_config(const Input& input, std::span<const double> values) {
  const EntryMap entries = detail::complete_entries(input);
  const EntryReader reader(entries);
  ScanConfig scan;
  scan.values.assign(values.begin(), values.end());
  scan.warm_start = reader.get<bool>("scan.warm_start");
  scan.follow_scf = reader.get<std::string>("scan.scf_state") == "follow";
  if (scan.follow_scf && !scan.warm_start)
    reader.refuse("scan.scf_state", "follows the SCF state of the point before; it needs warm_start = true");
  scan.carry_lists = reader.get<bool>("scan.carry_lists");
  if (scan.carry_lists && !scan.warm_start)
    reader.refuse("scan.carry_lists", "begins with what the point before found; it needs warm_start = true");
  if (scan.carry_lists && !detail::has_section(entries, "selection"))
    reader.refuse("scan.carry_lists", "is for lists, and there is no [selection]; take it out");
  if (reader.has("scan.coordinate") == reader.has("scan.files")) {
    throw InputError(fmt::format("{}: [scan] has {} of coordinate and files; it needs one", input.source_name,
                                 reader.has("scan.files") ? "both" : "neither"));
  }
  const bool by_files = reader.has("scan.files");
  const std::vector<std::string> files = reader.texts("scan.files");
  if (by_files && files.empty())
    reader.refuse("scan.files", "is an empty list; a scan needs at least one file");
  const bool is_molecule = detail::has_section(entries, "molecule");
  if (is_molecule || !by_files) {
    const auto path =
        by_files ? read_path(entries, files) : follow_coordinate(entries, input.source_name, scan);
    if (by_files) number_points(reader, path.size(), scan);
    std::vector<std::string> names;
    for (std::size_t k = 0; k < path.size(); ++k)
      names.push_back(fmt::format("{}, point {}", input.source_name, k + 1));
    const auto molecules = detail::read_molecules(entries, input.source_name, path, names);
    scan.job.molecule = molecules.front();
    detail::read_job(entries, input, scan.job);
    scan.points.assign(path.size(), scan.job);
    for (std::size_t k = 0; k < path.size(); ++k) scan.points[k].molecule = molecules[k];
    if (scan.job.molecule->scf.unrestricted) scan.warm_start = false;
    return scan;
  }
  if (reader.has("integrals.file")) {
    reader.refuse("integrals.file",
                  "contradicts scan.files, which lists the FCIDUMP files; leave one of them out");
  }
  number_points(reader, files.size(), scan);
  for (const std::string& file : files) detail::check_readable(reader, "scan.files", file, "an FCIDUMP file");
  scan.job.integrals_file = files.front();
  detail::read_job(entries, input, scan.job);
  scan.points.assign(files.size(), scan.job);
  for (std::size_t k = 0; k < files.size(); ++k) scan.points[k].integrals_file = files[k];
  return scan;
}

}  // namespace cisolve
