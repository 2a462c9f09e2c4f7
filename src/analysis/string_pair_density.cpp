// SPDX-License-Identifier: MIT
#include "analysis/string_pair_density.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "analysis/pair_sums.hpp"
#include "analysis/row_products.hpp"
#include "analysis/string_remainders.hpp"
#include "cisolve/core/array.hpp"
#include "cisolve/hamiltonian/string_classes.hpp"
#include "cisolve/space/string_excitations.hpp"

namespace cisolve {
namespace {

using Group = StringRemainders::Group;
using Member = StringRemainders::Member;
using Slot = StringRemainders::Slot;

/// A vector in the two orders of BlockLayout.
struct VectorInBlocks {
  BlockStructure blocks;
  BlockLayout alpha_major, beta_major;
  Array<double> by_alpha, by_beta;

  VectorInBlocks(const StringProduct& space, std::span<const double> vector)
      : blocks(space), alpha_major(blocks, true), beta_major(blocks, false), by_alpha(alpha_major.size),
        by_beta(beta_major.size) {
    // Padding is not read.
#pragma omp parallel for schedule(static)
    for (std::size_t k = 0; k < blocks.alpha.strings.size(); ++k) {
      const std::int32_t alpha = blocks.alpha.strings[k];
      for (int level = 0; level < space.num_levels(); ++level) {
        const std::int32_t list = space.run_list(level, alpha);
        if (list == StringProduct::no_list) continue;
        const double* from = vector.data() + space.run_offset(level, alpha);
        for (std::int64_t part = blocks.parts_of[list]; part < blocks.parts_of[list + 1]; ++part)
          place(blocks.parts[part], alpha, from);
      }
    }
  }

private:
  void place(const BlockStructure::ListPart& part, std::int32_t alpha, const double* from) {
    const std::int32_t c = blocks.alpha.class_of[alpha], position = blocks.alpha.position[alpha];
    const BlockLayout::Panel &rows = alpha_major.panels[part.beta_class], &columns = beta_major.panels[c];
    double* to_row = by_alpha.data() + rows.offset +
                     (alpha_major.row(part.beta_class, c) + position) * rows.stride + part.position;
    double* to_column = by_beta.data() + columns.offset + position +
                        (beta_major.row(c, part.beta_class) + part.position) * columns.stride;
    const std::int32_t* places = part.gather < 0 ? nullptr : blocks.places.data() + part.gather;
    for (std::int32_t j = 0; j < part.size; ++j) {
      const double value = from[places == nullptr ? j : places[j]];
      to_row[j] = value;
      to_column[j * columns.stride] = value;
    }
  }
};

/// Which remainders go row by row, and which are the columns.
struct Roles {
  const BlockLayout& layout;  ///< rows are strings of the major spin
  const double* x;
  const StringRemainders& major;
  const StringRemainders& minor;
  bool alpha_major;
};

/// A matrix of PairSums.
struct Kind {
  std::vector<double> TwoParticleDensity::*sums;
  std::size_t beta_labels;  ///< row = label of alpha * beta_labels + label of beta
  std::size_t order;        ///< rows of the matrix
};

/// Adds what the products of some remainders bring to the sums of a share.
class PairProducts {
public:
  PairProducts(const Kind& kind, PairSums& sums) : kind_(kind), sums_((sums.*kind.sums).data()) {}

  /// @param remainder  of the major spin
  /// @param group      of the minor spin
  void add(const Roles& roles, std::int64_t remainder, const Group& group) {
    list_rows(roles, remainder, group);
    if (rows_.empty()) return;
    // So many columns at a time that the rows stay in the caches.
    constexpr std::int64_t elements = 1 << 17, least_columns = 256, most_columns = 1024;
    const std::int64_t width = std::clamp(elements / std::ssize(rows_), least_columns, most_columns);
    const std::int64_t parts = (group.size() + width - 1) / width;
    for (std::int64_t part = 0; part < parts; ++part) {
      gather(roles.minor, group, group.size() * part / parts, group.size() * (part + 1) / parts);
      products_.for_each_product([&](std::int64_t i, std::int64_t j, double product) {
        sums_[rows_[i].number * kind_.order + rows_[j].number] += product;
      });
    }
  }

private:
  struct Row {
    std::size_t number;  ///< in the matrix
    const double* source;
    std::uint32_t negative;
    const Slot* slot;
  };

  static bool is_before(const StringRemainders::Entry& entry, std::int64_t column) {
    return entry.column < column;
  }

  /// Ascending by number.
  void list_rows(const Roles& roles, std::int64_t remainder, const Group& group) {
    rows_.clear();
    const auto add_row = [&](const Member& member, const Slot& slot) {
      const std::int64_t base = roles.layout.row(slot.string_class, member.string_class);
      if (base < 0) return;
      const BlockLayout::Panel& panel = roles.layout.panels[slot.string_class];
      const std::size_t of_member = member.label, of_slot = slot.label;
      rows_.push_back({roles.alpha_major ? of_member * kind_.beta_labels + of_slot
                                         : of_slot * kind_.beta_labels + of_member,
                       roles.x + panel.offset + (base + member.code / 2) * panel.stride, member.code & 1U,
                       &slot});
    };
    const auto members = roles.major.members(remainder);
    if (roles.alpha_major) {
      for (const Member& member : members) {
        for (const Slot& slot : group.slots) add_row(member, slot);
      }
    } else {
      for (const Slot& slot : group.slots) {
        for (const Member& member : members) add_row(member, slot);
      }
    }
  }

