// SPDX-License-Identifier: MIT
#include "cisolve/io/hdf5_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <system_error>
#include <utility>

#include "cisolve/core/error.hpp"
#include "io/hdf5_state.hpp"
#include "io/quarantine.hpp"

namespace cisolve {
namespace {

// Elements per chunk; 512 KiB of doubles, half of the library's cache for one dataset.
constexpr std::uint64_t chunk_elements = 65536;
constexpr std::uint64_t chunked_above_bytes = 1u << 20;

std::string to_string(const Hdf5Shape& shape) {
  std::string text = "[";
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    text += (axis == 0 ? "" : ", ") + std::to_string(shape[axis]);
  }
  return text + "]";
}

void require_shape(const Hdf5Shape& found, const Hdf5Shape& expected, const std::string& file,
                   const std::string& name) {
  if (found == expected) return;
  throw InputError("'" + file + "': dataset '" + name + "' has shape " + to_string(found) + ", expected " +
                   to_string(expected));
}

/// Product of the extents; the largest number if it overflows.
std::uint64_t num_elements(const Hdf5Shape& shape) {
  std::uint64_t product = 1;
  for (const std::uint64_t extent : shape) {
    if (__builtin_mul_overflow(product, extent, &product)) {
      return std::numeric_limits<std::uint64_t>::max();
    }
  }
  return product;
}

std::vector<hsize_t> to_hsize(const Hdf5Shape& shape) { return {shape.begin(), shape.end()}; }

/// @param packing  of a dataset in a file: an extensible one may grow along its first axis
H5::DataSpace make_space(const Hdf5Shape& shape, Hdf5Packing packing = Hdf5Packing::plain) {
  if (shape.empty()) return H5::DataSpace(H5S_SCALAR);
  std::vector<hsize_t> most = to_hsize(shape);
  if (packing == Hdf5Packing::extensible) most.front() = H5S_UNLIMITED;
  return H5::DataSpace(static_cast<int>(shape.size()), to_hsize(shape).data(), most.data());
}

/// A box within a dataset of some shape.
H5::DataSpace box_of(const Hdf5Shape& shape, const Hdf5Shape& start, const Hdf5Shape& count) {
  H5::DataSpace space = make_space(shape);
  if (!shape.empty()) {
    space.selectHyperslab(H5S_SELECT_SET, to_hsize(count).data(), to_hsize(start).data());
  }
  return space;
}

Hdf5Shape shape_of(const H5::DataSet& dataset) {
  const H5::DataSpace space = dataset.getSpace();
  std::vector<hsize_t> extents(space.getSimpleExtentNdims());
  if (!extents.empty()) space.getSimpleExtentDims(extents.data());
  return {extents.begin(), extents.end()};
}

/// Whole rows as far as they fit a chunk: extents are taken from the fastest axis on.
std::vector<hsize_t> chunk_shape(const Hdf5Shape& shape) {
  std::vector<hsize_t> chunk(shape.size(), 1);
  std::uint64_t room = chunk_elements;
  for (std::size_t axis = shape.size(); axis-- > 0 && room > 1;) {
    chunk[axis] = std::max<std::uint64_t>(1, std::min(shape[axis], room));
    room /= chunk[axis];
  }
  return chunk;
}

H5::DSetCreatPropList creation_properties(const Hdf5Shape& shape, std::size_t element_size,
                                          Hdf5Packing packing) {
  H5::DSetCreatPropList properties;
  properties.setFillTime(H5D_FILL_TIME_NEVER);  // every element is written
  const bool is_small = num_elements(shape) <= chunked_above_bytes / element_size;
  if (shape.empty() || (is_small && packing != Hdf5Packing::extensible)) return properties;
  properties.setChunk(static_cast<int>(shape.size()), chunk_shape(shape).data());
  if (packing == Hdf5Packing::compressed && H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0) {
    constexpr int fastest = 1;
    properties.setShuffle();
    properties.setDeflate(fastest);
  }
  return properties;
}

/// The shape of a dataset; refuses one that claims more elements than the bytes in the file can hold, before
/// memory is taken for them.
Hdf5Shape checked_shape(const H5::DataSet& dataset, const std::string& file, const std::string& name) {
  constexpr std::uint64_t deflate_limit = 1100;  // deflate shrinks by a factor of 1032 at most
  Hdf5Shape shape = shape_of(dataset);
  const std::uint64_t elements = num_elements(shape);
  const std::uint64_t most = dataset.getStorageSize() / dataset.getDataType().getSize() + 1;
  const bool filtered = dataset.getCreatePlist().getNfilters() > 0;
  if (elements > (filtered ? most * deflate_limit : most)) {
    throw InputError("'" + file + "' is damaged: it does not hold all of dataset '" + name + "'");
  }
  return shape;
}

/// What the system says about reading a file, in words better than the library's.
void check_readable(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  const int error = file < 0 ? errno : 0;
  struct stat info {};
  const bool plain = file >= 0 && ::fstat(file, &info) == 0 && S_ISREG(info.st_mode);
  if (file >= 0) ::close(file);
  if (error != 0) {
    const std::string message =
        "cannot read '" + path.string() + "': " + std::generic_category().message(error);
    if (error == ENOENT || error == ENOTDIR || error == ENAMETOOLONG) throw InputError(message);
    throw SystemError(message);
  }
  if (!plain) throw InputError("cannot read '" + path.string() + "': it is not a plain file");
}

constexpr const char* seal_name = "seal";
constexpr std::string_view seal_meaning = "hashes of all bytes stand behind the HDF5 content; docs/output.md";

/// Puts the bytes of `copy` in place of a file.
void replace_content(const std::filesystem::path& path, const std::string& name, const FileDescriptor& copy) {
  const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
  struct stat info {};
  int error = file.get() < 0 || ::fstat(copy.get(), &info) != 0 ? errno : 0;
  std::vector<std::byte> buffer(1 << 20);
  for (std::uint64_t at = 0, size = static_cast<std::uint64_t>(info.st_size); error == 0 && at < size;) {
    const auto part = std::span(buffer).first(std::min<std::uint64_t>(buffer.size(), size - at));
    error = read_at(copy.get(), at, part);
    if (error == 0) error = write_at(file.get(), at, part);
    at += part.size();
  }
  if (error == 0) return;
  throw SystemError("cannot write '" + name + "': " + std::generic_category().message(error));
}

/// The content of a file, of which nothing is known but that it can be read.
SealedBytes open_bytes(const std::filesystem::path& path, const std::string& name, SealedBytes::Use use) {
  check_readable(path);
  SealedBytes bytes = SealedBytes::open(path, use);
  if (bytes.is_sealed()) return bytes;
  FileDescriptor copy = copy_in_quarantine(FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC)), name);
  if (use == SealedBytes::Use::modify) {
    replace_content(path, name, copy);
    return SealedBytes::open(path, use);
  }
  return SealedBytes::of_file(std::move(copy), name, use);
}

