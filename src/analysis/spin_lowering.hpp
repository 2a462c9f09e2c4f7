// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cisolve/core/matrix.hpp"
#include "cisolve/space/string_product.hpp"

namespace cisolve {

/// <x_i|S^2|x_j> over a product space, from S^2 = S_+ S_- + S_z (S_z - 1): S_- x is made for one alpha string that has
/// lost an electron at a time, and never stored. That reads x some times, where a sum over spin exchanges would read a
/// row for each pair of alpha strings.
class SpinLowering {
public:
  /// @param space    must outlive this object
  /// @param overlap  <p alpha|q beta>, [orbitals x orbitals], of orbitals of their own, zero between different irreps; is
  ///                 not kept. Null: both spins have the same orbitals
  explicit SpinLowering(const StringProduct& space, const Matrix* overlap = nullptr);

  /// @param vectors  column-major, shape [space.size(), count]
  Matrix operator()(std::span<const double> vectors, int count) const;

private:
  /// An alpha string without one of its orbitals.
  struct Removed {
    std::int32_t string, orbital;
    std::uint32_t is_negative;  ///< 1 if the phase is
  };
  /// A beta string with one orbital more.
  struct Added {
    std::int32_t place;  ///< of the string in its list
    std::uint32_t
        target_code;  ///< 2 * number of the longer string in its irrep + (1 if the phase is negative)
  };

  std::int64_t most_longer() const { return *std::ranges::max_element(num_longer_); }
  void list_removed();
  void list_added();
  /// visit(first row, what the beta strings of a run become, the overlap with the phase of alpha)
  template <class Visit>
  void for_each_run(std::span<const Removed> removed, const Visit& visit) const;
  void add_products(std::span<const Removed> removed, std::span<const double> vectors, double* lowered,
                    Matrix& sum) const;

  /// A beta orbital that an alpha orbital overlaps with.
  struct Partner {
    std::int32_t orbital;
    double overlap;
  };
  std::span<const Partner> partners(std::size_t alpha_orbital) const {
    return {partners_.data() + partners_of_[alpha_orbital],
            partners_.data() + partners_of_[alpha_orbital + 1]};
  }

  const StringProduct& space_;
  std::vector<std::size_t> partners_of_;  ///< [orbitals + 1]
  std::vector<Partner> partners_;
  std::vector<std::int64_t> removed_of_;  ///< [shorter alpha strings + 1]
  std::vector<Removed> removed_;
  std::vector<std::int64_t> added_of_;  ///< [lists of the space * orbitals + 1]
  std::vector<Added> added_;
  std::int64_t num_longer_[8] =
      {};  ///< longer beta strings of each irrep; of the first, if classes have none
};

}  // namespace cisolve
