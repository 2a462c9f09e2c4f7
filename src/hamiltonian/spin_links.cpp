// SPDX-License-Identifier: MIT
#include "cisolve/hamiltonian/spin_links.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "cisolve/core/error.hpp"

namespace cisolve {
namespace {

/// The links of some consecutive targets.
struct Part {
  GroupedLinks<SpinLinks::Single> singles;
  GroupedLinks<SpinLinks::OwnDouble> own_doubles;
  GroupedLinks<SpinLinks::OwnSingle> own_singles;

  /// @param rows  of pairs in a CoulombTable
  Part(const Strings& strings, const StringClasses& classes, const IntegralTables& tables,
       const std::vector<std::int32_t>& rows, std::span<const std::int32_t> targets, OwnDoubles listed) {
    const auto place = [&](std::int32_t string) { return classes.position[string]; };
    const auto class_of = [&](std::int32_t string) { return classes.class_of[string]; };
    std::vector<std::pair<std::int32_t, SpinLinks::Single>> found[8];
    std::vector<std::pair<std::int32_t, SpinLinks::OwnSingle>> found_own;
    std::vector<std::pair<std::int32_t, SpinLinks::OwnDouble>> found_doubles;
    const bool has_doubles = listed == OwnDoubles::listed;
    const StringExcitations doubles = has_doubles ? strings.doubles(targets) : StringExcitations();
    for (std::size_t k = 0; k < targets.size(); ++k) {
      const std::int32_t target = targets[k];
      for (const auto& [source, code] : strings.singles()[target]) {
        if (class_of(source) < 0) continue;
        const int h = ExcitationCode::hole(code), p = ExcitationCode::particle(code);
        const std::uint32_t pair = tables.pair(h, p);
        const int irrep = tables.irrep(h) ^ tables.irrep(p);
        found[irrep].push_back({class_of(source), {place(source), 2 * pair + (code & 1U)}});
        if (irrep != 0) continue;
        const double sign = ExcitationCode::is_negative(code) ? -1.0 : 1.0;
        const double value = tables.single_within_spin(strings.orbitals(target), h, p);
        found_own.push_back({class_of(source), {sign * value, sign, place(source), rows[pair]}});
      }
      if (has_doubles) {
        for (const auto& [source, code] : doubles[static_cast<std::int32_t>(k)]) {
          const double value = tables.same_spin_double(code);
          if (value != 0.0 && class_of(source) >= 0)
            found_doubles.push_back({class_of(source), {value, place(source)}});
        }
      }
      for (auto& of_irrep : found) singles.add_list(of_irrep);
      own_singles.add_list(found_own);
      own_doubles.add_list(found_doubles);
    }
  }
};

}  // namespace

template <class Entry>
void GroupedLinks<Entry>::add_list(std::vector<std::pair<std::int32_t, Entry>>& by_class) {
  std::ranges::stable_sort(by_class, {}, &std::pair<std::int32_t, Entry>::first);
  for (std::size_t k = 0; k < by_class.size(); ++k) {
    if (k == 0 || by_class[k].first != by_class[k - 1].first)
      groups.push_back({std::ssize(entries), 0, by_class[k].first});
    ++groups.back().size;
    entries.push_back(by_class[k].second);
  }
  groups_of.push_back(std::ssize(groups));
  by_class.clear();
}

template <class Entry>
void GroupedLinks<Entry>::append(const GroupedLinks& more) {
  const std::int64_t groups_before = std::ssize(groups), entries_before = std::ssize(entries);
  for (const LinkGroup& group : more.groups)
    groups.push_back({entries_before + group.first, group.size, group.source_class});
  for (std::size_t k = 1; k < more.groups_of.size(); ++k)
    groups_of.push_back(groups_before + more.groups_of[k]);
  entries.insert(entries.end(), more.entries.begin(), more.entries.end());
}

template <class Entry>
std::int64_t GroupedLinks<Entry>::bytes() const {
  return static_cast<std::int64_t>(groups_of.size() * sizeof(std::int64_t) +
                                   groups.size() * sizeof(LinkGroup) + entries.size() * sizeof(Entry));
}

SpinLinks::SpinLinks(const Strings& strings, const StringClasses& classes, const IntegralTables& tables,
                     OwnDoubles doubles)
    : num_classes(classes.count()), num_electrons(strings.num_electrons()) {
  const std::span<const std::int32_t> all = classes.strings;
  const std::vector<std::int32_t> rows = coulomb_rows(tables);
  for (const std::int32_t string : all) {
    const auto orbitals = strings.orbitals(string);
    occupied.insert(occupied.end(), orbitals.begin(), orbitals.end());
  }
  strings.singles();
  strings.doubles({});  // What both are read from is made now, not by one of the threads below.
  // Some targets at a time: what is on its way into the tables takes little memory beside them.
  constexpr std::size_t chunk = 64, at_a_time = 128 * chunk;
  for (std::size_t begin = 0; begin < all.size(); begin += at_a_time) {
    const std::size_t end = std::min(begin + at_a_time, all.size());
    std::vector<std::optional<Part>> parts((end - begin + chunk - 1) / chunk);
#pragma omp parallel for schedule(dynamic)
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const std::size_t first = begin + k * chunk;
      parts[k].emplace(strings, classes, tables, rows, all.subspan(first, std::min(chunk, end - first)),
                       doubles);
    }
    const auto append_all = [&](auto& links, auto Part::*of_part) {
      if (begin == 0) {
        // Others will have about as many.
        const double share = 1.1 * static_cast<double>(all.size()) / static_cast<double>(end);
        std::size_t found = 0;
        for (const auto& part : parts) found += (*part.*of_part).size();
        links.entries.reserve(static_cast<std::size_t>(share * static_cast<double>(found)));
      }
      for (const auto& part : parts) links.append(*part.*of_part);
    };
    append_all(singles, &Part::singles);
    append_all(own_doubles, &Part::own_doubles);
    append_all(own_singles, &Part::own_singles);
  }
  list_pairs(classes, tables);
}

