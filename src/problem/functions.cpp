// SPDX-License-Identifier: MIT
#include "cisolve/problem/functions.hpp"

#include <algorithm>

#include "cisolve/core/error.hpp"

namespace cisolve {
namespace {

constexpr std::uint8_t empty = 0, up = 1, down = 2, both = 3;

std::size_t num_orbitals(const FunctionView& csfs) {
  return csfs.steps.size() / static_cast<std::size_t>(csfs.size);
}

/// 64-bit words of each string.
std::size_t words_of(const FunctionView& determinants) {
  return determinants.alpha.size() / static_cast<std::size_t>(determinants.size);
}

int count_electrons(std::span<const std::uint64_t> words) {
  int electrons = 0;
  for (const std::uint64_t word : words) electrons += __builtin_popcountll(word);
  return electrons;
}

template <int Words>
BitString<Words> string_at(std::span<const std::uint64_t> words, std::size_t width, std::size_t number) {
  BitString<Words> string;
  std::copy_n(words.begin() + static_cast<std::ptrdiff_t>(number * width), width, string.words.begin());
  return string;
}

}  // namespace

int twice_spin(const FunctionView& functions) {
  if (functions.kind == FunctionKind::determinant) {
    const std::size_t words = words_of(functions);
    return count_electrons(functions.alpha.first(words)) - count_electrons(functions.beta.first(words));
  }
  const auto first = functions.steps.first(num_orbitals(functions));
  return static_cast<int>(std::ranges::count(first, up) - std::ranges::count(first, down));
}

template <int Words>
std::vector<Determinant<Words>> determinants_of(const FunctionView& functions) {
  const std::size_t width = words_of(functions);
  if (width > static_cast<std::size_t>(Words))
    throw DimensionError("determinants_of: the strings are longer");
  std::vector<Determinant<Words>> determinants(functions.size);
  for (std::size_t i = 0; i < determinants.size(); ++i) {
    determinants[i] = {string_at<Words>(functions.alpha, width, i),
                       string_at<Words>(functions.beta, width, i)};
  }
  return determinants;
}

template <int Words>
CsfList<Words> csfs_of(const FunctionView& functions) {
  const auto damaged = [] { return InputError("its steps are not those of CSFs of one spin"); };
  CsfList<Words> list;
  list.two_s = twice_spin(functions);
  if (list.two_s < 0) throw damaged();
  const std::size_t norb = num_orbitals(functions);
  const SpinCouplings couplings(list.two_s, static_cast<int>(norb));
  std::vector<SpinStep> path;
  for (std::size_t i = 0; i < static_cast<std::size_t>(functions.size); ++i) {
    Configuration<Words>& configuration = list.configurations.emplace_back();
    path.clear();
    int spin = 0;
    for (std::size_t p = 0; p < norb; ++p) {
      const std::uint8_t step = functions.steps[i * norb + p];
      if (step > both) throw damaged();
      if (step == both) configuration.doubly.set(static_cast<int>(p));
      if (step == both || step == empty) continue;
      configuration.singly.set(static_cast<int>(p));
      path.push_back(static_cast<SpinStep>(step));
      spin += step == up ? 1 : -1;
      if (spin < 0) throw damaged();
    }
    if (spin != list.two_s) throw damaged();
    list.couplings.push_back(couplings.number(path));
  }
  return list;
}

#define INSTANTIATE(W)                                                       \
  template std::vector<Determinant<W>> determinants_of(const FunctionView&); \
  template CsfList<W> csfs_of(const FunctionView&);
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve
