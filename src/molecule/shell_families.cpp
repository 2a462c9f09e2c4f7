// SPDX-License-Identifier: MIT
#include "molecule/shell_families.hpp"

#include <algorithm>
#include <cmath>

namespace cisolve::detail {
namespace {

std::size_t size(std::ptrdiff_t n) { return static_cast<std::size_t>(n); }

/// 1 / norm of a contraction of normalised primitives on one centre.
double normalisation(const GaussianShell& shell) {
  double square = 0.0;
  for (std::size_t a = 0; a < shell.exponents.size(); ++a) {
    for (std::size_t b = 0; b < shell.exponents.size(); ++b) {
      const double x = shell.exponents[a], y = shell.exponents[b];
      square += shell.coefficients[a] * shell.coefficients[b] *
                std::pow(2.0 * std::sqrt(x * y) / (x + y), shell.angular_momentum + 1.5);
    }
  }
  return 1.0 / std::sqrt(square);
}

bool are_alike(const GaussianShell& a, const GaussianShell& b) {
  return a.atom == b.atom && a.angular_momentum == b.angular_momentum && a.spherical == b.spherical;
}

/// Exponents of some shells, each once, in the order of appearance.
std::vector<double> exponents_of(std::span<const GaussianShell> shells) {
  std::vector<double> all;
  for (const GaussianShell& shell : shells) {
    for (const double exponent : shell.exponents) {
      if (std::ranges::find(all, exponent) == all.end()) all.push_back(exponent);
    }
  }
  return all;
}

/// Shells from the first on that have primitives in common, if these are so few that each had better be taken alone: a
/// primitive taken alone costs about twice what it does within a contraction.
std::size_t shells_together(std::span<const GaussianShell> shells) {
  std::size_t primitives = shells[0].exponents.size(), last = 1;
  std::vector<double> known = shells[0].exponents;
  for (; last < shells.size() && are_alike(shells[0], shells[last]); ++last) {
    const auto& exponents = shells[last].exponents;
    const auto shared = std::ranges::count_if(
        exponents, [&](double e) { return std::ranges::find(known, e) != known.end(); });
    if (2 * size(shared) <= exponents.size()) break;
    primitives += exponents.size();
    known = exponents_of(shells.first(last + 1));
  }
  return primitives >= 2 * known.size() ? last : 1;
}

/// The block [rows][columns][rest] with its first two indices exchanged.
void transpose(const double* block, int rows, int columns, std::size_t rest, double* out) {
  for (int j = 0; j < columns; ++j) {
    for (int i = 0; i < rows; ++i) out = std::copy_n(block + size(i * columns + j) * rest, rest, out);
  }
}

void add(double weight, const double* from, std::size_t count, double* to) {
  if (weight == 0.0) return;
  for (std::size_t k = 0; k < count; ++k) to[k] += weight * from[k];
}

}  // namespace

ShellFamilies::ShellFamilies(const GaussianBasis& basis) {
  const std::span<const GaussianShell> shells = basis.shells;
  const auto add_part = [&](GaussianShell part) {
    part.first_function = parts.num_functions;
    parts.num_functions += part.num_functions();
    parts.shells.push_back(std::move(part));
  };
  for (std::size_t first = 0; first < shells.size();) {
    const auto members = shells.subspan(first, shells_together(shells.subspan(first)));
    ShellFamily family{.first_shell = static_cast<int>(first),
                       .num_shells = static_cast<int>(members.size()),
                       .first_part = static_cast<int>(parts.shells.size())};
    if (members.size() == 1) {
      add_part(members[0]);
      family.coefficients = {1.0};
    } else {
      for (const double exponent : exponents_of(members)) {
        GaussianShell primitive = members[0];
        primitive.exponents = {exponent};
        primitive.coefficients = {1.0};
        add_part(primitive);
        for (const GaussianShell& shell : members) {
          double coefficient = 0.0;
          for (std::size_t k = 0; k < shell.exponents.size(); ++k) {
            if (shell.exponents[k] == exponent) coefficient += shell.coefficients[k];
          }
          family.coefficients.push_back(coefficient * normalisation(shell));
        }
      }
    }
    family.num_parts = static_cast<int>(parts.shells.size()) - family.first_part;
    families.push_back(std::move(family));
    first += members.size();
  }
}

FamilyRepulsion::FamilyRepulsion(const GaussianBasis& basis, double precision, int workers)
    : made_of_(basis), engine_(made_of_.parts, precision, workers), work_(size(workers)) {}

int FamilyRepulsion::Side::member(int i, int j) const {
  const int row = i - first->first_shell, column = j - second->first_shell;
  return is_one() ? row * (row + 1) / 2 + column : row * second->num_shells + column;
}

template <class Visit>
void FamilyRepulsion::Side::for_each_part(const Visit& visit) const {
  for (int x = 0; x < first->num_parts; ++x) {
    for (int y = 0; y < (is_one() ? x + 1 : second->num_parts); ++y) visit(x, y);
  }
}

template <class Add>
void FamilyRepulsion::Side::for_each_member(int x, int y, const Add& add) const {
  const auto coefficient = [](const ShellFamily& family, int part, int shell) {
    return family.coefficients[size(part * family.num_shells + shell)];
  };
  int number = 0;
  for (int i = 0; i < first->num_shells; ++i) {
    for (int j = 0; j < (is_one() ? i + 1 : second->num_shells); ++j, ++number) {
      const bool twice = is_one() && x != y;
      add(size(number), coefficient(*first, x, i) * coefficient(*second, y, j),
          twice ? coefficient(*first, y, i) * coefficient(*second, x, j) : 0.0);
    }
  }
}

FamilyRepulsion::Side FamilyRepulsion::side(int first, int second) const {
  const auto functions = [&](const ShellFamily& f) {
    return made_of_.parts.shells[size(f.first_part)].num_functions();
  };
  return {&family(first), &family(second), functions(family(first)), functions(family(second))};
}

void FamilyRepulsion::compute(int worker, int a, int b, int c, int d) {
  Work& work = work_[size(worker)];
  work.bra = side(a, b);
  work.ket = side(c, d);
  const auto is_shell = [](const ShellFamily& f) { return f.num_shells == 1; };
  work.is_direct = is_shell(*work.bra.first) && is_shell(*work.bra.second) && is_shell(*work.ket.first) &&
                   is_shell(*work.ket.second);
  if (work.is_direct) {
    work.direct = engine_.compute(worker, work.bra.first->first_part, work.bra.second->first_part,
                                  work.ket.first->first_part, work.ket.second->first_part);
    return;
  }
  const std::size_t functions = size(work.bra.rows * work.bra.columns * work.ket.rows * work.ket.columns);
  const std::size_t half = size(work.ket.num_members()) * functions;
  work.blocks.assign(size(work.bra.num_members()) * half, 0.0);
  work.is_zero = true;
  work.bra.for_each_part([&](int x, int y) {
    bool any = false;
    contract_ket(worker, x, y, functions, any);
    if (!any) return;
    work.is_zero = false;
    contract_bra(work, x, y, functions);
  });
}

/// The ket's shells beside one pair of parts of the bra.
void FamilyRepulsion::contract_ket(int worker, int x, int y, std::size_t size_of_block, bool& any) {
  Work& work = work_[size(worker)];
  const Side& ket = work.ket;
  const std::size_t bra_functions = size(work.bra.rows * work.bra.columns);
  const std::size_t ket_functions = size(ket.rows * ket.columns);
  work.half.assign(size(ket.num_members()) * size_of_block, 0.0);
  ket.for_each_part([&](int u, int v) {
    const double* block =
        engine_.compute(worker, work.bra.first->first_part + x, work.bra.second->first_part + y,
                        ket.first->first_part + u, ket.second->first_part + v);
    if (block == nullptr) return;
    any = true;
    if (ket.is_one() && u != v) {
      work.transposed.resize(size_of_block);
      for (std::size_t k = 0; k < bra_functions; ++k)
        transpose(block + k * ket_functions, ket.rows, ket.columns, 1,
                  work.transposed.data() + k * ket_functions);
    }
    ket.for_each_member(u, v, [&](std::size_t member, double weight, double back) {
      double* to = work.half.data() + member * size_of_block;
      add(weight, block, size_of_block, to);
      add(back, work.transposed.data(), size_of_block, to);
    });
  });
}

void FamilyRepulsion::contract_bra(Work& work, int x, int y, std::size_t size_of_block) {
  const Side& bra = work.bra;
  const std::size_t ket_functions = size(work.ket.rows * work.ket.columns);
  const std::size_t count = work.half.size();
  if (bra.is_one() && x != y) {
    work.transposed.resize(count);
    for (std::size_t k = 0; k < count; k += size_of_block)
      transpose(work.half.data() + k, bra.rows, bra.columns, ket_functions, work.transposed.data() + k);
  }
  bra.for_each_member(x, y, [&](std::size_t member, double weight, double back) {
    double* to = work.blocks.data() + member * count;
    add(weight, work.half.data(), count, to);
    add(back, work.transposed.data(), count, to);
  });
}

const double* FamilyRepulsion::block(int worker, int i, int j, int k, int l) const {
  const Work& work = work_[size(worker)];
  if (work.is_direct) return work.direct;
  if (work.is_zero) return nullptr;
  const std::size_t functions = size(work.bra.rows * work.bra.columns * work.ket.rows * work.ket.columns);
  const std::size_t at =
      size(work.bra.member(i, j)) * size(work.ket.num_members()) + size(work.ket.member(k, l));
  return work.blocks.data() + at * functions;
}

}  // namespace cisolve::detail
