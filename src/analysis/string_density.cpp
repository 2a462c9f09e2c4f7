// SPDX-License-Identifier: MIT
#include "analysis/string_density.hpp"

#include <algorithm>
#include <cstdint>
#include <parallel/algorithm>
#include <tuple>
#include <vector>

#include "analysis/density_parts.hpp"
#include "cisolve/hamiltonian/string_classes.hpp"

namespace cisolve {
namespace {

/// Single excitations a+_p a_q, p > q, of beta strings, those of one pair from one class to another together.
class PairsOfStrings {
public:
  struct Entry {
    std::int32_t source;        ///< position in its class, as the target is
    std::uint32_t target_code;  ///< 2 * target + (1 if <target| a+_p a_q |source> is -1)
  };
  struct Group {
    std::uint8_t p, q;
    std::int64_t first, last;
  };

  PairsOfStrings(const Strings& strings, const StringClasses& classes, bool within_irrep)
      : num_classes_(classes.count()), groups_of_(num_classes_ * num_classes_ + 1, 0) {
    struct Found {
      std::int32_t classes;  ///< target class * classes + source class
      std::uint16_t pair;    ///< p * 256 + q
      Entry entry;
    };
    std::vector<Found> all;
    const StringExcitations& singles = strings.singles();
    for (const std::int32_t source : classes.strings) {
      for (const auto& [target, code] : singles[source]) {
        const int p = ExcitationCode::particle(code), q = ExcitationCode::hole(code);
        if (p < q || classes.class_of[target] < 0) continue;
        if (within_irrep && strings.irrep(source) != strings.irrep(target)) continue;
        const std::int32_t between =
            classes.class_of[target] * static_cast<std::int32_t>(num_classes_) + classes.class_of[source];
        all.push_back({between,
                       static_cast<std::uint16_t>(p * 256 + q),
                       {classes.position[source],
                        2 * static_cast<std::uint32_t>(classes.position[target]) + (code & 1U)}});
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
        ++groups_of_[all[k].classes + 1];
        const auto at = static_cast<std::int64_t>(k);
        groups_.push_back({static_cast<std::uint8_t>(all[k].pair / 256),
                           static_cast<std::uint8_t>(all[k].pair % 256), at, at});
      }
      ++groups_.back().last;
      entries_.push_back(all[k].entry);
    }
    for (std::size_t k = 1; k < groups_of_.size(); ++k) groups_of_[k] += groups_of_[k - 1];
  }

  std::span<const Group> between(std::size_t target_class, std::size_t source_class) const {
    const std::size_t at = target_class * num_classes_ + source_class;
    return {groups_.data() + groups_of_[at], groups_.data() + groups_of_[at + 1]};
  }
  std::span<const Entry> entries(const Group& group) const {
    return std::span(entries_).subspan(group.first, group.last - group.first);
  }

private:
  std::size_t num_classes_;
  std::vector<std::int64_t> groups_of_;  ///< [classes * classes + 1]
  std::vector<Group> groups_;
  std::vector<Entry> entries_;
};

/// The coefficients that one alpha string has in some vectors, class by class of beta strings.
class AlphaRow {
public:
  AlphaRow(const StringProduct& space, const BlockStructure& blocks, std::span<const double> vectors,
           int num_vectors)
      : space_(space), blocks_(blocks), vectors_(vectors), num_vectors_(num_vectors),
        rows_(static_cast<std::size_t>(num_vectors) * num_classes()) {}

  void read(std::int32_t alpha) {
    std::ranges::fill(rows_, nullptr);
    classes_.clear();
    for (int level = 0; level < space_.num_levels(); ++level) {
      const std::int32_t list = space_.run_list(level, alpha);
      if (list == StringProduct::no_list) continue;
      const std::int64_t first = space_.run_offset(level, alpha);
      for (std::int64_t k = blocks_.parts_of[list]; k < blocks_.parts_of[list + 1]; ++k)
        add(blocks_.parts[k], first);
    }
  }

  /// Classes of beta strings beside the alpha string.
  std::span<const std::int32_t> classes() const { return classes_; }
  /// Of vector k; null where the string isn't beside that class.
  const double* operator()(int k, std::size_t beta_class) const {
    return rows_[static_cast<std::size_t>(k) * num_classes() + beta_class];
  }

private:
  std::size_t num_classes() const { return static_cast<std::size_t>(blocks_.beta.count()); }

  void add(const BlockStructure::ListPart& part, std::int64_t first_row) {
    const std::size_t d = part.beta_class;
    const bool whole = part.gather < 0 && part.size == blocks_.beta.size(part.beta_class);
    if ((*this)(0, d) == nullptr) classes_.push_back(part.beta_class);
    if (!whole && buffer_.empty())
      buffer_.resize(static_cast<std::size_t>(num_vectors_) *
                     static_cast<std::size_t>(blocks_.beta.num_strings()));
    for (int k = 0; k < num_vectors_; ++k) {
      const double* x = vectors_.data() + k * space_.size() + first_row;
      const double*& row = rows_[static_cast<std::size_t>(k) * num_classes() + d];
      if (whole) {
        row = x;
        continue;
      }
      double* copy = buffer_.data() + std::int64_t{k} * blocks_.beta.num_strings() + blocks_.beta.offsets[d];
      row = copy;
      copy += part.position;
      if (part.gather < 0) {
        std::copy_n(x, part.size, copy);
      } else {
        const std::int32_t* places = blocks_.places.data() + part.gather;
        for (std::int32_t j = 0; j < part.size; ++j) copy[j] = x[places[j]];
      }
    }
  }

