// SPDX-License-Identifier: MIT
#include "cisolve/molecule/basis_set.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cisolve/core/error.hpp"
#include "cisolve/core/names.hpp"
#include "cisolve/molecule/gaussian94.hpp"
#include "core/text_file.hpp"
#include "molecule/text_lines.hpp"

namespace cisolve {
namespace {

using detail::shell_letters;
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

Gaussian94Head head_of(const std::filesystem::path& file) {
  return read_gaussian94_head(read_text(file), file);
}

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
    const Gaussian94Head head = head_of(file);
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
