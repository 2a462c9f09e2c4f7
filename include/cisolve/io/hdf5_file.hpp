// SPDX-License-Identifier: MIT
#pragma once

#include <complex>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cisolve {

/// Element types of datasets. Files hold them little-endian or in the order of the writing machine;
/// HDF5 converts.
template <class T>
concept Hdf5Number =
    std::same_as<T, std::int32_t> || std::same_as<T, std::int64_t> || std::same_as<T, std::uint8_t> ||
    std::same_as<T, std::uint16_t> || std::same_as<T, std::uint64_t> || std::same_as<T, double>;

/// What datasets are made of: numbers, also complex ones. These are compounds of two doubles, "r" and "i", as h5py writes
/// them; in files of others also compounds of two floating-point numbers with other names, or a last axis of two such.
template <class T>
concept Hdf5Element = Hdf5Number<T> || std::same_as<T, std::complex<double>>;

/// Types of numeric attributes; bool is stored as uint8.
template <class T>
concept Hdf5Scalar = Hdf5Number<T> || std::same_as<T, bool>;

/// A type an attribute of a file may have.
template <class T>
concept Hdf5Attribute = Hdf5Scalar<T> || std::same_as<T, std::string>;

/// Extents, slowest first (row-major); empty for a scalar.
using Hdf5Shape = std::vector<std::uint64_t>;

/// What a dataset holds, for whoever opens the file: written as the attributes `unit` and
/// `description`. At least one must be given.
struct Hdf5Label {
  std::string unit = {};
  std::string description = {};
};

/// Datasets above a mebibyte are chunked; those of low entropy are worth compressing too. Extensible ones are chunked
/// whatever their size, and other programs may add to their first axis.
enum class Hdf5Packing { plain, compressed, extensible };

/// How strings are stored. Python's h5py reads attributes of variable length as str, those of fixed
/// length as bytes; but the former live in a heap without checksums, and HDF5 crashes when it reads a
/// damaged one. Both are read. `ascii`: attributes of fixed and datasets of variable length, not marked as UTF-8, which
/// is what the TREXIO library takes.
enum class Hdf5Strings { variable_length, fixed_length, ascii };

/// Whether hashes of all bytes stand behind the content of a new file. Files that other programs go on writing to
/// have none: what they add would be taken for damage.
enum class Hdf5Seal { sealed, none };

/// A dataset of another file that stands for a box of a virtual one.
struct Hdf5Source {
  std::string file, dataset;  ///< path from the folder of the file that refers to it; name
  Hdf5Shape start, count;     ///< of the box, as large as all of the dataset
};

/// What is known of a dataset or an attribute before it is read.
struct Hdf5Content {
  enum class Kind { text, integer, real, complex };  ///< complex: a compound of two
  Kind kind = Kind::text;
  std::size_t bytes = 0;  ///< of a number, or of each part of a complex one
  bool is_signed = true;
  Hdf5Shape shape;
};

/// Values read from a file, row-major, with the shape found.
template <class T>
struct Hdf5Array {
  Hdf5Shape shape;
  std::vector<T> values;
};

/// Whether threads may work with files of their own at the same time.
bool hdf5_is_thread_safe();

struct Hdf5FileState;

/// A group or dataset and its attributes. A handle: copies mean the same object in the file.
/// Every function throws SystemError if writing fails; reading throws InputError if something is
/// absent, of another type or shape, or damaged. Messages name the file and the object.
/// The HDF5 library is not assumed to be thread-safe: use all objects from one thread at a time.
class Hdf5Object {
public:
  template <Hdf5Scalar T>
  void write_attribute(const std::string& name, T value);
  void write_attribute(const std::string& name, std::string_view text);

  bool has_attribute(const std::string& name) const;

  /// Reads an attribute, whose stored type must be of the same class, and not wider or of other signedness
  /// than T.
  template <Hdf5Attribute T>
  T read_attribute(const std::string& name) const;

  /// Reads an attribute of any shape, as read_attribute does, row-major.
  template <Hdf5Attribute T>
  requires(!std::same_as<T, bool>) std::vector<T> read_attribute_values(const std::string& name)
  const;

  /// What an attribute holds, without reading it.
  Hdf5Content attribute_content(const std::string& name) const;

  /// Absolute path in the file, "/" for the root.
  const std::string& name() const noexcept { return name_; }

protected:
  friend class Hdf5File;
  struct Handle;
  Hdf5Object(std::shared_ptr<Hdf5FileState> file, std::shared_ptr<Handle> handle, std::string name);

  template <class F>
  auto with_attribute(const std::string& name, F&& f) const;

  std::shared_ptr<Hdf5FileState> file_;
  std::shared_ptr<Handle> handle_;
  std::string name_;
};

/// A dataset of T, opened or created; for arrays that go in or out piece by piece.
template <Hdf5Element T>
class Hdf5Dataset : public Hdf5Object {
public:
  const Hdf5Shape& shape() const noexcept { return shape_; }

  /// Writes the box of extents `count` that begins at `start`.
  /// @param values  row-major, product of `count` elements
  /// @param start   first index of each dimension
  /// @param count   extents of the box
  /// @throws DimensionError if the box does not fit the dataset or `values`
  void write(std::span<const T> values, const Hdf5Shape& start, const Hdf5Shape& count);

