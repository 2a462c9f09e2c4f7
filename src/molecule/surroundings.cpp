// SPDX-License-Identifier: MIT
#include "cisolve/molecule/surroundings.hpp"

#include <fmt/format.h>

#include "cisolve/core/error.hpp"
#include "cisolve/core/units.hpp"
#include "core/text_file.hpp"
#include "molecule/text_lines.hpp"

namespace cisolve {

double bohr_in(LengthUnit unit) { return unit == LengthUnit::bohr ? 1.0 : 1.0 / units::bohr_in_angstrom; }

std::vector<PointCharge> parse_point_charges(std::string_view text, LengthUnit unit,
                                             const std::string& where) {
  std::vector<PointCharge> charges;
  std::size_t number = 0;
  for (std::string_view line : detail::lines_of(text)) {
    ++number;
    line = line.substr(0, line.find('#'));
    const auto words = detail::words_of(line);
    if (words.empty()) continue;
    if (words.size() != 4)
      throw InputError(
          fmt::format("{}:{}: found {} word{} ('{}'); a point charge is x, y, z and the charge, such as \"0 "
                      "0 3.0 0.4\"",
                      where, number, words.size(), words.size() == 1 ? "" : "s", fmt::join(words, " ")));
    std::array<double, 4> values = {};
    for (std::size_t k = 0; k < 4; ++k) {
      const auto value = detail::number_of(words[k]);
      if (!value)
        throw InputError(fmt::format("{}:{}: '{}' is no number; a point charge is x, y, z and the charge",
                                     where, number, words[k]));
      values[k] = *value;
    }
    if (charges.size() == most_point_charges)
      throw InputError(
          fmt::format("{}:{}: found more than {} point charges", where, number, most_point_charges));
    const double factor = bohr_in(unit);
    charges.push_back({values[3], {values[0] * factor, values[1] * factor, values[2] * factor}});
  }
  if (charges.empty()) throw InputError(fmt::format("{}: there are no point charges in it", where));
  return charges;
}

std::vector<PointCharge> read_point_charges(const std::filesystem::path& file, LengthUnit unit) {
  return parse_point_charges(detail::read_text_file(file, "a file of point charges", detail::most_text), unit,
                             file.string());
}

}  // namespace cisolve
