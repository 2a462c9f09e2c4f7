// SPDX-License-Identifier: MIT
#include "cisolve/molecule/geometry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <span>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/core/names.hpp"
#include "cisolve/molecule/geometry_limits.hpp"
#include "core/text_file.hpp"
#include "molecule/text_lines.hpp"

namespace cisolve {
namespace {

constexpr std::string_view symbols[] = {
    "H",  "He", "Li", "Be", "B",  "C",  "N",  "O",  "F",  "Ne", "Na", "Mg", "Al", "Si", "P",  "S",  "Cl",
    "Ar", "K",  "Ca", "Sc", "Ti", "V",  "Cr", "Mn", "Fe", "Co", "Ni", "Cu", "Zn", "Ga", "Ge", "As", "Se",
    "Br", "Kr", "Rb", "Sr", "Y",  "Zr", "Nb", "Mo", "Tc", "Ru", "Rh", "Pd", "Ag", "Cd", "In", "Sn", "Sb",
    "Te", "I",  "Xe", "Cs", "Ba", "La", "Ce", "Pr", "Nd", "Pm", "Sm", "Eu", "Gd", "Tb", "Dy", "Ho", "Er",
    "Tm", "Yb", "Lu", "Hf", "Ta", "W",  "Re", "Os", "Ir", "Pt", "Au", "Hg", "Tl", "Pb", "Bi", "Po", "At",
    "Rn", "Fr", "Ra", "Ac", "Th", "Pa", "U",  "Np", "Pu", "Am", "Cm", "Bk", "Cf", "Es", "Fm", "Md", "No",
    "Lr", "Rf", "Db", "Sg", "Bh", "Hs", "Mt", "Ds", "Rg", "Cn", "Nh", "Fl", "Mc", "Lv", "Ts", "Og"};
constexpr int num_elements = static_cast<int>(std::size(symbols));

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

/// What other programs mean by such a line; empty if that is not known.
std::string other_meaning(const std::vector<std::string_view>& words) {
  if (words.size() > 4 && detail::number_of(words[4]))
    return "; nothing may follow the third coordinate: leave the other columns out";
  const auto names_an_atom = [](std::string_view word) {
    return element_charge(word) != 0 || word.find_first_not_of("0123456789") == std::string_view::npos;
  };
  const bool is_matrix =
      words.size() == 1 || (words.size() == 3 && words[1] != "0" && names_an_atom(words[1]) &&
                            detail::number_of(words[2]).has_value());
  if (is_matrix && element_charge(words[0]) != 0)
    return "; this looks like a Z-matrix, which is not read: Cartesian coordinates are needed";
  return {};
}

/// What is meant by a first word that is no element; empty if that is not known.
std::string other_meaning_of_symbol(std::string_view word) {
  const std::string lower = lower_case(word);
  const std::string_view letters(
      lower.data(), std::min(lower.find_first_not_of("abcdefghijklmnopqrstuvwxyz"), lower.size()));
  if (letters == "d" || letters == "t")
    return "; write H for deuterium and tritium: energies do not depend on masses";
  constexpr std::string_view ghosts[] = {"gh", "ghost", "bq", "x", "xx", "q", "du"};
  if (lower.find('@') != std::string::npos || std::ranges::find(ghosts, letters) != std::end(ghosts))
    return "; a ghost names the element whose functions it has, as in Gh(O), and a dummy atom is left out";
  return {};
}

/// The label inside that of a ghost; empty: it is none.
std::string_view inside_ghost(std::string_view word) {
  constexpr std::pair<std::string_view, std::string_view> around[] = {
      {"gh(", ")"},   {"ghost(", ")"}, {"@", ""},  {"ghost-", ""}, {"ghost_", ""}, {"ghost:", ""},
      {"ghost.", ""}, {"ghost", ""},   {"x-", ""}, {"x_", ""},     {"x:", ""},     {"x.", ""},
      {"bq-", ""},    {"bq_", ""},     {"bq", ""}, {"", "-bq"},    {"", ":"}};
  const std::string lower = lower_case(word);
  for (const auto& [before, behind] : around) {
    if (!lower.starts_with(before) || !lower.ends_with(behind)) continue;
    if (lower.size() <= before.size() + behind.size()) continue;
    const std::string_view inside = word.substr(before.size(), word.size() - before.size() - behind.size());
    if (element_charge(inside) != 0) return inside;
  }
  return {};
}

/// "symbol x y z" -> an atom.
Atom parse_atom(std::string_view line, double factor, const std::string& where) {
  auto words = detail::words_of(line);
  const std::string with_colon = words.size() == 5 && words[1] == ":" ? std::string(words[0]) + ":" : "";
  if (!with_colon.empty()) {  // a ghost of ORCA
    words.erase(words.begin() + 1);
    words[0] = with_colon;
  }
  if (words.size() != 4) {
    throw InputError(fmt::format(
        "{}: found {} word{} ('{}'); an atom is a symbol and three coordinates, such as \"O 0.0 0.0 "
        "0.1173\"{}",
        where, words.size(), words.size() == 1 ? "" : "s", fmt::join(words, " "), other_meaning(words)));
  }
  AtomLabel label = parse_atom_label(words[0]);
  if (label.element == 0) {
    const std::string_view near = nearest_word(words[0], symbols);
    std::string help = other_meaning_of_symbol(words[0]);
    if (help.empty() && !near.empty()) help = fmt::format("; did you mean {}?", near);
    throw InputError(
        fmt::format("{}: '{}' is no element; an atom begins with a symbol such as H, or a label such as H1{}",
                    where, words[0], help));
  }
  Atom atom{label.is_ghost ? 0 : label.element, std::move(label.text)};
  if (label.is_ghost) atom.ghost_of = label.element;
  for (std::size_t k = 0; k < 3; ++k) {
    const auto number = detail::number_of(words[k + 1]);
    if (!number) {
      throw InputError(fmt::format("{}: '{}' is no coordinate of {}; a number is expected", where,
                                   words[k + 1], words[0]));
    }
    atom.position[k] = *number * factor;
  }
  return atom;
}

void require_nucleus(const Geometry& geometry, const std::string& where) {
  if (geometry.atoms.empty()) throw InputError(fmt::format("{}: there are no atoms in it", where));
  if (std::ranges::all_of(geometry.atoms, &Atom::is_ghost))
    throw InputError(fmt::format("{}: all of its atoms are ghosts; one at least needs a nucleus", where));
}

double distance(const Position& a, const Position& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

}  // namespace

std::string_view element_symbol(int charge) {
  if (charge < 1 || charge > num_elements)
    throw DimensionError(fmt::format("element_symbol: no element {}", charge));
  return symbols[charge - 1];
}

int element_charge(std::string_view label) {
  const auto end = std::find_if_not(label.begin(), label.end(), is_letter);
  const std::string_view symbol = label.substr(0, end - label.begin());
  for (int charge = 1; charge <= num_elements; ++charge) {
    if (equal_ignoring_case(symbol, symbols[charge - 1])) return charge;
  }
  return 0;
}

AtomLabel parse_atom_label(std::string_view word) {
  if (const int charge = element_charge(word);
      charge != 0 && !word.ends_with(':') && !word.ends_with('@') && !lower_case(word).ends_with("-bq"))
    return {charge, false, std::string(word)};
  const std::string_view inside = inside_ghost(word);
  if (inside.empty()) return {0, false, std::string(word)};
  return {element_charge(inside), true, fmt::format("Gh({})", inside)};
}

std::string atom_symbol(const Atom& atom) {
  const std::string_view symbol = element_symbol(atom.element());
  return atom.is_ghost() ? fmt::format("Gh({})", symbol) : std::string(symbol);
}

Geometry parse_geometry(std::string_view text, LengthUnit unit, const std::string& where) {
  Geometry geometry;
  int number = 0;
  for (std::string_view line : detail::lines_of(text)) {
    ++number;
    line = line.substr(0, line.find('#'));
    for (std::size_t at = 0; at <= line.size();) {
      const std::size_t end = std::min(line.find(';', at), line.size());
      const std::string_view part = line.substr(at, end - at);
      if (!detail::words_of(part).empty()) {
        geometry.atoms.push_back(parse_atom(part, bohr_in(unit), fmt::format("{}, line {}", where, number)));
      }
      at = end + 1;
    }
  }
  require_nucleus(geometry, where);
  return geometry;
}

namespace {

/// One frame of an .xyz file from line `first` on; `first` becomes the line after it.
Geometry parse_frame(std::span<const std::string_view> lines, std::size_t& first, LengthUnit unit,
                     const std::string& file) {
  const auto head = first < lines.size() ? detail::words_of(lines[first]) : std::vector<std::string_view>();
  const auto count = head.size() == 1 ? detail::number_of(head[0]) : std::nullopt;
  if (!count || *count < 1.0 || *count != std::floor(*count) || *count > 1e6) {
    throw InputError(fmt::format("{}:{}: an .xyz file begins with the number of its atoms; found '{}'", file,
                                 first + 1, fmt::join(head, " ")));
  }
  const auto atoms = static_cast<std::size_t>(*count);
  const std::size_t left = lines.size() - first;
  if (left < atoms + 2) {
    throw InputError(fmt::format("{}:{}: the file ends after {} of the {} atoms that its {} names", file,
                                 lines.size(), left < 2 ? 0 : left - 2, atoms,
                                 first == 0 ? "first line" : fmt::format("line {}", first + 1)));
  }
  Geometry geometry;
  for (std::size_t k = first + 2; k < first + atoms + 2; ++k) {
    geometry.atoms.push_back(parse_atom(lines[k], bohr_in(unit), fmt::format("{}:{}", file, k + 1)));
  }
  require_nucleus(geometry, fmt::format("{}:{}", file, first + 1));
  first += atoms + 2;
  return geometry;
}

/// The first line from `at` on that is not blank.
std::size_t next_line(std::span<const std::string_view> lines, std::size_t at) {
  while (at < lines.size() && detail::words_of(lines[at]).empty()) ++at;
  return at;
}

}  // namespace

Geometry read_xyz(const std::filesystem::path& file, LengthUnit unit) {
  const std::string text = detail::read_text_file(file, "an .xyz file", detail::most_text);
  const auto lines = detail::lines_of(text);
  std::size_t at = 0;
  Geometry geometry = parse_frame(lines, at, unit, file.string());
  at = next_line(lines, at);
  if (at < lines.size()) {
    throw InputError(fmt::format("{}:{}: found '{}' after the {} atoms that the first line names",
                                 file.string(), at + 1, fmt::join(detail::words_of(lines[at]), " "),
                                 geometry.atoms.size()));
  }
  return geometry;
}

std::vector<Geometry> read_xyz_frames(const std::filesystem::path& file, LengthUnit unit) {
  const std::string text = detail::read_text_file(file, "an .xyz file", detail::most_text);
  const auto lines = detail::lines_of(text);
  std::vector<Geometry> frames;
  for (std::size_t at = 0; frames.empty() || at < lines.size(); at = next_line(lines, at)) {
    frames.push_back(parse_frame(lines, at, unit, file.string()));
  }
  return frames;
}

void check_limits(const Geometry& geometry, const GeometryLimits& limits, const std::string& where) {
  const std::size_t count = geometry.atoms.size();
  if (count > limits.most_atoms)
    throw InputError(fmt::format("{}: found {} atoms; expected at most {}", where, count, limits.most_atoms));
  for (std::size_t a = 0; a < count; ++a) {
    for (const double x : geometry.atoms[a].position) {
      if (std::abs(x) <= limits.most_coordinate) continue;
      throw InputError(
          fmt::format("{}: atom {} ({}) has the coordinate {:g} bohr; expected at most {:g} bohr", where,
                      a + 1, geometry.atoms[a].label, x, limits.most_coordinate));
    }
  }
}

void check_distances(const Geometry& geometry, const LeastDistances& least, const std::string& where) {
  for (std::size_t a = 0; a < geometry.atoms.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const Atom &one = geometry.atoms[b], &other = geometry.atoms[a];
      const double apart = distance(one.position, other.position);
      const bool has_ghost = one.is_ghost() || other.is_ghost();
      const double needed = has_ghost ? least.ghosts : least.nuclei;
      if (apart >= needed) continue;
      throw InputError(fmt::format("{}: atoms {} ({}) and {} ({}) are {:.4f} bohr apart; {} {} at least",
                                   where, b + 1, one.label, a + 1, other.label, apart,
                                   has_ghost ? "a ghost needs" : "two atoms need", needed));
    }
  }
}

void check_point_charges(const Geometry& geometry, double least, double most, const std::string& where) {
  const auto& charges = geometry.surroundings.charges;
  for (std::size_t c = 0; c < charges.size(); ++c) {
    for (const double x : charges[c].position) {
      if (std::abs(x) > most)
        throw InputError(
            fmt::format("{}: point charge {} has the coordinate {:g} bohr; expected at most {:g}", where,
                        c + 1, x, most));
    }
    for (std::size_t a = 0; a < geometry.atoms.size(); ++a) {
      const double apart = distance(charges[c].position, geometry.atoms[a].position);
      if (apart < least)
        throw InputError(
            fmt::format("{}: point charge {} is {:.4f} bohr from atom {} ({}); it needs {} at least", where,
                        c + 1, apart, a + 1, geometry.atoms[a].label, least));
    }
  }
}

double nuclear_energy(const Geometry& geometry) {
  double energy = 0.0;
  const Position centre = charge_centre(geometry);
  for (std::size_t a = 0; a < geometry.atoms.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      energy += geometry.atoms[a].charge * geometry.atoms[b].charge /
                distance(geometry.atoms[a].position, geometry.atoms[b].position);
    }
    const Atom& atom = geometry.atoms[a];
    for (const PointCharge& other : geometry.surroundings.charges)
      energy += atom.charge * other.charge / distance(atom.position, other.position);
    for (std::size_t k = 0; k < 3; ++k)
      energy -= atom.charge * geometry.surroundings.field[k] * (atom.position[k] - centre[k]);
  }
  return energy;
}

int total_charge(const Geometry& geometry) {
  int charge = 0;
  for (const Atom& atom : geometry.atoms) charge += atom.charge;
  return charge;
}

Position charge_centre(const Geometry& geometry) {
  Position centre = {};
  for (const Atom& atom : geometry.atoms) {
    for (std::size_t k = 0; k < 3; ++k) centre[k] += atom.charge * atom.position[k];
  }
  for (double& x : centre) x /= total_charge(geometry);
  return centre;
}

}  // namespace cisolve
