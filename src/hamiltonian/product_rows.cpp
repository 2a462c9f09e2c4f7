// SPDX-License-Identifier: MIT
#include "cisolve/hamiltonian/product_rows.hpp"

#include <algorithm>
#include <cmath>

#include "cisolve/space/excitations.hpp"
#include "cisolve/space/local_order.hpp"
#include "hamiltonian/row_writers.hpp"

namespace cisolve {
/// What all rows of a run share: the column blocks they connect to, ascending.
template <int Words>
struct ProductRowSource<Words>::Run {
  enum class Kind : std::uint8_t {
    alpha_doubles,  ///< a stretch of alpha double excitations: one element each
    opposite,       ///< an alpha single excitation times the beta strings it meets
    own             ///< the same alpha string: excitations within beta, and the diagonal
  };
  struct Block {
    Kind kind;
    bool dense;                ///< opposite: no vanishing element
    bool has_identity;         ///< opposite: the beta string itself is among the columns
    std::int16_t group;        ///< opposite: group of beta singles; own: change of beta level
    std::uint32_t phase;       ///< opposite: phase of the alpha excitation, in bit 31
    std::uint32_t pair;        ///< opposite: pair of the alpha excitation
    std::int32_t first, last;  ///< alpha_doubles: range in double_*
    std::int64_t base;         ///< first column of the block
    double value;              ///< opposite: within-spin part of the alpha single excitation
  };

