// SPDX-License-Identifier: MIT
#include "molecule/shell_quartets.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace cisolve::detail {

ShellQuartets::ShellQuartets(const GaussianBasis& basis, const SymmetryFrame& symmetry,
                             FamilyRepulsion& engine, double threshold)
    : basis_(basis), threshold_(threshold), operations_(function_images(basis, symmetry)) {
  const int shells = static_cast<int>(basis.shells.size());
  for (int i = 0; i < shells; ++i) {
    for (int j = 0; j <= i; ++j) pairs_.push_back({i, j, 0.0});
  }
  for (int a = 0; a < engine.num_families(); ++a) {
    for (int b = 0; b <= a; ++b) {
      const ShellFamily &left = engine.family(a), &right = engine.family(b);
      FamilyPair& both = family_pairs_.emplace_back(FamilyPair{.a = a, .b = b, .pairs = {}});
      engine.compute(0, a, b, a, b);
      for (int i = left.first_shell; i < left.first_shell + left.num_shells; ++i) {
        for (int j = right.first_shell; j < right.first_shell + right.num_shells && j <= i; ++j) {
          both.pairs.push_back(packed(i, j));
          ShellPair& pair = pairs_[both.pairs.back()];
          const double* block = engine.block(0, i, j, i, j);
          const int functions = shell(i).num_functions() * shell(j).num_functions();
          double largest = 0.0;
          for (int k = 0; block != nullptr && k < functions; ++k)
            largest = std::max(largest, std::abs(block[k * functions + k]));
          pair.bound = std::sqrt(largest);
          both.bound = std::max(both.bound, pair.bound);
        }
      }
    }
  }
  for (const FunctionImages& operation : operations_) {
    auto& images = pair_images_.emplace_back();
    for (const ShellPair& pair : pairs_) {
      images.push_back(packed(operation.shell_image[pair.i], operation.shell_image[pair.j]));
    }
  }
}

bool ShellQuartets::find_images(std::size_t bra, std::size_t ket, Images& images) const {
  std::array<std::pair<std::size_t, std::size_t>, 8> places;
  images.count = 0;
  for (std::size_t o = 0; o < operations_.size(); ++o) {
    const std::size_t b = pair_images_[o][bra], c = pair_images_[o][ket];
    const auto place = std::pair(std::max(b, c), std::min(b, c));
    if (place > std::pair(bra, ket)) return false;
    if (std::find(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(images.count), place) !=
        places.begin() + static_cast<std::ptrdiff_t>(images.count)) {
      continue;
    }
    places[images.count] = place;
    images.operations[images.count++] = o;
  }
  return true;
}

std::vector<std::size_t> ShellQuartets::rows_of(std::int64_t bra) const {
  std::vector<std::size_t> rows;
  for (const std::size_t pair : family_pairs_[bra].pairs) {
    const GaussianShell &si = shell(pairs_[pair].i), &sj = shell(pairs_[pair].j);
    for (int i = 0; i < si.num_functions(); ++i) {
      for (int j = 0; j < sj.num_functions(); ++j) {
        const int p = si.first_function + i, q = sj.first_function + j;
        if (p >= q) rows.push_back(packed(p, q));
      }
    }
  }
  return rows;
}

void ShellQuartets::fill_rows(FamilyRepulsion& engine, int worker, std::int64_t bra, std::span<double> block,
                              std::size_t num_function_pairs) const {
  const FamilyPair& left = family_pairs_[bra];
  for (const FamilyPair& right : family_pairs_) {
    if (left.bound * right.bound < threshold_) continue;
    engine.compute(worker, left.a, left.b, right.a, right.b);
    std::span<double> rows = block;
    for (const std::size_t pair : left.pairs) {
      std::size_t count = 0;
      for (const std::size_t ket : right.pairs)
        count = fill_rows_of_pair(engine, worker, pairs_[pair], pairs_[ket], rows, num_function_pairs);
      rows = rows.subspan(count * num_function_pairs);
    }
  }
}

std::size_t ShellQuartets::fill_rows_of_pair(FamilyRepulsion& engine, int worker, const ShellPair& left,
                                             const ShellPair& right, std::span<double> block,
                                             std::size_t num_function_pairs) const {
  const GaussianShell &si = shell(left.i), &sj = shell(left.j), &sk = shell(right.i), &sl = shell(right.j);
  const bool matters = left.bound * right.bound >= threshold_;
  const double* values = matters ? engine.block(worker, left.i, left.j, right.i, right.j) : nullptr;
  std::size_t row = 0;
  for (int i = 0; i < si.num_functions(); ++i) {
    for (int j = 0; j < sj.num_functions(); ++j) {
      const bool wanted = si.first_function + i >= sj.first_function + j;
      for (int k = 0; values != nullptr && k < sk.num_functions(); ++k) {
        for (int l = 0; l < sl.num_functions(); ++l, ++values) {
          if (wanted)
            block[row * num_function_pairs + packed(sk.first_function + k, sl.first_function + l)] = *values;
        }
      }
      if (wanted) ++row;
    }
  }
  return row;
}

}  // namespace cisolve::detail
