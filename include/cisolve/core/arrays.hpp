// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

// Structs of arrays that are templates of where the arrays are: on the host, on a device, or only pointed to. Such a
// struct lists its members once, as a tuple of references that the static function `members(auto& of)` returns; copies,
// bytes and kernel parameters follow from that. Members that are numbers are copied as they are. Some are templates of what
// their elements are made of, too, the second parameter.
namespace cisolve {

/// Elements somewhere, whose number is known otherwise: what kernels are given of an array.
template <class T>
using Pointer = const T*;

/// visit(from, to) for the members of two structs that list the same.
template <class From, class To, class Visit>
void for_each_member(From& from, To& to, const Visit& visit) {
  const auto sources = From::members(from);
  const auto targets = To::members(to);
  [&]<std::size_t... k>(std::index_sequence<k...>) {
    (visit(std::get<k>(sources), std::get<k>(targets)), ...);
  }
  (std::make_index_sequence<std::tuple_size_v<decltype(sources)>>{});
}

/// Bytes of arrays and of structs of arrays, wherever they are.
template <class... Arrays>
std::int64_t array_bytes(const Arrays&... of) {
  const auto bytes = []<class Of>(const Of& array) -> std::int64_t {
    if constexpr (requires { Of::members(array); })
      return std::apply([](const auto&... member) { return array_bytes(member...); }, Of::members(array));
    else if constexpr (std::is_arithmetic_v<Of>)
      return 0;
    else
      return static_cast<std::int64_t>(array.size() * sizeof(*array.data()));
  };
  return (... + bytes(of));
}

template <class Of, template <class> class Array>
struct WithArrays;
template <template <template <class> class> class Struct, template <class> class From,
          template <class> class Array>
struct WithArrays<Struct<From>, Array> {
  using Type = Struct<Array>;
};
template <template <template <class> class, class> class Struct, template <class> class From, class Scalar,
          template <class> class Array>
struct WithArrays<Struct<From, Scalar>, Array> {
  using Type = Struct<Array, Scalar>;
};

/// The struct of arrays `Of` with its arrays elsewhere.
template <class Of, template <class> class Array>
using Elsewhere = typename WithArrays<Of, Array>::Type;

/// Kernel parameters: a struct of pointers to the arrays of another.
template <class Of>
Elsewhere<Of, Pointer> pointers_to(const Of& of) {
  Elsewhere<Of, Pointer> result{};
  for_each_member(of, result, []<class From, class To>(const From& from, To& to) {
    if constexpr (std::is_arithmetic_v<From>)
      to = from;
    else
      to = from.data();
  });
  return result;
}

}  // namespace cisolve
