// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cisolve/space/string_excitations.hpp"

namespace cisolve {

/// Strings of one spin, ascending as unsigned integers and numbered in that order, for all who needn't see their bits:
/// nothing that is built upon it depends on how many words a string has. Each belongs to the class (level, irrep); a
/// class lists its strings ascending.
class Strings {
public:
  virtual ~Strings() = default;

  std::int32_t size() const { return static_cast<std::int32_t>(level_.size()); }
  int num_electrons() const { return num_electrons_; }
  int num_orbitals() const { return static_cast<int>(orbital_irreps_.size()); }
  int level(std::int32_t i) const { return level_[i]; }
  int irrep(std::int32_t i) const { return irrep_[i]; }
  int irrep_of_orbital(int p) const { return orbital_irreps_[p]; }

  /// Occupied orbitals of string i, ascending.
  std::span<const std::uint8_t> orbitals(std::int32_t i) const {
    const std::size_t n = num_electrons_;
    return {orbitals_.data() + static_cast<std::size_t>(i) * n, n};
  }

  /// Position of string i in the list of its class.
  std::int32_t position(std::int32_t i) const { return position_[i]; }

  int num_levels() const { return static_cast<int>(classes_.size() / 8); }

  /// false: classes are levels, whatever the irrep.
  bool classed_by_irrep() const { return class_by_irrep_; }

  /// Strings of a class, ascending; empty where there is no such class. With class_by_irrep off
  /// the irrep is ignored.
  std::span<const std::int32_t> members(int level, int irrep) const;

  /// The single excitations of all strings, tabulated by the first who asks.
  const StringExcitations& singles() const;

  /// The totally symmetric double excitations of some strings. Thread-safe.
  virtual StringExcitations doubles(std::span<const std::int32_t> strings) const = 0;

protected:
  Strings() = default;
  Strings(Strings&&) = default;
  Strings& operator=(Strings&&) = default;

  /// @param orbitals  occupied ones of all strings, ascending in each
  /// @param levels    of each string, from 0
  /// @param irreps    zero-based labels, one per orbital
  void classify(std::vector<std::uint8_t> orbitals, std::vector<std::int8_t> levels, std::vector<int> irreps,
                bool class_by_irrep);
  /// The single excitations of all strings.
  virtual StringExcitations find_singles() const = 0;

private:
  struct Singles;
  std::size_t class_number(int level, int irrep) const {
    return static_cast<std::size_t>(level) * 8U + static_cast<std::size_t>(class_by_irrep_ ? irrep : 0);
  }

  bool class_by_irrep_ = true;
  int num_electrons_ = 0;
  std::vector<int> orbital_irreps_;
  std::vector<std::uint8_t> orbitals_;  ///< [strings * electrons]
  std::vector<std::int8_t> level_;
  std::vector<std::int8_t> irrep_;
  std::vector<std::int32_t> position_;
  std::vector<std::vector<std::int32_t>> classes_;
  std::shared_ptr<Singles> singles_;
};

}  // namespace cisolve
