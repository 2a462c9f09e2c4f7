// SPDX-License-Identifier: MIT
#include "tasks/files/result_file_common.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <limits>

#include "cisolve/core/error.hpp"
#include "cisolve/tasks/files/result_file.hpp"

namespace cisolve {
namespace {

/// One number of each record.
template <class T, class Get>
void write_column(Hdf5Group& group, const char* name, const std::vector<IterationRecord>& history,
                  const Hdf5Label& label, Get&& get) {
  std::vector<T> values;
  values.reserve(history.size());
  for (const IterationRecord& record : history) values.push_back(get(record));
  group.write<T>(name, values, {values.size()}, label);
}

void write_table(Hdf5Group& group, const char* name, const std::vector<IterationRecord>& history,
                 std::vector<double> IterationRecord::*member, const Hdf5Label& label) {
  std::size_t width = 0;
  for (const IterationRecord& record : history) width = std::max(width, (record.*member).size());
  std::vector<double> values(history.size() * width, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t row = 0; row < history.size(); ++row) {
    const std::vector<double>& source = history[row].*member;
    std::copy(source.begin(), source.end(), values.begin() + static_cast<std::ptrdiff_t>(row * width));
  }
  group.write<double>(name, values, {history.size(), width}, label);
}

}  // namespace

std::string utc_timestamp() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  const std::size_t length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return std::string(text, length);
}

void write_stamp(Hdf5Group& root, const FileStamp& stamp) {
  root.write_attribute("format", stamp.format);
  root.write_attribute("format_version", stamp.format_version);
  root.write_attribute("cisolve_version", stamp.program_version);
  root.write_attribute("created", stamp.created);
}

FileStamp read_stamp(const Hdf5Group& root, const FileStamp& expected, const std::filesystem::path& file) {
  const std::string format =
      root.has_attribute("format") ? root.read_attribute<std::string>("format") : "unknown";
  if (format != expected.format) {
    throw InputError("'" + file.string() + "' is not a file of format '" + expected.format +
                     "': its format is '" + format + "'");
  }
  const auto version = root.read_attribute<std::int32_t>("format_version");
  if (version != expected.format_version) {
    throw InputError("'" + file.string() + "' has format version " + std::to_string(version) + " of '" +
                     format + "', this program reads version " + std::to_string(expected.format_version));
  }
  return {format, version, root.read_attribute<std::string>("cisolve_version"),
          root.read_attribute<std::string>("created")};
}

void write_history(Hdf5Group group, const std::vector<IterationRecord>& history) {
  write_column<std::int32_t>(group, "iteration", history, {.description = "number, from 1"},
                             [](const IterationRecord& r) { return r.iteration; });
  write_column<std::int32_t>(group, "subspace_size", history, {.description = "basis vectors"},
                             [](const IterationRecord& r) { return r.subspace_size; });
  write_column<std::int64_t>(group, "num_applications", history,
                             {.description = "products of H with a vector since the start of the run"},
                             [](const IterationRecord& r) { return r.num_applications; });
  write_column<double>(group, "seconds", history, {"second", "since the start of the run"},
                       [](const IterationRecord& r) { return r.seconds; });
  write_column<std::int32_t>(
      group, "num_roots", history, {.description = "roots tracked: that many columns are not padding"},
      [](const IterationRecord& r) { return static_cast<std::int32_t>(r.energies.size()); });
  write_table(group, "energies", history, &IterationRecord::energies,
              {"hartree", "total energies of the tracked roots, padded with NaN"});
  write_table(group, "residual_norms", history, &IterationRecord::residual_norms,
              {"hartree", "norms of H c - E c, padded with NaN"});
}

std::vector<IterationRecord> read_history(const Hdf5Group& group) {
  const std::vector<std::int32_t> iteration = group.read<std::int32_t>("iteration").values;
  const std::uint64_t size = iteration.size();
  const auto subspace_size = group.read<std::int32_t>("subspace_size", {size});
  const auto num_applications = group.read<std::int64_t>("num_applications", {size});
  const auto seconds = group.read<double>("seconds", {size});
  const auto num_roots = group.read<std::int32_t>("num_roots", {size});
  const Hdf5Array<double> energies = group.read<double>("energies");
  const auto residual_norms = group.read<double>("residual_norms", energies.shape);
  if (energies.shape.size() != 2 || energies.shape[0] != size) {
    throw InputError("'" + group.name() + "/energies' does not have a row per iteration");
  }
  const auto width = static_cast<std::ptrdiff_t>(energies.shape[1]);

  std::vector<IterationRecord> history;
  for (std::size_t row = 0; row < size; ++row) {
    if (num_roots[row] < 0 || num_roots[row] > width) {
      throw InputError("'" + group.name() + "/num_roots' does not match the energies");
    }
    const auto first = static_cast<std::ptrdiff_t>(row) * width;
    const auto last = first + num_roots[row];
    history.push_back({iteration[row],
                       subspace_size[row],
                       num_applications[row],
                       seconds[row],
                       {energies.values.begin() + first, energies.values.begin() + last},
                       {residual_norms.begin() + first, residual_norms.begin() + last}});
  }
  return history;
}

}  // namespace cisolve
