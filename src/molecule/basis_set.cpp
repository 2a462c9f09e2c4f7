// SPDX-License-Identifier: MIT
#include "cisolve/molecule/basis_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>

#include "cisolve/core/error.hpp"
#include "cisolve/core/names.hpp"
#include "cisolve/molecule/gaussian94.hpp"
#include "core/text_file.hpp"
#include "molecule/text_lines.hpp"

namespace cisolve {
namespace {

using detail::shell_letters;
constexpr int largest_angular_momentum = 5;  // Debian's and Ubuntu's Libint2 ends with h

/// "6-31G*" -> "631g(d)": what two spellings of a name have in common.
std::string plain_name(std::string_view name) {
  std::string plain = lower_case(name);
  std::erase_if(plain, [](char c) { return c == ' ' || c == '\t' || c == '-' || c == '_'; });
  const auto replace_end = [&](std::string_view end, std::string_view by) {
    if (plain.ends_with(end)) plain.replace(plain.size() - end.size(), end.size(), by);
  };
  replace_end("**", "(d,p)");
  replace_end("*", "(d)");
  return plain;
}

std::string read_text(const std::filesystem::path& file) {
  return detail::read_text_file(file, "a basis set in Gaussian94 format", detail::most_text);
}

BasisSet read_file(const std::filesystem::path& file) { return read_gaussian94(read_text(file), file); }

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

/// From the comment lines at the head, without the rest: all sets together have megabytes.
Gaussian94Head head_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw SystemError(fmt::format("{}: cannot be read: {}", file.string(), std::strerror(errno)));
  std::string head;
  for (std::string line; std::getline(stream, line) && line.starts_with('!');) head += line + '\n';
  return read_gaussian94_head(head, file);
}

/// "H-Ar, Ca-Kr": elements of a set.
std::string elements_text(const BasisSet& set) {
  std::string text;
  const auto& elements = set.elements;
  for (auto first = elements.begin(); first != elements.end();) {
    auto last = first;
    for (auto next = std::next(last); next != elements.end() && next->first == last->first + 1; ++next)
      last = next;
    if (!text.empty()) text += ", ";
    text += element_symbol(first->first);
    if (last != first) text += fmt::format("-{}", element_symbol(last->first));
    first = std::next(last);
  }
  return text;
}

/// Shells of an element that can be used.
/// @throws InputError  as make_basis
const std::vector<ElementShell>& shells_of(const BasisSet& set, int charge, const std::string& where) {
  const std::string_view element = element_symbol(charge);
  const auto found = set.elements.find(charge);
  if (found == set.elements.end())
    throw InputError(
        fmt::format("{}: the basis {} has no {}; it has {}", where, set.name, element, elements_text(set)));
  if (set.with_core_potential.contains(charge)) {
    throw InputError(
        fmt::format("{}: the basis {} leaves the core of {} to an effective core potential, which is not "
                    "integrated here; take "
                    "a set for all electrons, or bring the integrals with the potential from another program "
                    "as an FCIDUMP "
                    "file (docs/basis_sets.md shows how with PySCF)",
                    where, set.name, element));
  }
  for (const ElementShell& shell : found->second) {
    if (shell.angular_momentum <= largest_angular_momentum) continue;
    throw InputError(fmt::format("{}: the basis {} has {} shells on {}; shells up to {} can be used", where,
                                 set.name, lower_case(shell_letters.substr(shell.angular_momentum, 1)),
                                 element, lower_case(shell_letters.substr(largest_angular_momentum, 1))));
  }
  return found->second;
}

bool is_spherical(FunctionType functions, int angular_momentum) {
  if (angular_momentum < 2 || functions == FunctionType::cartesian) return false;
  return functions == FunctionType::spherical || angular_momentum > 2;
}

/// Appends the functions of one atom.
void add_functions(const Geometry& geometry, int number, const BasisSet& set, FunctionType functions,
                   const std::string& where, GaussianBasis& basis) {
  const Atom& atom = geometry.atoms[static_cast<std::size_t>(number)];
  for (const ElementShell& shell : shells_of(set, atom.element(), where)) {
    GaussianShell placed{number,        shell.angular_momentum, false, shell.exponents, shell.coefficients,
                         atom.position, basis.num_functions};
    placed.spherical = is_spherical(functions, shell.angular_momentum);
    basis.num_functions += placed.num_functions();
    basis.shells.push_back(std::move(placed));
  }
}

constexpr std::pair<FunctionType, std::string_view> type_names[] = {
    {FunctionType::cartesian, "cartesian"},
    {FunctionType::spherical, "spherical"},
    {FunctionType::cartesian_d, "cartesian d, spherical f"}};

}  // namespace