  /// Reads the box of extents `count` that begins at `start`. Throws as write does.
  void read(std::span<T> values, const Hdf5Shape& start, const Hdf5Shape& count) const;

private:
  friend class Hdf5Group;
  Hdf5Dataset(std::shared_ptr<Hdf5FileState> file, std::shared_ptr<Handle> handle, std::string name,
              Hdf5Shape shape);
  Hdf5Shape shape_;
};

/// A group of an HDF5 file: makes, opens and removes what it holds.
class Hdf5Group : public Hdf5Object {
public:
  Hdf5Group create_group(const std::string& name);
  Hdf5Group open_group(const std::string& name) const;
  bool contains(const std::string& name) const;

  /// Of all that it holds, in alphabetical order.
  std::vector<std::string> names() const;

  /// Removes a group or dataset from this group; the file does not become smaller.
  void remove(const std::string& name);

  /// Moves a group or dataset to another group of the file, this one too, with all that it holds.
  void move(const std::string& name, const Hdf5Group& to, const std::string& new_name);

  /// Creates a dataset without content.
  template <Hdf5Element T>
  Hdf5Dataset<T> create_dataset(const std::string& name, const Hdf5Shape& shape, const Hdf5Label& label,
                                Hdf5Packing packing = Hdf5Packing::plain);

  /// Creates a dataset with its content, row-major.
  /// @throws DimensionError if values.size() is not the product of `shape`
  template <Hdf5Element T>
  void write(const std::string& name, std::span<const T> values, const Hdf5Shape& shape,
             const Hdf5Label& label, Hdf5Packing packing = Hdf5Packing::plain);

  /// Creates a virtual dataset of doubles, whose elements stand in other files: other programs, with HDF5 1.10 or later, see
  /// one dataset, and NaN where such a file is missing. Hdf5File itself does not follow the references.
  Hdf5Object create_virtual(const std::string& name, const Hdf5Shape& shape, const Hdf5Label& label,
                            std::span<const Hdf5Source> sources);

  /// Creates a dataset of strings, UTF-8, without null characters.
  void write_strings(const std::string& name, std::span<const std::string> values, const Hdf5Shape& shape,
                     const Hdf5Label& label);
  void write_string(const std::string& name, std::string_view text, const Hdf5Label& label);

  /// What a dataset holds, without reading it.
  Hdf5Content content_of(const std::string& name) const;

  template <Hdf5Element T>
  Hdf5Dataset<T> open_dataset(const std::string& name) const;

  /// Reads a dataset of any shape.
  template <Hdf5Element T>
  Hdf5Array<T> read(const std::string& name) const;

  /// Reads a dataset that must have this shape (checked before memory is taken).
  template <Hdf5Element T>
  std::vector<T> read(const std::string& name, const Hdf5Shape& shape) const;

  Hdf5Array<std::string> read_strings(const std::string& name) const;
  std::vector<std::string> read_strings(const std::string& name, const Hdf5Shape& shape) const;
  std::string read_string(const std::string& name) const;

private:
  friend class Hdf5File;
  using Hdf5Object::Hdf5Object;
  template <class F>
  auto with_dataset(const std::string& name, F&& f) const;
  void check_size(const std::string& name, std::size_t found, const Hdf5Shape& shape) const;
  std::string path_of(const std::string& name) const;
};

/// An HDF5 file, readable by HDF5 1.8 and later but for its virtual datasets.
class Hdf5File {
public:
  /// Creates an empty file in place of `path`.
  /// @param path      replaced, if there is such a file
  /// @param shown_as  the name for messages, if not `path` (a temporary file)
  /// @param strings   how strings are stored
  /// @param seal      whether it gets a seal
  static Hdf5File create(const std::filesystem::path& path, const std::filesystem::path& shown_as = {},
                         Hdf5Strings strings = Hdf5Strings::variable_length,
                         Hdf5Seal seal = Hdf5Seal::sealed);

  /// Opens a file for reading.
  /// @throws InputError if it is absent, not an HDF5 file, or damaged
  /// @throws SystemError if it may not be read
  static Hdf5File open(const std::filesystem::path& path);

  /// Opens a file to add to it. A failure leaves it damaged: meant for a copy that takes its place when done.
  /// @param path      an HDF5 file
  /// @param shown_as  the name for messages, if not `path`
  /// @throws InputError, SystemError as open
  static Hdf5File modify(const std::filesystem::path& path, const std::filesystem::path& shown_as = {});

  Hdf5Group root() const;

  /// Labels that are written from now on with this unit say another, such as that of a model for "hartree".
  void rename_unit(const std::string& unit, const std::string& name);

  /// Writes out what the library still buffers and closes the file; other handles to it end.
  /// Without it the destructor closes, but has no way to tell of a failure.
  void close();

private:
  explicit Hdf5File(std::shared_ptr<Hdf5FileState> state) : state_(std::move(state)) {}
  std::shared_ptr<Hdf5FileState> state_;
};

}  // namespace cisolve
