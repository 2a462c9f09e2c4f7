// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/core/names.hpp"
#include "cisolve/core/units.hpp"
#include "cisolve/molecule/molden.hpp"
#include "core/text_file.hpp"
#include "molecule/molden_functions.hpp"
#include "molecule/text_lines.hpp"

namespace cisolve {
namespace {

/// No basis that can be used has more; the coefficients of so many orbitals take 200 MB.
constexpr int most_functions = 5'000;

/// An orbital as it stands in the file: coefficients by the number of the function there, from 1.
struct FileOrbital {
  std::string symmetry;
  double energy = 0.0, occupation = 0.0;
  std::vector<std::pair<int, double>> coefficients;
};

class MoldenReader {
public:
  MoldenReader(std::string_view text, const std::filesystem::path& file)
      : lines_(detail::lines_of(text)), file_(file) {}

  MoldenOrbitals read() {
    if (!next() || section() != "molden format") refuse("[Molden Format] in the first line");
    next();
    while (!words_.empty()) read_section();
    require(!found_.geometry.atoms.empty(), "[Atoms]");
    require(!found_.basis.shells.empty(), "[GTO]");
    require(!orbitals_.empty(), "[MO]");
    place_functions();
    place_orbitals();
    return std::move(found_);
  }

private:
  /// Steps to the next line that holds something; at the end there are no words.
  bool next() {
    while (at_ < lines_.size()) {
      line_ = lines_[at_++];
      words_ = detail::words_of(line_);
      if (!words_.empty()) return true;
    }
    words_.clear();
    line_ = {};
    return false;
  }

  [[noreturn]] void refuse(std::string_view expected) const {
    constexpr std::size_t shown = 60;
    throw InputError(
        fmt::format("{}:{}: found '{}'; expected {}", file_.string(), at_, line_.substr(0, shown), expected));
  }
  void require(bool holds, std::string_view section) const {
    if (!holds) throw InputError(fmt::format("{}: the Molden file has no {}", file_.string(), section));
  }

  /// Name of the section that a line begins, in small letters; empty: it begins none.
  std::string section() const {
    const std::size_t first = line_.find_first_not_of(" \t"), last = line_.find(']');
    if (first == std::string_view::npos || line_[first] != '[' || last == std::string_view::npos) return {};
    return lower_case(line_.substr(first + 1, last - first - 1));
  }
  bool is_in_section() const { return !words_.empty() && section().empty(); }

  double number(std::size_t word, std::string_view expected) const {
    const auto value = word < words_.size() ? detail::number_of(words_[word]) : std::nullopt;
    if (!value) refuse(expected);
    return *value;
  }
  int integer(std::size_t word, int least, int most, std::string_view expected) const {
    const double value = number(word, expected);
    if (value != std::floor(value) || value < least || value > most) refuse(expected);
    return static_cast<int>(value);
  }

  void read_section() {
    const std::string name = section();
    if (name == "title") return read_title();
    if (name == "atoms") return read_atoms();
    if (name == "gto") return read_shells();
    if (name == "mo") return read_orbitals();
    if (name == "sto") refuse("Gaussian functions, [GTO]");
    if (name == "5d" || name == "5d7f") spherical_.insert({2, 3});
    if (name == "5d10f") spherical_.insert(2);
    if (name == "7f") spherical_.insert(3);
    if (name == "9g") spherical_.insert(4);
    if (name == "11h" || name == "21h") refuse("shells up to g: the format has no order of functions beyond");
    do next();
    while (is_in_section());
  }

  void read_title() {
    next();
    while (is_in_section()) {
      const std::size_t first = line_.find_first_not_of(" \t");
      found_.title += std::string(found_.title.empty() ? "" : " ").append(line_.substr(first));
      next();
    }
  }

