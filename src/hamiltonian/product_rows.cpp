// SPDX-License-Identifier: MIT
#include "cisolve/hamiltonian/product_rows.hpp"

#include <algorithm>
#include <cmath>

#include "hamiltonian/product_run.hpp"
#include "hamiltonian/row_writers.hpp"

namespace cisolve {
namespace {

UsedStrings used_alphas(const StringProduct& space) {
  UsedStrings used(space.alpha().size(), 0);
  for (int level = 0; level < space.num_levels(); ++level) {
    for (std::int32_t a = 0; a < space.alpha().size(); ++a) {
      if (space.run_size(level, a) > 0) used[a] = 1;
    }
  }
  return used;
}

UsedStrings used_betas(const StringProduct& space) {
  UsedStrings used(space.beta().size(), 0);
  for (const StringProduct::BetaList& list : space.beta_lists()) {
    for (const std::int32_t b : list.members) used[b] = 1;
  }
  return used;
}

/// Whether both spins have the same strings in use: what is listed for one serves the other.
bool have_same_strings(const StringProduct& space) {
  const Strings &alpha = space.alpha(), &beta = space.beta();
  if (alpha.size() != beta.size() || used_alphas(space) != used_betas(space)) return false;
  for (std::int32_t s = 0; s < alpha.size(); ++s) {
    if (!std::ranges::equal(alpha.orbitals(s), beta.orbitals(s))) return false;
  }
  return true;
}

OwnLinks beta_links(const StringProduct& space, const IntegralTables& tables, const OwnLinks& alpha_links) {
  if (!tables.is_unrestricted() && have_same_strings(space))
    return {space.beta(), used_betas(space), alpha_links};
  return {space.beta(), used_betas(space), tables.beta(), LinkOrder::by_class, false};
}

}  // namespace

ProductRowSource::ProductRowSource(const StringProduct& space, const IntegralTables& tables)
    : space_(space), alpha_(space.alpha()), beta_(space.beta()), tables_(tables),
      alpha_links_(alpha_, used_alphas(space), tables, LinkOrder::by_string, true),
      beta_singles_(beta_, used_betas(space), tables, LinkOrder::by_class),
      beta_links_(beta_links(space, tables, alpha_links_)),
      has_parts_(std::ranges::any_of(space.beta_lists(),
                                     [](const BetaList& list) { return !list.places.empty(); })) {
  for (std::int32_t a = 0; a < alpha_.size(); ++a)
    alpha_energy_.push_back(tables.string_energy(alpha_.orbitals(a)));
  for (std::int32_t b = 0; b < beta_.size(); ++b)
    beta_energy_.push_back(tables.beta().string_energy(beta_.orbitals(b)));
}

void ProductRowSource::add_link(Run& run, const OwnLink& link, int target_level) const {
  using Kind = Run::Kind;
  const std::int32_t number = space_.run_list(target_level, link.target);
  if (number == StringProduct::no_list) return;
  const BetaList& list = space_.beta_lists()[number];
  const BetaList* part = list.places.empty() ? nullptr : &list;
  const std::int64_t base = space_.run_offset(target_level, link.target);
  if (link.code == OwnLink::self) {
    if (beta_links_.most(run.beta_level, list.level) > 0)
      run.blocks.push_back({.kind = Kind::own, .group = list.level, .base = base, .part = part});
    return;
  }
  if (link.is_double()) {
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
  const std::uint32_t pair = link.code / 2;
  const int pair_irrep = alpha_.irrep(run.alpha) ^ alpha_.irrep(link.target);
  const int group = SingleLinks::group(list.level, pair_irrep);
  const bool has_identity = list.level == run.beta_level && pair_irrep == 0;
  if (!has_identity && beta_singles_.most(run.beta_level, group) == 0) return;
  const bool dense = tables_.is_dense(pair);
  if (dense) run.use(group, part);
  run.blocks.push_back({.kind = Kind::opposite,
                        .dense = dense,
                        .has_identity = has_identity,
                        .group = group,
                        .phase = link.code & 1U,
                        .pair = pair,
                        .base = base,
                        .value = link.value,
                        .part = part});
}

void ProductRowSource::prepare(Run& run, int level, std::int32_t alpha) const {
  run.alpha = alpha;
  run.level = level;
  run.beta_level = space_.beta_lists()[space_.run_list(level, alpha)].level;
  run.blocks.clear();
  run.double_base.clear();
  run.double_value.clear();
  run.double_number.clear();
  run.double_part.clear();
  run.group_uses.clear();
  const int last_level = std::min(level + 2, space_.num_levels() - 1);
  for (int target_level = std::max(level - 2, 0); target_level <= last_level; ++target_level) {
    for (const OwnLink& link : alpha_links_(alpha, 0)) add_link(run, link, target_level);
  }
  run.capacity = run.double_base.size();
  for (const Run::Block& block : run.blocks) {
    if (block.kind == Run::Kind::opposite) {
      run.capacity += beta_singles_.most(run.beta_level, block.group) + 1;
    }
    if (block.kind == Run::Kind::own) {
      run.capacity += beta_links_.most(run.beta_level, block.group);
    }
  }
  run.coulomb.assign(tables_.num_pairs(), Run::unknown);
}

double ProductRowSource::coulomb(Run& run, std::uint32_t rs) const {
  double& sum = run.coulomb[rs];
  if (std::isnan(sum)) sum = tables_.beta().coulomb_sum(rs, alpha_.orbitals(run.alpha));
  return sum;
}

/// visit(level, alpha, first, last): rows first .. last - 1 of a run lie in the range.
template <class Visit>
void ProductRowSource::for_each_run(RowRange range, Visit&& visit) const {
  if (range.size() <= 0) return;
  const std::int64_t num_alpha = alpha_.size();
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

/// Column of a string in a block, counted from the block's first; -1: none.
template <class BetaList>
std::int32_t column_of(const BetaList* part, std::int32_t position) {
  return part == nullptr ? position : part->places[position];
}

}  // namespace

std::int64_t ProductRowSource::count_row(Run& run, std::int32_t beta) const {
  const double threshold = tables_.threshold();
  const std::int32_t position = beta_.position(beta);
  auto length = static_cast<std::int64_t>(run.double_base.size());
  for (const BetaList* part : run.double_part) length -= column_of(part, position) < 0 ? 1 : 0;
  for (const auto& use : run.group_uses) {
    const auto links = beta_singles_(beta, use.group);
    auto found = static_cast<std::int64_t>(links.size());
    if (use.part != nullptr) {
      for (const SingleLink& link : links) found -= column_of(use.part, link.target) < 0 ? 1 : 0;
    }
    length += use.times * found;
  }
  for (const auto& block : run.blocks) {
    if (block.kind == Run::Kind::opposite) {
      if (!block.dense) {
        const double* row = tables_.row(block.pair);
        for (const SingleLink& link : beta_singles_(beta, block.group)) {
          const bool counts =
              std::abs(row[link.code / 2]) > threshold && column_of(block.part, link.target) >= 0;
          length += counts ? 1 : 0;
        }
      }
      if (block.has_identity && column_of(block.part, position) >= 0) {
        const double value = block.value + tables_.coulomb_sum(block.pair, beta_.orbitals(beta));
        length += std::abs(value) > threshold ? 1 : 0;
      }
    } else if (block.kind == Run::Kind::own) {
      for (const OwnLink& link : beta_links_(beta, block.group)) {
        if (column_of(block.part, link.target) < 0) continue;
        const bool counts =
            link.is_double() ||
            std::abs(link.code == OwnLink::self ? diagonal(run, beta)
                                                : link.value + coulomb(run, link.code / 2)) > threshold;
        length += counts ? 1 : 0;
      }
    }
  }
  return length;
}

double ProductRowSource::diagonal(Run& run, std::int32_t beta) const {
  double value = tables_.core_energy() + alpha_energy_[run.alpha] + beta_energy_[beta];
  for (const std::uint8_t r : beta_.orbitals(beta)) value += coulomb(run, tables_.pair(r, r));
  return value;
}

/// A stretch of alpha doubles.
template <class Emit>
void ProductRowSource::emit_doubles(Run& run, std::int32_t first, std::int32_t last, std::int32_t position,
                                    Emit& emit) const {
  const std::size_t from = first;
  const std::size_t to = last;
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

template <class Emit>
void ProductRowSource::emit_row(Run& run, std::int32_t beta, Emit& emit) const {
  const std::int32_t position = beta_.position(beta);
  const auto opposite = [&](const auto& block, std::span<const SingleLink> links) {
    if (block.part != nullptr) links = run.keep(links, *block.part);
    if (block.dense) {
      emit.add_dense(block.base, block.pair, block.phase, links);
    } else {
      emit.add_sparse(block.base, block.pair, block.phase, links);
    }
  };
  for (const auto& block : run.blocks) {
    if (block.kind == Run::Kind::alpha_doubles) {
      emit_doubles(run, block.first, block.last, position, emit);
    } else if (block.kind == Run::Kind::opposite) {
      const auto links = beta_singles_(beta, block.group);
      if (!block.has_identity) {
        opposite(block, links);
        continue;
      }
      const std::size_t split = beta_singles_.split(beta);
      opposite(block, links.first(split));
      if (const std::int32_t column = column_of(block.part, position); column >= 0) {
        const double value = block.value + tables_.coulomb_sum(block.pair, beta_.orbitals(beta));
        emit.add_general(block.base + column, with_phase(value, block.phase));
      }
      opposite(block, links.subspan(split));
    } else {
      for (const OwnLink& link : beta_links_(beta, block.group)) {
        const std::int32_t column = column_of(block.part, link.target);
        if (column < 0) continue;
        if (link.is_double()) {
          emit.add_beta_double(block.base + column, link, beta_links_.place_of(link));
        } else if (link.code == OwnLink::self) {
          emit.add_general(block.base + column, diagonal(run, beta));
        } else {
          emit.add_general(block.base + column,
                           with_phase(link.value + coulomb(run, link.code / 2), link.code));
        }
      }
    }
  }
}

void ProductRowSource::count(RowRange range, std::span<std::int64_t> lengths) const {
  Run run;
  for_each_run(range, [&](int level, std::int32_t alpha, std::int64_t first, std::int64_t last) {
    prepare(run, level, alpha);
    const auto betas = space_.run_betas(level, alpha);
    for (std::int64_t j = first; j < last; ++j) {
      const std::int64_t row = space_.run_offset(level, alpha) + j;
      lengths[row - range.first] = count_row(run, betas[j]);
    }
  });
}

template <class Writer>
void ProductRowSource::write(RowRange range, const ValueNumber* alpha_numbers, Writer& writer) const {
  Run run;
  run.alpha_numbers = alpha_numbers;
  for_each_run(range, [&](int level, std::int32_t alpha, std::int64_t first, std::int64_t last) {
    prepare(run, level, alpha);
    const auto betas = space_.run_betas(level, alpha);
    for (std::int64_t j = first; j < last; ++j) {
      writer.begin(run.capacity);
      emit_row(run, betas[j], writer);
      writer.finish(space_.run_offset(level, alpha) + j);
    }
  });
}

/// Single rows; those of one run that follow one another share its preparation.
template <class Writer>
void ProductRowSource::write_rows(std::span<const std::int32_t> rows, const ValueNumber* alpha_numbers,
                                  Writer& writer) const {
  const std::int64_t num_alpha = alpha_.size();
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
    emit_row(run, betas[row - offset], writer);
    writer.finish(row);
  }
}

void ProductRowSource::fill(RowRange range, RowSink& sink) const {
  ValueWriter writer(tables_, sink);
  write(range, nullptr, writer);
}

class ProductRowSource::Numbered final : public NumberedRowSource {
public:
  explicit Numbered(const ProductRowSource& source)
      : source_(source), numbers_(source.tables_),
        alpha_numbers_(numbers_.of_links(Spin::alpha, source.alpha_links_)),
        own_numbers_(numbers_.of_links(Spin::beta, source.beta_links_)) {}

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
  Array<ValueNumber> own_numbers_;    ///< beside the beta strings' own excitations
};

std::unique_ptr<const NumberedRowSource> ProductRowSource::numbered() const {
  return std::make_unique<Numbered>(*this);
}

Array<std::int32_t> ProductRowSource::local_order() const { return space_.local_order(); }

}  // namespace cisolve
