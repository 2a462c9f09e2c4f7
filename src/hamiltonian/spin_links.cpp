// SPDX-License-Identifier: MIT
#include "cisolve/hamiltonian/spin_links.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "cisolve/space/excitations.hpp"

namespace cisolve {
namespace {

/// A single excitation on its way into the tables.
struct Link {
  std::int32_t target = 0;  ///< number in the string table
  std::int32_t source_class = 0, source = 0;
  std::uint32_t pair = 0;
  std::int32_t irrep = 0;  ///< of the pair
  bool negative = false;
  double value = 0.0;  ///< part within the spin, if totally symmetric
};

/// The links of some consecutive targets, on their way into the tables.
struct Part {
  std::vector<Link> singles;                        ///< by target, irrep of the pair, source class
  std::vector<SpinLinks::OwnDouble> own_doubles;    ///< by target, source class
  std::vector<SpinLinks::Group> own_double_groups;  ///< places counted in the part
  std::vector<std::int64_t> own_double_groups_of;   ///< [targets] the end of each target's
};

/// All excitations between strings of the classes from a range of targets.
template <int Words>
Part excitations(const StringTable<Words>& strings, const StringClasses& classes,
                 const IntegralTables& tables, std::int32_t first, std::int32_t last) {
  const auto num_classes = static_cast<std::size_t>(classes.count());
  const int norb = tables.num_orbitals();
  std::vector<std::vector<Link>> singles(8 * num_classes);
  std::vector<std::vector<SpinLinks::OwnDouble>> doubles(num_classes);
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
                      const auto at = static_cast<std::size_t>(source);
                      doubles[static_cast<std::size_t>(classes.class_of[at])].push_back(
                          {negative ? -value : value, classes.position[at]});
                    });
    for (std::vector<Link>& list : singles) {
      part.singles.insert(part.singles.end(), list.begin(), list.end());
      list.clear();
    }
    for (std::size_t c = 0; c < num_classes; ++c) {
      std::vector<SpinLinks::OwnDouble>& list = doubles[c];
      if (list.empty()) continue;
      part.own_double_groups.push_back({std::ssize(part.own_doubles), static_cast<std::int32_t>(list.size()),
                                        static_cast<std::int32_t>(c)});
      part.own_doubles.insert(part.own_doubles.end(), list.begin(), list.end());
      list.clear();
    }
    part.own_double_groups_of.push_back(std::ssize(part.own_double_groups));
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

/// As in SpinLinks::Single.
std::uint32_t single_code(const Link& link) { return 2 * link.pair + (link.negative ? 1U : 0U); }

/// @param rows  of pairs in a CoulombTable
void append_singles(const Part& part, const StringClasses& classes, const std::vector<std::int32_t>& rows,
                    SpinLinks& to) {
  const Link* before = nullptr;
  for (const Link& link : part.singles) {
    const auto target = static_cast<std::size_t>(ordinal_of(classes, link.target));
    const bool opens = before == nullptr || before->target != link.target || before->irrep != link.irrep ||
                       before->source_class != link.source_class;
    append(SpinLinks::Single{link.source, single_code(link)}, link, opens, to.single_groups, to.singles);
    to.single_groups_of[target * 8 + static_cast<std::size_t>(link.irrep) + 1] = std::ssize(to.single_groups);
    if (link.irrep == 0) {
      const double sign = link.negative ? -1.0 : 1.0;
      append(SpinLinks::OwnSingle{sign * link.value, sign, link.source, rows[link.pair]}, link, opens,
             to.own_single_groups, to.own_singles);
      to.own_single_groups_of[target + 1] = std::ssize(to.own_single_groups);
    }
    before = &link;
  }
}

void append_doubles(const Part& part, SpinLinks& to) {
  const std::int64_t groups_before = std::ssize(to.own_double_groups);
  const std::int64_t doubles_before = std::ssize(to.own_doubles);
  for (SpinLinks::Group group : part.own_double_groups) {
    group.first += doubles_before;
    to.own_double_groups.push_back(group);
  }
  for (const std::int64_t last : part.own_double_groups_of)
    to.own_double_groups_of.push_back(groups_before + last);
  to.own_doubles.insert(to.own_doubles.end(), part.own_doubles.begin(), part.own_doubles.end());
}

}  // namespace

