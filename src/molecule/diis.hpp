// SPDX-License-Identifier: MIT
#pragma once

#include <Eigen/Core>
#include <deque>

namespace cisolve::detail {

/// Extrapolates a sequence of Fock matrices so that their errors cancel (Pulay's DIIS).
/// @see P. Pulay, J. Comput. Chem. 3 (1982) 556, doi:10.1002/jcc.540030413
class Diis {
public:
  explicit Diis(int most) : most_(most) {}

  void clear() { entries_.clear(); }

  /// The value in place of `value`, whose error is `error`, given those before it.
  Eigen::VectorXd extrapolate(Eigen::VectorXd value, Eigen::VectorXd error);

private:
  struct Entry {
    Eigen::VectorXd value, error;
  };
  const Entry& entry(Eigen::Index i) const { return entries_[i]; }

  std::size_t most_;
  std::deque<Entry> entries_;
};

}  // namespace cisolve::detail
