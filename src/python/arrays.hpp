// SPDX-License-Identifier: MIT
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "cisolve/core/array.hpp"
#include "cisolve/core/matrix.hpp"

// Arrays that cross between numpy and C++.

namespace cisolve::python {

namespace nb = nanobind;

/// A numpy array.
template <class T>
using NumpyArray = nb::ndarray<nb::numpy, T>;

/// Hands values over to numpy, which then owns them: no copy.
template <class Container>
auto to_numpy(Container values, std::initializer_list<std::size_t> shape) {
  using T = std::remove_cvref_t<decltype(*values.data())>;
  auto* kept = new Container(std::move(values));
  const nb::capsule owner(kept, [](void* pointer) noexcept { delete static_cast<Container*>(pointer); });
  return NumpyArray<T>(kept->data(), shape, owner);
}

template <class T>
NumpyArray<T> to_numpy(std::vector<T> values) {
  const std::size_t size = values.size();
  return to_numpy(std::move(values), {size});
}

/// Words of strings as numpy has them, [count], or of more than 64 orbitals [count, words].
inline NumpyArray<std::uint64_t> strings_array(std::vector<std::uint64_t> words, std::int64_t count) {
  const auto rows = static_cast<std::size_t>(count);
  const std::size_t per_string = rows == 0 ? 1 : words.size() / rows;
  if (per_string == 1) return to_numpy(std::move(words), {rows});
  return to_numpy(std::move(words), {rows, per_string});
}

/// (alpha, beta) strings of determinants.
using StringPair = std::pair<NumpyArray<std::uint64_t>, NumpyArray<std::uint64_t>>;

/// A matrix as numpy has it, rows first.
inline NumpyArray<double> to_numpy(const Matrix& matrix) {
  const auto rows = static_cast<std::size_t>(matrix.rows()),
             columns = static_cast<std::size_t>(matrix.columns());
  std::vector<double> values(rows * columns);
  for (int j = 0; j < matrix.columns(); ++j) {
    for (int i = 0; i < matrix.rows(); ++i)
      values[static_cast<std::size_t>(i) * columns + static_cast<std::size_t>(j)] = matrix(i, j);
  }
  return to_numpy(std::move(values), {rows, columns});
}

/// The shape of an array as Python writes it: "(3, 4)".
std::string shape_text(std::span<const std::size_t> shape);

/// An array that Python gave, as contiguous elements on the host: those themselves where they are of that type already,
/// else converted.
template <class T>
class GivenArray {
public:
  /// @param name  of the argument, for messages
  /// @throws nb::type_error  it is no array of numbers that T holds: a sentence that names it
  GivenArray(nb::handle given, const std::string& name);

  std::size_t ndim() const { return array_.ndim(); }
  std::size_t shape(std::size_t axis) const { return array_.shape(axis); }
  std::size_t size() const { return array_.size(); }
  std::span<const T> values() const { return {array_.data(), array_.size()}; }
  std::string shape_text() const;

private:
  nb::ndarray<const T, nb::c_contig, nb::device::cpu> array_;
};

extern template class GivenArray<double>;
extern template class GivenArray<std::int64_t>;
extern template class GivenArray<std::uint64_t>;

/// Vectors over a space: one, [dimension], or several, [count, dimension].
struct GivenVectors {
  /// @throws InputError  the shape is another
  GivenVectors(nb::handle given, const std::string& name, std::int64_t dimension);

  std::span<const double> values() const { return array.values(); }
  int count() const { return array.ndim() == 1 ? 1 : static_cast<int>(array.shape(0)); }
  bool is_one() const { return array.ndim() == 1; }

  GivenArray<double> array;
};

}  // namespace cisolve::python
