// SPDX-License-Identifier: MIT
#include "cisolve/tasks/files/checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/io/seal.hpp"
#include "tasks/files/checkpoint_checksum.hpp"
#include "tasks/files/checkpoint_generations.hpp"
#include "tasks/files/orbitals_file.hpp"
#include "tasks/files/result_file_common.hpp"
#include "tasks/files/selection_file.hpp"
#include "tasks/files/vector_parts.hpp"

namespace cisolve {
namespace {

constexpr std::int64_t piece_rows = 1 << 18;  // of a column, written at once
constexpr int oldest_version = 2;             // whose files have a checksum but no seal

constexpr std::string_view sector_separator = "; ";

/// @param parted  whether its vectors stand in parts, which earlier programs would not look for
FileStamp stamp_of(const CheckpointHeader& header, bool parted = false) {
  const int version = parted ? checkpoint_parts_version : checkpoint_format_version;
  return {checkpoint_format, version, header.version, header.created};
}

void check_header(const CheckpointHeader& header) {
  if (header.dimension < 0 || header.num_vectors < 0) {
    throw DimensionError("checkpoint: negative dimension or number of vectors");
  }
}

Hdf5Shape shape_of(const CheckpointHeader& header) {
  return {static_cast<std::uint64_t>(header.num_vectors), static_cast<std::uint64_t>(header.dimension)};
}

void write_vectors(Hdf5Group& root, const CheckpointHeader& header, const ColumnSource& vectors,
                   PartWriter* parts) {
  const char* const name = "vectors";
  const Hdf5Label label{"1", "orthonormal vectors that restart the subspace, one per row"};
  if (parts != nullptr) {
    parts->write(root, name, shape_of(header), label, stamp_of(header), vectors);
    return;
  }
  Hdf5Dataset<double> dataset = root.create_dataset<double>(name, shape_of(header), label);
  std::vector<double> buffer;
  for (int column = 0; column < header.num_vectors; ++column) {
    for (std::int64_t first = 0; first < header.dimension; first += piece_rows) {
      buffer.resize(static_cast<std::size_t>(std::min(piece_rows, header.dimension - first)));
      vectors(column, first, buffer);
      dataset.write(buffer, {static_cast<std::uint64_t>(column), static_cast<std::uint64_t>(first)},
                    {1, buffer.size()});
    }
  }
}

/// Compares vectors with their seals before anybody goes on from them.
void read_through(const VectorSource& vectors) {
  Array<double> buffer;
  for (int column = 0; column < vectors.columns(); ++column) {
    for (std::int64_t first = 0; first < vectors.rows(); first += piece_rows)
      vectors.piece(column, first, std::min(piece_rows, vectors.rows() - first), buffer);
  }
}

}  // namespace

std::unique_ptr<PartedFile> write_checkpoint_aside(const std::filesystem::path& file,
                                                   const CheckpointHeader& header,
                                                   const ColumnSource& vectors,
                                                   std::span<const CiResult::Sector> finished,
                                                   const PartLimits& limits) {
  check_header(header);
  const Hdf5Shape shape = shape_of(header);
  std::uint64_t slack = 128 * 1024 + header.resolved_input.size() + 1024 * header.history.size();
  std::uint64_t vector_bytes = 8 * shape[0] * shape[1];
  for (const CiResult::Sector& sector : finished) {
    slack += 64 * 1024;
    vector_bytes += bytes_of_vectors(sector);
  }
  if (header.orbitals) slack += bytes_of(*header.orbitals);
  if (header.selection) slack += bytes_of(*header.selection);
  auto written = std::make_unique<PartedFile>(file, slack, vector_bytes, limits);
  PartWriter* const parts = written->parts();
  Hdf5File hdf5 = Hdf5File::create(written->temporary(), file, Hdf5Strings::fixed_length);
  Hdf5Group root = hdf5.root();
  write_stamp(root, stamp_of(header, parts != nullptr));
  root.create_group("input").write_string("resolved", header.resolved_input,
                                          {.description = "the input with every default filled in (TOML)"});
  Hdf5Group job = root.create_group("job");
  job.write_attribute("integrals_hash", header.integrals_hash);
  job.write_attribute("threshold", header.threshold);
  if (!header.basis.empty()) job.write_attribute("basis", header.basis);
  job.write_attribute("sectors", header.sectors);
  job.write_attribute("sector", header.sector);
  job.write_attribute("space_hash", header.space_hash);
  job.write_attribute("dimension", header.dimension);
  job.write_attribute("num_vectors", header.num_vectors);
  write_history(root.create_group("solver").create_group("history"), header.history);
  write_vectors(root, header, vectors, parts);
  if (header.orbitals) write_checkpoint_orbitals(root, *header.orbitals);
  if (header.selection) write_checkpoint_selection(root, *header.selection);
  if (!finished.empty()) {
    Hdf5Group done = root.create_group("finished");
    for (std::size_t k = 0; k < finished.size(); ++k) {
      write_finished_sector(done.create_group(std::to_string(k + 1)), finished[k], stamp_of(header), parts);
    }
  }
  if (parts != nullptr) parts->write_table(root);
  hdf5.close();
  return written;
}

void write_checkpoint(const std::filesystem::path& file, const CheckpointHeader& header,
                      const ColumnSource& vectors, std::span<const CiResult::Sector> finished) {
  write_checkpoint_aside(file, header, vectors, finished)->commit();
}

void write_checkpoint(const std::filesystem::path& file, const CheckpointHeader& header,
                      std::span<const double> vectors, std::span<const CiResult::Sector> finished) {
  check_header(header);
  if (std::ssize(vectors) != header.dimension * header.num_vectors) {
    throw DimensionError("checkpoint: the vectors do not have dimension x num_vectors elements");
  }
  write_checkpoint(file, header, columns_of(vectors, header.dimension), finished);
}

ColumnSource columns_of(std::span<const double> vectors, std::int64_t dimension) {
  return [=](int column, std::int64_t first, std::span<double> rows) {
    const std::size_t at = column * dimension + first;
    std::ranges::copy(vectors.subspan(at, rows.size()), rows.begin());
  };
}

Checkpoint read_checkpoint(const std::filesystem::path& file) {
  const auto damaged = [&](std::string_view why) {
    return InputError(fmt::format("checkpoint '{}' is damaged: {}", file.string(), why));
  };
  const Hdf5File hdf5 = Hdf5File::open(file);
  const Hdf5Group root = hdf5.root();
  Checkpoint checkpoint;
  CheckpointHeader& header = checkpoint.header;
  FileStamp stamp = read_stamp(root, stamp_of(header), file, {oldest_version, checkpoint_parts_version});
  if (stamp.format_version != oldest_version && !has_seal(file))
    throw damaged("it has no seal, so another program has changed it since it was written");
  header.version = std::move(stamp.program_version);
  header.created = std::move(stamp.created);
  header.resolved_input = root.open_group("input").read_string("resolved");
  const Hdf5Group job = root.open_group("job");
  header.integrals_hash = job.read_attribute<std::uint64_t>("integrals_hash");
  header.threshold = job.read_attribute<double>("threshold");
  if (job.has_attribute("basis")) header.basis = job.read_attribute<std::string>("basis");
  header.sectors = job.read_attribute<std::string>("sectors");
  header.sector = job.read_attribute<std::int32_t>("sector");
  header.space_hash = job.read_attribute<std::uint64_t>("space_hash");
  header.dimension = job.read_attribute<std::int64_t>("dimension");
  header.num_vectors = job.read_attribute<std::int32_t>("num_vectors");
  header.history = read_history(root.open_group("solver").open_group("history"));

  const std::vector<VectorPart> parts = read_part_table(root);
  StoredVectors vectors(root, "vectors", file, parts);
  const bool fits = header.dimension >= 0 && header.num_vectors >= 0 && vectors.shape() == shape_of(header);
  if (!fits) throw damaged("its vectors do not have the shape that it names");
  if (header.num_vectors > 0 && (header.history.empty() || header.history.back().energies.empty()))
    throw damaged("it has vectors but not the iterations that made them");
  checkpoint.vectors = std::make_shared<FileVectors>(std::move(vectors));
  if (stamp.format_version != oldest_version) read_through(*checkpoint.vectors);
  if (root.contains("finished")) {
    const Hdf5Group done = root.open_group("finished");
    for (int k = 1; done.contains(std::to_string(k)); ++k) {
      checkpoint.finished.push_back(read_finished_sector(done.open_group(std::to_string(k)), file, parts));
    }
  }
  if (root.contains("orbitals")) header.orbitals = read_checkpoint_orbitals(root);
  if (root.contains("list")) header.selection = read_checkpoint_selection(root);
  if (header.sector != std::ssize(checkpoint.finished) + 1) {
    throw damaged(fmt::format("it does not hold the sectors before number {}", header.sector));
  }
  if (stamp.format_version == oldest_version &&
      checksum_of(checkpoint) != root.read_attribute<std::uint64_t>("checksum")) {
    throw damaged("its checksum does not match its content");
  }
  return checkpoint;
}

std::string join_sectors(std::span<const std::string> names) {
  return fmt::format("{}", fmt::join(names, sector_separator));
}

void validate_job(const CheckpointHeader& header, const CheckpointHeader& expected, std::string_view source) {
  const std::string begin = fmt::format("{} belongs to", source);
  if (header.integrals_hash != expected.integrals_hash) {
    throw InputError(
        fmt::format("{} other integrals: their hash is {:016x}, that of this job's integrals is {:016x}",
                    begin, header.integrals_hash, expected.integrals_hash));
  }
  if (header.threshold != expected.threshold) {
    throw InputError(
        fmt::format("{} another matrix: its hamiltonian.threshold is {:g} hartree, that of this job is {:g}",
                    begin, header.threshold, expected.threshold));
  }
  if (!header.basis.empty() && header.basis != expected.basis) {
    throw InputError(
        fmt::format("{} another basis: its space.basis is \"{}\", that of this job is \"{}\"; a "
                    "result file, given as solver.guess, may have either",
                    begin, header.basis, expected.basis));
  }
}

std::vector<std::size_t> match_sectors(const CheckpointHeader& header, std::span<const std::string> names,
                                       std::string_view source) {
  std::vector<std::size_t> order;
  std::string_view rest = header.sectors;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(sector_separator), rest.size());
    const auto found = std::ranges::find(names, rest.substr(0, end));
    if (found == names.end()) break;
    order.push_back(static_cast<std::size_t>(found - names.begin()));
    rest.remove_prefix(std::min(end + sector_separator.size(), rest.size()));
  }
  if (!rest.empty() || order.size() != names.size()) {
    throw InputError(fmt::format("{} belongs to other states: they are {}, those of this job are {}", source,
                                 header.sectors, join_sectors(names)));
  }
  return order;
}

void validate_space(std::uint64_t hash_in_checkpoint, std::int64_t dimension_in_checkpoint,
                    std::uint64_t space_hash, std::int64_t dimension, std::string_view source) {
  const std::string begin = fmt::format("{} belongs to another space: its", source);
  if (dimension_in_checkpoint != dimension) {
    throw InputError(fmt::format("{} dimension is {}, that of this job's space is {}", begin,
                                 dimension_in_checkpoint, dimension));
  }
  if (hash_in_checkpoint != space_hash) {
    throw InputError(fmt::format("{} hash is {:016x}, that of this job's space is {:016x}", begin,
                                 hash_in_checkpoint, space_hash));
  }
}

}  // namespace cisolve
