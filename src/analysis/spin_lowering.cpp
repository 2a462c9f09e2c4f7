// SPDX-License-Identifier: MIT
#include "analysis/spin_lowering.hpp"

#include <omp.h>

#include <algorithm>
#include <numeric>

namespace cisolve {
namespace {

/// What strings become with an orbital more, or one less: numbered, the same for all strings that become the same.
struct Neighbours {
  std::vector<std::int32_t> numbers;  ///< [string * orbitals + orbital], -1: none
  std::vector<int> irreps;            ///< by number; 0 where strings are not classed by irrep

  /// @param allowed  [level of the string * orbitals + orbital] which may be added or taken away
  Neighbours(const Strings& strings, bool adds, const std::vector<bool>& allowed) {
    const std::size_t n = strings.num_orbitals();
    numbers.assign(n * static_cast<std::size_t>(strings.size()), -1);
    std::vector<bool> is_occupied(n), is_new(n);
    for (std::int32_t s = 0; s < strings.size(); ++s) {
      const std::size_t level = n * static_cast<std::size_t>(strings.level(s));
      std::int32_t* own = numbers.data() + n * static_cast<std::size_t>(s);
      is_occupied.assign(n, false);
      is_new.assign(n, false);
      for (const std::uint8_t p : strings.orbitals(s)) is_occupied[p] = true;
      for (std::size_t p = 0; p < n; ++p) {
        if (!allowed[level + p] || is_occupied[p] == adds || own[p] >= 0) continue;
        own[p] = static_cast<std::int32_t>(irreps.size());
        const int irrep = strings.irrep(s) ^ strings.irrep_of_orbital(static_cast<int>(p));
        irreps.push_back(strings.classed_by_irrep() ? irrep : 0);
        is_new[p] = true;
      }
      // All others that become the same are single excitations of this one.
      for (const auto& [other, code] : strings.singles()[s]) {
        int p = ExcitationCode::particle(code), q = ExcitationCode::hole(code);
        if (!adds) std::swap(p, q);
        const std::size_t of_other = n * static_cast<std::size_t>(strings.level(other));
        if (is_new[p] && allowed[of_other + q]) numbers[n * static_cast<std::size_t>(other) + q] = own[p];
      }
    }
  }
};

}  // namespace

SpinLowering::SpinLowering(const StringProduct& space, const Matrix* overlap)
    : space_(space), partners_of_{0} {
  for (int p = 0; p < space.num_orbitals(); ++p) {
    for (int q = 0; q < space.num_orbitals(); ++q) {
      const double u = overlap != nullptr ? (*overlap)(p, q) : p == q ? 1.0 : 0.0;
      if (u != 0.0) partners_.push_back({q, u});
    }
    partners_of_.push_back(partners_.size());
  }
  list_removed();
  list_added();
}

void SpinLowering::list_removed() {
  const Strings& strings = space_.alpha();
  const Neighbours shorter(strings, false,
                           std::vector<bool>(strings.num_levels() * strings.num_orbitals(), true));
  const auto for_each = [&](const auto& visit) {
    for (std::int32_t s = 0; s < strings.size(); ++s) {
      std::uint32_t is_negative = 0;
      for (const std::uint8_t p : strings.orbitals(s)) {
        visit(shorter.numbers[static_cast<std::size_t>(s) * strings.num_orbitals() + p],
              Removed{s, p, is_negative});
        is_negative ^= 1U;
      }
    }
  };
  removed_of_.assign(shorter.irreps.size() + 1, 0);
  for_each([&](std::int32_t number, const Removed&) { ++removed_of_[number + 1]; });
  std::partial_sum(removed_of_.begin(), removed_of_.end(), removed_of_.begin());
  removed_.resize(removed_of_.back());
  std::vector<std::int64_t> next = removed_of_;
  for_each([&](std::int32_t number, const Removed& removed) { removed_[next[number]++] = removed; });
}

void SpinLowering::list_added() {
  const Strings& strings = space_.beta();
  const auto lists = space_.beta_lists();
  const std::size_t n = strings.num_orbitals();
  // Orbitals to which an alpha string beside a list can give an electron; and beside any list of a level.
  std::vector<bool> of_list(lists.size() * n, false), of_level(strings.num_levels() * n, false);
  for (const Removed& removed : removed_) {
    const auto orbitals = partners(removed.orbital);
    for (int level = 0; level < space_.num_levels(); ++level) {
      const std::int32_t list = space_.run_list(level, removed.string);
      if (list == StringProduct::no_list) continue;
      for (const Partner& partner : orbitals) {
        of_list[static_cast<std::size_t>(list) * n + partner.orbital] = true;
        of_level[static_cast<std::size_t>(lists[list].level) * n + partner.orbital] = true;
      }
    }
  }
  const Neighbours longer(strings, true, of_level);
  // All that one shorter alpha string leads to has one irrep.
  std::vector<std::uint32_t> place;
  for (const int irrep : longer.irreps) place.push_back(static_cast<std::uint32_t>(num_longer_[irrep]++));

  added_of_.push_back(0);
  for (std::size_t list = 0; list < lists.size(); ++list) {
    const std::vector<std::int32_t>& members = lists[list].members;
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t at = 0; at < members.size() && of_list[list * n + p]; ++at) {
        const std::int32_t number = longer.numbers[static_cast<std::size_t>(members[at]) * n + p];
        if (number < 0) continue;
        const auto below =
            std::ranges::count_if(strings.orbitals(members[at]), [&](std::size_t q) { return q < p; });
        added_.push_back(
            {static_cast<std::int32_t>(at), 2 * place[number] + static_cast<std::uint32_t>(below % 2)});
      }
      added_of_.push_back(std::ssize(added_));
    }
  }
}

