// SPDX-License-Identifier: MIT
// Files of format "cisolve-flapw" of which a part is changed.
#pragma once

#include <H5Cpp.h>

#include <complex>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "io/temporary_folder.hpp"

namespace cisolve::test::flapw {

using Complex = std::complex<double>;

/// A file of the test data.
inline std::filesystem::path given(const std::string& name) {
  return std::filesystem::path(CISOLVE_TEST_DATA) / "flapw" / name;
}

inline H5::DataSpace space_of(const std::vector<hsize_t>& shape) {
  return shape.empty() ? H5::DataSpace(H5S_SCALAR)
                       : H5::DataSpace(static_cast<int>(shape.size()), shape.data());
}

inline H5::DataType complex_type() {
  H5::CompType type(sizeof(Complex));
  type.insertMember("r", 0, H5::PredType::NATIVE_DOUBLE);
  type.insertMember("i", sizeof(double), H5::PredType::NATIVE_DOUBLE);
  return type;
}

template <class T>
H5::DataType type_of() {
  if constexpr (std::is_same_v<T, int>) return H5::PredType::NATIVE_INT;
  if constexpr (std::is_same_v<T, std::uint64_t>) return H5::PredType::NATIVE_UINT64;
  if constexpr (std::is_same_v<T, float>) return H5::PredType::NATIVE_FLOAT;
  if constexpr (std::is_same_v<T, double>) return H5::PredType::NATIVE_DOUBLE;
  if constexpr (std::is_same_v<T, Complex>) return complex_type();
}

/// Puts a dataset in place of what there was, if anything.
template <class T>
void put(const H5::H5File& file, const std::string& path, const std::vector<hsize_t>& shape,
         const std::vector<T>& values) {
  if (H5Lexists(file.getId(), path.c_str(), H5P_DEFAULT) > 0) file.unlink(path);
  const H5::DataSet dataset = file.createDataSet(path, type_of<T>(), space_of(shape));
  if (!values.empty()) dataset.write(values.data(), type_of<T>());
}

template <class T>
std::vector<T> get(const H5::H5File& file, const std::string& path) {
  const H5::DataSet dataset = file.openDataSet(path);
  std::vector<T> values(static_cast<std::size_t>(dataset.getSpace().getSimpleExtentNpoints()));
  dataset.read(values.data(), type_of<T>());
  return values;
}

/// Changes one element, counted through the whole array.
template <class T>
void set(const H5::H5File& file, const std::string& path, std::size_t element, T value) {
  std::vector<T> values = get<T>(file, path);
  values.at(element) = value;
  file.openDataSet(path).write(values.data(), type_of<T>());
}

template <class T>
void set_attribute(const H5::H5File& file, const std::string& path, const std::string& name, T value) {
  const H5::Group group = file.openGroup(path);
  if (group.attrExists(name)) group.removeAttr(name);
  if constexpr (std::is_same_v<T, const char*>) {
    const H5::StrType type(H5::PredType::C_S1, std::char_traits<char>::length(value));
    group.createAttribute(name, type, space_of({})).write(type, value);
  } else {
    group.createAttribute(name, type_of<T>(), space_of({})).write(type_of<T>(), &value);
  }
}

using Change = std::function<void(const H5::H5File&)>;

/// A copy of a file of the test data, changed.
inline std::filesystem::path changed(const TemporaryFolder& folder, const std::string& name,
                                     const Change& change) {
  const std::filesystem::path path = folder / "changed.h5";
  std::filesystem::copy_file(given(name), path, std::filesystem::copy_options::overwrite_existing);
  change(H5::H5File(path, H5F_ACC_RDWR));
  return path;
}

}  // namespace cisolve::test::flapw
