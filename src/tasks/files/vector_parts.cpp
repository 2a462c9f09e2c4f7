// SPDX-License-Identifier: MIT
#include "tasks/files/vector_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/io/seal.hpp"

namespace cisolve {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view part_format = "cisolve-part";
constexpr int part_format_version = 1;
constexpr const char* rows_name = "vectors";  // of the dataset of a part
constexpr std::int64_t piece_rows = 1 << 20;  // of a column, written at once
constexpr std::uint64_t slack = 64 * 1024;    // of a part, besides its rows

std::string path_in(const Hdf5Group& group, const std::string& name) {
  return (group.name() == "/" ? "/" : group.name() + "/") + name;
}

/// Numbers that a row of a column has.
std::uint64_t width_of(const Hdf5Shape& shape) { return shape.size() > 2 ? shape[2] : 1; }

/// The generation of "3.1.h5" and of ".3.1.h5.tmp-...": 3; none of names that no part has.
std::optional<std::uint64_t> generation_of(std::string_view name) {
  if (name.starts_with('.')) name = name.substr(1, name.find(".tmp-") - 1);
  std::uint64_t generation = 0, number = 0;
  const char* const end = name.data() + name.size();
  const auto first = std::from_chars(name.data(), end, generation);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '.') return std::nullopt;
  const auto second = std::from_chars(first.ptr + 1, end, number);
  if (second.ec != std::errc() || std::string_view(second.ptr, end) != ".h5") return std::nullopt;
  return generation;
}

/// Names in a folder of parts; none where there is no folder.
std::vector<fs::path> parts_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    if (generation_of(entry->path().filename().string())) found.push_back(entry->path());
  }
  return found;
}

std::uint64_t next_generation(const fs::path& folder) {
  std::uint64_t last = 0;
  for (const fs::path& part : parts_in(folder))
    last = std::max(last, *generation_of(part.filename().string()));
  return last + 1;
}

[[noreturn]] void cannot_write(const fs::path& file, const std::error_code& error) {
  throw SystemError(fmt::format("cannot write '{}': {}", file.string(), error.message()));
}

}  // namespace

fs::path parts_folder(const fs::path& file) {
  constexpr std::string_view usual = ".h5";
  const fs::path beside = AtomicFile::beside(file, "");
  const std::string name = beside.filename().string();
  const bool is_usual = name.size() > usual.size() && name.ends_with(usual);
  return beside.parent_path() /
         (is_usual ? name.substr(0, name.size() - usual.size()) + ".d" : name + ".parts");
}

// --- writing

struct PartWriter::Open {
  std::int64_t first_row = 0;
  Hdf5File hdf5;
  Hdf5Dataset<double> dataset;
};

PartWriter::PartWriter(const fs::path& file, std::uint64_t bytes, const PartLimits& limits)
    : folder_(parts_folder(file)), part_bytes_(limits.part) {
  std::error_code error;
  // For all of them; each part asks for its own room when it begins.
  const fs::space_info space = fs::space(folder_.has_parent_path() ? folder_.parent_path() : ".", error);
  if (!error && space.available < bytes)
    cannot_write(file, std::make_error_code(std::errc::no_space_on_device));
  fs::create_directory(folder_, error);
  if (error) cannot_write(folder_, error);
  generation_ = next_generation(folder_);
}

PartWriter::~PartWriter() {
  if (kept_) return;
  std::error_code ignored;  // those of another run may be there
  for (const auto& file : files_) fs::remove(file->target(), ignored);
  files_.clear();
  fs::remove(folder_, ignored);  // where it is empty
}

/// The parts of a dataset, equally long but for the last.
std::vector<PartWriter::Open> PartWriter::open(const Hdf5Shape& shape, const FileStamp& stamp) {
  const std::uint64_t row_bytes = sizeof(double) * shape[0] * width_of(shape);
  const std::uint64_t rows = std::max<std::uint64_t>(part_bytes_ / std::max<std::uint64_t>(row_bytes, 1), 1);
  std::vector<Open> parts;
  for (std::uint64_t first = 0; first < shape[1]; first += rows) {
    Hdf5Shape extents = shape;
    extents[1] = std::min(rows, shape[1] - first);
    const std::string name = fmt::format("{}.{}.h5", generation_, files_.size() + 1);
    files_.push_back(std::make_unique<AtomicFile>(folder_ / name, row_bytes * extents[1] + slack));
    Hdf5File hdf5 = Hdf5File::create(files_.back()->temporary(), folder_ / name, Hdf5Strings::fixed_length);
    Hdf5Group root = hdf5.root();
    write_stamp(root, {std::string(part_format), part_format_version, stamp.program_version, stamp.created});
    root.write_attribute("first_row", static_cast<std::int64_t>(first));
    Hdf5Dataset<double> dataset = root.create_dataset<double>(
        rows_name, extents, {"1", "some rows of vectors of the file that this one is a part of"});
    parts.push_back({static_cast<std::int64_t>(first), std::move(hdf5), std::move(dataset)});
  }
  return parts;
}

