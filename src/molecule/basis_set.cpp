// SPDX-License-Identifier: MIT
#include "cisolve/molecule/basis_set.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cisolve/core/error.hpp"
#include "cisolve/core/names.hpp"
#include "core/text_file.hpp"
#include "molecule/text_lines.hpp"

namespace cisolve {
namespace {

constexpr std::string_view shell_letters = "SPDFGHI";
constexpr int largest_angular_momentum = 5;  // Debian's and Ubuntu's Libint2 ends with h

/// "6-31G*" -> "6-31g(d)": what two spellings of a name have in common.
std::string plain_name(std::string_view name) {
  std::string plain = lower_case(name);
  std::erase_if(plain, [](char c) { return c == ' ' || c == '\t'; });
  const auto replace_end = [&](std::string_view end, std::string_view by) {
    if (plain.ends_with(end)) plain.replace(plain.size() - end.size(), end.size(), by);
  };
  replace_end("**", "(d,p)");
  replace_end("*", "(d)");
  return plain;
}

/// What the comment lines at the head of a file say.
struct Head {
  std::string name;
  std::vector<std::string> aliases;
  std::optional<FunctionType> functions;
};

/// The text behind "! key:", without blanks around it.
std::optional<std::string> comment_value(std::string_view line, std::string_view key) {
  const std::string begin = fmt::format("! {}:", key);
  if (!line.starts_with(begin)) return std::nullopt;
  line.remove_prefix(begin.size());
  const auto first = line.find_first_not_of(' ');
  const auto last = line.find_last_not_of(" \r");
  return first == std::string_view::npos ? std::string() : std::string(line.substr(first, last - first + 1));
}

Head read_head(std::string_view text, const std::filesystem::path& file) {
  Head head;
  head.name = file.stem().string();
  int number = 0;
  for (const std::string_view line : detail::lines_of(text)) {
    ++number;
    if (!line.starts_with('!')) break;
    if (const auto name = comment_value(line, "name")) head.name = *name;
    if (const auto aliases = comment_value(line, "aliases")) {
      for (const std::string_view alias : detail::words_of(*aliases)) head.aliases.emplace_back(alias);
    }
    if (const auto functions = comment_value(line, "functions")) {
      if (*functions != "cartesian" && *functions != "spherical") {
        throw InputError(fmt::format("{}:{}: functions are cartesian or spherical; found '{}'", file.string(),
                                     number, *functions));
      }
      head.functions = *functions == "cartesian" ? FunctionType::cartesian : FunctionType::spherical;
    }
  }
  return head;
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

std::string read_text(const std::filesystem::path& file) {
  return detail::read_text_file(file, "a basis set in Gaussian94 format", detail::most_text);
}

BasisSet read_file(const std::filesystem::path& file) {
  const std::string text = read_text(file);
  const Head head = read_head(text, file);
  BasisSet set = Gaussian94Reader(text, file).read();
  set.name = head.name;
  set.functions = head.functions;
  return set;
}

std::vector<std::filesystem::path> basis_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".gbs") files.push_back(entry.path());
  }
  if (files.empty()) {
    throw InputError(
        fmt::format("{}: there are no basis sets (.gbs) in this folder; is cisolve installed completely?",
                    folder.string()));
  }
  std::sort(files.begin(), files.end());
  return files;
}

Head head_of(const std::filesystem::path& file) { return read_head(read_text(file), file); }

}  // namespace

std::vector<std::string> basis_set_names(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& file : basis_files(folder)) names.push_back(head_of(file).name);
  std::sort(names.begin(), names.end());
  return names;
}

BasisSet read_basis_set(std::string_view name, const std::filesystem::path& folder) {
  if (name.find('/') != std::string_view::npos || name.ends_with(".gbs")) return read_file(name);
  std::vector<std::string> names;
  for (const auto& file : basis_files(folder)) {
    const Head head = head_of(file);
    std::vector<std::string> spellings = head.aliases;
    spellings.push_back(head.name);
    for (const std::string& spelling : spellings) {
      if (plain_name(spelling) == plain_name(name)) return read_file(file);
    }
    names.push_back(head.name);
  }
  throw InputError(fmt::format(
      "basis '{}' is not one of {}; the nearest is {} (a file of your own: its path, ending in .gbs)", name,
      fmt::join(names, ", "), nearest_name(plain_name(name), names)));
}

GaussianBasis make_basis(const Geometry& geometry, const BasisSet& set, FunctionType functions,
                         const std::string& where) {
  GaussianBasis basis;
  for (std::size_t a = 0; a < geometry.atoms.size(); ++a) {
    const Atom& atom = geometry.atoms[a];
    const auto found = set.elements.find(atom.charge);
    if (found == set.elements.end()) {
      std::vector<std::string_view> has;
      for (const auto& [charge, shells] : set.elements) has.push_back(element_symbol(charge));
      throw InputError(fmt::format("{}: the basis {} has no {}; it has {}", where, set.name,
                                   element_symbol(atom.charge), fmt::join(has, ", ")));
    }
    if (set.with_core_potential.contains(atom.charge)) {
      throw InputError(
          fmt::format("{}: the basis {} has an effective core potential on {}, which is not "
                      "supported; a basis for all electrons is needed",
                      where, set.name, element_symbol(atom.charge)));
    }
    for (const ElementShell& shell : found->second) {
      if (shell.angular_momentum > largest_angular_momentum) {
        throw InputError(fmt::format("{}: the basis {} has {} shells on {}; shells up to {} can be used",
                                     where, set.name, shell_letters[shell.angular_momentum],
                                     element_symbol(atom.charge), shell_letters[largest_angular_momentum]));
      }
      GaussianShell placed{static_cast<int>(a), shell.angular_momentum, false,
                           shell.exponents,     shell.coefficients,     atom.position,
                           basis.num_functions};
      placed.spherical = functions == FunctionType::spherical && shell.angular_momentum >= 2;
      basis.num_functions += placed.num_functions();
      basis.shells.push_back(std::move(placed));
    }
  }
  return basis;
}

std::vector<int> function_parities(const GaussianBasis& basis) {
  std::vector<int> parities;
  const auto bits = [](int x, int y, int z) { return (x & 1) | (y & 1) << 1 | (z & 1) << 2; };
  for (const GaussianShell& shell : basis.shells) {
    const int l = shell.angular_momentum;
    if (shell.spherical) {
      // m >= 0 goes as Re (x + iy)^m, m < 0 as Im (x + iy)^|m|, both times a polynomial of parity l - |m| in z.
      for (int m = -l; m <= l; ++m) {
        const int size = m < 0 ? -m : m;
        parities.push_back(m >= 0 ? bits(size, 0, l - size) : bits(size - 1, 1, l - size));
      }
    } else {
      for (int x = l; x >= 0; --x) {
        for (int y = l - x; y >= 0; --y) parities.push_back(bits(x, y, l - x - y));
      }
    }
  }
  return parities;
}

}  // namespace cisolve
