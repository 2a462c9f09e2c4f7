// SPDX-License-Identifier: MIT
#include "cisolve/hamiltonian/spin_links.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "cisolve/space/excitations.hpp"

namespace cisolve {
namespace {

using Link = SpinLinks::Link;

/// The links of some consecutive targets, on their way into the tables.
struct Part {
  std::vector<Link> singles;      ///< by target, irrep of the pair, source class
  std::vector<Link> own_doubles;  ///< by target, source class
};

/// All excitations between strings of the classes from a range of targets.
template <int Words>
Part excitations(const StringTable<Words>& strings, const StringClasses& classes,
                 const IntegralTables& tables, std::int32_t first, std::int32_t last) {
  const auto num_classes = static_cast<std::size_t>(classes.count());
  const int norb = tables.num_orbitals();
  std::vector<std::vector<Link>> singles(8 * num_classes), doubles(num_classes);
  Part part;
  for (std::int32_t ordinal = first; ordinal < last; ++ordinal) {
    const std::int32_t target = classes.strings[static_cast<std::size_t>(ordinal)];
    const BitString<Words>& string = strings[target];
    const auto source_of = [&](const BitString<Words>& s) {
      const std::int32_t found = strings.find(s);
      return found >= 0 && classes.class_of[static_cast<std::size_t>(found)] >= 0 ? found : -1;
    };
    const auto link_to = [&](std::int32_t source) {
      const auto at = static_cast<std::size_t>(source);
      return Link{.target = target, .source_class = classes.class_of[at], .source = classes.position[at]};
    };
    for_each_single(string, norb, [&](const BitString<Words>& s, int h, int p, bool negative) {
      const std::int32_t source = source_of(s);
      if (source < 0) return;
      Link link = link_to(source);
      link.pair = tables.pair(h, p);
      link.irrep = tables.irrep(h) ^ tables.irrep(p);
      link.negative = negative;
      if (link.irrep == 0) link.value = tables.single_within_spin(string, h, p);
      singles[static_cast<std::size_t>(link.irrep) * num_classes +
              static_cast<std::size_t>(link.source_class)]
          .push_back(link);
    });
    for_each_double(string, norb,
                    [&](const BitString<Words>& s, int h1, int p1, int h2, int p2, bool negative) {
                      if ((tables.irrep(h1) ^ tables.irrep(h2) ^ tables.irrep(p1) ^ tables.irrep(p2)) != 0)
                        return;
                      const double value = tables.eri(p1, h1, p2, h2) - tables.eri(p1, h2, p2, h1);
                      if (value == 0.0) return;
                      const std::int32_t source = source_of(s);
                      if (source < 0) return;
                      Link link = link_to(source);
                      link.value = negative ? -value : value;
                      doubles[static_cast<std::size_t>(link.source_class)].push_back(link);
                    });
    const auto move_to = [](std::vector<std::vector<Link>>& lists, std::vector<Link>& all) {
      for (std::vector<Link>& list : lists) {
        all.insert(all.end(), list.begin(), list.end());
        list.clear();
      }
    };
    move_to(singles, part.singles);
    move_to(doubles, part.own_doubles);
  }
  return part;
}

/// Number of a string, class after class.
std::int32_t ordinal_of(const StringClasses& classes, std::int32_t string) {
  const auto at = static_cast<std::size_t>(string);
  return classes.offsets[static_cast<std::size_t>(classes.class_of[at])] + classes.position[at];
}

/// Appends a link to the groups of equal target (and irrep) and source class.
template <class Entry>
void append(const Entry& entry, const Link& link, bool opens, std::vector<SpinLinks::Group>& groups,
            std::vector<Entry>& entries) {
  if (opens) groups.push_back({static_cast<std::int64_t>(entries.size()), 0, link.source_class});
  ++groups.back().size;
  entries.push_back(entry);
}

}  // namespace

template <int Words>
SpinLinks::SpinLinks(const StringTable<Words>& strings, const StringClasses& classes,
                     const IntegralTables& tables)
    : num_classes(classes.count()) {
  constexpr std::int32_t chunk = 64;
  const std::int32_t n = classes.num_strings();
  const std::vector<std::int32_t> rows = coulomb_rows(tables);
  std::vector<Part> parts(static_cast<std::size_t>((n + chunk - 1) / chunk));
#pragma omp parallel for schedule(dynamic)
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const auto first = static_cast<std::int32_t>(k) * chunk;
    parts[k] = excitations(strings, classes, tables, first, std::min(first + chunk, n));
  }

