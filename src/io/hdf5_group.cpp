// SPDX-License-Identifier: MIT
#include <algorithm>
#include <limits>
#include <utility>

#include "cisolve/core/error.hpp"
#include "io/hdf5_space.hpp"
#include "io/hdf5_state.hpp"

namespace cisolve {
namespace {

// Elements per chunk; 512 KiB of doubles, half of the library's cache for one dataset.
constexpr std::uint64_t chunk_elements = 65536;
constexpr std::uint64_t chunked_above_bytes = 1u << 20;

void require_shape(const Hdf5Shape& found, const Hdf5Shape& expected, const std::string& file,
                   const std::string& name) {
  if (found == expected) return;
  throw InputError("'" + file + "': dataset '" + name + "' has shape " + hdf5::to_string(found) +
                   ", expected " + hdf5::to_string(expected));
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
  const bool is_small = hdf5::num_elements(shape) <= chunked_above_bytes / element_size;
  if (shape.empty() || (is_small && packing != Hdf5Packing::extensible)) return properties;
  properties.setChunk(static_cast<int>(shape.size()), chunk_shape(shape).data());
  if (packing == Hdf5Packing::compressed && H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0) {
    constexpr int fastest = 1;
    properties.setShuffle();
    properties.setDeflate(fastest);
  }
  return properties;
}

void write_label(Hdf5Object object, const Hdf5Label& label) {
  if (!label.unit.empty()) object.write_attribute("unit", label.unit);
  if (!label.description.empty()) object.write_attribute("description", label.description);
}

}  // namespace

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

std::vector<std::string> Hdf5Group::names() const {
  return hdf5::guarded(*file_, "read '" + name_ + "'", [&] {
    std::vector<std::string> names(handle_->group().getNumObjs());
    for (std::size_t k = 0; k < names.size(); ++k) names[k] = handle_->group().getObjnameByIdx(k);
    return names;
  });
}

void Hdf5Group::remove(const std::string& name) {
  hdf5::guarded(*file_, "remove '" + path_of(name) + "'", [&] { handle_->group().unlink(name); });
}

void Hdf5Group::move(const std::string& name, const Hdf5Group& to, const std::string& new_name) {
  hdf5::guarded(*file_, "move '" + path_of(name) + "'",
                [&] { handle_->group().moveLink(name, to.handle_->group(), new_name); });
}

template <Hdf5Element T>
Hdf5Dataset<T> Hdf5Group::create_dataset(const std::string& name, const Hdf5Shape& shape,
                                         const Hdf5Label& label, Hdf5Packing packing) {
  if (label.unit.empty() && label.description.empty()) {
    throw DimensionError("dataset '" + path_of(name) + "' needs a unit or a description");
  }
  const std::string path = path_of(name);
  auto handle = hdf5::guarded(*file_, "create '" + path + "'", [&] {
    const H5::DataSet dataset =
        handle_->group().createDataSet(name, hdf5::native_type<T>(), hdf5::make_space(shape, packing),
                                       creation_properties(shape, sizeof(T), packing));
    return std::make_shared<Handle>(Handle{dataset});
  });
  Hdf5Dataset<T> result(file_, std::move(handle), path, shape);
  write_label(result, file_->renamed(label));
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
      properties.setVirtual(hdf5::box_of(shape, source.start, source.count), source.file, source.dataset,
                            hdf5::make_space(source.count));
    }
    return std::make_shared<Handle>(Handle{handle_->group().createDataSet(
        name, H5::PredType::NATIVE_DOUBLE, hdf5::make_space(shape), properties)});
  });
  const Hdf5Group result(file_, std::move(handle), path);
  write_label(result, file_->renamed(label));
  return result;
}

template <Hdf5Element T>
void Hdf5Group::write(const std::string& name, std::span<const T> values, const Hdf5Shape& shape,
                      const Hdf5Label& label, Hdf5Packing packing) {
  check_size(name, values.size(), shape);
  create_dataset<T>(name, shape, label, packing).write(values, Hdf5Shape(shape.size(), 0), shape);
}

void Hdf5Group::check_size(const std::string& name, std::size_t found, const Hdf5Shape& shape) const {
  if (hdf5::num_elements(shape) == found) return;
  throw DimensionError("dataset '" + path_of(name) + "' of shape " + hdf5::to_string(shape) + " was given " +
                       std::to_string(found) + " values");
}