  /// Y of columns first .. last - 1 of a group.
  void gather(const StringRemainders& minor, const Group& group, std::int64_t first, std::int64_t last) {
    products_.resize(std::ssize(rows_), last - first);
    for (std::int64_t i = 0; i < std::ssize(rows_); ++i) {
      const Row& row = rows_[i];
      double* to = products_.row(i);
      if (row.slot->is_class) {
        const double sign = row.negative != 0 ? -1.0 : 1.0;
        for (std::int64_t k = first; k < last; ++k) to[k - first] = sign * row.source[k];
        continue;
      }
      const auto* begin = minor.entries() + row.slot->first;
      const auto* end = minor.entries() + row.slot->last;
      if (first > 0) begin = std::lower_bound(begin, end, first, is_before);
      if (last < group.size()) end = std::lower_bound(begin, end, last, is_before);
      for (const auto* entry = begin; entry != end; ++entry)
        to[entry->column - first] =
            ExcitationCode::with_phase(row.source[entry->code / 2], entry->code ^ row.negative);
    }
  }

  const Kind& kind_;
  double* sums_;
  std::vector<Row> rows_;
  RowProducts products_;
};

/// A group of each spin, and which of them goes row by row.
struct GroupPair {
  const Group& major;
  const Group& minor;
  bool alpha_major;
  double cost;
};

/// Multiplications, or what takes as long, with each remainder of one group and all columns of the other.
double cost_of(const Roles& roles, const Group& major, const Group& minor) {
  // Labels of the major slots are shared by its remainders: so many members each.
  double rows = 0.0;
  for (const Slot& of_major : major.slots) {
    for (const Slot& of_minor : minor.slots) {
      if (roles.layout.row(of_minor.string_class, of_major.string_class) >= 0)
        rows += static_cast<double>(of_major.last - of_major.first);
    }
  }
  rows /= static_cast<double>(major.size());
  constexpr double of_adding = 32.0, of_gathering = 8.0;
  const auto columns = static_cast<double>(minor.size());
  return static_cast<double>(major.size()) * rows *
         (0.5 * rows * (columns + of_adding) + of_gathering * columns);
}

std::vector<GroupPair> pair_groups(const Roles& by_alpha, const Roles& by_beta) {
  std::vector<GroupPair> pairs;
  for (const Group& alpha : by_alpha.major.groups()) {
    for (const Group& beta : by_alpha.minor.groups()) {
      const double rows = cost_of(by_alpha, alpha, beta), columns = cost_of(by_beta, beta, alpha);
      if (rows == 0.0) continue;
      if (rows <= columns)
        pairs.push_back({alpha, beta, true, rows});
      else
        pairs.push_back({beta, alpha, false, columns});
    }
  }
  return pairs;
}

/// What a matrix of PairSums is summed from: strings of both spins with electrons taken.
class Task {
public:
  Task(const Kind& kind, const VectorInBlocks& x, const StringRemainders& alpha, const StringRemainders& beta)
      : kind_(kind), by_alpha_{x.alpha_major, x.by_alpha.data(), alpha, beta, true},
        by_beta_{x.beta_major, x.by_beta.data(), beta, alpha, false},
        pairs_(pair_groups(by_alpha_, by_beta_)) {}

  double cost() const {
    double sum = 0.0;
    for (const GroupPair& pair : pairs_) sum += pair.cost;
    return sum;
  }

  void add(std::int64_t share, std::int64_t num_shares, PairSums& sums) const {
    PairProducts products(kind_, sums);
    for (const GroupPair& pair : pairs_) {
      for (std::int64_t r = pair.major.first + share; r < pair.major.last; r += num_shares)
        products.add(pair.alpha_major ? by_alpha_ : by_beta_, r, pair.minor);
    }
  }

private:
  Kind kind_;
  Roles by_alpha_, by_beta_;
  std::vector<GroupPair> pairs_;
};

}  // namespace

TwoParticleDensity string_pair_density(const StringProduct& space, std::span<const double> vector,
                                       std::int64_t max_bytes) {
  const VectorInBlocks x(space, vector);
  const auto remainders = [](const Strings& strings, const StringClasses& classes) {
    std::vector<StringRemainders> found;
    for (int taken = 0; taken <= 2; ++taken) found.emplace_back(strings, classes, taken);
    return found;
  };
  const auto alpha = remainders(space.alpha(), x.blocks.alpha);
  const auto own_beta =
      x.blocks.symmetric ? std::vector<StringRemainders>() : remainders(space.beta(), x.blocks.beta);
  const auto& beta = x.blocks.symmetric ? alpha : own_beta;
  const auto n = static_cast<std::size_t>(space.num_orbitals());
  const std::size_t pairs = n * (n - 1) / 2;
  const Task tasks[] = {
      Task({&TwoParticleDensity::aa, 1, pairs}, x, alpha[2], beta[0]),
      Task({&TwoParticleDensity::bb, pairs, pairs}, x, alpha[0], beta[2]),
      Task({&TwoParticleDensity::ab, n, n * n}, x, alpha[1], beta[1]),
  };
  double work = 0.0;
  for (const Task& task : tasks) work += task.cost();
  const std::int64_t shares = PairSums::num_shares(space.num_orbitals(), max_bytes, work);
  return PairSums::sum(space.num_orbitals(), shares, [&](std::int64_t share, PairSums& sums) {
    for (const Task& task : tasks) task.add(share, shares, sums);
  });
}

}  // namespace cisolve
