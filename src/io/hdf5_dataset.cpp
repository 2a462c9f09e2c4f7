// SPDX-License-Identifier: MIT
#include <utility>

#include "cisolve/core/error.hpp"
#include "io/hdf5_space.hpp"
#include "io/hdf5_state.hpp"

namespace cisolve {
namespace {

void check_box(const Hdf5Shape& shape, const Hdf5Shape& start, const Hdf5Shape& count, std::size_t size) {
  bool fits =
      start.size() == shape.size() && count.size() == shape.size() && hdf5::num_elements(count) == size;
  for (std::size_t axis = 0; fits && axis < shape.size(); ++axis) {
    fits = start[axis] <= shape[axis] && count[axis] <= shape[axis] - start[axis];
  }
  if (!fits) {
    throw DimensionError("the box at " + hdf5::to_string(start) + " of extents " + hdf5::to_string(count) +
                         " does not fit a dataset of shape " + hdf5::to_string(shape) + " and " +
                         std::to_string(size) + " values");
  }
}

/// What the library is told of a box: the type of its values in memory, and where they lie there and in the dataset.
struct Transfer {
  H5::DataType type;
  H5::DataSpace in_memory, in_file;
};

template <Hdf5Element T>
Transfer transfer_of(const H5::DataSet& dataset, Hdf5Shape shape, Hdf5Shape start, Hdf5Shape count) {
  H5::DataType type = hdf5::native_type<T>();
  if constexpr (std::same_as<T, std::complex<double>>) {
    if (dataset.getTypeClass() == H5T_COMPOUND) {
      type = hdf5::complex_in_memory(dataset.getCompType());
    } else {  // a last axis of real and imaginary part
      type = hdf5::native_type<double>();
      shape.push_back(2);
      start.push_back(0);
      count.push_back(2);
    }
  }
  return {type, hdf5::make_space(count), hdf5::box_of(shape, start, count)};
}

}  // namespace

template <Hdf5Element T>
Hdf5Dataset<T>::Hdf5Dataset(std::shared_ptr<Hdf5FileState> file, std::shared_ptr<Handle> handle,
                            std::string name, Hdf5Shape shape)
    : Hdf5Object(std::move(file), std::move(handle), std::move(name)), shape_(std::move(shape)) {}

template <Hdf5Element T>
void Hdf5Dataset<T>::write(std::span<const T> values, const Hdf5Shape& start, const Hdf5Shape& count) {
  check_box(shape_, start, count, values.size());
  if (values.empty()) return;
  hdf5::guarded(*file_, "write '" + name_ + "'", [&] {
    const Transfer to = transfer_of<T>(handle_->dataset(), shape_, start, count);
    handle_->dataset().write(values.data(), to.type, to.in_memory, to.in_file);
  });
}

template <Hdf5Element T>
void Hdf5Dataset<T>::read(std::span<T> values, const Hdf5Shape& start, const Hdf5Shape& count) const {
  check_box(shape_, start, count, values.size());
  if (values.empty()) return;
  hdf5::guarded(*file_, "read '" + name_ + "'", [&] {
    const Transfer to = transfer_of<T>(handle_->dataset(), shape_, start, count);
    handle_->dataset().read(values.data(), to.type, to.in_memory, to.in_file);
  });
}

#define CISOLVE_INSTANTIATE(T) template class Hdf5Dataset<T>;
CISOLVE_FOR_ALL_HDF5_ELEMENTS(CISOLVE_INSTANTIATE)
#undef CISOLVE_INSTANTIATE

}  // namespace cisolve
