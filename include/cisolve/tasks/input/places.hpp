// SPDX-License-Identifier: MIT
#pragma once

#include "cisolve/core/error.hpp"
#include "cisolve/tasks/input/input.hpp"

namespace cisolve {

/// Does some work; messages about a key of the input that it ends with say where that was given.
template <class Work>
auto with_places(const Input& input, const Work& work) {
  try {
    return work();
  } catch (const InputError& error) {
    throw InputError(with_place(error.what(), input));
  } catch (const ResourceError& error) {
    throw ResourceError(with_place(error.what(), input));
  }
}

}  // namespace cisolve
