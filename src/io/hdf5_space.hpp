// SPDX-License-Identifier: MIT
#pragma once

#include <H5Cpp.h>

#include <cstdint>
#include <string>
#include <vector>

#include "cisolve/io/hdf5_file.hpp"

namespace cisolve::hdf5 {

/// How much smaller than what they hold datasets may be: deflate shrinks by a factor of 1032 at most.
inline constexpr std::uint64_t deflate_limit = 1100;

/// "[2, 3]".
std::string to_string(const Hdf5Shape& shape);

/// Product of the extents; the largest number if it overflows.
std::uint64_t num_elements(const Hdf5Shape& shape);

std::vector<hsize_t> to_hsize(const Hdf5Shape& shape);

/// @param packing  of a dataset in a file: an extensible one may grow along its first axis
H5::DataSpace make_space(const Hdf5Shape& shape, Hdf5Packing packing = Hdf5Packing::plain);

/// A box within a dataset of some shape.
H5::DataSpace box_of(const Hdf5Shape& shape, const Hdf5Shape& start, const Hdf5Shape& count);

/// [0] for one without extents, which holds nothing.
Hdf5Shape shape_of(const H5::DataSpace& space);

/// The shape of a dataset as it is stored; refuses one that claims more elements than the bytes in the file can hold,
/// before memory is taken for them.
/// @param file, name  for messages
/// @throws InputError
Hdf5Shape checked_shape(const H5::DataSet& dataset, const std::string& file, const std::string& name);

}  // namespace cisolve::hdf5
