// SPDX-License-Identifier: MIT
#include "cisolve/molecule/trexio_basis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "cisolve/core/error.hpp"
#include "molecule/molden_functions.hpp"

namespace cisolve {
namespace {

constexpr std::int64_t largest_angular_momentum = 5;  // h, as in basis sets

/// Normalises z^l exp(-a r^2), and with it x^l and the solid harmonics of TREXIO.
double primitive_norm(int l, double a) {
  return std::pow(2.0 * a / std::numbers::pi, 0.75) * std::pow(4.0 * a, 0.5 * l) /
         std::sqrt(detail::odd_factorial(l));
}

/// Numbers of the functions of a shell, from its first one, in the order of a file.
std::vector<int> order_in_shell(const GaussianShell& shell, bool cartesian) {
  const int l = shell.angular_momentum;
  if (l == 1 && !cartesian) return {2, 0, 1};
  if (!shell.spherical) {
    std::vector<int> order(static_cast<std::size_t>(shell.num_functions()));
    std::iota(order.begin(), order.end(), 0);
    return order;
  }
  std::vector<int> order(1, l);
  for (int m = 1; m <= l; ++m) {
    order.push_back(l + m);
    order.push_back(l - m);
  }
  return order;
}

/// What is wrong with the arrays of a file, in one sentence.
class Checks {
public:
  Checks(const TrexioBasis& file, const Geometry& geometry, const std::string& where)
      : file_(file), num_atoms_(std::ssize(geometry.atoms)), where_(where) {}

  void require() const {
    require_lengths();
    const std::int64_t num_shells = std::ssize(file_.nucleus_index);
    require_range(file_.nucleus_index, num_atoms_, "basis.nucleus_index", "the nuclei");
    require_range(file_.shell_index, num_shells, "basis.shell_index", "the shells");
    require_range(file_.ao_shell, num_shells, "ao.shell", "the shells");
    for (const std::int64_t l : file_.shell_angular_momentum) {
      if (l < 0 || l > largest_angular_momentum)
        refuse(fmt::format("basis.shell_ang_mom has {}; shells from s (0) to h (5) are read", l));
    }
    for (std::size_t k = 0; k < file_.exponent.size(); ++k) {
      const double c = file_.coefficient[k] * file_.prim_factor[k];
      if (!(file_.exponent[k] > 0.0) || !std::isfinite(file_.exponent[k]) || !std::isfinite(c))
        refuse(
            fmt::format("primitive {} has the exponent {} and the coefficient {}", k, file_.exponent[k], c));
    }
  }

  [[noreturn]] void refuse(const std::string& what) const {
    throw InputError(fmt::format("{}: {}", where_, what));
  }

private:
  void require_lengths() const {
    const std::size_t shells = file_.nucleus_index.size(), primitives = file_.exponent.size();
    const bool fit = shells > 0 && file_.shell_angular_momentum.size() == shells &&
                     file_.shell_factor.size() == shells && file_.shell_index.size() == primitives &&
                     file_.coefficient.size() == primitives && file_.prim_factor.size() == primitives &&
                     file_.ao_normalization.size() == file_.ao_shell.size();
    if (!fit) refuse("the arrays of its basis functions have lengths that do not fit each other");
  }

  void require_range(const std::vector<std::int64_t>& numbers, std::int64_t count, const char* name,
                     const char* what) const {
    for (const std::int64_t number : numbers) {
      if (number < 0 || number >= count)
        refuse(fmt::format("{} has {}, but {} are 0 to {}", name, number, what, count - 1));
    }
  }