void write_label(Hdf5Object object, const Hdf5Label& label) {
  if (!label.unit.empty()) object.write_attribute("unit", label.unit);
  if (!label.description.empty()) object.write_attribute("description", label.description);
}

template <class T>
void check_box(const Hdf5Shape& shape, const Hdf5Shape& start, const Hdf5Shape& count, std::size_t size) {
  bool fits = start.size() == shape.size() && count.size() == shape.size() && num_elements(count) == size;
  for (std::size_t axis = 0; fits && axis < shape.size(); ++axis) {
    fits = start[axis] <= shape[axis] && count[axis] <= shape[axis] - start[axis];
  }
  if (!fits) {
    throw DimensionError("the box at " + to_string(start) + " of extents " + to_string(count) +
                         " does not fit a dataset of shape " + to_string(shape) + " and " +
                         std::to_string(size) + " values");
  }
}

}  // namespace

// --- datasets

template <Hdf5Number T>
Hdf5Dataset<T>::Hdf5Dataset(std::shared_ptr<Hdf5FileState> file, std::shared_ptr<Handle> handle,
                            std::string name, Hdf5Shape shape)
    : Hdf5Object(std::move(file), std::move(handle), std::move(name)), shape_(std::move(shape)) {}

template <Hdf5Number T>
void Hdf5Dataset<T>::write(std::span<const T> values, const Hdf5Shape& start, const Hdf5Shape& count) {
  check_box<T>(shape_, start, count, values.size());
  if (values.empty()) return;
  hdf5::guarded(*file_, "write '" + name_ + "'", [&] {
    handle_->dataset().write(values.data(), hdf5::native_type<T>(), make_space(count),
                             box_of(shape_, start, count));
  });
}

