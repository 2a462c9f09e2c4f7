// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cisolve {

/// Sums of contributions to determinants that share the string of one spin, by the number of that of the other: as
/// ContributionTable, where the strings are so few that each has a place of its own.
class NumberedSums {
public:
  /// @param strings  numbers of strings that there are
  /// @param roots    sums of each
  NumberedSums(std::size_t strings, int roots)
      : roots_(static_cast<std::size_t>(roots)), sums_(strings * roots_, 0.0),
        touched_((strings + 63) / 64, 0) {}

  /// Where sums are, to be copied before a loop: what lies in registers needs no other look after each sum.
  /// @tparam Roots  number of sums of a string, or 0: as many as there are
  template <int Roots>
  struct Places {
    double* sums;
    std::uint64_t* touched;
    std::size_t roots;

    /// The sums of a string, [roots]; it counts as met.
    double* at(std::int32_t string) const {
      const auto n = static_cast<std::size_t>(string);
      touched[n / 64] |= std::uint64_t{1} << (n % 64);
      return sums + n * (Roots > 0 ? static_cast<std::size_t>(Roots) : roots);
    }
  };
  template <int Roots>
  Places<Roots> places() {
    return {sums_.data(), touched_.data(), roots_};
  }

  /// Empties the sums of a string, as if it had not been met.
  void remove(std::int32_t string) {
    const auto n = static_cast<std::size_t>(string);
    touched_[n / 64] &= ~(std::uint64_t{1} << (n % 64));
    for (std::size_t k = 0; k < roots_; ++k) sums_[n * roots_ + k] = 0.0;
  }

  /// visit(string, its sums) for all that were met, ascending; empties them.
  template <class Visit>
  void take(const Visit& visit) {
    for (std::size_t word = 0; word < touched_.size(); ++word) {
      for (std::uint64_t rest = touched_[word]; rest != 0; rest &= rest - 1) {
        const std::size_t n = 64 * word + static_cast<std::size_t>(std::countr_zero(rest));
        double* sums = &sums_[n * roots_];
        visit(static_cast<std::int32_t>(n), std::span<const double>(sums, roots_));
        for (std::size_t k = 0; k < roots_; ++k) sums[k] = 0.0;
      }
      touched_[word] = 0;
    }
  }

private:
  std::size_t roots_;
  std::vector<double> sums_;
  std::vector<std::uint64_t> touched_;  ///< a bit for each string
};

}  // namespace cisolve
