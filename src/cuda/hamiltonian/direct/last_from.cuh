// SPDX-License-Identifier: MIT
#pragma once

namespace cisolve::cuda::direct {

/// The last of some elements that begins at a number or before.
template <class Element, class Number>
__device__ const Element& last_from(const Element* elements, int size, Number number,
                                    Number Element::*first) {
  int low = 0;
  int high = size;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (elements[middle].*first <= number)
      low = middle;
    else
      high = middle;
  }
  return elements[low];
}

}  // namespace cisolve::cuda::direct