std::string_view function_type_name(FunctionType functions) {
  return std::ranges::find(type_names, functions, &std::pair<FunctionType, std::string_view>::first)->second;
}

std::optional<FunctionType> function_type_of(std::string_view name) {
  const auto* found = std::ranges::find(type_names, name, &std::pair<FunctionType, std::string_view>::second);
  return found == std::end(type_names) ? std::nullopt : std::optional(found->first);
}

std::vector<std::string> basis_set_names(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& file : basis_files(folder)) names.push_back(head_of(file).name);
  std::sort(names.begin(), names.end());
  return names;
}

BasisSet read_basis_set(std::string_view name, const std::filesystem::path& folder) {
  if (name.find('/') != std::string_view::npos || name.ends_with(".gbs")) return read_file(name);
  const std::string wanted = plain_name(name);
  std::string nearest;
  std::size_t least = std::numeric_limits<std::size_t>::max(), count = 0;
  for (const auto& file : basis_files(folder)) {
    const Gaussian94Head head = head_of(file);
    ++count;
    std::vector<std::string> spellings = head.aliases;
    spellings.push_back(head.name);
    for (const std::string& spelling : spellings) {
      const std::size_t distance = edit_distance(wanted, plain_name(spelling));
      if (distance == 0) return read_file(file);
      if (distance < least) nearest = head.name;
      least = std::min(least, distance);
    }
  }
  throw InputError(
      fmt::format("basis '{}' is none of the {} that come with the program; the nearest is {} "
                  "(docs/basis_sets.md lists them; a "
                  "file of your own: its path, ending in .gbs)",
                  name, count, nearest));
}

GaussianBasis make_basis(const Geometry& geometry, const BasisSet& set, FunctionType functions,
                         const std::string& where) {
  GaussianBasis basis;
  for (int a = 0; a < std::ssize(geometry.atoms); ++a)
    add_functions(geometry, a, set, functions, where, basis);
  return basis;
}

GaussianBasis make_basis(const Geometry& geometry, std::span<const BasisSet> sets, const std::string& where) {
  GaussianBasis basis;
  for (int a = 0; a < std::ssize(geometry.atoms); ++a) {
    const int number = geometry.atoms[static_cast<std::size_t>(a)].set;
    if (number < 0 || number >= std::ssize(sets))
      throw DimensionError(fmt::format("make_basis: atom {} has basis set {} of {}", a, number, sets.size()));
    const BasisSet& set = sets[static_cast<std::size_t>(number)];
    add_functions(geometry, a, set, set.functions.value_or(FunctionType::spherical), where, basis);
  }
  return basis;
}

std::string function_types(const GaussianBasis& basis, FunctionType otherwise) {
  std::set<int> cartesian, spherical;  // angular momenta
  for (const GaussianShell& shell : basis.shells) {
    if (shell.angular_momentum >= 2) (shell.spherical ? spherical : cartesian).insert(shell.angular_momentum);
  }
  const auto name = [](FunctionType functions) { return std::string(function_type_name(functions)); };
  if (cartesian.empty() && spherical.empty())
    return name(otherwise == FunctionType::spherical ? otherwise : FunctionType::cartesian);
  if (cartesian.empty()) return name(FunctionType::spherical);
  if (spherical.empty()) return name(FunctionType::cartesian);
  const bool is_cartesian_d = cartesian == std::set<int>{2} && !spherical.contains(2);
  return is_cartesian_d ? name(FunctionType::cartesian_d) : "mixed";
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
