// SPDX-License-Identifier: MIT
#pragma once

#include <complex>
#include <cstddef>

#include "cisolve/core/array.hpp"
#include "cisolve/core/block_view.hpp"

namespace cisolve {

using HostView = BlockView<double, Memory::host>;
using ConstHostView = BlockView<const double, Memory::host>;
using ComplexHostView = BlockView<std::complex<double>, Memory::host>;
using ConstComplexHostView = BlockView<const std::complex<double>, Memory::host>;

/// Scratch of the parallel host products. Keep one beside the matrix: it grows to what is needed and
/// stays, so that repeated products allocate nothing. One product at a time.
class SpmvWorkspace {
public:
  /// Scratch of at least `size` elements, contents undefined.
  double* packed_vectors(std::size_t size) {
    if (packed_.size() < size) packed_ = Array<double>(size);
    return packed_.data();
  }

  /// Likewise, beside those: for sums of parts of a product.
  double* partial_sums(std::size_t size) {
    if (sums_.size() < size) sums_ = Array<double>(size);
    return sums_.data();
  }

private:
  Array<double> packed_, sums_;
};

}  // namespace cisolve
