// SPDX-License-Identifier: MIT
#include "selection/external_sweep.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <parallel/algorithm>
#include <string>

#include "cisolve/core/error.hpp"
#include "cisolve/core/memory.hpp"
#include "cisolve/core/parallel.hpp"
#include "selection/unit_weights.hpp"

namespace cisolve {
namespace {

/// Asks for what is read soon, from places that no stride foretells.
template <class T>
inline void prefetch(std::span<const T> items) {
  constexpr std::size_t line = 64, most = 8 * line;  // bytes; what goes on behind is foreseen
  const auto* first = reinterpret_cast<const std::byte*>(items.data());
  for (std::size_t at = 0; at < std::min(items.size_bytes(), most); at += line)
    __builtin_prefetch(first + at);
}

/// sums[k] += value * coefficients[k].
template <int Roots>
inline void add_to(double* sums, double value, const double* coefficients, int roots) {
  if constexpr (Roots == 1) {
    *sums += value * *coefficients;
  } else {
    for (int k = 0; k < roots; ++k) sums[k] += value * coefficients[k];
  }
}

}  // namespace

template <int Words>
ExternalSweep<Words>::ExternalSweep(const IntegralTables& tables, const SameSpinMoves& alpha_moves,
                                    const SameSpinMoves& beta_moves,
                                    std::span<const Determinant<Words>> determinants,
                                    std::int64_t most_numbered)
    : tables_(tables), num_orbitals_(tables.num_orbitals()), runs_(determinants),
      alpha_(runs_.alpha.strings, tables, alpha_moves, false),
      beta_(runs_.beta.strings, tables.beta(), beta_moves, true) {
  if (determinants.empty()) throw DimensionError("externals: the list is empty");
  beta_electrons_ = static_cast<std::size_t>(determinants[0].beta.count());
  // Strings of either spin have other numbers of electrons, or, without any, are the empty one.
  const bool has_empty = beta_electrons_ == 0 || determinants[0].alpha.count() == 0;
  if (has_empty) {
    for (std::uint64_t& word : no_string_.words) word = ~std::uint64_t{0};
  }
  beta_orbitals_.reserve(runs_.beta.strings.size() * beta_electrons_);
  for (const BitString<Words>& s : runs_.beta.strings)
    s.for_each([&](int r) { beta_orbitals_.push_back(static_cast<std::uint8_t>(r)); });
  describe_pairs();
  find_targets();
  find_sources();
  number_betas(most_numbered);
  tabulate_beyond(most_numbered);
}

/// Numbers the beta strings that the list and its single excitations have, if they are few.
template <int Words>
void ExternalSweep<Words>::number_betas(std::int64_t most) {
  std::vector<BitString<Words>> strings = runs_.beta.strings;
  for (const auto& single : beta_.all_singles()) strings.push_back(single.target);
  __gnu_parallel::sort(strings.begin(), strings.end());
  strings.erase(std::unique(strings.begin(), strings.end()), strings.end());
  if (std::ssize(strings) > most) return;
  beta_targets_ = std::move(strings);
  const KeyIndex<BitString<Words>> index(beta_targets_);
  const auto number = [&](const BitString<Words>& s) {
    return static_cast<std::int32_t>(index.find(beta_targets_, s));
  };
  beta_energies_.resize(beta_targets_.size());
  parallel_for(std::ssize(beta_targets_), 256, [&](std::int64_t t) {
    const OrbitalList occupied = OrbitalList::occupied(beta_targets_[t]);
    beta_energies_[t] = tables_.beta().string_energy({occupied.begin(), occupied.end()});
  });
  for (const BitString<Words>& s : runs_.beta.strings) beta_numbers_.push_back(number(s));
  const auto singles = beta_.all_singles();
  numbered_singles_.resize(singles.size());
  parallel_for(std::ssize(singles), 4096, [&](std::int64_t k) {
    numbered_singles_[k] = {number(singles[k].target), singles[k].code};
  });
  tabulate_doubles();
}

/// Numbers the double excitations of all listed beta strings, if they have room: each is needed for every determinant
/// that has the string.
template <int Words>
void ExternalSweep<Words>::tabulate_doubles() {
  constexpr double most = 5e7;  // excitations: 0.8 GB
  if (beta_.mean_doubles() * static_cast<double>(beta_.size()) > most) return;
  const KeyIndex<BitString<Words>> index(beta_targets_);
  constexpr std::int64_t chunk = 64;
  std::vector<std::vector<NumberedDouble>> parts((beta_.size() + chunk - 1) / chunk);
  double_offsets_.assign(static_cast<std::size_t>(beta_.size()) + 1, 0);
  parallel_for(std::ssize(parts), 1, [&](std::int64_t c) {
    for (std::int64_t s = c * chunk; s < std::min((c + 1) * chunk, beta_.size()); ++s) {
      const std::int64_t before = std::ssize(parts[c]);
      beta_.for_each_double(s, [&](const BitString<Words>& target, double value, double) {
        parts[c].push_back({static_cast<std::int32_t>(index.find(beta_targets_, target)), value});
      });
      double_offsets_[static_cast<std::size_t>(s) + 1] = std::ssize(parts[c]) - before;
    }
  });
  for (std::size_t s = 1; s < double_offsets_.size(); ++s) double_offsets_[s] += double_offsets_[s - 1];
  doubles_.reserve(double_offsets_.back());
  for (auto& part : parts) {
    doubles_.insert(doubles_.end(), part.begin(), part.end());
    part = {};
  }
}

/// Numbers what double excitations of listed alpha strings lead to beyond the targets, if they are few: each is needed for every
/// determinant that has the string.
template <int Words>
void ExternalSweep<Words>::tabulate_beyond(std::int64_t most) {
  constexpr double most_doubles = 2e7;  // of which those that lead beyond take 48 bytes for a while, then 16
  if (alpha_.mean_doubles() * static_cast<double>(alpha_.size()) > most_doubles) return;
  struct Part {
    std::vector<BitString<Words>> strings;
    std::vector<double> values;
  };
  constexpr std::int64_t chunk = 64;
  std::vector<Part> parts((alpha_.size() + chunk - 1) / chunk);
  beyond_offsets_.assign(static_cast<std::size_t>(alpha_.size()) + 1, 0);
  parallel_for(std::ssize(parts), 1, [&](std::int64_t c) {
    Part& part = parts[c];
    for (std::int64_t s = c * chunk; s < std::min((c + 1) * chunk, alpha_.size()); ++s) {
      const std::int64_t before = std::ssize(part.strings);
      std::int64_t k = 0;
      alpha_.for_each_double(s, [&](const BitString<Words>& target, double value, double) {
        if (leads_inside(s, k++)) return;
        part.strings.push_back(target);
        part.values.push_back(value);
      });
      beyond_offsets_[static_cast<std::size_t>(s) + 1] = std::ssize(part.strings) - before;
    }
  });
  for (std::size_t s = 1; s < beyond_offsets_.size(); ++s) beyond_offsets_[s] += beyond_offsets_[s - 1];
  beyond_.reserve(static_cast<std::size_t>(beyond_offsets_.back()));
  for (const Part& part : parts) beyond_.insert(beyond_.end(), part.strings.begin(), part.strings.end());
  __gnu_parallel::sort(beyond_.begin(), beyond_.end());
  beyond_.erase(std::unique(beyond_.begin(), beyond_.end()), beyond_.end());
  beyond_.shrink_to_fit();
  if (std::ssize(beyond_) > most) {
    beyond_.clear();
    beyond_offsets_.clear();
    return;
  }
  beyond_energies_.resize(beyond_.size());
  parallel_for(std::ssize(beyond_), 256, [&](std::int64_t t) {
    const OrbitalList occupied = OrbitalList::occupied(beyond_[t]);
    beyond_energies_[t] = tables_.string_energy({occupied.begin(), occupied.end()});
  });
  const KeyIndex<BitString<Words>> index(beyond_);
  beyond_doubles_.resize(static_cast<std::size_t>(beyond_offsets_.back()));
  parallel_for(std::ssize(parts), 1, [&](std::int64_t c) {
    auto at = static_cast<std::size_t>(beyond_offsets_[c * chunk]);
    for (std::size_t k = 0; k < parts[c].strings.size(); ++k)
      beyond_doubles_[at++] = {static_cast<std::int32_t>(index.find(beyond_, parts[c].strings[k])),
                               parts[c].values[k]};
    parts[c] = {};
  });
}

template <int Words>
void ExternalSweep<Words>::describe_pairs() {
  pair_irreps_.resize(tables_.num_pairs());
  pair_strengths_ = pair_strengths(tables_);
  for (int irrep = 0; irrep < 8; ++irrep) {
    for (const std::uint32_t pair : tables_.pairs_of(irrep))
      pair_irreps_[pair] = static_cast<std::uint8_t>(irrep);
    double singles = 0.0;
    for (std::int64_t s = 0; s < beta_.size(); ++s)
      singles += static_cast<double>(beta_.singles(s, irrep).size());
    mean_singles_.push_back(singles / static_cast<double>(beta_.size()));
  }
}

template <int Words>
void ExternalSweep<Words>::find_targets() {
  targets_ = runs_.alpha.strings;
  for (std::int64_t s = 0; s < alpha_.size(); ++s) {
    alpha_.for_each_single(
        s, [&](const BitString<Words>& target, int, int, bool) { targets_.push_back(target); });
  }
  __gnu_parallel::sort(targets_.begin(), targets_.end());
  targets_.erase(std::unique(targets_.begin(), targets_.end()), targets_.end());
  targets_.shrink_to_fit();
}

template <int Words>
void ExternalSweep<Words>::add_sources(std::int64_t string, const KeyIndex<BitString<Words>>& index,
                                       SourcePart& part) const {
  const auto source = static_cast<std::int32_t>(string);
  const auto place = [&](const BitString<Words>& target) {
    return static_cast<std::int32_t>(index.find(targets_, target));
  };
  part.sources.push_back({place(alpha_[string]), {source, Source::self, 0.0}});
  const OrbitalList occupied = OrbitalList::occupied(alpha_[string]);
  alpha_.for_each_single(string, [&](const BitString<Words>& target, int h, int p, bool negative) {
    const bool symmetric = tables_.irrep(h) == tables_.irrep(p);
    const double own = symmetric ? tables_.single_within_spin({occupied.begin(), occupied.end()}, h, p) : 0.0;
    part.sources.push_back({place(target), {source, 2 * tables_.pair(h, p) + (negative ? 1U : 0U), own}});
  });
  part.begins.push_back(std::ssize(part.inside) * 64);
  std::int64_t count = 0;
  alpha_.for_each_double(string, [&](const BitString<Words>& target, double value, double) {
    if (count % 64 == 0) part.inside.push_back(0);
    const std::int32_t at = place(target);
    if (at >= 0) {
      part.sources.push_back({at, {source, Source::twofold, value}});
      part.inside.back() |= std::uint64_t{1} << (count % 64);
    }
    ++count;
  });
}

template <int Words>
void ExternalSweep<Words>::find_sources() {
  constexpr std::int64_t chunk = 64;
  const std::int64_t chunks = (alpha_.size() + chunk - 1) / chunk;
  std::vector<SourcePart> parts(chunks);
  {
    constexpr std::int64_t bytes_each = 64;  // as parts, with room to grow, and sorted by targets
    const std::int64_t most = available_memory() / bytes_each;
    std::atomic<std::int64_t> count{0};
    const KeyIndex<BitString<Words>> index(targets_);
    parallel_for(chunks, 1, [&](std::int64_t c) {
      for (std::int64_t s = c * chunk; s < std::min((c + 1) * chunk, alpha_.size()); ++s)
        add_sources(s, index, parts[c]);
      if ((count += std::ssize(parts[c].sources)) > most) {
        throw ResourceError("the excitations between the strings of " + std::to_string(num_determinants()) +
                            " determinants and of those outside take more than " +
                            std::to_string(most * bytes_each >> 30) +
                            " GiB, all the memory there is: let the list grow less");
      }
    });
  }
  source_offsets_.assign(targets_.size() + 1, 0);
  for (const SourcePart& part : parts) {
    for (const TargetedSource& s : part.sources) ++source_offsets_[static_cast<std::size_t>(s.target) + 1];
  }
  for (std::size_t t = 1; t < source_offsets_.size(); ++t) source_offsets_[t] += source_offsets_[t - 1];
  sources_.resize(source_offsets_.back());
  std::vector<std::int64_t> next = source_offsets_;
  for (SourcePart& part : parts) {
    for (const TargetedSource& s : part.sources) sources_[next[s.target]++] = s.source;
    for (const std::int64_t begin : part.begins) inside_begins_.push_back(begin + std::ssize(inside_) * 64);
    inside_.insert(inside_.end(), part.inside.begin(), part.inside.end());
    part = {};
  }
}

template <int Words>
void ExternalSweep<Words>::describe_unit(Scratch& scratch, const BitString<Words>& string,
                                         bool is_alpha) const {
  const IntegralTables& own = is_alpha ? tables_ : tables_.beta();
  const OrbitalList occupied = OrbitalList::occupied(string);
  scratch.string = string;
  scratch.is_alpha = is_alpha;
  scratch.energy = tables_.core_energy() + own.string_energy({occupied.begin(), occupied.end()});
  std::ranges::fill(scratch.coulomb, 0.0);
  for (const int p : occupied) {
    const double* coulomb = own.coulomb_row(own.pair(p, p));
    for (int r = 0; r < num_orbitals_; ++r) scratch.coulomb[r] += coulomb[r];
  }
}

template <int Words>
double ExternalSweep<Words>::expected_contributions(std::int64_t target) const {
  const double self = mean_singles_[0] + beta_.mean_doubles();
  double expected = 0.0;
  for (const Source& source : sources(target)) {
    const auto members = static_cast<double>(runs_.alpha[source.string].size());
    expected +=
        members * (source.code == Source::self      ? self
                   : source.code == Source::twofold ? 1.0
                                                    : 1.0 + mean_singles_[pair_irreps_[source.code / 2]]);
  }
  return expected;
}

/// Beta excitations of the determinants of a listed alpha string, which is the unit's own.
template <int Words>
template <int Roots>
void ExternalSweep<Words>::add_from_self(std::int64_t string, const double* coefficients, int roots,
                                         Scratch& scratch) const {
  const IntegralTables& beta = tables_.beta();
  const OrbitalList occupied = OrbitalList::occupied(scratch.string);
  for (const std::uint32_t pair : beta.pairs_of(0))
    scratch.pair_sums[pair] = beta.coulomb_sum(pair, {occupied.begin(), occupied.end()});
  for (const auto& member : runs_.alpha[string]) {
    const double* c = coefficients + static_cast<std::ptrdiff_t>(member.row) * roots;
    const auto singles = beta_.singles(member.other, 0);
    const auto own = beta_.own_values(member.other);
    for (std::size_t k = 0; k < singles.size(); ++k) {
      const double value = own[k] + scratch.pair_sums[singles[k].code / 2];
      if (std::abs(value) <= tables_.threshold()) continue;
      add_to<Roots>(scratch.table.at(singles[k].target, singles[k].energy),
                    ExcitationCode::with_phase(value, singles[k].code & 1U), c, roots);
      ++scratch.contributions;
    }
    beta_.for_each_double(member.other, [&](const BitString<Words>& target, double value, double energy) {
      add_to<Roots>(scratch.table.at(target, energy), value, c, roots);
      ++scratch.contributions;
    });
  }
}

template <int Words>
template <int Roots>
void ExternalSweep<Words>::fill_target(std::int64_t target, const double* coefficients, int roots,
                                       Scratch& scratch) const {
  const double threshold = tables_.threshold();
  describe_unit(scratch, targets_[target], true);
  scratch.table.reset(static_cast<std::int64_t>(expected_contributions(target)));
  std::int64_t listed = -1;
  for (const Source& source : sources(target)) {
    if (source.code == Source::self) {
      listed = source.string;
      add_from_self<Roots>(source.string, coefficients, roots, scratch);
      continue;
    }
    if (source.code == Source::twofold) {
      for (const auto& member : runs_.alpha[source.string]) {
        add_to<Roots>(scratch.table.at(beta_[member.other], beta_.energy(member.other)), source.value,
                      coefficients + static_cast<std::ptrdiff_t>(member.row) * roots, roots);
      }
      scratch.contributions += std::ssize(runs_.alpha[source.string]);
      continue;
    }
    const std::uint32_t pair = source.code / 2;
    const double* integrals = tables_.row(pair);
    for (const auto& member : runs_.alpha[source.string]) {
      const double* c = coefficients + static_cast<std::ptrdiff_t>(member.row) * roots;
      if (pair_irreps_[pair] == 0) {
        const double value = source.value + tables_.coulomb_sum(pair, beta_orbitals(member.other));
        if (std::abs(value) > threshold) {
          add_to<Roots>(scratch.table.at(beta_[member.other], beta_.energy(member.other)),
                        ExcitationCode::with_phase(value, source.code & 1U), c, roots);
          ++scratch.contributions;
        }
      }
      for (const auto& single : beta_.singles(member.other, pair_irreps_[pair])) {
        const double value = integrals[single.code / 2];
        if (std::abs(value) <= threshold) continue;
        add_to<Roots>(scratch.table.at(single.target, single.energy),
                      ExcitationCode::with_phase(value, (source.code ^ single.code) & 1U), c, roots);
        ++scratch.contributions;
      }
    }
  }
  if (listed < 0) return;
  for (const auto& member : runs_.alpha[listed]) scratch.table.remove(beta_[member.other]);
}

/// As add_from_self, by numbers; what double excitations alone lead to is looked for by its bits.
template <int Words>
template <int Roots>
void ExternalSweep<Words>::add_numbered_from_self(std::int64_t string, const double* coefficients, int roots,
                                                  Scratch& scratch) const {
  const IntegralTables& beta = tables_.beta();
  const double threshold = tables_.threshold();
  const auto places = scratch.numbered.template places<Roots>();
  std::int64_t contributions = 0;
  const OrbitalList occupied = OrbitalList::occupied(scratch.string);
  for (const std::uint32_t pair : beta.pairs_of(0))
    scratch.pair_sums[pair] = beta.coulomb_sum(pair, {occupied.begin(), occupied.end()});
  scratch.table.reset(
      static_cast<std::int64_t>(static_cast<double>(runs_.alpha[string].size()) * beta_.mean_doubles()));
  for (const auto& member : runs_.alpha[string]) {
    const double* c = coefficients + static_cast<std::ptrdiff_t>(member.row) * roots;
    const auto singles = numbered_singles(member.other, 0);
    const auto own = beta_.own_values(member.other);
    for (std::size_t k = 0; k < singles.size(); ++k) {
      const double value = own[k] + scratch.pair_sums[singles[k].code / 2];
      if (std::abs(value) <= threshold) continue;
      add_to<Roots>(places.at(singles[k].target), ExcitationCode::with_phase(value, singles[k].code & 1U), c,
                    roots);
      ++contributions;
    }
    std::size_t at = double_offsets_.empty() ? 0 : static_cast<std::size_t>(double_offsets_[member.other]);
    if (!double_offsets_.empty()) {
      const auto end = static_cast<std::size_t>(double_offsets_[static_cast<std::size_t>(member.other) + 1]);
      bool any_outside = false;
      for (; at < end; ++at) {
        if (doubles_[at].target < 0) {
          any_outside = true;
        } else {
          add_to<Roots>(places.at(doubles_[at].target), doubles_[at].value, c, roots);
        }
      }
      at = static_cast<std::size_t>(double_offsets_[member.other]);
      contributions += static_cast<std::int64_t>(end - at);
      if (!any_outside) continue;
    }
    beta_.for_each_double(member.other, [&](const BitString<Words>& target, double value, double energy) {
      std::int32_t number = -1;
      if (!double_offsets_.empty()) {
        if (doubles_[at++].target >= 0) return;
      } else {
        const auto found = std::lower_bound(beta_targets_.begin(), beta_targets_.end(), target);
        if (found != beta_targets_.end() && *found == target)
          number = static_cast<std::int32_t>(found - beta_targets_.begin());
        ++contributions;
      }
      double* sums = number >= 0 ? places.at(number) : scratch.table.at(target, energy);
      add_to<Roots>(sums, value, c, roots);
    });
  }
  scratch.contributions += contributions;
}

/// As fill_target, by numbers of beta strings.
template <int Words>
template <int Roots>
void ExternalSweep<Words>::fill_numbered(std::int64_t target, const double* coefficients, int roots,
                                         Scratch& scratch) const {
  const double threshold = tables_.threshold();
  describe_unit(scratch, targets_[target], true);
  scratch.table.reset(0);
  const auto places = scratch.numbered.template places<Roots>();
  std::int64_t listed = -1, contributions = 0;
  for (const Source& source : sources(target)) {
    if (source.code == Source::self) {
      listed = source.string;
      add_numbered_from_self<Roots>(source.string, coefficients, roots, scratch);
      continue;
    }
    const auto members = runs_.alpha[source.string];
    if (source.code == Source::twofold) {
      for (const auto& member : members) {
        add_to<Roots>(places.at(beta_numbers_[member.other]), source.value,
                      coefficients + static_cast<std::ptrdiff_t>(member.row) * roots, roots);
      }
      contributions += std::ssize(members);
      continue;
    }
    const std::uint32_t pair = source.code / 2;
    const int irrep = pair_irreps_[pair];
    const double* integrals = tables_.row(pair);
    for (std::size_t m = 0; m < members.size(); ++m) {
      if (m + 1 < members.size()) prefetch(numbered_singles(members[m + 1].other, irrep));
      const auto& member = members[m];
      const double* c = coefficients + static_cast<std::ptrdiff_t>(member.row) * roots;
      if (irrep == 0) {
        const double value = source.value + tables_.coulomb_sum(pair, beta_orbitals(member.other));
        if (std::abs(value) > threshold) {
          add_to<Roots>(places.at(beta_numbers_[member.other]),
                        ExcitationCode::with_phase(value, source.code & 1U), c, roots);
          ++contributions;
        }
      }
      for (const NumberedSingle& single : numbered_singles(member.other, irrep)) {
        const double value = integrals[single.code / 2];
        if (std::abs(value) <= threshold) continue;
        add_to<Roots>(places.at(single.target),
                      ExcitationCode::with_phase(value, (source.code ^ single.code) & 1U), c, roots);
        ++contributions;
      }
    }
  }
  scratch.contributions += contributions;
  if (listed < 0) return;
  for (const auto& member : runs_.alpha[listed]) scratch.numbered.remove(beta_numbers_[member.other]);
}

template <int Words>
template <int Roots>
void ExternalSweep<Words>::fill_beta(std::int64_t string, const double* coefficients, int roots,
                                     Scratch& scratch) const {
  describe_unit(scratch, beta_[string], false);
  const auto members = runs_.beta[string];
  if (!beyond_offsets_.empty()) {
    scratch.table.reset(0);
    const auto places = scratch.beyond.template places<Roots>();
    for (const auto& member : members) {
      const double* c = coefficients + static_cast<std::ptrdiff_t>(member.row) * roots;
      const std::size_t from = static_cast<std::size_t>(member.other);
      const auto begin = static_cast<std::size_t>(beyond_offsets_[from]),
                 end = static_cast<std::size_t>(beyond_offsets_[from + 1]);
      for (std::size_t k = begin; k < end; ++k)
        add_to<Roots>(places.at(beyond_doubles_[k].target), beyond_doubles_[k].value, c, roots);
      scratch.contributions += static_cast<std::int64_t>(end - begin);
    }
    return;
  }
  scratch.table.reset(static_cast<std::int64_t>(static_cast<double>(members.size()) * alpha_.mean_doubles()));
  for (const auto& member : members) {
    const double* c = coefficients + static_cast<std::ptrdiff_t>(member.row) * roots;
    std::int64_t count = 0;
    alpha_.for_each_double(member.other, [&](const BitString<Words>& target, double value, double energy) {
      if (leads_inside(member.other, count++)) return;
      add_to<Roots>(scratch.table.at(target, energy), value, c, roots);
      ++scratch.contributions;
    });
  }
}

template <int Words>
void ExternalSweep<Words>::fill(std::int64_t unit, std::span<const double> coefficients, int roots,
                                Scratch& scratch) const {
  const std::int64_t beta = unit - std::ssize(targets_);
  if (is_numbered() && beta < 0) {
    roots == 1 ? fill_numbered<1>(unit, coefficients.data(), roots, scratch)
               : fill_numbered<0>(unit, coefficients.data(), roots, scratch);
  } else if (roots == 1) {
    beta < 0 ? fill_target<1>(unit, coefficients.data(), roots, scratch)
             : fill_beta<1>(beta, coefficients.data(), roots, scratch);
  } else {
    beta < 0 ? fill_target<0>(unit, coefficients.data(), roots, scratch)
             : fill_beta<0>(beta, coefficients.data(), roots, scratch);
  }
}

template <int Words>
std::vector<double> ExternalSweep<Words>::weights(std::span<const double> coefficients, int roots) const {
  const auto of = [&](std::span<const RunMember> members) {
    return weight_of(members, coefficients, static_cast<std::size_t>(roots));
  };
  std::vector<double> of_alpha(alpha_.size());
  parallel_for(alpha_.size(), 64, [&](std::int64_t s) { of_alpha[s] = of(runs_.alpha[s]); });
  const double typical = typical_strength(pair_strengths_);
  std::vector<double> weights(num_units());
  parallel_for(std::ssize(targets_), 64, [&](std::int64_t t) {
    for (const Source& source : sources(t)) {
      const double strength = source.code == Source::self ? typical
                              : source.code == Source::twofold
                                  ? source.value * source.value
                                  : source.value * source.value + pair_strengths_[source.code / 2];
      weights[t] += of_alpha[source.string] * strength;
    }
  });
  std::vector<std::uint8_t> leads_outside(alpha_.size());
  parallel_for(alpha_.size(), 64, [&](std::int64_t s) {
    std::int64_t count = 0;
    alpha_.for_each_double(s, [&](const BitString<Words>&, double, double) {
      if (!leads_inside(s, count++)) leads_outside[s] = 1;
    });
  });
  parallel_for(beta_.size(), 64, [&](std::int64_t s) {
    const bool brings = std::ranges::any_of(
        runs_.beta[s], [&](const RunMember& member) { return leads_outside[member.other] != 0; });
    weights[targets_.size() + static_cast<std::size_t>(s)] = brings ? typical * of(runs_.beta[s]) : 0.0;
  });
  return weights;
}

#define INSTANTIATE(W) template class ExternalSweep<W>;
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve
