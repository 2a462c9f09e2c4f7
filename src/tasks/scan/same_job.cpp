// SPDX-License-Identifier: MIT
#include "tasks/scan/same_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/tasks/ci/job/ci_job.hpp"

namespace cisolve {
namespace {

/// By path of the key; none: the key has no value.
using ResolvedInput = std::map<std::string, std::optional<std::string>>;

/// Lines "key = value" and "# key: why it has none" of a resolved input.
ResolvedInput parse_resolved(const std::string& text) {
  ResolvedInput keys;
  std::istringstream stream(text);
  std::string section;
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with('[')) {
      section = line.substr(1, line.find(']') - 1) + ".";
    } else if (line.starts_with("# ")) {
      if (const auto colon = line.find(": "); colon != std::string::npos)
        keys[section + line.substr(2, colon - 2)] = std::nullopt;
    } else if (const auto equals = line.find(" = "); equals != std::string::npos) {
      keys[section + line.substr(0, equals)] = line.substr(equals + 3);
    }
  }
  return keys;
}

bool is_one_of(std::string_view path, std::initializer_list<std::string_view> paths) {
  return std::ranges::find(paths, path) != paths.end();
}

bool decides(std::string_view path, SameJob same) {
  // The points themselves are compared by their values; how a point converges is no part of what it is.
  if (is_one_of(path, {"scan.values", "molecule.scf_max_iterations", "molecule.level_shift",
                       "orbitals.gradient_tolerance", "orbitals.energy_tolerance", "orbitals.max_iterations",
                       "orbitals.max_rotation"}))
    return false;
  const std::string_view section = path.substr(0, path.find('.'));
  if (is_one_of(section, {"molecule", "integrals", "scan", "space", "states", "selection", "orbitals"})) {
    if (same == SameJob::everything) return path != "scan.files";
    return !is_one_of(path, {"states.count", "molecule.stability"});
  }
  if (path == "hamiltonian.threshold") return true;
  return same == SameJob::everything &&
         is_one_of(path, {"solver.tolerance", "solver.guess", "solver.follow"});
}

/// Whether orbitals come from a file or are optimised: else no key of [orbitals] matters, nor whether it was known.
bool has_own_orbitals(const ResolvedInput& keys) {
  const auto value_of = [&](const char* path) {
    const auto found = keys.find(path);
    return found == keys.end() ? std::nullopt : found->second;
  };
  return value_of("orbitals.file").has_value() ||
         value_of("orbitals.optimise").value_or("\"none\"") != "\"none\"";
}

/// Whether a key that earlier versions lacked has the value by which a calculation is what it was with them.
bool is_as_before(const std::string& path, const std::string& value) {
  return (path == "molecule.method" && value == "\"rhf\"") ||
         (path == "orbitals.determinants" && value == "20000") ||
         (path == "scan.carry_lists" && value == "false");
}

std::string shown(const std::string& path, const std::optional<std::string>& value) {
  return value ? fmt::format("{} = {}", path, *value) : "no " + path;
}

}  // namespace

void require_same_job(const std::string& resolved, const std::string& here, SameJob same,
                      const std::string& begin) {
  const ResolvedInput earlier = parse_resolved(resolved);
  const ResolvedInput now = parse_resolved(here);
  const bool has_orbitals = has_own_orbitals(now);
  if (has_orbitals != has_own_orbitals(earlier))
    throw InputError(fmt::format("{} belongs to another job: its orbitals are {}, those of this job {}",
                                 begin, has_orbitals ? "the SCF's" : "of [orbitals]",
                                 has_orbitals ? "of [orbitals]" : "the SCF's"));
  const auto selects = [](const ResolvedInput& keys) {
    const auto found = keys.find("selection.criterion");
    return found != keys.end() && found->second.has_value();
  };
  if (selects(now) != selects(earlier))
    throw InputError(fmt::format("{} belongs to another job: {} has [selection], {} has not", begin,
                                 selects(now) ? "this job" : "it", selects(now) ? "it" : "this job"));
  std::string unknown;
  for (const auto& [path, value] : now) {
    if (!decides(path, same) || (path.starts_with("orbitals.") && !has_orbitals)) continue;
    const auto there = earlier.find(path);
    if (there == earlier.end()) {
      if (value && unknown.empty() && !is_as_before(path, *value)) unknown = path;
    } else if (there->second != value) {
      throw InputError(fmt::format("{} belongs to another job: it has {}, this job has {}", begin,
                                   shown(path, there->second), shown(path, value)));
    }
  }
  if (!unknown.empty()) {
    throw InputError(
        fmt::format("{} is of an earlier version, which did not have {}: its points may be of another "
                    "kind; finish it with that version, or begin anew with another output.file",
                    begin, unknown));
  }
}

void require_same_point(const CiResult& result, const CiConfig& config, int number,
                        const std::string& begin) {
  if (!config.molecule) {
    // Folders are relative to where a run began.
    const std::filesystem::path there = result.system.integrals_file;
    if (there.filename() != config.integrals_file.filename()) {
      throw InputError(fmt::format("{} belongs to another job: point {} is of '{}'", begin, number,
                                   result.system.integrals_file));
    }
    // Before orbitals were optimised.
    const std::uint64_t there_hash =
        result.orbitals ? result.orbitals->start_integrals_hash : result.system.integrals_hash;
    if (prepare_jobs(config).front().integrals_hash != there_hash) {
      throw InputError(
          fmt::format("{} belongs to another job: point {} is of '{}', whose integrals were others than "
                      "those of {} are",
                      begin, number, result.system.integrals_file, config.integrals_file.string()));
    }
    return;
  }
  if (!result.molecule) return;
  const auto& atoms = config.molecule->frame.geometry.atoms;
  constexpr double rounding = 1e-9;  // bohr
  bool same = result.molecule->coordinates.size() == 3 * atoms.size() &&
              result.molecule->point_group == config.molecule->frame.group.name();
  for (std::size_t k = 0; same && k < result.molecule->coordinates.size(); ++k) {
    same = std::abs(result.molecule->coordinates[k] - atoms[k / 3].position[k % 3]) < rounding;
  }
  if (same) return;
  const std::string group = config.molecule->frame.group.name();
  if (result.molecule->point_group != group) {
    throw InputError(
        fmt::format("{} has its points in {}, all points together have {}: molecule.symmetry cannot be "
                    "the same for them; begin anew with another output.file",
                    begin, result.molecule->point_group, group));
  }
  throw InputError(fmt::format("{} belongs to another job: point {} has another geometry", begin, number));
}

bool is_same_value(double a, double b) {
  constexpr double rounding = 1e-9;  // of what is written with all its digits
  return std::abs(a - b) <= rounding * std::max(1.0, std::max(std::abs(a), std::abs(b)));
}

}  // namespace cisolve
