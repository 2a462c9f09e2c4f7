// SPDX-License-Identifier: MIT
#include "tasks/files/result_file_common.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <system_error>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/tasks/files/result_file.hpp"
#include "tasks/files/column_io.hpp"

namespace cisolve {
namespace {

/// An iteration with its number of roots beside it.
struct HistoryRow : IterationRecord {
  int num_roots = 0;
  int phase_number = 0;
};

constexpr Column<HistoryRow> history_columns[] = {
    {"iteration", &HistoryRow::iteration, "", "number, from 1"},
    {.name = "phase",
     .member = &HistoryRow::phase_number,
     .description =
         "what for: 0 wanted roots, 1 another root came up, 2 looking for missed roots, 3 next root",
     .may_be_absent = true},
    {"subspace_size", &HistoryRow::subspace_size, "", "basis vectors"},
    {"num_applications", &HistoryRow::num_applications, "",
     "products of H with a vector since the start of the run"},
    {"seconds", &HistoryRow::seconds, "second", "since the start of the run"},
    {"num_roots", &HistoryRow::num_roots, "", "roots tracked: that many columns are not padding"},
    {"energies", &HistoryRow::energies, "hartree", "total energies of the tracked roots, padded with NaN"},
    {"residual_norms", &HistoryRow::residual_norms, "hartree", "norms of H c - E c, padded with NaN"},
};

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

std::string format_of(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return "";
  try {
    return Hdf5File::open(file).root().read_attribute<std::string>("format");
  } catch (const Error&) {
    return "";
  }
}

FileStamp read_stamp(const Hdf5Group& root, const FileStamp& expected, const std::filesystem::path& file,
                     std::initializer_list<int> others) {
  const std::string format =
      root.has_attribute("format") ? root.read_attribute<std::string>("format") : "unknown";
  if (format != expected.format) {
    throw InputError("'" + file.string() + "' is not a file of format '" + expected.format +
                     "': its format is '" + format + "'");
  }
  const auto version = root.read_attribute<std::int32_t>("format_version");
  if (version != expected.format_version && std::ranges::find(others, version) == others.end()) {
    std::vector<int> read(others);
    read.push_back(expected.format_version);
    std::ranges::sort(read);
    throw InputError(fmt::format("'{}' has format version {} of '{}', this program reads version{} {}",
                                 file.string(), version, format, read.size() == 1 ? "" : "s",
                                 fmt::join(read, ", ")));
  }
  return {format, version, root.read_attribute<std::string>("cisolve_version"),
          root.read_attribute<std::string>("created")};
}

void write_determinants(Hdf5Group group, const BasisSummary& space, const FunctionList& list) {
  const Hdf5Shape shape = {static_cast<std::uint64_t>(space.dimension),
                           static_cast<std::uint64_t>(space.words)};
  group.write<std::uint64_t>(
      "alpha", list.alpha, shape,
      {.description = "occupied alpha orbitals, first active orbital in the lowest bit"},
      Hdf5Packing::compressed);
  group.write<std::uint64_t>(
      "beta", list.beta, shape,
      {.description = "occupied beta orbitals, first active orbital in the lowest bit"},
      Hdf5Packing::compressed);
}

void write_history(Hdf5Group group, const std::vector<IterationRecord>& history) {
  std::vector<HistoryRow> rows;
  for (const IterationRecord& record : history)
    rows.push_back({record, static_cast<int>(record.energies.size()), static_cast<int>(record.phase)});
  write_columns<HistoryRow>(group, rows, history_columns);
}

std::size_t rows_of(const Hdf5Shape& shape, const std::string& name) {
  if (shape.empty()) throw InputError("dataset '" + name + "' is a single value, a list is expected");
  constexpr std::uint64_t most = 1 << 20;  // of iterations or roots; what claims more is not read to the end
  if (shape.front() > most)
    throw InputError(
        fmt::format("dataset '{}' has {} rows, at most {} are expected", name, shape.front(), most));
  return shape.front();
}

std::vector<IterationRecord> read_history(const Hdf5Group& group) {
  const Hdf5Dataset<std::int32_t> iterations = group.open_dataset<std::int32_t>("iteration");
  std::vector<HistoryRow> rows(rows_of(iterations.shape(), iterations.name()));
  read_columns(group, rows, {rows.size()}, history_columns);
  std::vector<IterationRecord> history;
  for (HistoryRow& row : rows) {
    const std::size_t found = std::max(row.num_roots, 0);
    if (found > row.energies.size() || found > row.residual_norms.size() || row.num_roots < 0) {
      throw InputError("'" + group.name() + "/num_roots' does not match the energies");
    }
    if (row.phase_number < 0 || row.phase_number > static_cast<int>(SearchPhase::next_root)) {
      throw InputError("'" + group.name() + "/phase' holds a number that is no phase");
    }
    row.phase = static_cast<SearchPhase>(row.phase_number);
    row.energies.resize(found);
    row.residual_norms.resize(found);
    history.push_back(std::move(row));
  }
  return history;
}

}  // namespace cisolve