  const TrexioBasis& file_;
  std::int64_t num_atoms_;
  const std::string& where_;
};

/// A shell with its contraction normalised to one.
struct ReadShell {
  GaussianShell shell;
  double norm = 0.0;  ///< that of the file's contraction
  std::size_t number = 0;
};

/// Shells by atom, those of one in the order of the file.
std::vector<ReadShell> shells_of(const TrexioBasis& file, const Geometry& geometry, const Checks& checks) {
  std::vector<ReadShell> shells(file.nucleus_index.size());
  for (std::size_t s = 0; s < shells.size(); ++s) {
    GaussianShell& shell = shells[s].shell;
    shells[s].number = s;
    shell.atom = static_cast<int>(file.nucleus_index[s]);
    shell.centre = geometry.atoms[static_cast<std::size_t>(shell.atom)].position;
    shell.angular_momentum = static_cast<int>(file.shell_angular_momentum[s]);
    shell.spherical = !file.cartesian && shell.angular_momentum >= 2;
  }
  for (std::size_t k = 0; k < file.exponent.size(); ++k) {
    const auto s = static_cast<std::size_t>(file.shell_index[k]);
    GaussianShell& shell = shells[s].shell;
    shell.exponents.push_back(file.exponent[k]);
    shell.coefficients.push_back(file.coefficient[k] * file.prim_factor[k] * file.shell_factor[s] /
                                 primitive_norm(shell.angular_momentum, file.exponent[k]));
  }
  for (ReadShell& read : shells) {
    read.norm = std::sqrt(detail::contraction_overlap(read.shell, read.shell));
    if (!(read.norm > 0.0) || !std::isfinite(read.norm))
      checks.refuse(fmt::format("shell {} has no primitives, or its contraction vanishes", read.number));
    for (double& c : read.shell.coefficients) c /= read.norm;
  }
  std::ranges::stable_sort(shells, {}, [](const ReadShell& read) { return read.shell.atom; });
  return shells;
}

}  // namespace

std::string trexio_obstacle(const GaussianBasis& basis) {
  const auto has = [&](bool spherical) {
    return std::ranges::any_of(basis.shells, [spherical](const GaussianShell& shell) {
      return shell.angular_momentum >= 2 && shell.spherical == spherical;
    });
  };
  if (!has(true) || !has(false)) return {};
  return "some shells are Cartesian and some spherical; the TREXIO format has one kind for all";
}

std::vector<TrexioFunction> trexio_functions(const GaussianBasis& basis, bool cartesian) {
  std::vector<TrexioFunction> functions;
  for (const GaussianShell& shell : basis.shells) {
    for (const int k : order_in_shell(shell, cartesian)) functions.push_back({shell.first_function + k, 1.0});
  }
  return functions;
}

TrexioBasis trexio_basis(const GaussianBasis& basis, bool cartesian) {
  TrexioBasis file;
  file.cartesian = cartesian;
  for (const GaussianShell& shell : basis.shells) {
    const std::int64_t number = std::ssize(file.nucleus_index);
    file.nucleus_index.push_back(shell.atom);
    file.shell_angular_momentum.push_back(shell.angular_momentum);
    file.shell_factor.push_back(1.0 / std::sqrt(detail::contraction_overlap(shell, shell)));
    for (std::size_t k = 0; k < shell.exponents.size(); ++k) {
      file.shell_index.push_back(number);
      file.exponent.push_back(shell.exponents[k]);
      file.coefficient.push_back(shell.coefficients[k]);
      file.prim_factor.push_back(primitive_norm(shell.angular_momentum, shell.exponents[k]));
    }
    file.ao_shell.insert(file.ao_shell.end(), static_cast<std::size_t>(shell.num_functions()), number);
  }
  file.ao_normalization.assign(file.ao_shell.size(), 1.0);
  return file;
}

BasisOfTrexio gaussian_basis(const TrexioBasis& file, const Geometry& geometry, const std::string& where) {
  const Checks checks(file, geometry, where);
  checks.require();
  std::vector<ReadShell> shells = shells_of(file, geometry, checks);
  BasisOfTrexio found;
  std::vector<const ReadShell*> of_number(shells.size());
  for (ReadShell& read : shells) {
    read.shell.first_function = found.basis.num_functions;
    found.basis.num_functions += read.shell.num_functions();
    of_number[read.number] = &read;
  }
  std::vector<bool> seen(shells.size(), false);
  for (std::size_t ao = 0; ao < file.ao_shell.size();) {
    const auto s = static_cast<std::size_t>(file.ao_shell[ao]);
    const GaussianShell& shell = of_number[s]->shell;
    const std::vector<int> order = order_in_shell(shell, file.cartesian);
    const bool is_whole = !seen[s] && ao + order.size() <= file.ao_shell.size() &&
                          std::all_of(file.ao_shell.begin() + static_cast<std::ptrdiff_t>(ao),
                                      file.ao_shell.begin() + static_cast<std::ptrdiff_t>(ao + order.size()),
                                      [&](std::int64_t other) { return other == file.ao_shell[ao]; });
    if (!is_whole)
      checks.refuse(
          fmt::format("ao.shell does not have the {} functions of shell {} (l = {}, {}) once and "
                      "in succession",
                      order.size(), s, shell.angular_momentum, file.cartesian ? "Cartesian" : "spherical"));
    for (const int k : order) {
      const double factor = file.ao_normalization[ao++] * of_number[s]->norm;
      if (!std::isfinite(factor) || factor == 0.0)
        checks.refuse(fmt::format("ao.normalization of function {} is 0 or no number", ao - 1));
      found.functions.push_back({shell.first_function + k, factor});
    }
    seen[s] = true;
  }
  if (static_cast<int>(found.functions.size()) != found.basis.num_functions)
    checks.refuse(fmt::format("ao.shell has {} functions, the shells of the basis {}", found.functions.size(),
                              found.basis.num_functions));
  for (ReadShell& read : shells) found.basis.shells.push_back(std::move(read.shell));
  return found;
}

}  // namespace cisolve