/// The same single excitations again, by pair: those into the strings of each class are sorted by themselves.
void SpinLinks::list_pairs(const StringClasses& classes, const IntegralTables& tables) {
  const std::size_t num_pairs = tables.num_pairs();
  std::vector<std::int32_t> irreps(num_pairs);
  for (int p = 0; p < tables.num_orbitals(); ++p) {
    for (int q = 0; q <= p; ++q) irreps[tables.pair(p, q)] = tables.irrep(p) ^ tables.irrep(q);
  }
  targets.resize(singles.size());
  sources.resize(singles.size());
  signs.resize(singles.size());
  const std::size_t n = num_classes;
  linked.assign(n * n, 0);
  pair_lists_of.assign(n * n + 1, 0);
  std::vector<std::vector<PairList>> lists_into(n);
#pragma omp parallel for schedule(dynamic)
  for (std::size_t c = 0; c < n; ++c) {
    const auto first = static_cast<std::size_t>(classes.offsets[c]),
               last = static_cast<std::size_t>(classes.offsets[c + 1]);
    const auto for_each_single = [&](const auto& visit) {
      for (std::size_t ordinal = first; ordinal < last; ++ordinal) {
        for (std::int64_t g = singles.groups_of[8 * ordinal]; g < singles.groups_of[8 * ordinal + 8]; ++g) {
          const Group& group = singles.groups[g];
          for (std::int64_t k = group.first; k < group.first + group.size; ++k) {
            const Single& single = singles[k];
            visit(static_cast<std::size_t>(group.source_class) * num_pairs + single.code / 2, ordinal - first,
                  single);
          }
        }
      }
    };
    // How many by source class and pair, then where the next of them goes: targets stay in their order.
    std::vector<std::int64_t> place(n * num_pairs, 0);
    for_each_single([&](std::size_t key, std::size_t, const Single&) { ++place[key]; });
    const std::size_t group = singles.groups_of[8 * first];
    std::int64_t next = group < singles.groups.size() ? singles.groups[group].first : 0;
    for (std::size_t key = 0; key < place.size(); ++key) {
      const std::int64_t begin = next;
      next += std::exchange(place[key], begin);
      if (next == begin) continue;
      const std::size_t pair = key % num_pairs, between = c * n + key / num_pairs;
      lists_into[c].push_back({static_cast<std::uint32_t>(pair), irreps[pair], begin, next});
      ++pair_lists_of[between + 1];
      linked[between] = 1;
    }
    for_each_single([&](std::size_t key, std::size_t target, const Single& single) {
      const std::size_t at = place[key]++;
      targets[at] = static_cast<std::int32_t>(target);
      sources[at] = single.source;
      signs[at] = single.code % 2 == 1 ? -1.0 : 1.0;
    });
  }
  for (const auto& lists : lists_into) pair_lists.insert(pair_lists.end(), lists.begin(), lists.end());
  std::partial_sum(pair_lists_of.begin(), pair_lists_of.end(), pair_lists_of.begin());
}

