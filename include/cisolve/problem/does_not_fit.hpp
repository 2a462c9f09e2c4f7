// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>

#include "cisolve/core/error.hpp"

namespace cisolve {

/// A calculation needs more than it was given: what is short, by how much, and what would do.
class DoesNotFit : public ResourceError {
public:
  enum class Limit {
    host_memory,
    device,      ///< its memory, or what else it lacks; where the CPU may not be taken instead
    stored_rows  ///< of a matrix: fewer than 2^31
  };

  /// @param shortage  "2,000 determinants need 3.00 GiB, but 2.00 GiB may be used"
  /// @param remedy    "excitation_level = 3 (1,000 determinants) would fit"
  DoesNotFit(Limit limit, std::string shortage, std::string remedy)
      : ResourceError(shortage + "; " + remedy), limit_(limit), shortage_(std::move(shortage)),
        remedy_(std::move(remedy)) {}

  Limit limit() const noexcept { return limit_; }
  const std::string& shortage() const noexcept { return shortage_; }
  const std::string& remedy() const noexcept { return remedy_; }

private:
  Limit limit_;
  std::string shortage_, remedy_;
};

/// There is no function of the irrep and spin asked for, or no state of the spin.
class EmptySpaceError : public InputError {
public:
  using InputError::InputError;
};

}  // namespace cisolve