VectorPart PartWriter::finish(Open& part, const std::string& dataset, const AtomicFile& file) const {
  part.hdf5.close();
  return {(folder_.filename() / file.target().filename()).string(), dataset, part.first_row,
          seal_digest(file.temporary())};
}

Hdf5Object PartWriter::write(Hdf5Group group, const std::string& name, const Hdf5Shape& shape,
                             const Hdf5Label& label, const FileStamp& stamp, const ColumnSource& columns) {
  const std::size_t before = files_.size();
  std::vector<Open> parts = open(shape, stamp);
  const auto width = static_cast<std::int64_t>(width_of(shape));
  std::vector<double> buffer;
  for (std::uint64_t column = 0; column < shape[0]; ++column) {
    for (Open& part : parts) {
      const auto rows = static_cast<std::int64_t>(part.dataset.shape()[1]);
      for (std::int64_t first = 0; first < rows; first += piece_rows) {
        const std::int64_t count = std::min(piece_rows, rows - first);
        buffer.resize(static_cast<std::size_t>(count * width));
        columns(static_cast<int>(column), (part.first_row + first) * width, buffer);
        Hdf5Shape start(shape.size(), 0), extents = part.dataset.shape();
        start[0] = column;
        start[1] = static_cast<std::uint64_t>(first);
        extents[0] = 1;
        extents[1] = static_cast<std::uint64_t>(count);
        part.dataset.write(buffer, start, extents);
      }
    }
  }
  std::vector<Hdf5Source> sources;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    Hdf5Shape start(shape.size(), 0);
    start[1] = static_cast<std::uint64_t>(parts[k].first_row);
    const Hdf5Shape extents = parts[k].dataset.shape();
    table_.push_back(finish(parts[k], path_in(group, name), *files_[before + k]));
    sources.push_back({table_.back().file, rows_name, start, extents});
  }
  return group.create_virtual(name, shape, label, sources);
}

void PartWriter::write_table(Hdf5Group root) const {
  std::vector<std::string> files, datasets;
  std::vector<std::int64_t> first_rows;
  std::vector<std::uint64_t> seals;
  for (const VectorPart& part : table_) {
    files.push_back(part.file);
    datasets.push_back(part.dataset);
    first_rows.push_back(part.first_row);
    seals.push_back(part.seal);
  }
  const Hdf5Shape shape = {table_.size()};
  Hdf5Group group = root.create_group("parts");
  group.write_strings("file", files, shape, {.description = "path from the folder of this file"});
  group.write_strings("dataset", datasets, shape, {.description = "whose rows it holds"});
  group.write<std::int64_t>("first_row", first_rows, shape, {.description = "of these rows, from 0"});
  group.write<std::uint64_t>("seal", seals, shape, {.description = "hash of the hashes of the file's seal"});
}

void PartWriter::sync() const {
  for (const auto& file : files_) file->sync();
}

void PartWriter::verify() const {
  for (const auto& file : files_) file->verify();
}

void PartWriter::commit() {
  for (const auto& file : files_) file->commit();
  kept_ = true;
}

PartedFile::PartedFile(const fs::path& file, std::uint64_t bytes, std::uint64_t vector_bytes,
                       const PartLimits& limits)
    : parts_(vector_bytes > limits.whole ? std::make_unique<PartWriter>(file, vector_bytes, limits)
                                         : nullptr),
      file_(file, bytes + (parts_ ? 0 : vector_bytes)) {}

void PartedFile::sync() const {
  if (parts_) parts_->sync();
  file_.sync();
}

void PartedFile::verify() const {
  if (parts_) parts_->verify();
  file_.verify();
}

void PartedFile::commit(const fs::path& keep_old_as) {
  if (parts_) parts_->commit();
  file_.commit(keep_old_as);
}

// --- reading

std::vector<VectorPart> read_part_table(const Hdf5Group& root) {
  if (!root.contains("parts")) return {};
  const Hdf5Group group = root.open_group("parts");
  const Hdf5Array<std::string> files = group.read_strings("file");
  const std::vector<std::string> datasets = group.read_strings("dataset", files.shape);
  const std::vector<std::int64_t> first_rows = group.read<std::int64_t>("first_row", files.shape);
  const std::vector<std::uint64_t> seals = group.read<std::uint64_t>("seal", files.shape);
  std::vector<VectorPart> parts;
  for (std::size_t k = 0; k < files.values.size(); ++k)
    parts.push_back({files.values[k], datasets[k], first_rows[k], seals[k]});
  return parts;
}

