// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cisolve {

/// An Abelian point group, D2h or a subgroup, with its irreps in Molpro's order: number 1 is totally
/// symmetric, and the zero-based labels (number - 1) multiply by XOR.
///
/// Integral files do not name their group; the unknown group has eight irreps that have numbers only.
class PointGroup {
public:
  /// The unknown group.
  PointGroup();

  /// One of D2h, C2v, C2h, D2, Cs, C2, Ci, C1, in any case.
  /// @throws InputError that lists the groups and names the nearest
  static PointGroup parse(std::string_view name);

  bool is_known() const noexcept { return !irreps_.empty(); }

  /// Canonical spelling, or "unknown".
  const std::string& name() const noexcept { return name_; }

  int num_irreps() const noexcept;

  /// "A1"; the number as text for the unknown group.
  /// @param number  1 .. num_irreps()
  /// @throws DimensionError if it is outside
  std::string irrep_name(int number) const;

  /// The subgroup that is left where something of an irrep is added: of the operations whose character is 1.
  /// @param number  1 .. num_irreps()
  /// @returns its name, "C2v"; "unknown" for the unknown group
  /// @throws DimensionError if it is outside
  std::string kernel(int number) const;

  /// 1-based number of an irrep given by name (in any case) or by number.
  /// @throws InputError that lists the irreps and names the nearest
  int irrep_number(std::string_view text) const;

private:
  PointGroup(std::string name, std::vector<std::string> irreps);

  std::string name_;
  std::vector<std::string> irreps_;
};

}  // namespace cisolve
