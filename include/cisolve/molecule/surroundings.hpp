// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace cisolve {

using Position = std::array<double, 3>;  ///< bohr

enum class LengthUnit { angstrom, bohr };

/// Bohr in one unit of length.
double bohr_in(LengthUnit unit);

/// A charge near a molecule, which bears no functions.
struct PointCharge {
  double charge = 0.0;  ///< e
  Position position = {};
};

/// What acts on a molecule from outside: point charges and a uniform electric field.
struct Surroundings {
  std::vector<PointCharge> charges = {};
  Position field = {};  ///< F, hartree / (e bohr): H - mu . F, with mu about the centre of nuclear charge

  bool has_field() const { return field != Position{}; }
  bool empty() const { return charges.empty() && !has_field(); }
};

/// More point charges than this are a mistake: each takes a pass over the basis functions.
inline constexpr std::size_t most_point_charges = 1'000'000;

/// Reads point charges: a line each with x, y, z and the charge; "#" begins a comment.
/// @param where  begins the messages, such as the name of a file
/// @throws InputError  with the line of the text, what was found and what is expected
std::vector<PointCharge> parse_point_charges(std::string_view text, LengthUnit unit,
                                             const std::string& where);

/// Reads a file of point charges, as parse_point_charges.
/// @throws InputError   absent or refused, with its line
/// @throws SystemError  cannot be read
std::vector<PointCharge> read_point_charges(const std::filesystem::path& file, LengthUnit unit);

}  // namespace cisolve