namespace {

/// Where a part is, if it is there and the one that was written with the file.
fs::path place_of(const VectorPart& part, const fs::path& file) {
  const fs::path place = AtomicFile::resolve(file).parent_path() / part.file;
  const auto refused = [&](std::string_view why) {
    return InputError(fmt::format("'{}' is not whole: its part '{}' {}", file.string(), place.string(), why));
  };
  std::error_code ignored;
  if (!fs::exists(place, ignored)) throw refused("is missing");
  if (!fs::is_regular_file(place, ignored) || !has_seal(place))
    throw refused("was cut, or changed by another program");
  if (seal_digest(place) != part.seal) throw refused("is of another generation, or another file");
  return place;
}

}  // namespace

void verify_parts(const fs::path& file) {
  for (const VectorPart& part : read_part_table(Hdf5File::open(file).root()))
    verify_seal(place_of(part, file));
}

void remove_unused_parts(std::span<const fs::path> generations) {
  const fs::path folder = parts_folder(generations.front());
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) return;
  std::vector<fs::path> used;
  try {
    for (const fs::path& file : generations) {
      if (!fs::exists(file)) continue;
      for (const VectorPart& part : read_part_table(Hdf5File::open(file).root()))
        used.push_back(fs::path(part.file).filename());
    }
  } catch (const Error&) {
    return;  // it may need any of them
  }
  for (const fs::path& part : parts_in(folder)) {
    if (std::ranges::find(used, part.filename()) == used.end()) fs::remove(part, ignored);
  }
  fs::remove(folder, ignored);
}

StoredVectors::StoredVectors(const Hdf5Group& group, const std::string& name, const fs::path& file,
                             std::span<const VectorPart> parts) {
  for (const VectorPart& part : parts) {
    if (part.dataset == path_in(group, name)) add(part, file);
  }
  if (!rows_.empty()) return;
  rows_.push_back({0, group.open_dataset<double>(name)});
  shape_ = rows_.front().dataset.shape();
}

void StoredVectors::add(const VectorPart& part, const fs::path& file) {
  const fs::path place = place_of(part, file);
  Hdf5Dataset<double> dataset = Hdf5File::open(place).root().open_dataset<double>(rows_name);
  Hdf5Shape extents = dataset.shape();
  if (rows_.empty()) {
    shape_ = extents;
    if (shape_.size() > 1) shape_[1] = 0;
  }
  const bool fits = extents.size() > 1 && shape_.size() == extents.size() && extents[0] == shape_[0] &&
                    width_of(extents) == width_of(shape_) && std::cmp_equal(part.first_row, shape_[1]);
  if (!fits)
    throw InputError(fmt::format("'{}' is damaged: its part '{}' has other rows than it says", file.string(),
                                 place.string()));
  shape_[1] += extents[1];
  rows_.push_back({part.first_row, std::move(dataset)});
}

void StoredVectors::read(std::uint64_t column, std::uint64_t first_row, std::span<double> out) const {
  const std::uint64_t end = first_row + out.size();
  for (const Rows& rows : rows_) {
    const auto first = static_cast<std::uint64_t>(rows.first);
    const std::uint64_t from = std::max(first, first_row),
                        to = std::min(first + rows.dataset.shape()[1], end);
    if (from < to)
      rows.dataset.read(out.subspan(from - first_row, to - from), {column, from - first}, {1, to - from});
  }
}

void FileVectors::read(int column, std::int64_t first_row, std::span<double> out) const {
  const std::lock_guard lock(reading_);
  stored_.read(static_cast<std::uint64_t>(column), static_cast<std::uint64_t>(first_row), out);
}

Array<double> StoredVectors::read() const {
  std::size_t elements = 1;
  for (const std::uint64_t extent : shape_) elements *= extent;
  Array<double> values(elements);
  if (rows_.size() == 1) {
    rows_.front().dataset.read(values, Hdf5Shape(shape_.size(), 0), shape_);
    return values;
  }
  const std::uint64_t width = width_of(shape_);
  for (std::uint64_t column = 0; column < shape_[0]; ++column) {
    for (const Rows& rows : rows_) {
      Hdf5Shape start(shape_.size(), 0), extents = rows.dataset.shape();
      start[0] = column;
      extents[0] = 1;
      const std::uint64_t first = column * shape_[1] + static_cast<std::uint64_t>(rows.first);
      rows.dataset.read(std::span(values).subspan(first * width, extents[1] * width), start, extents);
    }
  }
  return values;
}

}  // namespace cisolve