  /// "[Atoms] AU", then "O 1 8 0.0 0.0 0.1".
  void read_atoms() {
    const std::string text = lower_case(line_);
    const bool is_bohr = text.find("au") != std::string::npos;
    if (!is_bohr && text.find("angs") == std::string::npos) refuse("the unit, [Atoms] AU or [Atoms] Angs");
    const double unit = is_bohr ? 1.0 : 1.0 / units::bohr_in_angstrom;
    next();
    while (is_in_section()) {
      constexpr std::string_view expected = "an atom: symbol, number, nuclear charge, x, y, z";
      constexpr int heaviest = 118;
      Atom atom;
      if (words_.size() < 6) refuse(expected);
      integer(1, 1, static_cast<int>(lines_.size()), expected);
      atom.label = words_[0];
      atom.charge = integer(2, 0, heaviest, expected);
      if (atom.charge == 0) {  // a ghost, whose symbol some programs write as that of an atom
        const AtomLabel label = parse_atom_label(words_[0]);
        if (label.element == 0) refuse("the element of a ghost, such as Gh(O)");
        atom.ghost_of = label.element;
        atom.label = label.is_ghost ? label.text : fmt::format("Gh({})", label.text);
      }
      for (std::size_t k = 0; k < 3; ++k) atom.position[k] = unit * number(3 + k, expected);
      found_.geometry.atoms.push_back(std::move(atom));
      next();
    }
  }

  /// For each atom a line "1 0" and its shells.
  void read_shells() {
    int atom = -1;
    next();
    while (is_in_section()) {
      if (detail::number_of(words_[0])) {
        atom = integer(0, 1, static_cast<int>(lines_.size()), "the number of an atom") - 1;
        next();
      } else {
        if (atom < 0) refuse("the number of an atom");
        read_shell(atom);
      }
    }
  }

  /// "d 3 1.00" and its primitives, "sp" with two columns of coefficients.
  void read_shell(int atom) {
    constexpr std::string_view expected =
        "a shell such as \"s 3 1.00\": s, p, d, f, g or sp, number of primitives";
    constexpr int most_primitives = 200;
    const std::string letters = lower_case(words_[0]);
    std::vector<int> momenta;
    for (const char letter : letters) {
      const auto l = lower_case(detail::shell_letters).find(letter);
      if (l == std::string::npos || static_cast<int>(l) > detail::molden_largest_angular_momentum)
        refuse(expected);
      momenta.push_back(static_cast<int>(l));
    }
    if (momenta.size() != 1 && letters != "sp") refuse(expected);
    const int count = integer(1, 1, most_primitives, expected);
    std::vector<GaussianShell> shells(momenta.size());
    for (std::size_t s = 0; s < shells.size(); ++s) {
      shells[s].atom = atom;
      shells[s].angular_momentum = momenta[s];
    }
    for (int k = 0; k < count; ++k) {
      next();
      constexpr std::string_view primitive = "an exponent and its coefficients";
      const double exponent = number(0, primitive);
      if (exponent <= 0.0) refuse("a positive exponent");
      for (std::size_t s = 0; s < shells.size(); ++s) {
        const double coefficient = number(s + 1, primitive);
        if (coefficient == 0.0) continue;
        shells[s].exponents.push_back(exponent);
        shells[s].coefficients.push_back(coefficient);
      }
    }
    for (GaussianShell& shell : shells) {
      if (shell.exponents.empty()) refuse("a coefficient that is not zero");
      found_.basis.shells.push_back(std::move(shell));
    }
    next();
  }

  /// "Sym=", "Ene=", "Spin=", "Occup=" in any order, then "1 0.123" for the functions that have a coefficient.
  void read_orbitals() {
    next();
    while (is_in_section()) {
      FileOrbital& orbital = orbitals_.emplace_back();
      if (line_.find('=') == std::string_view::npos) refuse("Sym=, Ene=, Spin= or Occup= of an orbital");
      while (is_in_section() && line_.find('=') != std::string_view::npos) read_property(orbital);
      while (is_in_section() && line_.find('=') == std::string_view::npos) {
        constexpr std::string_view expected = "the number of a function and its coefficient";
        const int function = integer(0, 1, most_functions, expected);
        orbital.coefficients.emplace_back(function, number(1, expected));
        next();
      }
    }
  }

