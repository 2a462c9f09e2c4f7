// SPDX-License-Identifier: MIT
#include "cisolve/hamiltonian/product_rows.hpp"

#include <algorithm>
#include <cmath>

#include "cisolve/space/excitations.hpp"
#include "cisolve/space/local_order.hpp"
#include "hamiltonian/product_run.hpp"
#include "hamiltonian/row_writers.hpp"

namespace cisolve {

template <int Words>
ProductRowSource<Words>::ProductRowSource(const ProductSpace<Words>& space, const IntegralTables& tables)
    : space_(space), tables_(tables), alpha_links_(space.alpha(), tables), beta_links_(space.beta(), tables),
      has_parts_(std::ranges::any_of(space.beta_lists(),
                                     [](const BetaList& list) { return !list.places.empty(); })) {
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
  const std::int32_t number = space_.run_list(target_level, link.target);
  if (number == ProductSpace<Words>::no_list) return;
  const BetaList& list = space_.beta_lists()[static_cast<std::size_t>(number)];
  const BetaList* part = list.places.empty() ? nullptr : &list;
  const std::int64_t base = space_.run_offset(target_level, link.target);
  if (link.code == StringLinks::self) {
    const bool is_same = target_level == run.level;
    if (!is_same && beta_links_.most_own(run.beta_level, list.level) == 0) return;
    run.blocks.push_back({.kind = Kind::own,
                          .has_identity = is_same,
                          .group = list.level,
                          .base = base,
                          .part = part});
    return;
  }
  if (link.code == tables_.num_pairs()) {
    if (list.level != run.beta_level) return;
    const auto at = static_cast<std::int32_t>(run.double_base.size());
    if (run.blocks.empty() || run.blocks.back().kind != Kind::alpha_doubles) {
      run.blocks.push_back({.kind = Kind::alpha_doubles, .first = at});
    }
    run.double_base.push_back(static_cast<ColumnIndex>(base));
    run.double_value.push_back(link.value);
    if (has_parts_) run.double_part.push_back(part);
    if (run.alpha_numbers != nullptr)
      run.double_number.push_back(run.alpha_numbers[alpha_links_.place_of(link)]);
    run.blocks.back().last = at + 1;
    return;
  }
  const std::uint32_t pair = link.code & ~negative_bit;
  const int pair_irrep = space_.alpha().irrep(run.alpha) ^ space_.alpha().irrep(link.target);
  const int group = BetaLinks::group(list.level, pair_irrep);
  const bool has_identity = list.level == run.beta_level && pair_irrep == 0;
  if (!has_identity && beta_links_.most_singles(run.beta_level, group) == 0) return;
  const bool dense = tables_.is_dense(pair);
  if (dense) run.use(group, part);
  run.blocks.push_back({.kind = Kind::opposite,
                        .dense = dense,
                        .has_identity = has_identity,
                        .group = group,
                        .phase = link.code & negative_bit,
                        .pair = pair,
                        .base = base,
                        .value = link.value,
                        .part = part});
}

template <int Words>
void ProductRowSource<Words>::prepare(Run& run, int level, std::int32_t alpha) const {
  run.alpha = alpha;
  run.level = level;
  run.beta_level =
      space_.beta_lists()[static_cast<std::size_t>(space_.run_list(level, alpha))].level;
  run.blocks.clear();
  run.double_base.clear();
  run.double_value.clear();
  run.double_number.clear();
  run.double_part.clear();
  run.group_uses.clear();
  const int last_level = std::min(level + 2, space_.num_levels() - 1);
  for (int target_level = std::max(level - 2, 0); target_level <= last_level; ++target_level) {
    for (const StringLinks::Link& link : alpha_links_[alpha]) add_link(run, link, target_level);
  }
  run.capacity = run.double_base.size();
  for (const typename Run::Block& block : run.blocks) {
    if (block.kind == Run::Kind::opposite) {
      run.capacity += beta_links_.most_singles(run.beta_level, block.group) + 1;
    }
    if (block.kind == Run::Kind::own) {
      run.capacity += beta_links_.most_own(run.beta_level, block.group) + 1;
    }
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

/// Column of a string in a block, counted from the block's first; -1: none.
template <class BetaList>
std::int32_t column_of(const BetaList* part, std::int32_t position) {
  return part == nullptr ? position : part->places[static_cast<std::size_t>(position)];
}

}  // namespace

template <int Words>
std::int64_t ProductRowSource<Words>::count_row(const Run& run, std::int32_t beta) const {
  const double threshold = tables_.threshold();
  const std::int32_t position = space_.beta().position(beta);
  auto length = static_cast<std::int64_t>(run.double_base.size());
  for (const BetaList* part : run.double_part) length -= column_of(part, position) < 0 ? 1 : 0;
  for (const auto& use : run.group_uses) {
    const auto links = beta_links_.singles(beta, use.group);
    auto found = static_cast<std::int64_t>(links.size());
    if (use.part != nullptr) {
      for (const BetaLinks::Link& link : links) found -= column_of(use.part, link.position) < 0 ? 1 : 0;
    }
    length += use.times * found;
  }
  for (const auto& block : run.blocks) {
    if (block.kind == Run::Kind::opposite) {
      if (!block.dense) {
        const double* row = tables_.row(block.pair);
        for (const BetaLinks::Link& link : beta_links_.singles(beta, block.group)) {
          const bool counts = std::abs(row[link.code & ~negative_bit]) > threshold &&
                              column_of(block.part, link.position) >= 0;
          length += counts ? 1 : 0;
        }
      }
      if (block.has_identity && column_of(block.part, position) >= 0) {
        const double value = alpha_single(tables_, block.pair, block.value, block.phase, space_.beta()[beta]);
        length += std::abs(value) > threshold ? 1 : 0;
      }
    } else if (block.kind == Run::Kind::own) {
      for (const BetaLinks::OwnLink& link : beta_links_.own(beta, block.group)) {
        const bool counts = std::abs(link.value + run.coulomb[link.code & ~negative_bit]) > threshold &&
                            column_of(block.part, link.position) >= 0;
        length += counts ? 1 : 0;
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

/// A stretch of alpha doubles.
template <int Words>
template <class Emit>
void ProductRowSource<Words>::emit_doubles(Run& run, std::int32_t first, std::int32_t last,
                                           std::int32_t position, Emit& emit) const {
  const auto from = static_cast<std::size_t>(first);
  const auto to = static_cast<std::size_t>(last);
  const bool numbered = !run.double_number.empty();
  if (!has_parts_) {
    emit.add_alpha_doubles({run.double_base.data() + from, to - from}, static_cast<ColumnIndex>(position),
                           run.double_value.data() + from,
                           numbered ? run.double_number.data() + from : nullptr);
    return;
  }
  run.kept_columns.clear();
  run.kept_values.clear();
  run.kept_numbers.clear();
  for (std::size_t k = from; k < to; ++k) {
    const std::int32_t column = column_of(run.double_part[k], position);
    if (column < 0) continue;
    run.kept_columns.push_back(run.double_base[k] + static_cast<ColumnIndex>(column));
    run.kept_values.push_back(run.double_value[k]);
    if (numbered) run.kept_numbers.push_back(run.double_number[k]);
  }
  emit.add_alpha_doubles(run.kept_columns, 0, run.kept_values.data(),
                         numbered ? run.kept_numbers.data() : nullptr);
}

template <int Words>
template <class Emit>
void ProductRowSource<Words>::emit_row(Run& run, std::int32_t beta, Emit& emit) const {
  const std::int32_t position = space_.beta().position(beta);
  const auto opposite = [&](const auto& block, std::span<const BetaLinks::Link> links) {
    if (block.part != nullptr) links = run.keep(links, *block.part);
    if (block.dense) {
      emit.add_dense(block.base, block.pair, block.phase, links);
    } else {
      emit.add_sparse(block.base, block.pair, block.phase, links);
    }
  };
  const auto own = [&](const auto& block, std::span<const BetaLinks::OwnLink> links) {
    for (const BetaLinks::OwnLink& link : links) {
      const std::int32_t column = column_of(block.part, link.position);
      if (column < 0) continue;
      const std::uint32_t pair = link.code & ~negative_bit;
      if (pair == tables_.num_pairs()) {
        emit.add_beta_double(block.base + column, link, beta_links_.place_of(link));
      } else {
        emit.add_general(block.base + column, with_phase(link.value + run.coulomb[pair], link.code));
      }
    }
  };
  for (const auto& block : run.blocks) {
    if (block.kind == Run::Kind::alpha_doubles) {
      emit_doubles(run, block.first, block.last, position, emit);
    } else if (block.kind == Run::Kind::opposite) {
      const auto links = beta_links_.singles(beta, block.group);
      if (!block.has_identity) {
        opposite(block, links);
        continue;
      }
      const auto split = static_cast<std::size_t>(beta_links_.single_split(beta));
      opposite(block, links.first(split));
      if (const std::int32_t column = column_of(block.part, position); column >= 0) {
        emit.add_general(block.base + column,
                         alpha_single(tables_, block.pair, block.value, block.phase, space_.beta()[beta]));
      }
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
      emit.add_general(block.base + column_of(block.part, position), diagonal);
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
      emit_row(run, betas[static_cast<std::size_t>(j)], writer);
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
    emit_row(run, betas[static_cast<std::size_t>(row - offset)], writer);
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
      for (int level = 0; level < strings.num_levels(); ++level) {
        for (const BetaLinks::OwnLink& link : source.beta_links_.own(i, level)) {
          ValueNumber& number = own_numbers_[source.beta_links_.place_of(link)];
          number = 0;
          if ((link.code & ~negative_bit) != source.tables_.num_pairs()) continue;
          const auto targets = strings.members(level, strings.irrep(i));
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
