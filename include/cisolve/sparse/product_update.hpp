// SPDX-License-Identifier: MIT
#pragma once

namespace cisolve {

/// What a product A x does with y.
enum class ProductUpdate {
  assign,  ///< y = A x
  add      ///< y += A x
};

}  // namespace cisolve