  for (const std::int32_t string : classes.strings) {
    strings[string].for_each([&](int r) { occupied.push_back(static_cast<std::uint8_t>(r)); });
  }
  num_electrons = n == 0 ? 0 : static_cast<int>(occupied.size()) / n;

  linked.assign(static_cast<std::size_t>(num_classes) * static_cast<std::size_t>(num_classes), 0);
  single_groups_of.assign(static_cast<std::size_t>(n) * 8 + 1, 0);
  own_single_groups_of.assign(static_cast<std::size_t>(n) + 1, 0);
  own_double_groups_of = own_single_groups_of;
  std::vector<Link> pair_links;
  std::size_t num_singles = 0, num_doubles = 0;
  for (const Part& part : parts) {
    num_singles += part.singles.size();
    num_doubles += part.own_doubles.size();
  }
  singles.reserve(num_singles);
  pair_links.reserve(num_singles);
  own_doubles.reserve(num_doubles);
  for (Part& part : parts) {
    const Link* before = nullptr;
    for (const Link& link : part.singles) {
      const auto target = static_cast<std::size_t>(ordinal_of(classes, link.target));
      const bool opens = before == nullptr || before->target != link.target || before->irrep != link.irrep ||
                         before->source_class != link.source_class;
      append(Single{link.source, 2 * link.pair + (link.negative ? 1U : 0U)}, link, opens, single_groups,
             singles);
      single_groups_of[target * 8 + static_cast<std::size_t>(link.irrep) + 1] = std::ssize(single_groups);
      if (link.irrep == 0) {
        const double sign = link.negative ? -1.0 : 1.0;
        append(OwnSingle{sign * link.value, sign, link.source, rows[link.pair]}, link, opens,
               own_single_groups, own_singles);
        own_single_groups_of[target + 1] = std::ssize(own_single_groups);
      }
      before = &link;
    }
    before = nullptr;
    for (const Link& link : part.own_doubles) {
      const auto target = static_cast<std::size_t>(ordinal_of(classes, link.target));
      const bool opens =
          before == nullptr || before->target != link.target || before->source_class != link.source_class;
      append(OwnDouble{link.value, link.source}, link, opens, own_double_groups, own_doubles);
      own_double_groups_of[target + 1] = std::ssize(own_double_groups);
      before = &link;
    }
    pair_links.insert(pair_links.end(), part.singles.begin(), part.singles.end());
    part = {};
  }
  // Targets without links end where the one before them does.
  for (auto* offsets : {&single_groups_of, &own_double_groups_of, &own_single_groups_of}) {
    std::inclusive_scan(offsets->begin(), offsets->end(), offsets->begin(),
                        [](auto a, auto b) { return std::max(a, b); });
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
  std::size_t num_pairs = 0;
  for (const Link& link : links) num_pairs = std::max<std::size_t>(num_pairs, link.pair + std::size_t{1});
  // By classes, then by pair, then by target, as they are: each sort keeps the order that it finds.
  std::vector<Link> sorted(links.size());
  const auto sort_by = [&](std::size_t num_keys, const auto& key) {
    std::vector<std::size_t> place(num_keys + 1, 0);
    for (const Link& link : links) ++place[key(link) + 1];
    std::partial_sum(place.begin(), place.end(), place.begin());
    for (const Link& link : links) sorted[place[key(link)]++] = link;
    links.swap(sorted);
  };
  sort_by(num_pairs, [](const Link& link) { return link.pair; });
  sort_by(linked.size(), class_pair);
  targets.reserve(links.size());
  sources.reserve(links.size());
  signs.reserve(links.size());
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
  return bytes_of(single_groups_of) + bytes_of(single_groups) + bytes_of(singles) +
         bytes_of(own_double_groups_of) + bytes_of(own_single_groups_of) + bytes_of(own_double_groups) +
         bytes_of(own_single_groups) + bytes_of(own_doubles) + bytes_of(own_singles) +
         bytes_of(pair_lists_of) + bytes_of(pair_lists) + bytes_of(targets) + bytes_of(sources) +
         bytes_of(signs) + bytes_of(linked) + bytes_of(occupied);
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
             static_cast<std::size_t>(class_offsets[static_cast<std::size_t>(classes.class_of[at])] +
                                      classes.position[at])] = sum;
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
