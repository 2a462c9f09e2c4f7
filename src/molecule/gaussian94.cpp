// SPDX-License-Identifier: MIT
#include "cisolve/molecule/gaussian94.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cisolve/core/error.hpp"
#include "cisolve/core/names.hpp"
#include "molecule/text_lines.hpp"

namespace cisolve {
namespace {

using detail::shell_letters;

/// The text behind "! key:", without blanks around it.
std::optional<std::string> comment_value(std::string_view line, std::string_view key) {
  const std::string begin = fmt::format("! {}:", key);
  if (!line.starts_with(begin)) return std::nullopt;
  line.remove_prefix(begin.size());
  const auto first = line.find_first_not_of(' ');
  const auto last = line.find_last_not_of(" \r");
  return first == std::string_view::npos ? std::string() : std::string(line.substr(first, last - first + 1));
}

/// Reads the elements of a Gaussian94 file; of effective core potentials which elements have one.
class Gaussian94Reader {
public:
  Gaussian94Reader(std::string_view text, const std::filesystem::path& file)
      : lines_(detail::lines_of(text)), file_(file) {}

  BasisSet read() {
    BasisSet set;
    while (next()) {
      if (words_[0] == "****") continue;
      const int charge = element_charge(words_[0]);
      if (words_.size() != 2 || charge == 0) refuse("an element such as \"O 0\"");
      std::vector<ElementShell> shells = read_element(charge, set);
      if (shells.empty() && set.with_core_potential.contains(charge)) continue;
      if (!set.elements.try_emplace(charge, std::move(shells)).second) refuse("each element once");
    }
    if (set.elements.empty()) refuse("a basis set in Gaussian94 format");
    return set;
  }

private:
  /// Steps to the next line that holds something.
  bool next() {
    while (at_ < lines_.size()) {
      std::string_view line = lines_[at_++];
      line = line.substr(0, line.find('!'));
      words_ = detail::words_of(line);
      if (!words_.empty()) return true;
    }
    words_.clear();
    return false;
  }

  [[noreturn]] void refuse(std::string_view expected) const {
    throw InputError(
        fmt::format("{}:{}: found '{}'; expected {}", file_.string(), at_, fmt::join(words_, " "), expected));
  }

  std::vector<ElementShell> read_element(int charge, BasisSet& set) {
    std::vector<ElementShell> shells;
    while (next()) {
      if (words_[0] == "****") break;
      if (lower_case(words_[0]).ends_with("-ecp")) {
        skip_potential();
        set.with_core_potential.insert(charge);
        break;  // a blank line ends it
      }
      read_shell(shells);
    }
    return shells;
  }

  /// "I-ECP 3 28": for l = 0 .. 3 a title, a number of terms, and a line for each.
  void skip_potential() {
    constexpr double most = 1000.0;
    const auto largest = words_.size() == 3 ? detail::number_of(words_[1]) : std::nullopt;
    if (!largest || *largest < 0.0 || *largest > most) refuse("a core potential such as \"I-ECP 3 28\"");
    for (int l = 0; l <= static_cast<int>(*largest); ++l) {
      next();
      next();
      const auto terms = words_.size() == 1 ? detail::number_of(words_[0]) : std::nullopt;
      if (!terms || *terms < 0.0 || *terms > most) refuse("the number of terms of a core potential");
      for (int k = 0; k < static_cast<int>(*terms); ++k) next();
    }
  }

  /// "SP 3 1.00" and its primitives; a letter for each column of coefficients.
  void read_shell(std::vector<ElementShell>& shells) {
    const std::string letters = [this] {
      std::string upper(words_[0]);
      for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
      return upper;
    }();
    const bool known = letters.find_first_not_of(shell_letters) == std::string::npos;
    const auto count = words_.size() >= 2 ? detail::number_of(words_[1]) : std::nullopt;
    const auto scale = words_.size() >= 3 ? detail::number_of(words_[2]) : std::optional(1.0);
    if (!known || !count || *count < 1.0 || *count > 1e3 || !scale || *scale <= 0.0) {
      refuse("a shell such as \"S 3 1.00\": letters, number of primitives, scale factor");
    }
    const std::size_t first = shells.size();
    for (const char letter : letters) {
      shells.emplace_back().angular_momentum = static_cast<int>(shell_letters.find(letter));
    }
    for (int k = 0; k < static_cast<int>(*count); ++k) {
      next();
      if (words_.size() != letters.size() + 1) refuse("an exponent and its coefficients");
      const auto exponent = detail::number_of(words_[0]);
      if (!exponent || *exponent <= 0.0) refuse("a positive exponent");
      for (std::size_t column = 0; column < letters.size(); ++column) {
        const auto coefficient = detail::number_of(words_[column + 1]);
        if (!coefficient) refuse("a number");
        if (*coefficient == 0.0) continue;
        shells[first + column].exponents.push_back(*exponent * *scale * *scale);
        shells[first + column].coefficients.push_back(*coefficient);
      }
    }
    for (std::size_t k = first; k < shells.size(); ++k) {
      if (shells[k].exponents.empty()) refuse("a coefficient that is not zero");
    }
  }

