// SPDX-License-Identifier: MIT
#include "cisolve/hamiltonian/string_classes.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace cisolve {
namespace {

/// Strings by the key of their class: classes in the order of first appearance in `order`.
template <class Key>
StringClasses make_classes(std::int32_t table_size, const std::vector<std::int32_t>& order,
                           const std::vector<Key>& key_of) {
  StringClasses classes;
  std::map<Key, std::int32_t> numbers;
  classes.class_of.assign(table_size, -1);
  classes.position.assign(table_size, -1);
  std::vector<std::vector<std::int32_t>> members;
  for (const std::int32_t string : order) {
    const auto [at, is_new] = numbers.try_emplace(key_of[string], static_cast<std::int32_t>(numbers.size()));
    if (is_new) members.emplace_back();
    auto& list = members[at->second];
    classes.class_of[string] = at->second;
    classes.position[string] = static_cast<std::int32_t>(list.size());
    list.push_back(string);
  }
  classes.offsets.push_back(0);
  for (const auto& list : members) {
    classes.strings.insert(classes.strings.end(), list.begin(), list.end());
    classes.offsets.push_back(static_cast<std::int32_t>(classes.strings.size()));
  }
  return classes;
}

}  // namespace

BlockStructure::BlockStructure(const StringProduct& space) {
  // Beta strings that the same lists have are met by the same alpha strings: no class cuts such a piece.
  const auto lists = space.beta_lists();
  std::vector<std::vector<std::int32_t>> lists_of(space.beta().size());
  std::vector<std::int32_t> betas;
  for (std::size_t list = 0; list < lists.size(); ++list) {
    for (const std::int32_t b : lists[list].members) {
      auto& of_string = lists_of[b];
      if (of_string.empty()) betas.push_back(b);
      of_string.push_back(static_cast<std::int32_t>(list));
    }
  }
  const StringClasses pieces = make_classes(space.beta().size(), betas, lists_of);
  std::vector<std::vector<std::int32_t>> pieces_of(lists.size());
  for (int piece = 0; piece < pieces.count(); ++piece) {
    const std::int32_t first = pieces.strings[pieces.offsets[piece]];
    for (const std::int32_t list : lists_of[first]) pieces_of[list].push_back(piece);
  }

  // Alpha strings that meet the same pieces are a class.
  std::vector<std::vector<std::int32_t>> met(space.alpha().size());
  std::vector<std::int32_t> alphas;
  for (std::int32_t a = 0; a < space.alpha().size(); ++a) {
    auto& of_string = met[a];
    for (int level = 0; level < space.num_levels(); ++level) {
      const std::int32_t list = space.run_list(level, a);
      if (list == StringProduct::no_list) continue;
      const auto& more = pieces_of[list];
      of_string.insert(of_string.end(), more.begin(), more.end());
    }
    std::sort(of_string.begin(), of_string.end());
    if (!of_string.empty()) alphas.push_back(a);
  }
  alpha = make_classes(space.alpha().size(), alphas, met);

  // Pieces that the same alpha classes meet make one class of beta strings.
  std::vector<std::vector<std::int32_t>> meets(pieces.count());
  for (int c = 0; c < alpha.count(); ++c) {
    const std::int32_t first = alpha.strings[alpha.offsets[c]];
    for (const std::int32_t piece : met[first]) meets[piece].push_back(c);
  }
  std::vector<std::vector<std::int32_t>> key_of(space.beta().size());
  for (const std::int32_t b : pieces.strings) {
    key_of[b] = meets[pieces.class_of[b]];
  }
  beta = make_classes(space.beta().size(), pieces.strings, key_of);
  allowed.assign(static_cast<std::size_t>(alpha.count()) * static_cast<std::size_t>(beta.count()), 0);
  for (int d = 0; d < beta.count(); ++d) {
    const std::int32_t first = beta.strings[beta.offsets[d]];
    for (const std::int32_t c : key_of[first]) {
      allowed[static_cast<std::size_t>(c) * static_cast<std::size_t>(beta.count()) +
              static_cast<std::size_t>(d)] = 1;
    }
  }
  list_parts(space, pieces);
  use_symmetry(space);
  count_met();
}

