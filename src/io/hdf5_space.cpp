// SPDX-License-Identifier: MIT
#include "io/hdf5_space.hpp"

#include <algorithm>
#include <limits>

#include "cisolve/core/error.hpp"

namespace cisolve::hdf5 {

std::string to_string(const Hdf5Shape& shape) {
  std::string text = "[";
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    text += (axis == 0 ? "" : ", ") + std::to_string(shape[axis]);
  }
  return text + "]";
}

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

H5::DataSpace make_space(const Hdf5Shape& shape, Hdf5Packing packing) {
  if (shape.empty()) return H5::DataSpace(H5S_SCALAR);
  std::vector<hsize_t> most = to_hsize(shape);
  if (packing == Hdf5Packing::extensible) most.front() = H5S_UNLIMITED;
  return H5::DataSpace(static_cast<int>(shape.size()), to_hsize(shape).data(), most.data());
}

H5::DataSpace box_of(const Hdf5Shape& shape, const Hdf5Shape& start, const Hdf5Shape& count) {
  H5::DataSpace space = make_space(shape);
  if (!shape.empty()) {
    space.selectHyperslab(H5S_SELECT_SET, to_hsize(count).data(), to_hsize(start).data());
  }
  return space;
}

Hdf5Shape shape_of(const H5::DataSpace& space) {
  if (space.getSimpleExtentType() == H5S_NULL) return {0};
  std::vector<hsize_t> extents(space.getSimpleExtentNdims());
  if (!extents.empty()) space.getSimpleExtentDims(extents.data());
  return {extents.begin(), extents.end()};
}

Hdf5Shape checked_shape(const H5::DataSet& dataset, const std::string& file, const std::string& name) {
  Hdf5Shape shape = shape_of(dataset.getSpace());
  const std::uint64_t elements = num_elements(shape);
  const std::uint64_t most = dataset.getStorageSize() / dataset.getDataType().getSize() + 1;
  const bool filtered = dataset.getCreatePlist().getNfilters() > 0;
  if (elements > (filtered ? most * deflate_limit : most)) {
    throw InputError("'" + file + "' is damaged: it does not hold all of dataset '" + name + "'");
  }
  return shape;
}

}  // namespace cisolve::hdf5