  std::int32_t alpha = 0;
  int level = 0;
  int beta_level = 0;
  std::vector<Block> blocks;
  std::vector<ColumnIndex> double_base;
  std::vector<double> double_value;
  std::vector<ValueNumber> double_number;  ///< if alpha_numbers are there
  const ValueNumber* alpha_numbers = nullptr;
  std::size_t capacity = 0;  ///< no row has more elements, vanishing ones included
  /// J[rs] = sum over the alpha string's orbitals p of (pp|rs); the last element is 0.
  std::vector<double> coulomb;
  /// How many dense opposite blocks use each group of beta singles.
  std::int64_t group_uses[BetaLinks::num_groups];
};

template <int Words>
ProductRowSource<Words>::ProductRowSource(const ProductSpace<Words>& space, const IntegralTables& tables)
    : space_(space), tables_(tables), alpha_links_(space.alpha(), tables), beta_links_(space.beta(), tables) {
  for (std::int32_t a = 0; a < space.alpha().size(); ++a) {
    alpha_energy_.push_back(tables.string_energy(space.alpha()[a]));
  }
  for (std::int32_t b = 0; b < space.beta().size(); ++b) {
    beta_energy_.push_back(tables.string_energy(space.beta()[b]));
  }
}

template <int Words>
void ProductRowSource<Words>::add_link(Run& run, const StringLinks::Link& link, int target_level) const {
  using Kind = typename Run::Kind;
  const int change = target_level - space_.alpha().level(link.target) - run.beta_level;
  if (link.code == StringLinks::self) {
    if (change < -2 || change > 2 || space_.run_size(target_level, link.target) == 0) return;
    run.blocks.push_back({.kind = Kind::own,
                          .dense = true,
                          .has_identity = change == 0,
                          .group = static_cast<std::int16_t>(change),
                          .phase = 0,
                          .pair = 0,
                          .first = 0,
                          .last = 0,
                          .base = space_.run_offset(target_level, link.target),
                          .value = 0.0});
    return;
  }
  if (link.code == tables_.num_pairs()) {
    if (change != 0) return;
    const auto at = static_cast<std::int32_t>(run.double_base.size());
    if (run.blocks.empty() || run.blocks.back().kind != Kind::alpha_doubles) {
      run.blocks.push_back({.kind = Kind::alpha_doubles,
                            .dense = true,
                            .has_identity = false,
                            .group = 0,
                            .phase = 0,
                            .pair = 0,
                            .first = at,
                            .last = at,
                            .base = 0,
                            .value = 0.0});
    }
    run.double_base.push_back(static_cast<ColumnIndex>(space_.run_offset(target_level, link.target)));
    run.double_value.push_back(link.value);
    if (run.alpha_numbers != nullptr)
      run.double_number.push_back(run.alpha_numbers[alpha_links_.place_of(link)]);
    run.blocks.back().last = at + 1;
    return;
  }
  if (change < -1 || change > 1 || space_.run_size(target_level, link.target) == 0) return;
  const std::uint32_t pair = link.code & ~negative_bit;
  const int pair_irrep = space_.alpha().irrep(run.alpha) ^ space_.alpha().irrep(link.target);
  const int group = BetaLinks::group(change, pair_irrep);
  const bool dense = tables_.is_dense(pair);
  if (dense) ++run.group_uses[group];
  run.blocks.push_back({.kind = Kind::opposite,
                        .dense = dense,
                        .has_identity = change == 0 && pair_irrep == 0,
                        .group = static_cast<std::int16_t>(group),
                        .phase = link.code & negative_bit,
                        .pair = pair,
                        .first = 0,
                        .last = 0,
                        .base = space_.run_offset(target_level, link.target),
                        .value = link.value});
}

template <int Words>
void ProductRowSource<Words>::prepare(Run& run, int level, std::int32_t alpha) const {
  run.alpha = alpha;
  run.level = level;
  run.beta_level = level - space_.alpha().level(alpha);
  run.blocks.clear();
  run.double_base.clear();
  run.double_value.clear();
  run.double_number.clear();
  std::fill(std::begin(run.group_uses), std::end(run.group_uses), 0);
  const int last_level = std::min(level + 2, space_.num_levels() - 1);
  for (int target_level = std::max(level - 2, 0); target_level <= last_level; ++target_level) {
    for (const StringLinks::Link& link : alpha_links_[alpha]) add_link(run, link, target_level);
  }
  run.capacity = run.double_base.size();
  for (const typename Run::Block& block : run.blocks) {
    if (block.kind == Run::Kind::opposite) run.capacity += beta_links_.most_singles(block.group) + 1;
    if (block.kind == Run::Kind::own) run.capacity += beta_links_.most_own(block.group) + 1;
  }
  const std::uint32_t num_pairs = tables_.num_pairs();
  run.coulomb.assign(num_pairs + 1, 0.0);
  space_.alpha()[alpha].for_each([&](int p) {
    const double* row = tables_.row(tables_.pair(p, p));
    for (std::uint32_t rs = 0; rs < num_pairs; ++rs) run.coulomb[rs] += row[rs];
  });
}

/// visit(level, alpha, first, last): rows first .. last - 1 of a run lie in the range.
template <int Words>
template <class Visit>
void ProductRowSource<Words>::for_each_run(RowRange range, Visit&& visit) const {
  if (range.size() <= 0) return;
  const std::int64_t num_alpha = space_.alpha().size();
  for (std::int64_t run = space_.run_of_row(range.first);; ++run) {
    const auto level = static_cast<int>(run / num_alpha);
    const auto alpha = static_cast<std::int32_t>(run % num_alpha);
    if (level >= space_.num_levels()) return;
    const std::int64_t offset = space_.run_offset(level, alpha);
    if (offset >= range.last) return;
    const std::int64_t size = space_.run_size(level, alpha);
    if (size == 0) continue;
    visit(level, alpha, std::max<std::int64_t>(range.first - offset, 0), std::min(range.last - offset, size));
  }
}

namespace {

/// phase * (within-spin part + sum over the other spin's orbitals r of (pq|rr)).
template <int Words>
double alpha_single(const IntegralTables& tables, std::uint32_t pair, double within, std::uint32_t phase,
                    const BitString<Words>& beta) {
  const double* coulomb = tables.coulomb_row(pair);
  double sum = 0.0;
  beta.for_each([&](int r) { sum += coulomb[r]; });
  return with_phase(within + sum, phase);
}

}  // namespace

template <int Words>
std::int64_t ProductRowSource<Words>::count_row(const Run& run, std::int32_t beta) const {
  const double threshold = tables_.threshold();
  auto length = static_cast<std::int64_t>(run.double_base.size());
  for (int group = 0; group < BetaLinks::num_groups; ++group) {
    if (run.group_uses[group] == 0) continue;
    length += run.group_uses[group] * static_cast<std::int64_t>(beta_links_.singles(beta, group).size());
  }
  for (const auto& block : run.blocks) {
    if (block.kind == Run::Kind::opposite) {
      if (!block.dense) {
        const double* row = tables_.row(block.pair);
        for (const BetaLinks::Link& link : beta_links_.singles(beta, block.group)) {
          length += std::abs(row[link.code & ~negative_bit]) > threshold ? 1 : 0;
        }
      }
      if (block.has_identity) {
        const double value = alpha_single(tables_, block.pair, block.value, block.phase, space_.beta()[beta]);
        length += std::abs(value) > threshold ? 1 : 0;
      }
    } else if (block.kind == Run::Kind::own) {
      for (const BetaLinks::OwnLink& link : beta_links_.own(beta, block.group)) {
        length += std::abs(link.value + run.coulomb[link.code & ~negative_bit]) > threshold ? 1 : 0;
      }
      if (block.has_identity) {
        double value = tables_.core_energy() + alpha_energy_[static_cast<std::size_t>(run.alpha)] +
                       beta_energy_[static_cast<std::size_t>(beta)];
        space_.beta()[beta].for_each([&](int r) { value += run.coulomb[tables_.pair(r, r)]; });
        length += std::abs(value) > threshold ? 1 : 0;
      }
    }
  }
  return length;
}

template <int Words>
template <class Emit>
void ProductRowSource<Words>::emit_row(const Run& run, std::int64_t offset, std::int32_t beta,
                                       Emit& emit) const {
  const auto opposite = [&](const auto& block, std::span<const BetaLinks::Link> links) {
    if (block.dense) {
      emit.add_dense(block.base, block.pair, block.phase, links);
    } else {
      emit.add_sparse(block.base, block.pair, block.phase, links);
    }
  };
  const auto own = [&](const auto& block, std::span<const BetaLinks::OwnLink> links) {
    for (const BetaLinks::OwnLink& link : links) {
      const std::uint32_t pair = link.code & ~negative_bit;
      if (pair == tables_.num_pairs()) {
        emit.add_beta_double(block.base + link.position, link, beta_links_.place_of(link));
      } else {
        emit.add_general(block.base + link.position, with_phase(link.value + run.coulomb[pair], link.code));
      }
    }
  };
  for (const auto& block : run.blocks) {
    if (block.kind == Run::Kind::alpha_doubles) {
      const auto first = static_cast<std::size_t>(block.first);
      const auto n = static_cast<std::size_t>(block.last - block.first);
      emit.add_alpha_doubles({run.double_base.data() + first, n}, static_cast<ColumnIndex>(offset),
                             run.double_value.data() + first,
                             run.double_number.empty() ? nullptr : run.double_number.data() + first);
    } else if (block.kind == Run::Kind::opposite) {
      const auto links = beta_links_.singles(beta, block.group);
      if (!block.has_identity) {
        opposite(block, links);
        continue;
      }
      const auto split = static_cast<std::size_t>(beta_links_.single_split(beta));
      opposite(block, links.first(split));
      emit.add_general(block.base + offset,
                       alpha_single(tables_, block.pair, block.value, block.phase, space_.beta()[beta]));
      opposite(block, links.subspan(split));
    } else {
      const auto links = beta_links_.own(beta, block.group);
      if (!block.has_identity) {
        own(block, links);
        continue;
      }
      const auto split = static_cast<std::size_t>(beta_links_.own_split(beta));
      own(block, links.first(split));
      double diagonal = tables_.core_energy() + alpha_energy_[static_cast<std::size_t>(run.alpha)] +
                        beta_energy_[static_cast<std::size_t>(beta)];
      space_.beta()[beta].for_each([&](int r) { diagonal += run.coulomb[tables_.pair(r, r)]; });
      emit.add_general(block.base + offset, diagonal);
      own(block, links.subspan(split));
    }
  }
}

template <int Words>
void ProductRowSource<Words>::count(RowRange range, std::span<std::int64_t> lengths) const {
  Run run;
  for_each_run(range, [&](int level, std::int32_t alpha, std::int64_t first, std::int64_t last) {
    prepare(run, level, alpha);
    const auto betas = space_.run_betas(level, alpha);
    for (std::int64_t j = first; j < last; ++j) {
      const std::int64_t row = space_.run_offset(level, alpha) + j;
      lengths[static_cast<std::size_t>(row - range.first)] =
          count_row(run, betas[static_cast<std::size_t>(j)]);
    }
  });
}

template <int Words>
template <class Writer>
void ProductRowSource<Words>::write(RowRange range, const ValueNumber* alpha_numbers, Writer& writer) const {
  Run run;
  run.alpha_numbers = alpha_numbers;
  for_each_run(range, [&](int level, std::int32_t alpha, std::int64_t first, std::int64_t last) {
    prepare(run, level, alpha);
    const auto betas = space_.run_betas(level, alpha);
    for (std::int64_t j = first; j < last; ++j) {
      writer.begin(run.capacity);
      emit_row(run, j, betas[static_cast<std::size_t>(j)], writer);
      writer.finish(space_.run_offset(level, alpha) + j);
    }
  });
}

/// Single rows; those of one run that follow one another share its preparation.
template <int Words>
template <class Writer>
void ProductRowSource<Words>::write_rows(std::span<const std::int32_t> rows, const ValueNumber* alpha_numbers,
                                         Writer& writer) const {
  const std::int64_t num_alpha = space_.alpha().size();
  Run run;
  run.alpha_numbers = alpha_numbers;
  std::int64_t prepared = -1;
  std::int64_t offset = 0;
  std::int64_t last = 0;
  std::span<const std::int32_t> betas;
  for (const std::int32_t row : rows) {
    if (prepared < 0 || row < offset || row >= last) {
      prepared = space_.run_of_row(row);
      const auto level = static_cast<int>(prepared / num_alpha);
      const auto alpha = static_cast<std::int32_t>(prepared % num_alpha);
      prepare(run, level, alpha);
      offset = space_.run_offset(level, alpha);
      last = offset + space_.run_size(level, alpha);
      betas = space_.run_betas(level, alpha);
    }
    writer.begin(run.capacity);
    emit_row(run, row - offset, betas[static_cast<std::size_t>(row - offset)], writer);
    writer.finish(row);
  }
}

template <int Words>
void ProductRowSource<Words>::fill(RowRange range, RowSink& sink) const {
  ValueWriter writer(tables_, sink);
  write(range, nullptr, writer);
}

template <int Words>
class ProductRowSource<Words>::Numbered final : public NumberedRowSource {
public:
  explicit Numbered(const ProductRowSource& source)
      : source_(source), numbers_(source.tables_),
        alpha_numbers_(numbers_of(source.alpha_links_, source.space_.alpha(), source.tables_, numbers_)),
        own_numbers_(source.beta_links_.all_own().size()) {
    const StringTable<Words>& strings = source.space_.beta();
#pragma omp parallel for schedule(dynamic, 64)
    for (std::int32_t i = 0; i < strings.size(); ++i) {
      for (int change = -2; change <= 2; ++change) {
        for (const BetaLinks::OwnLink& link : source.beta_links_.own(i, change)) {
          ValueNumber& number = own_numbers_[source.beta_links_.place_of(link)];
          number = 0;
          if ((link.code & ~negative_bit) != source.tables_.num_pairs()) continue;
          const auto targets = strings.members(strings.level(i) + change, strings.irrep(i));
          const std::int32_t target = targets[static_cast<std::size_t>(link.position)];
          number = numbers_.of_double(strings[i], strings[target], link.value);
        }
      }
    }
  }