  void read_property(FileOrbital& orbital) {
    const std::size_t equals = line_.find('=');
    const auto before = detail::words_of(line_.substr(0, equals)),
               after = detail::words_of(line_.substr(equals + 1));
    const std::string name = before.empty() ? "" : lower_case(before.front());
    const auto value = after.empty() ? std::nullopt : detail::number_of(after.front());
    if (name == "sym" && !after.empty()) orbital.symmetry = after.front();
    if (name == "ene" && value) orbital.energy = *value;
    if (name == "occup") {
      if (!value) refuse("an occupation such as Occup= 2.0");
      orbital.occupation = *value;
    }
    if (name == "spin" && !after.empty() && equal_ignoring_case(after.front(), "beta"))
      refuse("orbitals for both spins, Spin= Alpha: those of an unrestricted calculation are of no use here");
    next();
  }

  void place_functions() {
    GaussianBasis& basis = found_.basis;
    const int atoms = static_cast<int>(found_.geometry.atoms.size());
    for (GaussianShell& shell : basis.shells) {
      if (shell.atom >= atoms) {
        throw InputError(fmt::format("{}: [GTO] has shells of atom {}, [Atoms] has {}", file_.string(),
                                     shell.atom + 1, atoms));
      }
      shell.spherical = spherical_.contains(shell.angular_momentum);
      shell.centre = found_.geometry.atoms[shell.atom].position;
      shell.first_function = basis.num_functions;
      const double norm = detail::contraction_overlap(shell, shell);
      if (!(norm > 0.0) || !std::isfinite(norm))
        throw InputError(fmt::format("{}: a shell of atom {} vanishes", file_.string(), shell.atom + 1));
      basis.num_functions += shell.num_functions();
      if (basis.num_functions > most_functions)
        throw InputError(fmt::format("{}: more than {} functions", file_.string(), most_functions));
    }
  }

  void place_orbitals() {
    const int n = found_.basis.num_functions;
    if (std::ssize(orbitals_) > n) {
      throw InputError(
          fmt::format("{}: there are {} orbitals over {} functions", file_.string(), orbitals_.size(), n));
    }
    std::vector<std::pair<int, double>> places;  // in our order, of each function of the file
    for (const GaussianShell& shell : found_.basis.shells) {
      for (const auto& [ours, factor] : detail::molden_functions(shell.angular_momentum, shell.spherical))
        places.emplace_back(shell.first_function + ours, factor);
    }
    found_.coefficients = Matrix(n, static_cast<int>(orbitals_.size()));
    for (std::size_t k = 0; k < orbitals_.size(); ++k) {
      FileOrbital& orbital = orbitals_[k];
      for (const auto& [function, value] : orbital.coefficients) {
        if (function > n) {
          throw InputError(
              fmt::format("{}: orbital {} has a coefficient of function {}; there are {} functions",
                          file_.string(), k + 1, function, n));
        }
        const auto& [place, factor] = places[static_cast<std::size_t>(function - 1)];
        found_.coefficients(place, static_cast<int>(k)) = value * factor;
      }
      found_.symmetries.push_back(std::move(orbital.symmetry));
      found_.energies.push_back(orbital.energy);
      found_.occupations.push_back(orbital.occupation);
    }
  }

  std::vector<std::string_view> lines_;
  std::filesystem::path file_;
  std::size_t at_ = 0;
  std::string_view line_;
  std::vector<std::string_view> words_;
  std::set<int> spherical_;  ///< angular momenta
  MoldenOrbitals found_;
  std::vector<FileOrbital> orbitals_;
};

}  // namespace

MoldenOrbitals read_molden(const std::filesystem::path& file) {
  const std::string text = detail::read_text_file(file, "a Molden file", detail::most_text);
  return MoldenReader(text, file).read();
}

}  // namespace cisolve
