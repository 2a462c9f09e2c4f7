// SPDX-License-Identifier: MIT
#include "cisolve/hamiltonian/string_classes.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "cisolve/core/error.hpp"

namespace cisolve {
namespace {

/// Strings by the key of their class: classes in the order of first appearance in `order`.
template <class Key>
StringClasses make_classes(std::int32_t table_size, const std::vector<std::int32_t>& order,
                           const std::vector<Key>& key_of) {
  StringClasses classes;
  std::map<Key, std::int32_t> numbers;
  classes.class_of.assign(static_cast<std::size_t>(table_size), -1);
  classes.position.assign(static_cast<std::size_t>(table_size), -1);
  std::vector<std::vector<std::int32_t>> members;
  for (const std::int32_t string : order) {
    const auto [at, is_new] = numbers.try_emplace(key_of[static_cast<std::size_t>(string)],
                                                  static_cast<std::int32_t>(numbers.size()));
    if (is_new) members.emplace_back();
    auto& list = members[static_cast<std::size_t>(at->second)];
    classes.class_of[static_cast<std::size_t>(string)] = at->second;
    classes.position[static_cast<std::size_t>(string)] = static_cast<std::int32_t>(list.size());
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

template <int Words>
BlockStructure::BlockStructure(const ProductSpace<Words>& space) {
  // The lists of beta strings that runs have, each once, and which of them every alpha string meets.
  std::map<const std::int32_t*, std::int32_t> list_numbers;
  std::vector<std::span<const std::int32_t>> lists;
  std::vector<std::vector<std::int32_t>> met(static_cast<std::size_t>(space.alpha().size()));
  for (std::int32_t a = 0; a < space.alpha().size(); ++a) {
    for (int level = 0; level < space.num_levels(); ++level) {
      const auto betas = space.run_betas(level, a);
      if (betas.empty()) continue;
      const auto [at, is_new] =
          list_numbers.try_emplace(betas.data(), static_cast<std::int32_t>(list_numbers.size()));
      if (is_new) lists.push_back(betas);
      met[static_cast<std::size_t>(a)].push_back(at->second);
    }
    std::sort(met[static_cast<std::size_t>(a)].begin(), met[static_cast<std::size_t>(a)].end());
  }
  std::vector<std::int32_t> alphas;
  for (std::int32_t a = 0; a < space.alpha().size(); ++a) {
    if (!met[static_cast<std::size_t>(a)].empty()) alphas.push_back(a);
  }
  alpha = make_classes(space.alpha().size(), alphas, met);

  // Lists that the same alpha classes meet make one class of beta strings.
  std::vector<std::vector<std::int32_t>> meets(lists.size());
  for (int c = 0; c < alpha.count(); ++c) {
    const std::int32_t first =
        alpha.strings[static_cast<std::size_t>(alpha.offsets[static_cast<std::size_t>(c)])];
    for (const std::int32_t list : met[static_cast<std::size_t>(first)])
      meets[static_cast<std::size_t>(list)].push_back(c);
  }
  std::vector<std::vector<std::int32_t>> key_of(static_cast<std::size_t>(space.beta().size()));
  std::vector<std::int32_t> betas;
  for (std::size_t list = 0; list < lists.size(); ++list) {
    for (const std::int32_t b : lists[list]) {
      if (!key_of[static_cast<std::size_t>(b)].empty()) {
        throw DimensionError("BlockStructure: two runs share some of their beta strings, but not all");
      }
      key_of[static_cast<std::size_t>(b)] = meets[list];
      betas.push_back(b);
    }
  }
  beta = make_classes(space.beta().size(), betas, key_of);
  allowed.assign(static_cast<std::size_t>(alpha.count()) * static_cast<std::size_t>(beta.count()), 0);
  for (int d = 0; d < beta.count(); ++d) {
    const std::int32_t first =
        beta.strings[static_cast<std::size_t>(beta.offsets[static_cast<std::size_t>(d)])];
    for (const std::int32_t c : key_of[static_cast<std::size_t>(first)]) {
      allowed[static_cast<std::size_t>(c) * static_cast<std::size_t>(beta.count()) +
              static_cast<std::size_t>(d)] = 1;
    }
  }
  use_symmetry(space);
}

/// Gives both spins the same classes if the space is its own mirror image.
template <int Words>
void BlockStructure::use_symmetry(const ProductSpace<Words>& space) {
  if (space.alpha().size() != space.beta().size() || alpha.count() != beta.count()) return;
  std::vector<int> twin(static_cast<std::size_t>(alpha.count()), -1);
  for (std::int32_t a = 0; a < space.alpha().size(); ++a) {
    if (space.alpha()[a] != space.beta()[a]) return;
    const std::int32_t c = alpha.class_of[static_cast<std::size_t>(a)];
    const std::int32_t d = beta.class_of[static_cast<std::size_t>(a)];
    if ((c < 0) != (d < 0)) return;
    if (c < 0) continue;
    int& known = twin[static_cast<std::size_t>(c)];
    if (known < 0) known = d;
    if (known != d) return;
  }
  std::vector<std::uint8_t> mirrored(allowed.size());
  const auto n = static_cast<std::size_t>(beta.count());
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

template BlockStructure::BlockStructure(const ProductSpace<1>&);
template BlockStructure::BlockStructure(const ProductSpace<2>&);

}  // namespace cisolve
