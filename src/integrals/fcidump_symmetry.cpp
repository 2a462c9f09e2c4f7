// SPDX-License-Identifier: MIT
#include "integrals/fcidump_steps.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace cisolve {
namespace {

/// Zero-based Molpro label of each of PySCF's labels 0..7.
using LabelMap = std::array<int, 8>;
constexpr LabelMap d2h_map = {0, 3, 5, 6, 7, 4, 2, 1};  // Ag B1g B2g B3g Au B1u B2u B3u
constexpr LabelMap c2v_map = {0, 3, 1, 2};              // A1 A2 B1 B2, and C2h: Ag Bg Au Bu
constexpr LabelMap d2_map = {0, 3, 2, 1};               // A B1 B2 B3
constexpr LabelMap small_group_map = {0, 1};

const LabelMap& pyscf_map(int largest_label, const PointGroup& group) {
  if (largest_label > 3 || group.name() == "D2h") return d2h_map;
  if (group.name() == "D2") return d2_map;
  if (largest_label > 1 || group.num_irreps() == 4) return c2v_map;
  return small_group_map;
}

}  // namespace

std::vector<int> molpro_labels(const TextReader& reader, const FcidumpHeader& header,
                               const PointGroup& group) {
  std::vector<int> labels = header.orbsym;
  if (labels.empty()) return std::vector<int>(header.norb, 0);

  const bool from_zero = std::ranges::find(labels, 0) != labels.end();
  for (int& label : labels) {
    const int reduced = from_zero ? label % 10 : label - 1;
    if (label < 0 || reduced < 0 || reduced > 7) {
      reader.refuse_at(header.orbsym_line, "ORBSYM: found label {}, expected {}", label,
                       from_zero ? "0 to 7 modulo 10, as another label is 0" : "1 to 8");
    }
    label = reduced;
  }
  const int largest = std::ranges::max(labels);
  if (group.is_known() && largest >= group.num_irreps()) {
    reader.refuse_at(header.orbsym_line,
                     "ORBSYM: found label {}, expected at most {} for the given point group {}",
                     largest + (from_zero ? 0 : 1), group.num_irreps() - (from_zero ? 1 : 0), group.name());
  }
  if (from_zero) {
    const LabelMap& map = pyscf_map(largest, group);
    for (int& label : labels) label = map[label];
  }
  return labels;
}

void zero_forbidden(Integrals& integrals) {
  std::vector<int> labels;  // of pairs
  for (int p = 0; p < integrals.num_orbitals; ++p) {
    for (int q = 0; q <= p; ++q) labels.push_back(integrals.irreps[p] ^ integrals.irreps[q]);
  }
  const std::size_t pairs = labels.size();
  const auto of_one_spin = [&](std::vector<double>& one, std::vector<double>& two) {
    std::size_t at = 0;
    for (std::size_t pq = 0; pq < pairs; ++pq) {
      if (labels[pq] != 0) one[pq] = 0.0;
      for (std::size_t rs = 0; rs <= pq; ++rs, ++at) {
        if (labels[rs] != labels[pq]) two[at] = 0.0;
      }
    }
  };
  of_one_spin(integrals.one, integrals.two);
  if (!integrals.beta) return;
  of_one_spin(integrals.beta->one, integrals.beta->two);
  for (std::size_t pq = 0; pq < pairs; ++pq) {
    for (std::size_t rs = 0; rs < pairs; ++rs) {
      if (labels[rs] != labels[pq]) integrals.beta->mixed[pq * pairs + rs] = 0.0;
    }
  }
}

SpinLayout find_spin_layout(const Integrals& integrals, double negligible, double repulsion) {
  const int n = integrals.num_orbitals;
  if (n % 2 != 0) return SpinLayout::none;

  const auto spin = [n](SpinLayout layout, int p) {
    return layout == SpinLayout::interleaved ? p % 2 : p / (n / 2);
  };
  const auto fits = [&](SpinLayout layout) {
    bool repels = false;
    for (int p = 0; p < n; ++p) {
      for (int q = 0; q < p; ++q) {
        if (spin(layout, p) == spin(layout, q)) continue;
        if (std::abs(integrals.h(p, q)) > negligible || std::abs(integrals.eri(p, q, p, q)) > negligible)
          return false;
        const double coulomb = integrals.eri(p, p, q, q);
        const double self = std::sqrt(std::abs(integrals.eri(p, p, p, p) * integrals.eri(q, q, q, q)));
        repels = repels || (coulomb > negligible && coulomb >= repulsion * self);
      }
    }
    return repels;
  };
  for (const SpinLayout layout : {SpinLayout::interleaved, SpinLayout::alpha_then_beta}) {
    if (fits(layout)) return layout;
  }
  return SpinLayout::none;
}

}  // namespace cisolve