template <Hdf5Number T>
void Hdf5Dataset<T>::read(std::span<T> values, const Hdf5Shape& start, const Hdf5Shape& count) const {
  check_box<T>(shape_, start, count, values.size());
  if (values.empty()) return;
  hdf5::guarded(*file_, "read '" + name_ + "'", [&] {
    handle_->dataset().read(values.data(), hdf5::native_type<T>(), make_space(count),
                            box_of(shape_, start, count));
  });
}

// --- groups

std::string Hdf5Group::path_of(const std::string& name) const {
  return name_ == "/" ? name_ + name : name_ + "/" + name;
}

Hdf5Group Hdf5Group::create_group(const std::string& name) {
  const std::string path = path_of(name);
  return hdf5::guarded(*file_, "create '" + path + "'", [&] {
    return Hdf5Group(file_, std::make_shared<Handle>(Handle{handle_->group().createGroup(name)}), path);
  });
}

Hdf5Group Hdf5Group::open_group(const std::string& name) const {
  const std::string path = path_of(name);
  if (!contains(name)) throw InputError("'" + file_->shown_as + "' has no group '" + path + "'");
  return hdf5::guarded(*file_, "read '" + path + "'", [&] {
    return Hdf5Group(file_, std::make_shared<Handle>(Handle{handle_->group().openGroup(name)}), path);
  });
}

bool Hdf5Group::contains(const std::string& name) const {
  return hdf5::guarded(*file_, "read '" + name_ + "'",
                       [&] { return H5Lexists(handle_->group().getId(), name.c_str(), H5P_DEFAULT) > 0; });
}

void Hdf5Group::remove(const std::string& name) {
  hdf5::guarded(*file_, "remove '" + path_of(name) + "'", [&] { handle_->group().unlink(name); });
}

void Hdf5Group::move(const std::string& name, const Hdf5Group& to, const std::string& new_name) {
  hdf5::guarded(*file_, "move '" + path_of(name) + "'",
                [&] { handle_->group().moveLink(name, to.handle_->group(), new_name); });
}

template <Hdf5Number T>
Hdf5Dataset<T> Hdf5Group::create_dataset(const std::string& name, const Hdf5Shape& shape,
                                         const Hdf5Label& label, Hdf5Packing packing) {
  if (label.unit.empty() && label.description.empty()) {
    throw DimensionError("dataset '" + path_of(name) + "' needs a unit or a description");
  }
  const std::string path = path_of(name);
  auto handle = hdf5::guarded(*file_, "create '" + path + "'", [&] {
    const H5::DataSet dataset =
        handle_->group().createDataSet(name, hdf5::native_type<T>(), make_space(shape, packing),
                                       creation_properties(shape, sizeof(T), packing));
    return std::make_shared<Handle>(Handle{dataset});
  });
  Hdf5Dataset<T> result(file_, std::move(handle), path, shape);
  write_label(result, label);
  return result;
}

