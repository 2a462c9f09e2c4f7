// SPDX-License-Identifier: MIT
#include "cisolve/hamiltonian/spin_links.hpp"

#include <algorithm>
#include <tuple>

#include "cisolve/hamiltonian/string_links.hpp"
#include "cisolve/space/excitations.hpp"

namespace cisolve {
namespace {

constexpr std::uint32_t negative_bit = 0x80000000U;

using Link = SpinLinks::Link;

/// Appends the links of one key, sorted by source class, as groups of equal source class.
template <class Entry>
void append(std::span<const Link> links, const auto& make, std::vector<std::int64_t>& groups_of,
            std::vector<SpinLinks::Group>& groups, std::vector<Entry>& entries) {
  for (std::size_t k = 0; k < links.size(); ++k) {
    if (k == 0 || links[k].source_class != links[k - 1].source_class) {
      groups.push_back({static_cast<std::int64_t>(entries.size()), 0, links[k].source_class});
    }
    ++groups.back().size;
    entries.push_back(make(links[k]));
  }
  groups_of.push_back(static_cast<std::int64_t>(groups.size()));
}

}  // namespace

template <int Words>
SpinLinks::SpinLinks(const StringTable<Words>& strings, const StringClasses& classes, const IntegralTables& tables)
    : num_classes(classes.count()) {
  const StringLinks all(strings, tables);
  const std::vector<std::int32_t> rows = coulomb_rows(tables);
  std::vector<Link> pair_links;
  linked.assign(static_cast<std::size_t>(num_classes) * static_cast<std::size_t>(num_classes), 0);
  single_groups_of = own_double_groups_of = own_single_groups_of = {0};
  for (std::int32_t ordinal = 0; ordinal < classes.num_strings(); ++ordinal) {
    const std::int32_t string = classes.strings[static_cast<std::size_t>(ordinal)];
    std::vector<Link> within[8], doubles, totally_symmetric;
    for (const StringLinks::Link& link : all[string]) {
      const auto source = static_cast<std::size_t>(link.target);
      if (link.code == StringLinks::self || classes.class_of[source] < 0) continue;
      const Link entry{.target = string,
                       .source_class = classes.class_of[source],
                       .source = classes.position[source],
                       .pair = link.code & ~negative_bit,
                       .irrep = strings.irrep(string) ^ strings.irrep(link.target),
                       .negative = (link.code & negative_bit) != 0,
                       .value = link.value};
      if (link.code == tables.num_pairs()) {
        doubles.push_back(entry);
        continue;
      }
      within[entry.irrep].push_back(entry);
      if (link.value != StringLinks::forbidden) totally_symmetric.push_back(entry);
    }
    const auto by_source = [](const Link& a, const Link& b) {
      return std::tie(a.source_class, a.source) < std::tie(b.source_class, b.source);
    };
    for (std::vector<Link>& links : within) {
      std::sort(links.begin(), links.end(), by_source);
      append(links, [](const Link& link) { return Single{link.source, 2 * link.pair + (link.negative ? 1U : 0U)}; },
             single_groups_of, single_groups, singles);
      pair_links.insert(pair_links.end(), links.begin(), links.end());
    }
    std::sort(doubles.begin(), doubles.end(), by_source);
    append(doubles, [](const Link& link) { return OwnDouble{link.value, link.source}; }, own_double_groups_of,
           own_double_groups, own_doubles);
    std::sort(totally_symmetric.begin(), totally_symmetric.end(), by_source);
    append(totally_symmetric,
           [&](const Link& link) {
             const double sign = link.negative ? -1.0 : 1.0;
             return OwnSingle{sign * link.value, sign, link.source, rows[link.pair]};
           },
           own_single_groups_of, own_single_groups, own_singles);
  }
  list_pairs(pair_links, classes);
}

/// The same single excitations again, by pair.
void SpinLinks::list_pairs(std::vector<Link>& links, const StringClasses& classes) {
  const auto class_pair = [&](const Link& link) {
    return static_cast<std::size_t>(classes.class_of[static_cast<std::size_t>(link.target)]) *
               static_cast<std::size_t>(num_classes) +
           static_cast<std::size_t>(link.source_class);
  };
  std::sort(links.begin(), links.end(), [&](const Link& a, const Link& b) {
    return std::tuple(class_pair(a), a.pair, classes.position[static_cast<std::size_t>(a.target)]) <
           std::tuple(class_pair(b), b.pair, classes.position[static_cast<std::size_t>(b.target)]);
  });
  pair_lists_of.assign(linked.size() + 1, 0);
  for (std::size_t k = 0; k < links.size(); ++k) {
    const Link& link = links[k];
    const std::size_t between = class_pair(link);
    const auto at = static_cast<std::int64_t>(k);
    if (k == 0 || between != class_pair(links[k - 1]) || link.pair != links[k - 1].pair) {
      pair_lists.push_back({link.pair, link.irrep, at, at});
      ++pair_lists_of[between + 1];
      linked[between] = 1;
    }
    pair_lists.back().last = at + 1;
    targets.push_back(classes.position[static_cast<std::size_t>(link.target)]);
    sources.push_back(link.source);
    signs.push_back(link.negative ? -1.0 : 1.0);
  }
  for (std::size_t k = 0; k + 1 < pair_lists_of.size(); ++k) pair_lists_of[k + 1] += pair_lists_of[k];
}

std::int64_t SpinLinks::bytes() const {
  const auto bytes_of = [](const auto& list) {
    return static_cast<std::int64_t>(list.size() * sizeof(*list.data()));
  };
  return bytes_of(single_groups_of) + bytes_of(single_groups) + bytes_of(singles) + bytes_of(own_double_groups_of) +
         bytes_of(own_single_groups_of) + bytes_of(own_double_groups) + bytes_of(own_single_groups) +
         bytes_of(own_doubles) + bytes_of(own_singles) + bytes_of(pair_lists_of) + bytes_of(pair_lists) +
         bytes_of(targets) + bytes_of(sources) + bytes_of(signs) + bytes_of(linked);
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

template <int Words>
CoulombTable::CoulombTable(const StringTable<Words>& strings, const StringClasses& classes,
                           const IntegralTables& tables) {
  for (int c = 0; c < classes.count(); ++c) {
    class_offsets.push_back(width);
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
    const double* coulomb = tables.coulomb_row(pairs[row]);
    for (const std::int32_t string : classes.strings) {
      double sum = 0.0;
      strings[string].for_each([&](int r) { sum += coulomb[r]; });
      const auto at = static_cast<std::size_t>(string);
      values[row * static_cast<std::size_t>(width) +
             static_cast<std::size_t>(class_offsets[static_cast<std::size_t>(classes.class_of[at])] + classes.position[at])] = sum;
    }
  }
}

template <int Words>
std::vector<double> string_diagonal(const ProductSpace<Words>& space, const IntegralTables& tables) {
  const StringTable<Words>& betas = space.beta();
  std::vector<double> beta_energy(static_cast<std::size_t>(betas.size()));
  const auto num_beta = static_cast<std::size_t>(space.num_beta());
  std::vector<std::uint8_t> occupied;  // [strings * num_beta]
  for (std::int32_t b = 0; b < betas.size(); ++b) {
    beta_energy[static_cast<std::size_t>(b)] = tables.string_energy(betas[b]);
    betas[b].for_each([&](int r) { occupied.push_back(static_cast<std::uint8_t>(r)); });
  }
  std::vector<double> result(static_cast<std::size_t>(space.size()));
#pragma omp parallel for schedule(dynamic, 16)
  for (std::int32_t a = 0; a < space.alpha().size(); ++a) {
    std::vector<double> coulomb(static_cast<std::size_t>(space.num_orbitals()), 0.0);
    space.alpha()[a].for_each([&](int p) {
      const double* row = tables.coulomb_row(tables.pair(p, p));
      for (std::size_t r = 0; r < coulomb.size(); ++r) coulomb[r] += row[r];
    });
    const double energy = tables.core_energy() + tables.string_energy(space.alpha()[a]);
    for (int level = 0; level < space.num_levels(); ++level) {
      double* to = result.data() + space.run_offset(level, a);
      for (const std::int32_t b : space.run_betas(level, a)) {
        double sum = energy + beta_energy[static_cast<std::size_t>(b)];
        const std::uint8_t* orbital = occupied.data() + static_cast<std::size_t>(b) * num_beta;
        for (std::size_t k = 0; k < num_beta; ++k) sum += coulomb[orbital[k]];
        *to++ = sum;
      }
    }
  }
  return result;
}

template SpinLinks::SpinLinks(const StringTable<1>&, const StringClasses&, const IntegralTables&);
template SpinLinks::SpinLinks(const StringTable<2>&, const StringClasses&, const IntegralTables&);
template CoulombTable::CoulombTable(const StringTable<1>&, const StringClasses&, const IntegralTables&);
template CoulombTable::CoulombTable(const StringTable<2>&, const StringClasses&, const IntegralTables&);
template std::vector<double> string_diagonal(const ProductSpace<1>&, const IntegralTables&);
template std::vector<double> string_diagonal(const ProductSpace<2>&, const IntegralTables&);

}  // namespace cisolve
