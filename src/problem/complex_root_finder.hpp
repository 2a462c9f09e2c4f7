// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "cisolve/problem/root_finder.hpp"

namespace cisolve {

/// Finds complex eigenvectors by a finder of real ones, of a matrix in real form (see make_complex_basis): each root comes
/// there as x and as i x, of which one is kept.
/// @param real  of the real form, planned for twice as many roots
std::unique_ptr<RootFinder> make_complex_root_finder(std::unique_ptr<RootFinder> real);

}  // namespace cisolve
