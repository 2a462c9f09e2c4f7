// SPDX-License-Identifier: MIT
#include "python/arrays.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nanobind/stl/string.h>

#include <string_view>

#include "cisolve/core/error.hpp"

namespace cisolve::python {
namespace {

template <class T>
constexpr const char* type_name();
template <>
constexpr const char* type_name<double>() {
  return "float64";
}
template <>
constexpr const char* type_name<std::int64_t>() {
  return "int64";
}
template <>
constexpr const char* type_name<std::uint64_t>() {
  return "uint64";
}

/// Kinds of numpy's types whose values T holds.
template <class T>
constexpr std::string_view kinds() {
  return std::is_same_v<T, double> ? "fiub" : "iub";
}

std::string text_of(const nb::object& object) { return nb::cast<std::string>(nb::str(nb::handle(object))); }

template <class T>
nb::ndarray<const T, nb::c_contig, nb::device::cpu> contiguous(nb::handle given, const std::string& name) {
  const nb::module_ numpy = nb::module_::import_("numpy");
  const nb::object array = numpy.attr("asarray")(given);
  const nb::object type = array.attr("dtype");
  const std::string kind = text_of(type.attr("kind"));
  if (kinds<T>().find(kind) == std::string_view::npos) {
    throw nb::type_error(fmt::format("{}: found an array of {}, shape {}; it must be of {}", name,
                                     text_of(type), text_of(array.attr("shape")),
                                     std::is_same_v<T, double> ? "real numbers" : "integers")
                             .c_str());
  }
  const nb::object converted = numpy.attr("ascontiguousarray")(array, type_name<T>());
  return nb::cast<nb::ndarray<const T, nb::c_contig, nb::device::cpu>>(converted);
}

}  // namespace

std::string shape_text(std::span<const std::size_t> shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

template <class T>
GivenArray<T>::GivenArray(nb::handle given, const std::string& name) : array_(contiguous<T>(given, name)) {}

template <class T>
std::string GivenArray<T>::shape_text() const {
  std::vector<std::size_t> shape;
  for (std::size_t axis = 0; axis < ndim(); ++axis) shape.push_back(array_.shape(axis));
  return python::shape_text(shape);
}

template class GivenArray<double>;
template class GivenArray<std::int64_t>;
template class GivenArray<std::uint64_t>;

GivenVectors::GivenVectors(nb::handle given, const std::string& name, std::int64_t dimension)
    : array(given, name) {
  const auto rows = static_cast<std::size_t>(dimension);
  const bool fits =
      (array.ndim() == 1 && array.shape(0) == rows) || (array.ndim() == 2 && array.shape(1) == rows);
  if (fits) return;
  throw InputError(fmt::format("{}: found shape {}; over this space it must be ({},) or (count, {})", name,
                               array.shape_text(), rows, rows));
}

}  // namespace cisolve::python