template <int Words>
SpinLinks::SpinLinks(const StringTable<Words>& strings, const StringClasses& classes,
                     const IntegralTables& tables)
    : num_classes(classes.count()) {
  const std::int32_t n = classes.num_strings();
  const std::vector<std::int32_t> rows = coulomb_rows(tables);
  for (const std::int32_t string : classes.strings) {
    strings[string].for_each([&](int r) { occupied.push_back(static_cast<std::uint8_t>(r)); });
  }
  num_electrons = n == 0 ? 0 : static_cast<int>(occupied.size()) / n;

  linked.assign(static_cast<std::size_t>(num_classes) * static_cast<std::size_t>(num_classes), 0);
  single_groups_of.assign(static_cast<std::size_t>(n) * 8 + 1, 0);
  own_single_groups_of.assign(static_cast<std::size_t>(n) + 1, 0);
  own_double_groups_of.assign(1, 0);
  std::vector<PairLink> pair_links;
  // Some targets at a time: what is on its way into the tables takes little memory beside them.
  constexpr std::int32_t chunk = 64, at_a_time = 128 * chunk;
  std::vector<Part> parts(at_a_time / chunk);
  for (std::int32_t begin = 0; begin < n; begin += at_a_time) {
    const std::int32_t end = std::min(begin + at_a_time, n);
#pragma omp parallel for schedule(dynamic)
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const std::int32_t first = std::min(begin + static_cast<std::int32_t>(k) * chunk, end);
      parts[k] = excitations(strings, classes, tables, first, std::min(first + chunk, end));
    }
    if (begin == 0) {
      // Others will have about as many.
      std::size_t num_singles = 0, num_doubles = 0;
      for (const Part& part : parts) {
        num_singles += part.singles.size();
        num_doubles += part.own_doubles.size();
      }
      const double share = end < n ? 1.1 * n / end : 1.0;
      const auto expected = [&](std::size_t count) {
        return static_cast<std::size_t>(share * static_cast<double>(count));
      };
      singles.reserve(expected(num_singles));
      pair_links.reserve(expected(num_singles));
      own_doubles.reserve(expected(num_doubles));
    }
    for (Part& part : parts) {
      append_singles(part, classes, rows, *this);
      append_doubles(part, *this);
      for (const Link& link : part.singles)
        pair_links.push_back({link.target, link.source_class, link.source, single_code(link)});
      part = {};
    }
  }
  // Targets without links end where the one before them does.
  for (auto* offsets : {&single_groups_of, &own_single_groups_of}) {
    std::inclusive_scan(offsets->begin(), offsets->end(), offsets->begin(),
                        [](auto a, auto b) { return std::max(a, b); });
  }
  list_pairs(pair_links, classes, tables);
}

/// The same single excitations again, by pair.
void SpinLinks::list_pairs(std::vector<PairLink>& links, const StringClasses& classes,
                           const IntegralTables& tables) {
  const auto class_pair = [&](const PairLink& link) {
    return static_cast<std::size_t>(classes.class_of[static_cast<std::size_t>(link.target)]) *
               static_cast<std::size_t>(num_classes) +
           static_cast<std::size_t>(link.source_class);
  };
  std::vector<std::int32_t> irreps(tables.num_pairs());
  for (int p = 0; p < tables.num_orbitals(); ++p) {
    for (int q = 0; q <= p; ++q) irreps[tables.pair(p, q)] = tables.irrep(p) ^ tables.irrep(q);
  }
  // By classes, then by pair, then by target, as they are: each sort keeps the order that it finds.
  std::vector<PairLink> sorted(links.size());
  const auto sort_by = [&](std::size_t num_keys, const auto& key) {
    std::vector<std::size_t> place(num_keys + 1, 0);
    for (const PairLink& link : links) ++place[key(link) + 1];
    std::partial_sum(place.begin(), place.end(), place.begin());
    for (const PairLink& link : links) sorted[place[key(link)]++] = link;
    links.swap(sorted);
  };
  sort_by(irreps.size(), [](const PairLink& link) { return link.code / 2; });
  sort_by(linked.size(), class_pair);
  sorted = {};
  targets.reserve(links.size());
  sources.reserve(links.size());
  signs.reserve(links.size());
  pair_lists_of.assign(linked.size() + 1, 0);
  for (std::size_t k = 0; k < links.size(); ++k) {
    const PairLink& link = links[k];
    const std::size_t between = class_pair(link);
    const auto at = static_cast<std::int64_t>(k);
    if (k == 0 || between != class_pair(links[k - 1]) || link.code / 2 != links[k - 1].code / 2) {
      pair_lists.push_back({link.code / 2, irreps[link.code / 2], at, at});
      ++pair_lists_of[between + 1];
      linked[between] = 1;
    }
    pair_lists.back().last = at + 1;
    targets.push_back(classes.position[static_cast<std::size_t>(link.target)]);
    sources.push_back(link.source);
    signs.push_back(link.code % 2 == 1 ? -1.0 : 1.0);
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
