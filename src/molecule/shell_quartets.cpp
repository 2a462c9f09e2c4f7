// SPDX-License-Identifier: MIT
#include "molecule/shell_quartets.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace cisolve::detail {

ShellQuartets::ShellQuartets(const GaussianBasis& basis, const SymmetryFrame& symmetry,
                             RepulsionEngine& engine, double threshold)
    : basis_(basis), threshold_(threshold), operations_(function_images(basis, symmetry)) {
  const int shells = static_cast<int>(basis.shells.size());
  for (int i = 0; i < shells; ++i) {
    for (int j = 0; j <= i; ++j) {
      double largest = 0.0;
      if (const double* block = engine.compute(0, i, j, i, j)) {
        const int functions = shell(i).num_functions() * shell(j).num_functions();
        for (int k = 0; k < functions; ++k) largest = std::max(largest, std::abs(block[k * functions + k]));
      }
      pairs_.push_back({i, j, std::sqrt(largest)});
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

std::vector<std::size_t> ShellQuartets::rows_of(std::int64_t pair) const {
  const ShellPair& shells = pairs_[pair];
  const GaussianShell &si = shell(shells.i), &sj = shell(shells.j);
  std::vector<std::size_t> rows;
  for (int i = 0; i < si.num_functions(); ++i) {
    for (int j = 0; j < sj.num_functions(); ++j) {
      const int p = si.first_function + i, q = sj.first_function + j;
      if (p >= q) rows.push_back(packed(p, q));
    }
  }
  return rows;
}

void ShellQuartets::fill_rows(RepulsionEngine& engine, int worker, std::int64_t pair, std::span<double> block,
                              std::size_t num_function_pairs) const {
  const ShellPair& left = pairs_[pair];
  const GaussianShell &si = shell(left.i), &sj = shell(left.j);
  for (const ShellPair& right : pairs_) {
    if (left.bound * right.bound < threshold_) continue;
    const double* values = engine.compute(worker, left.i, left.j, right.i, right.j);
    if (values == nullptr) continue;
    const GaussianShell &sk = shell(right.i), &sl = shell(right.j);
    std::size_t row = 0;
    for (int i = 0; i < si.num_functions(); ++i) {
      for (int j = 0; j < sj.num_functions(); ++j) {
        const bool wanted = si.first_function + i >= sj.first_function + j;
        for (int k = 0; k < sk.num_functions(); ++k) {
          for (int l = 0; l < sl.num_functions(); ++l, ++values) {
            if (wanted)
              block[row * num_function_pairs + packed(sk.first_function + k, sl.first_function + l)] =
                  *values;
          }
        }
        if (wanted) ++row;
      }
    }
  }
}

}  // namespace cisolve::detail