void BlockStructure::count_met() {
  alpha.met.assign(static_cast<std::size_t>(alpha.count()), 0);
  beta.met.assign(static_cast<std::size_t>(beta.count()), 0);
  for (int a = 0; a < alpha.count(); ++a) {
    for (int b = 0; b < beta.count(); ++b) {
      if (!is_allowed(a, b)) continue;
      alpha.met[static_cast<std::size_t>(a)] += beta.size(b);
      beta.met[static_cast<std::size_t>(b)] += alpha.size(a);
    }
  }
}

/// Where each list has its pieces.
void BlockStructure::list_parts(const StringProduct& space, const StringClasses& pieces) {
  std::map<std::int32_t, std::vector<std::int32_t>> places_of;  // by piece
  parts_of.push_back(0);
  for (const auto& list : space.beta_lists()) {
    places_of.clear();
    for (std::size_t k = 0; k < list.members.size(); ++k) {
      const std::size_t b = list.members[k];
      places_of[pieces.class_of[b]].push_back(static_cast<std::int32_t>(k));
    }
    for (const auto& [piece, found] : places_of) {
      const std::size_t first = list.members[found.front()];
      const bool whole = places_of.size() == 1;
      parts.push_back({beta.class_of[first], beta.position[first], static_cast<std::int32_t>(found.size()),
                       whole ? -1 : std::ssize(places)});
      if (!whole) places.insert(places.end(), found.begin(), found.end());
    }
    parts_of.push_back(std::ssize(parts));
  }
}

/// Gives both spins the same classes if the space is its own mirror image.
void BlockStructure::use_symmetry(const StringProduct& space) {
  if (space.alpha().size() != space.beta().size() || alpha.count() != beta.count()) return;
  std::vector<int> twin(alpha.count(), -1);
  for (std::int32_t a = 0; a < space.alpha().size(); ++a) {
    if (!std::ranges::equal(space.alpha().orbitals(a), space.beta().orbitals(a))) return;
    const std::int32_t c = alpha.class_of[a];
    const std::int32_t d = beta.class_of[a];
    if ((c < 0) != (d < 0)) return;
    if (c < 0) continue;
    int& known = twin[c];
    if (known < 0) known = d;
    if (known != d) return;
  }
  std::vector<std::uint8_t> mirrored(allowed.size());
  const std::size_t n = beta.count();
  for (std::size_t c = 0; c < n; ++c) {
    std::copy_n(allowed.begin() + static_cast<std::ptrdiff_t>(c * n), n,
                mirrored.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(twin[c]) * n));
  }
  for (std::size_t c = 0; c < n; ++c) {
    for (std::size_t d = 0; d < n; ++d) {
      if (mirrored[c * n + d] != mirrored[d * n + c]) return;
    }
  }
  alpha = beta;
  allowed = std::move(mirrored);
  symmetric = true;
}

BlockLayout::BlockLayout(const BlockStructure& blocks, bool alpha_major) {
  const StringClasses& major = alpha_major ? blocks.alpha : blocks.beta;
  const StringClasses& minor = alpha_major ? blocks.beta : blocks.alpha;
  num_major = major.count();
  for (int m = 0; m < minor.count(); ++m) {
    Panel panel{.offset = size,
                .rows = 0,
                .columns = minor.size(m),
                .stride = (minor.size(m) + lanes - 1) / lanes * lanes};
    for (int c = 0; c < num_major; ++c) {
      const bool present = alpha_major ? blocks.is_allowed(c, m) : blocks.is_allowed(m, c);
      first_row.push_back(present ? panel.rows : -1);
      if (present) panel.rows += major.size(c);
    }
    size += panel.rows * panel.stride;
    panels.push_back(panel);
  }
}

}  // namespace cisolve