  const StringProduct& space_;
  const BlockStructure& blocks_;
  std::span<const double> vectors_;
  int num_vectors_;
  std::vector<std::int32_t> classes_;
  std::vector<const double*> rows_;  ///< [vectors * classes]
  std::vector<double>
      buffer_;  ///< [vectors * beta strings], of rows that do not stand together in the vector
};

/// Adds what some alpha strings contribute.
class StringAccumulator {
public:
  StringAccumulator(const StringProduct& space, const BlockStructure& blocks,
                    const PairsOfStrings& beta_pairs, std::span<const double> vectors, int num_vectors)
      : space_(space), blocks_(blocks), beta_pairs_(beta_pairs), bra_(space, blocks, vectors, num_vectors),
        ket_(space, blocks, vectors, num_vectors), sums_(num_vectors, space.num_orbitals()) {}

  void add(std::int32_t alpha) {
    ket_.read(alpha);
    add_occupations(alpha);
    add_beta_singles();
    add_alpha_singles(alpha);
  }

  const DensityMatrices& sums() const { return sums_; }

private:
  void add_occupations(std::int32_t alpha) {
    std::vector<double> weights(space_.num_orbitals());
    for (int l = 0; l < sums_.num_vectors(); ++l) {
      for (int k = 0; k <= l; ++k) {
        std::ranges::fill(weights, 0.0);
        double sum = 0.0;
        for (const std::size_t d : ket_.classes()) {
          const double *x = ket_(k, d), *y = ket_(l, d);
          for (std::int32_t at = blocks_.beta.offsets[d]; at < blocks_.beta.offsets[d + 1]; ++at) {
            const double weight = *x++ * *y++;
            sum += weight;
            for (const std::uint8_t p : space_.beta().orbitals(blocks_.beta.strings[at]))
              weights[p] += weight;
          }
        }
        for (const std::uint8_t p : space_.alpha().orbitals(alpha)) weights[p] += sum;
        for (int p = 0; p < space_.num_orbitals(); ++p) sums_(k, l)(p, p) += weights[p];
      }
    }
  }

  /// Adds what a+_p a_q and a+_q a_p bring, of which one is known to lead from `ket` to `bra`: the other leads back.
  /// @param term  (k, l) sum of +-bra of vector k times ket of vector l
  template <class Term>
  void add_element(int p, int q, const Term& term) {
    for (int l = 0; l < sums_.num_vectors(); ++l) {
      for (int k = 0; k <= l; ++k) {
        const double there = term(k, l);
        sums_(k, l)(p, q) += there;
        sums_(k, l)(q, p) += k == l ? there : term(l, k);
      }
    }
  }

  void add_beta_singles() {
    for (const std::size_t to : ket_.classes()) {
      for (const std::size_t from : ket_.classes()) {
        for (const auto& group : beta_pairs_.between(to, from)) {
          const auto entries = beta_pairs_.entries(group);
          add_element(group.p, group.q,
                      [&](int k, int l) { return sum_of(entries, ket_(k, to), ket_(l, from)); });
        }
      }
    }
  }

  static double sum_of(std::span<const PairsOfStrings::Entry> entries, const double* x, const double* y) {
    // Several sums: one alone would wait for each of its additions.
    constexpr std::size_t lanes = 4;
    double sums[lanes] = {};
    const auto add_one = [&](std::size_t k, std::size_t lane) {
      const auto& [source, code] = entries[k];
      sums[lane] += x[code >> 1] * ExcitationCode::with_phase(y[source], code);
    };
    std::size_t k = 0;
    for (; k + lanes <= entries.size(); k += lanes) {
      for (std::size_t lane = 0; lane < lanes; ++lane) add_one(k + lane, lane);
    }
    for (; k < entries.size(); ++k) add_one(k, 0);
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }

  void add_alpha_singles(std::int32_t alpha) {
    const Strings& strings = space_.alpha();
    for (const auto& [target, code] : strings.singles()[alpha]) {
      const int p = ExcitationCode::particle(code), q = ExcitationCode::hole(code);
      if (p < q || blocks_.alpha.class_of[target] < 0) continue;
      if (space_.irrep() != any_irrep && strings.irrep(target) != strings.irrep(alpha)) continue;
      bra_.read(target);
      const double sign = ExcitationCode::is_negative(code) ? -1.0 : 1.0;
      for (const std::int32_t d : bra_.classes()) {
        const std::size_t at = d;
        if (ket_(0, at) == nullptr) continue;
        const std::int32_t columns = blocks_.beta.size(d);
        add_element(p, q, [&](int k, int l) {
          const double *x = bra_(k, at), *y = ket_(l, at);
          double sum = 0.0;
#pragma omp simd reduction(+ : sum)
          for (std::int32_t j = 0; j < columns; ++j) sum += x[j] * y[j];
          return sign * sum;
        });
      }
    }
  }

  const StringProduct& space_;
  const BlockStructure& blocks_;
  const PairsOfStrings& beta_pairs_;
  AlphaRow bra_, ket_;
  DensityMatrices sums_;
};

}  // namespace

DensityMatrices string_density_matrices(const StringProduct& space, std::span<const double> vectors,
                                        int num_vectors) {
  if (num_vectors == 0) return {0, space.num_orbitals()};
  const BlockStructure blocks(space);
  const PairsOfStrings beta_pairs(space.beta(), blocks.beta, space.irrep() != any_irrep);
  space.alpha().singles();  // Made now, not by one of the threads below.
  const std::int64_t strings = std::ssize(blocks.alpha.strings);
  return sum_of_parts(num_vectors, space.num_orbitals(), [&](std::int64_t part, std::int64_t num_parts) {
    StringAccumulator sum(space, blocks, beta_pairs, vectors, num_vectors);
    for (std::int64_t k = strings * part / num_parts; k < strings * (part + 1) / num_parts; ++k)
      sum.add(blocks.alpha.strings[k]);
    return sum.sums();
  });
}

}  // namespace cisolve