Hdf5Object Hdf5Group::create_virtual(const std::string& name, const Hdf5Shape& shape, const Hdf5Label& label,
                                     std::span<const Hdf5Source> sources) {
  const std::string path = path_of(name);
  auto handle = hdf5::guarded(*file_, "create '" + path + "'", [&] {
    H5::DSetCreatPropList properties;
    const double missing = std::numeric_limits<double>::quiet_NaN();
    properties.setFillValue(H5::PredType::NATIVE_DOUBLE, &missing);
    for (const Hdf5Source& source : sources) {
      properties.setVirtual(box_of(shape, source.start, source.count), source.file, source.dataset,
                            make_space(source.count));
    }
    return std::make_shared<Handle>(Handle{
        handle_->group().createDataSet(name, H5::PredType::NATIVE_DOUBLE, make_space(shape), properties)});
  });
  const Hdf5Group result(file_, std::move(handle), path);
  write_label(result, label);
  return result;
}

template <Hdf5Number T>
void Hdf5Group::write(const std::string& name, std::span<const T> values, const Hdf5Shape& shape,
                      const Hdf5Label& label, Hdf5Packing packing) {
  check_size(name, values.size(), shape);
  create_dataset<T>(name, shape, label, packing).write(values, Hdf5Shape(shape.size(), 0), shape);
}

void Hdf5Group::check_size(const std::string& name, std::size_t found, const Hdf5Shape& shape) const {
  if (num_elements(shape) == found) return;
  throw DimensionError("dataset '" + path_of(name) + "' of shape " + to_string(shape) + " was given " +
                       std::to_string(found) + " values");
}

void Hdf5Group::write_strings(const std::string& name, std::span<const std::string> values,
                              const Hdf5Shape& shape, const Hdf5Label& label) {
  check_size(name, values.size(), shape);
  const std::string path = path_of(name);
  auto handle = hdf5::guarded(*file_, "write '" + path + "'", [&] {
    const hdf5::StringsToWrite strings(values, file_->strings, hdf5::StringsToWrite::For::dataset);
    const H5::DataSet dataset = handle_->group().createDataSet(name, strings.type(), make_space(shape));
    if (!values.empty()) dataset.write(strings.data(), strings.type());
    return std::make_shared<Handle>(Handle{dataset});
  });
  write_label(Hdf5Group(file_, std::move(handle), path), label);
}

void Hdf5Group::write_string(const std::string& name, std::string_view text, const Hdf5Label& label) {
  const std::string copy(text);
  write_strings(name, std::span(&copy, 1), {}, label);
}

template <Hdf5Number T>
Hdf5Dataset<T> Hdf5Group::open_dataset(const std::string& name) const {
  const std::string path = path_of(name);
  if (!contains(name)) throw InputError("'" + file_->shown_as + "' has no dataset '" + path + "'");
  return hdf5::guarded(*file_, "read '" + path + "'", [&] {
    const H5::DataSet dataset = handle_->group().openDataSet(name);
    if (!hdf5::is_readable_as<T>(dataset)) {
      throw InputError("'" + file_->shown_as + "': dataset '" + path + "' has another type than expected");
    }
    return Hdf5Dataset<T>(file_, std::make_shared<Handle>(Handle{dataset}), path,
                          checked_shape(dataset, file_->shown_as, path));
  });
}

template <Hdf5Number T>
Hdf5Array<T> Hdf5Group::read(const std::string& name) const {
  const Hdf5Dataset<T> dataset = open_dataset<T>(name);
  Hdf5Array<T> result{dataset.shape(), std::vector<T>(num_elements(dataset.shape()))};
  dataset.read(result.values, Hdf5Shape(result.shape.size(), 0), result.shape);
  return result;
}

template <Hdf5Number T>
std::vector<T> Hdf5Group::read(const std::string& name, const Hdf5Shape& shape) const {
  const Hdf5Dataset<T> dataset = open_dataset<T>(name);
  require_shape(dataset.shape(), shape, file_->shown_as, dataset.name());
  std::vector<T> values(num_elements(shape));
  dataset.read(values, Hdf5Shape(shape.size(), 0), shape);
  return values;
}