void Hdf5Group::write_strings(const std::string& name, std::span<const std::string> values,
                              const Hdf5Shape& shape, const Hdf5Label& label) {
  check_size(name, values.size(), shape);
  const std::string path = path_of(name);
  auto handle = hdf5::guarded(*file_, "write '" + path + "'", [&] {
    const hdf5::StringsToWrite strings(values, file_->strings, hdf5::StringsToWrite::For::dataset);
    const H5::DataSet dataset = handle_->group().createDataSet(name, strings.type(), hdf5::make_space(shape));
    if (!values.empty()) dataset.write(strings.data(), strings.type());
    return std::make_shared<Handle>(Handle{dataset});
  });
  write_label(Hdf5Group(file_, std::move(handle), path), file_->renamed(label));
}

void Hdf5Group::write_string(const std::string& name, std::string_view text, const Hdf5Label& label) {
  const std::string copy(text);
  write_strings(name, std::span(&copy, 1), {}, label);
}

/// Opens a dataset and calls f with it and its path.
template <class F>
auto Hdf5Group::with_dataset(const std::string& name, F&& f) const {
  const std::string path = path_of(name);
  const bool is_there = contains(name) && hdf5::guarded(*file_, "read '" + path + "'", [&] {
                          return handle_->group().childObjType(name) == H5O_TYPE_DATASET;
                        });
  if (!is_there) throw InputError("'" + file_->shown_as + "' has no dataset '" + path + "'");
  return hdf5::guarded(*file_, "read '" + path + "'",
                       [&] { return f(handle_->group().openDataSet(name), path); });
}

Hdf5Content Hdf5Group::content_of(const std::string& name) const {
  return with_dataset(name, [&](const H5::DataSet& dataset, const std::string& path) {
    hdf5::checked_shape(dataset, file_->shown_as, path);
    return hdf5::content_of(dataset);
  });
}

template <Hdf5Element T>
Hdf5Dataset<T> Hdf5Group::open_dataset(const std::string& name) const {
  return with_dataset(name, [&](const H5::DataSet& dataset, const std::string& path) {
    if (!hdf5::is_readable_as<T>(dataset)) {
      throw InputError("'" + file_->shown_as + "': dataset '" + path + "' has another type than expected");
    }
    Hdf5Shape shape = hdf5::checked_shape(dataset, file_->shown_as, path);
    if (std::same_as<T, std::complex<double>> && dataset.getTypeClass() == H5T_FLOAT) shape.pop_back();
    return Hdf5Dataset<T>(file_, std::make_shared<Handle>(Handle{dataset}), path, std::move(shape));
  });
}

template <Hdf5Element T>
Hdf5Array<T> Hdf5Group::read(const std::string& name) const {
  const Hdf5Dataset<T> dataset = open_dataset<T>(name);
  Hdf5Array<T> result{dataset.shape(), std::vector<T>(hdf5::num_elements(dataset.shape()))};
  dataset.read(result.values, Hdf5Shape(result.shape.size(), 0), result.shape);
  return result;
}

template <Hdf5Element T>
std::vector<T> Hdf5Group::read(const std::string& name, const Hdf5Shape& shape) const {
  const Hdf5Dataset<T> dataset = open_dataset<T>(name);
  require_shape(dataset.shape(), shape, file_->shown_as, dataset.name());
  std::vector<T> values(hdf5::num_elements(shape));
  dataset.read(values, Hdf5Shape(shape.size(), 0), shape);
  return values;
}

Hdf5Array<std::string> Hdf5Group::read_strings(const std::string& name) const {
  return with_dataset(name, [&](const H5::DataSet& dataset, const std::string& path) {
    if (dataset.getTypeClass() != H5T_STRING) {
      throw InputError("'" + file_->shown_as + "': dataset '" + path + "' does not hold strings");
    }
    const Hdf5Shape shape = hdf5::checked_shape(dataset, file_->shown_as, path);
    return Hdf5Array<std::string>{shape, hdf5::read_strings(dataset, hdf5::num_elements(shape))};
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

#define CISOLVE_INSTANTIATE(T)                                                                               \
  template Hdf5Dataset<T> Hdf5Group::create_dataset(const std::string&, const Hdf5Shape&, const Hdf5Label&,  \
                                                    Hdf5Packing);                                            \
  template void Hdf5Group::write(const std::string&, std::span<const T>, const Hdf5Shape&, const Hdf5Label&, \
                                 Hdf5Packing);                                                               \
  template Hdf5Dataset<T> Hdf5Group::open_dataset(const std::string&) const;                                 \
  template Hdf5Array<T> Hdf5Group::read(const std::string&) const;                                           \
  template std::vector<T> Hdf5Group::read(const std::string&, const Hdf5Shape&) const;
CISOLVE_FOR_ALL_HDF5_ELEMENTS(CISOLVE_INSTANTIATE)
#undef CISOLVE_INSTANTIATE

}  // namespace cisolve
