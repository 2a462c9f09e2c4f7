// SPDX-License-Identifier: MIT
// Vectors that are too many for the file that they belong to: rows of them in files of their own, its parts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "cisolve/core/array.hpp"
#include "cisolve/io/atomic_file.hpp"
#include "cisolve/io/hdf5_file.hpp"
#include "cisolve/tasks/files/checkpoint.hpp"
#include "cisolve/vectors/vector_source.hpp"
#include "tasks/files/result_file_common.hpp"

namespace cisolve {

/// Where vectors are parted, bytes.
struct PartLimits {
  std::uint64_t whole = std::uint64_t{64} << 30;  ///< most of all vectors that stand in their file
  std::uint64_t part = std::uint64_t{16} << 30;   ///< most of a part, unless one row is more
};

/// One of the files that a file's vectors stand in, as that file tells of it.
struct VectorPart {
  std::string file;     ///< from the folder of the file that it belongs to: "job.chk.d/3.1.h5"
  std::string dataset;  ///< that these rows are of: "/vectors"
  std::int64_t first_row = 0;
  std::uint64_t seal = 0;  ///< seal_digest
};

/// The folder of a file's parts, beside it: of "job.chk.h5" it is "job.chk.d". A symbolic link is followed.
std::filesystem::path parts_folder(const std::filesystem::path& file);

/// Files being written that hold the vectors of another one: `<generation>.<number>.h5` in its folder of parts.
class PartWriter {
public:
  /// Chooses a new generation, and makes the folder.
  /// @param bytes  of all vectors
  /// @throws SystemError if there is no folder, or no room
  PartWriter(const std::filesystem::path& file, std::uint64_t bytes, const PartLimits& limits);

  /// Removes them unless they were committed.
  ~PartWriter();
  PartWriter(const PartWriter&) = delete;
  PartWriter& operator=(const PartWriter&) = delete;

  /// Writes vectors, and a virtual dataset in `group` that shows them to other programs.
  /// @param stamp    of the file that they belong to
  /// @param shape    [columns, rows], or [columns, rows, numbers of a row]
  /// @param columns  asked for ascending columns and rows
  /// @return the virtual dataset
  Hdf5Object write(Hdf5Group group, const std::string& name, const Hdf5Shape& shape, const Hdf5Label& label,
                   const FileStamp& stamp, const ColumnSource& columns);

  /// Writes the table of all parts, by which the file that they belong to vouches for them.
  void write_table(Hdf5Group root) const;

  void sync() const;    ///< @throws SystemError
  void verify() const;  ///< as AtomicFile::verify
  void commit();        ///< gives them their names. @throws SystemError

private:
  struct Open;
  std::vector<Open> open(const Hdf5Shape& shape, const FileStamp& stamp);
  VectorPart finish(Open& part, const std::string& dataset, const AtomicFile& file) const;

  std::filesystem::path folder_;
  std::uint64_t part_bytes_, generation_ = 0;
  std::vector<std::unique_ptr<AtomicFile>> files_;
  std::vector<VectorPart> table_;
  bool kept_ = false;
};

/// A file written aside, with parts where its vectors are many: these take their places before the file that tells of them.
class PartedFile {
public:
  /// @param bytes         expected of the file without vectors
  /// @param vector_bytes  of all its vectors
  PartedFile(const std::filesystem::path& file, std::uint64_t bytes, std::uint64_t vector_bytes,
             const PartLimits& limits);

  const std::filesystem::path& temporary() const { return file_.temporary(); }
  PartWriter* parts() { return parts_.get(); }  ///< null: vectors go into the file

  void sync() const;    ///< @throws SystemError
  void verify() const;  ///< as AtomicFile::verify

  /// As AtomicFile::commit. Parts that only the replaced file had stay: see remove_unused_parts.
  void commit(const std::filesystem::path& keep_old_as = {});

private:
  std::unique_ptr<PartWriter> parts_;
  AtomicFile file_;
};

/// The table of a file's parts; empty: it has none.
std::vector<VectorPart> read_part_table(const Hdf5Group& root);

/// Compares all parts of a file with their seals, and these with what the file says of them.
/// @throws InputError if the file cannot be read, or one of them is not what was written
/// @throws SystemError if one of them cannot be read
void verify_parts(const std::filesystem::path& file);

/// Removes files of the folder of parts that no generation refers to, and the folder when it is empty; nothing where one
/// of these files cannot be read. Removing is a courtesy: what cannot be removed stays.
/// @param generations  the files whose parts are in the folder of the first; may be absent
void remove_unused_parts(std::span<const std::filesystem::path> generations);

/// A dataset of vectors, in its file or in parts.
class StoredVectors {
public:
  /// @param parts  of the file
  /// @throws InputError if there is no such dataset, or a part is missing, damaged or of another generation
  StoredVectors(const Hdf5Group& group, const std::string& name, const std::filesystem::path& file,
                std::span<const VectorPart> parts);

  const Hdf5Shape& shape() const { return shape_; }
  Array<double> read() const;

  /// Fills `out` with consecutive rows of a column; of vectors of shape [columns x rows].
  void read(std::uint64_t column, std::uint64_t first_row, std::span<double> out) const;

private:
  struct Rows {
    std::int64_t first = 0;
    Hdf5Dataset<double> dataset;
  };
  void add(const VectorPart& part, const std::filesystem::path& file);

  std::vector<Rows> rows_;
  Hdf5Shape shape_;
};

/// Vectors of shape [columns x rows] in a file that stays open: they are read when they are asked for, by one thread at a
/// time, also where another file has taken the place of theirs.
class FileVectors final : public VectorSource {
public:
  explicit FileVectors(StoredVectors stored) : stored_(std::move(stored)) {}

  std::int64_t rows() const override { return static_cast<std::int64_t>(stored_.shape()[1]); }
  int columns() const override { return static_cast<int>(stored_.shape()[0]); }
  /// @throws InputError if what is read is not what was written, SystemError if it cannot be read
  void read(int column, std::int64_t first_row, std::span<double> out) const override;

private:
  StoredVectors stored_;
  mutable std::mutex reading_;
};

}  // namespace cisolve
