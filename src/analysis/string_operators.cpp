// SPDX-License-Identifier: MIT
#include "analysis/string_operators.hpp"

#include <algorithm>
#include <cstring>
#include <parallel/algorithm>
#include <tuple>

namespace cisolve {
namespace {

/// The strings of a table, or what an annihilator leaves of them, ascending by the orbitals that are left.
class Remainders {
public:
  struct One {
    std::int32_t string;
    std::int32_t removed;  ///< place of the removed orbital among those of the string; 0 if none is
  };

  Remainders(const Strings& strings, bool without_one) : strings_(strings), without_one_(without_one) {
    const int electrons = strings.num_electrons();
    const int places = without_one ? electrons : 1;
    width_ = static_cast<std::size_t>(without_one ? std::max(electrons - 1, 0) : electrons);
    for (std::int32_t s = 0; s < strings.size(); ++s) {
      for (std::int32_t removed = 0; removed < places; ++removed) {
        number_.push_back(std::ssize(all_));
        all_.push_back({s, removed});
        const auto orbitals = strings.orbitals(s);
        for (std::int32_t k = 0; k < electrons; ++k) {
          if (!without_one || k != removed) left_.push_back(orbitals[k]);
        }
      }
    }
    __gnu_parallel::sort(number_.begin(), number_.end(), [this](std::int64_t a, std::int64_t b) {
      const int order = compare(left(a), left(b));
      return order != 0 ? order < 0 : a < b;
    });
  }

  std::int64_t size() const { return std::ssize(number_); }
  const One& operator[](std::int64_t k) const { return all_[number_[k]]; }
  /// The orbital that was removed, or 0.
  int orbital(std::int64_t k) const {
    const One& one = (*this)[k];
    return without_one_ ? strings_.orbitals(one.string)[one.removed] : 0;
  }
  /// Negative, 0, positive as what is left of `k` is before, the same as, after what is left of `other_k` there.
  int compare_with(std::int64_t k, const Remainders& other, std::int64_t other_k) const {
    return compare(left(number_[k]), other.left(other.number_[other_k]));
  }

private:
  const std::uint8_t* left(std::int64_t number) const {
    return left_.data() + static_cast<std::size_t>(number) * width_;
  }
  int compare(const std::uint8_t* a, const std::uint8_t* b) const {
    return width_ == 0 ? 0 : std::memcmp(a, b, width_);
  }

