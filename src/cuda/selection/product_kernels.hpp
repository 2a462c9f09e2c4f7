// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "cisolve/sparse/product_update.hpp"
#include "cuda/core/stream.hpp"
#include "cuda/selection/product_views.hpp"

namespace cisolve::cuda {

// The steps of a product over a list. Everything is enqueued on the stream and returns; all throw CudaError if a kernel
// cannot be launched.

/// Enters the strings of a spin; all keys are `none` before.
template <int Words>
void launch_number_strings(const Stream& stream, const SpinView& spin, const StringNumbers& numbers,
                           std::uint64_t none);

/// What links are found by.
struct LinkSearch {
  const std::uint8_t* irreps;  ///< [orbitals]
  std::uint64_t none;
  std::uint32_t num_pairs;
  std::int32_t num_orbitals;
};

/// Numbers of the links of each string, where their offsets will be.
template <int Words>
void launch_count_links(const Stream& stream, const SpinView& spin, const StringNumbers& numbers,
                        const LinkSearch& search, const SpinLinksView& links);
/// Offsets are there. Always in the same order.
template <int Words>
void launch_list_links(const Stream& stream, const SpinView& spin, const StringNumbers& numbers,
                       const LinkSearch& search, const SpinLinksView& links);

/// Enters the places of all determinants into their groups; slots are all bits before.
void launch_fill_groups(const Stream& stream, const ListProductView& list, std::uint64_t* slots);

template <int Words>
void launch_diagonal(const Stream& stream, const ListProductView& list, double* diagonal);

/// y = H x or y += H x, of 1, 2 or 4 columns.
/// @param x  in the order of places, those of a determinant side by side
/// @param y  in the order of the list
template <int Words>
void launch_product(const Stream& stream, const ListProductView& list, int columns, const double* x,
                    double* y, std::int64_t stride, ProductUpdate update);

/// Numbers of elements of the rows, in the order of the list.
template <int Words>
void launch_count_elements(const Stream& stream, const ListProductView& list, std::int64_t* counts);
/// The elements of all rows, always in the same order.
/// @param offsets  [rows + 1] where those of each row begin
template <int Words>
void launch_list_elements(const Stream& stream, const ListProductView& list, const std::int64_t* offsets,
                          std::int32_t* columns, double* values);

}  // namespace cisolve::cuda