  std::int64_t num_rows() const override { return source_.num_rows(); }
  std::span<const double> magnitudes() const override { return numbers_.magnitudes(); }
  void fill(RowRange range, NumberedRowSink& sink) const override {
    NumberWriter writer(source_.tables_, numbers_, own_numbers_, sink);
    source_.write(range, alpha_numbers_.data(), writer);
  }
  void fill_rows(std::span<const std::int32_t> rows, NumberedRowSink& sink) const override {
    NumberWriter writer(source_.tables_, numbers_, own_numbers_, sink);
    source_.write_rows(rows, alpha_numbers_.data(), writer);
  }

private:
  const ProductRowSource& source_;
  IntegralNumbers numbers_;
  Array<ValueNumber> alpha_numbers_;  ///< beside the alpha links
  Array<ValueNumber> own_numbers_;    ///< beside the beta strings' own excitations, without their phases
};

template <int Words>
std::unique_ptr<const NumberedRowSource> ProductRowSource<Words>::numbered() const {
  return std::make_unique<Numbered>(*this);
}

template <int Words>
Array<std::int32_t> ProductRowSource<Words>::local_order() const {
  return cisolve::local_order(space_, tables_.irreps());
}

template class ProductRowSource<1>;
template class ProductRowSource<2>;

}  // namespace cisolve