  std::vector<std::string_view> lines_;
  std::filesystem::path file_;
  std::size_t at_ = 0;
  std::vector<std::string_view> words_;
};

}  // namespace

Gaussian94Head read_gaussian94_head(std::string_view text, const std::filesystem::path& file) {
  Gaussian94Head head;
  head.name = file.stem().string();
  int number = 0;
  for (const std::string_view line : detail::lines_of(text)) {
    ++number;
    if (!line.starts_with('!')) break;
    if (const auto name = comment_value(line, "name")) head.name = *name;
    if (const auto aliases = comment_value(line, "aliases")) {
      for (const std::string_view alias : detail::words_of(*aliases)) head.aliases.emplace_back(alias);
    }
    if (const auto atoms = comment_value(line, "atoms")) {
      for (const std::string_view word : detail::words_of(*atoms)) {
        const auto atom = detail::number_of(word);
        if (!atom || *atom < 1.0 || *atom > 1e6 || *atom != std::floor(*atom))
          throw InputError(fmt::format("{}:{}: '{}' is no number of an atom", file.string(), number, word));
        head.atoms.push_back(static_cast<int>(*atom));
      }
    }
    if (const auto functions = comment_value(line, "functions")) {
      head.functions = function_type_of(*functions);
      if (!head.functions) {
        throw InputError(fmt::format(
            "{}:{}: functions are cartesian, spherical or \"cartesian d, spherical f\"; found '{}'",
            file.string(), number, *functions));
      }
    }
  }
  return head;
}

BasisSet read_gaussian94(std::string_view text, const std::filesystem::path& file) {
  Gaussian94Head head = read_gaussian94_head(text, file);
  BasisSet set = Gaussian94Reader(text, file).read();
  set.name = std::move(head.name);
  set.functions = head.functions;
  return set;
}

namespace {

/// One set with the elements of the atoms that take it.
void append_set(const GaussianBasis& basis, const Geometry& geometry, int set, std::string& text) {
  std::map<int, int> first_atom;  // of each element
  for (const GaussianShell& shell : basis.shells) {
    const Atom& atom = geometry.atoms[static_cast<std::size_t>(shell.atom)];
    if (atom.set == set) first_atom.try_emplace(atom.element(), shell.atom);
  }
  for (const auto& [element, atom] : first_atom) {
    text += fmt::format("{} 0\n", element_symbol(element));
    for (const GaussianShell& shell : basis.shells) {
      if (shell.atom != atom) continue;
      text += fmt::format("{} {} 1.00\n", shell_letters[shell.angular_momentum], shell.exponents.size());
      for (std::size_t k = 0; k < shell.exponents.size(); ++k)
        text += fmt::format("{:24.16E} {:24.16E}\n", shell.exponents[k], shell.coefficients[k]);
    }
    text += "****\n";
  }
}

}  // namespace

std::string gaussian94_text(const GaussianBasis& basis, const Geometry& geometry,
                            std::span<const Gaussian94Head> sets) {
  std::map<int, std::vector<std::size_t>> atoms;  // of each set, from 1
  for (std::size_t a = 0; a < geometry.atoms.size(); ++a) atoms[geometry.atoms[a].set].push_back(a + 1);
  std::string text;
  for (const auto& [set, numbers] : atoms) {
    const Gaussian94Head& head = sets[static_cast<std::size_t>(set)];
    text += fmt::format("! name: {}\n! functions: {}\n", head.name,
                        function_type_name(head.functions.value_or(FunctionType::spherical)));
    if (atoms.size() > 1) text += fmt::format("! atoms: {}\n", fmt::join(numbers, " "));
    append_set(basis, geometry, set, text);
  }
  return text;
}

std::vector<BasisSet> read_gaussian94_sets(std::string_view text, const std::filesystem::path& file,
                                           Geometry& geometry) {
  std::vector<BasisSet> sets;
  constexpr std::string_view begin = "\n! name:";
  while (!text.empty()) {
    const std::size_t next = text.find(begin);
    const std::string_view part = text.substr(0, next == std::string_view::npos ? next : next + 1);
    for (const int atom : read_gaussian94_head(part, file).atoms) {
      if (atom > std::ssize(geometry.atoms))
        throw InputError(fmt::format("{}: a set is that of atom {}; there are {}", file.string(), atom,
                                     geometry.atoms.size()));
      geometry.atoms[static_cast<std::size_t>(atom - 1)].set = static_cast<int>(std::ssize(sets));
    }
    sets.push_back(read_gaussian94(part, file));
    text.remove_prefix(part.size());
  }
  return sets;
}

}  // namespace cisolve