template <class Visit>
void SpinLowering::for_each_run(std::span<const Removed> removed, const Visit& visit) const {
  for (const auto& [string, orbital, is_negative] : removed) {
    for (int level = 0; level < space_.num_levels(); ++level) {
      const std::int32_t list = space_.run_list(level, string);
      if (list == StringProduct::no_list) continue;
      for (const Partner& partner : partners(orbital)) {
        const std::size_t at =
            static_cast<std::size_t>(list) * static_cast<std::size_t>(space_.num_orbitals()) +
            static_cast<std::size_t>(partner.orbital);
        const std::span added(added_.data() + added_of_[at], added_.data() + added_of_[at + 1]);
        visit(space_.run_offset(level, string), added, is_negative != 0 ? -partner.overlap : partner.overlap);
      }
    }
  }
}

/// Adds what one shorter alpha string brings. `lowered`, a vector of longer beta strings each, is zero before and after.
void SpinLowering::add_products(std::span<const Removed> removed, std::span<const double> vectors,
                                double* lowered, Matrix& sum) const {
  const int count = sum.columns();
  const std::int64_t stride = most_longer();
  std::int64_t num_terms = 0;
  for (int k = 0; k < count; ++k) {
    const double* x = vectors.data() + k * space_.size();
    double* y = lowered + k * stride;
    for_each_run(removed, [&](std::int64_t row, const auto& added, double overlap) {
      num_terms += std::ssize(added);
      for (const auto& [place, code] : added)
        y[code >> 1] += ExcitationCode::with_phase(overlap * x[row + place], code);
    });
  }
  const auto take = [&](std::int64_t at) {
    for (int j = 0; j < count; ++j) {
      for (int i = 0; i <= j; ++i) sum(i, j) += lowered[i * stride + at] * lowered[j * stride + at];
    }
    for (int k = 0; k < count; ++k) lowered[k * stride + at] = 0.0;
  };
  const Removed& first = removed.front();
  const int irrep = space_.irrep() == any_irrep ? 0
                                                : space_.irrep() ^ space_.alpha().irrep(first.string) ^
                                                      space_.alpha().irrep_of_orbital(first.orbital);
  if (num_terms >= count * num_longer_[irrep]) {
    for (std::int64_t at = 0; at < num_longer_[irrep]; ++at) take(at);
  } else {
    for_each_run(removed, [&](std::int64_t, const auto& added, double) {
      for (const Added& one : added) take(one.target_code >> 1);
    });
  }
}

Matrix SpinLowering::operator()(std::span<const double> vectors, int count) const {
  // Parts whose number doesn't depend on that of the threads are summed in their order.
  constexpr std::int64_t num_parts = 512;
  const std::int64_t shorter = std::ssize(removed_of_) - 1, size = space_.size();
  const double ms = 0.5 * (space_.num_alpha() - space_.num_beta());
  const double diagonal = ms * (ms - 1.0);
  std::vector<Matrix> parts(num_parts, Matrix(count, count));
  // One for each thread, made here: what has no room is told outside of the threads.
  std::vector<std::vector<double>> lowered(omp_get_max_threads(), std::vector<double>(most_longer() * count));
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t part = 0; part < num_parts; ++part) {
    Matrix& sum = parts[part];
    for (int j = 0; j < count && diagonal != 0.0; ++j) {
      for (int i = 0; i <= j; ++i) {
        const double* x = vectors.data() + i * size;
        const double* y = vectors.data() + j * size;
        sum(i, j) =
            diagonal * std::inner_product(x + size * part / num_parts, x + size * (part + 1) / num_parts,
                                          y + size * part / num_parts, 0.0);
      }
    }
    for (std::int64_t at = shorter * part / num_parts; at < shorter * (part + 1) / num_parts; ++at) {
      add_products({removed_.data() + removed_of_[at], removed_.data() + removed_of_[at + 1]}, vectors,
                   lowered[omp_get_thread_num()].data(), sum);
    }
  }
  Matrix result(count, count);
  for (int j = 0; j < count; ++j) {
    for (int i = 0; i <= j; ++i) {
      for (const Matrix& part : parts) result(i, j) += part(i, j);
      result(j, i) = result(i, j);
    }
  }
  return result;
}

}  // namespace cisolve