Hdf5Array<std::string> Hdf5Group::read_strings(const std::string& name) const {
  const std::string path = path_of(name);
  if (!contains(name)) throw InputError("'" + file_->shown_as + "' has no dataset '" + path + "'");
  return hdf5::guarded(*file_, "read '" + path + "'", [&] {
    const H5::DataSet dataset = handle_->group().openDataSet(name);
    if (dataset.getTypeClass() != H5T_STRING) {
      throw InputError("'" + file_->shown_as + "': dataset '" + path + "' does not hold strings");
    }
    const Hdf5Shape shape = checked_shape(dataset, file_->shown_as, path);
    return Hdf5Array<std::string>{shape, hdf5::read_strings(dataset, num_elements(shape))};
  });
}

std::vector<std::string> Hdf5Group::read_strings(const std::string& name, const Hdf5Shape& shape) const {
  Hdf5Array<std::string> array = read_strings(name);
  require_shape(array.shape, shape, file_->shown_as, path_of(name));
  return std::move(array.values);
}

std::string Hdf5Group::read_string(const std::string& name) const {
  const Hdf5Array<std::string> read = read_strings(name);
  if (read.values.size() == 1) return read.values.front();
  throw InputError("'" + file_->shown_as + "': dataset '" + path_of(name) + "' is not a single string");
}

// --- files

bool hdf5_is_thread_safe() {
  hbool_t is_safe = 0;
  return H5is_library_threadsafe(&is_safe) >= 0 && is_safe != 0;
}

Hdf5File Hdf5File::create(const std::filesystem::path& path, const std::filesystem::path& shown_as,
                          Hdf5Strings strings, Hdf5Seal seal) {
  const std::filesystem::path& name = shown_as.empty() ? path : shown_as;
  const auto use = seal == Hdf5Seal::none ? SealedBytes::Use::create_unsealed : SealedBytes::Use::create;
  Hdf5File file(std::make_shared<Hdf5FileState>(SealedBytes::open(path, use), name.string(), H5F_ACC_TRUNC));
  file.state_->strings = strings;
  if (seal == Hdf5Seal::sealed) file.root().write_attribute(seal_name, seal_meaning);
  return file;
}

Hdf5File Hdf5File::open(const std::filesystem::path& path) {
  return Hdf5File(std::make_shared<Hdf5FileState>(open_bytes(path, path.string(), SealedBytes::Use::read),
                                                  path.string(), H5F_ACC_RDONLY));
}

Hdf5File Hdf5File::modify(const std::filesystem::path& path, const std::filesystem::path& shown_as) {
  const std::filesystem::path& name = shown_as.empty() ? path : shown_as;
  Hdf5File file(std::make_shared<Hdf5FileState>(open_bytes(path, name.string(), SealedBytes::Use::modify),
                                                name.string(), H5F_ACC_RDWR));
  if (!file.root().has_attribute(seal_name)) file.root().write_attribute(seal_name, seal_meaning);
  return file;
}

Hdf5Group Hdf5File::root() const {
  return hdf5::guarded(*state_, "read the root group", [&] {
    return Hdf5Group(
        state_, std::make_shared<Hdf5Object::Handle>(Hdf5Object::Handle{state_->file->openGroup("/")}), "/");
  });
}

void Hdf5File::close() { state_->close(); }

// --- instantiations

#define CISOLVE_INSTANTIATE(T)                                                                               \
  template class Hdf5Dataset<T>;                                                                             \
  template Hdf5Dataset<T> Hdf5Group::create_dataset(const std::string&, const Hdf5Shape&, const Hdf5Label&,  \
                                                    Hdf5Packing);                                            \
  template void Hdf5Group::write(const std::string&, std::span<const T>, const Hdf5Shape&, const Hdf5Label&, \
                                 Hdf5Packing);                                                               \
  template Hdf5Dataset<T> Hdf5Group::open_dataset(const std::string&) const;                                 \
  template Hdf5Array<T> Hdf5Group::read(const std::string&) const;                                           \
  template std::vector<T> Hdf5Group::read(const std::string&, const Hdf5Shape&) const;
CISOLVE_FOR_ALL_HDF5_NUMBERS(CISOLVE_INSTANTIATE)
#undef CISOLVE_INSTANTIATE

}  // namespace cisolve