  const Strings& strings_;
  bool without_one_;
  std::size_t width_ = 0;  ///< orbitals left
  std::vector<One> all_;
  std::vector<std::uint8_t> left_;    ///< [all * width]
  std::vector<std::int64_t> number_;  ///< in `all_`, sorted
};

struct Link {
  std::int32_t source;
  StringExcitations::Link link;
};

/// Pairs of strings that leave the same.
std::vector<Link> join(const Remainders& bras, const Remainders& kets, bool same_too) {
  std::vector<Link> found;
  for (std::int64_t b = 0, k = 0; b < bras.size() && k < kets.size();) {
    const int order = bras.compare_with(b, kets, k);
    if (order < 0) ++b;
    if (order > 0) ++k;
    if (order != 0) continue;
    std::int64_t last_b = b + 1, last_k = k + 1;
    while (last_b < bras.size() && bras.compare_with(last_b, kets, k) == 0) ++last_b;
    while (last_k < kets.size() && bras.compare_with(b, kets, last_k) == 0) ++last_k;
    for (std::int64_t ket = k; ket < last_k; ++ket) {
      for (std::int64_t bra = b; bra < last_b; ++bra) {
        const int p = bras.orbital(bra), q = kets.orbital(ket);
        if (!same_too && p == q) continue;
        const bool negative = (bras[bra].removed + kets[ket].removed) % 2 != 0;
        found.push_back({kets[ket].string, {bras[bra].string, ExcitationCode::single(q, p, negative)}});
      }
    }
    b = last_b;
    k = last_k;
  }
  return found;
}

}  // namespace

StringLinksBetween::StringLinksBetween(const Strings& bras, const Strings& kets, StringOperator what) {
  if (what == StringOperator::excitation && &bras == &kets) {
    links_ = &bras.singles();
    return;
  }
  own_ = string_links(bras, kets, what);
}

StringExcitations string_links(const Strings& bras, const Strings& kets, StringOperator what) {
  const bool excites = what == StringOperator::excitation;
  const Remainders of_bras(bras, excites || what == StringOperator::creation);
  const Remainders of_kets(kets, excites || what == StringOperator::annihilation);
  std::vector<Link> found = join(of_bras, of_kets, !excites);
  std::ranges::stable_sort(found, {}, &Link::source);
  StringExcitations links;
  links.offsets.assign(static_cast<std::size_t>(kets.size()) + 1, 0);
  for (const Link& link : found) ++links.offsets[static_cast<std::size_t>(link.source) + 1];
  for (std::size_t k = 1; k < links.offsets.size(); ++k) links.offsets[k] += links.offsets[k - 1];
  links.links.reserve(found.size());
  for (const Link& link : found) links.links.push_back(link.link);
  return links;
}

LinksByClass::LinksByClass(const StringExcitations& links, const Strings& bras,
                           const StringClasses& bra_classes, const Strings& kets,
                           const StringClasses& ket_classes, int irrep, bool only_raising)
    : num_ket_classes_(ket_classes.count()),
      groups_of_(static_cast<std::size_t>(bra_classes.count()) * num_ket_classes_ + 1, 0) {
  struct Found {
    std::int32_t classes;  ///< class of the target * classes of kets + class of the source
    std::uint16_t pair;    ///< p * 256 + q
    Entry entry;
  };
  std::vector<Found> all;
  for (const std::int32_t source : ket_classes.strings) {
    for (const auto& [target, code] : links[source]) {
      const int p = ExcitationCode::particle(code), q = ExcitationCode::hole(code);
      if ((only_raising && p < q) || bra_classes.class_of[target] < 0) continue;
      if (irrep != any_irrep && (kets.irrep(source) ^ bras.irrep(target)) != irrep) continue;
      const std::int32_t between =
          bra_classes.class_of[target] * static_cast<std::int32_t>(num_ket_classes_) +
          ket_classes.class_of[source];
      all.push_back({between,
                     static_cast<std::uint16_t>(p * 256 + q),
                     {ket_classes.position[source],
                      2 * static_cast<std::uint32_t>(bra_classes.position[target]) + (code & 1U)}});
    }
  }
  const auto key = [](const Found& found) {
    return std::tuple(found.classes, found.pair, found.entry.source);  // which has one target
  };
  __gnu_parallel::sort(all.begin(), all.end(),
                       [&](const Found& a, const Found& b) { return key(a) < key(b); });
  entries_.reserve(all.size());
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (k == 0 || all[k].classes != all[k - 1].classes || all[k].pair != all[k - 1].pair) {
      ++groups_of_[static_cast<std::size_t>(all[k].classes) + 1];
      const auto at = static_cast<std::int64_t>(k);
      groups_.push_back({static_cast<std::uint8_t>(all[k].pair / 256),
                         static_cast<std::uint8_t>(all[k].pair % 256), at, at, true});
    }
    Group& group = groups_.back();
    const Entry& entry = all[k].entry;
    const bool follows = group.first == group.last || (entry.source == entries_.back().source + 1 &&
                                                       entry.target_code == entries_.back().target_code + 2);
    group.in_step = group.in_step && follows && (entry.target_code & 1U) == 0;
    ++group.last;
    entries_.push_back(entry);
  }
  for (std::size_t k = 1; k < groups_of_.size(); ++k) groups_of_[k] += groups_of_[k - 1];
}

}  // namespace cisolve