std::int64_t SpinLinks::bytes() const {
  const auto bytes_of = [](const auto& list) {
    return static_cast<std::int64_t>(list.size() * sizeof(*list.data()));
  };
  return singles.bytes() + own_doubles.bytes() + own_singles.bytes() + bytes_of(pair_lists_of) +
         bytes_of(pair_lists) + bytes_of(targets) + bytes_of(sources) + bytes_of(signs) + bytes_of(linked) +
         bytes_of(occupied);
}

std::vector<std::int32_t> coulomb_rows(const IntegralTables& tables) {
  std::vector<std::int32_t> rows(tables.num_pairs(), -1);
  std::int32_t next = 0;
  for (int p = 0; p < tables.num_orbitals(); ++p) {
    for (int q = 0; q < p; ++q) {
      if (tables.irrep(p) == tables.irrep(q)) rows[tables.pair(p, q)] = next++;
    }
  }
  return rows;
}

CoulombTable::CoulombTable(const Strings& strings, const StringClasses& classes,
                           const IntegralTables& tables) {
  for (int c = 0; c < classes.count(); ++c) {
    const bool is_felt = classes.met[static_cast<std::size_t>(c)] > 1;
    class_offsets.push_back(is_felt ? width : -1);
    if (is_felt)
      width += (classes.size(c) + BlockLayout::lanes - 1) / BlockLayout::lanes * BlockLayout::lanes;
  }
  const std::vector<std::int32_t> rows = coulomb_rows(tables);
  std::vector<std::uint32_t> pairs;
  for (std::uint32_t pair = 0; pair < rows.size(); ++pair) {
    if (rows[pair] >= 0) pairs.push_back(pair);
  }
  values = Array<double>(pairs.size() * static_cast<std::size_t>(width));
  std::fill(values.begin(), values.end(), 0.0);
#pragma omp parallel for schedule(static)
  for (std::size_t row = 0; row < pairs.size(); ++row) {
    for (const std::int32_t string : classes.strings) {
      const std::size_t at = string;
      const std::int64_t first = class_offsets[classes.class_of[at]];
      if (first < 0) continue;
      values[row * static_cast<std::size_t>(width) + static_cast<std::size_t>(first + classes.position[at])] =
          tables.coulomb_sum(pairs[row], strings.orbitals(string));
    }
  }
}

Array<double> string_diagonal(const StringProduct& space, const IntegralTables& tables) {
  return string_diagonal(space, tables, RowMap::whole(space.size()));
}

Array<double> string_diagonal(const StringProduct& space, const IntegralTables& tables, const RowMap& rows) {
  if (rows.rows() != space.size())
    throw DimensionError("string_diagonal: the rows are not those of the space");
  const Strings& betas = space.beta();
  std::vector<double> beta_energy(betas.size());
#pragma omp parallel for schedule(static)
  for (std::int32_t b = 0; b < betas.size(); ++b)
    beta_energy[b] = tables.beta().string_energy(betas.orbitals(b));
  Array<double> result(rows.local_rows());
#pragma omp parallel for schedule(dynamic, 16)
  for (std::int32_t a = 0; a < space.alpha().size(); ++a) {
    const std::span<const std::uint8_t> alpha = space.alpha().orbitals(a);
    std::vector<double> coulomb;  // made for the first own row
    double energy = 0.0;
    for (int level = 0; level < space.num_levels(); ++level) {
      const std::int64_t run = space.run_offset(level, a);
      const std::span<const std::int32_t> all = space.run_betas(level, a);
      rows.for_each_within(run, std::ssize(all),
                           [&](std::int64_t row, std::int64_t local, std::int64_t count) {
                             if (coulomb.empty()) {
                               coulomb.assign(space.num_orbitals(), 0.0);
                               for (const std::uint8_t p : alpha) {
                                 const double* felt = tables.coulomb_row(tables.pair(p, p));
                                 for (std::size_t r = 0; r < coulomb.size(); ++r) coulomb[r] += felt[r];
                               }
                               energy = tables.core_energy() + tables.string_energy(alpha);
                             }
                             double* to = result.data() + local;
                             for (const std::int32_t b : all.subspan(row - run, count)) {
                               double sum = energy + beta_energy[b];
                               for (const std::uint8_t r : betas.orbitals(b)) sum += coulomb[r];
                               *to++ = sum;
                             }
                           });
    }
  }
  return result;
}

}  // namespace cisolve
