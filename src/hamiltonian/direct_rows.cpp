// SPDX-License-Identifier: MIT
// The arithmetic of a direct product on the part of y that a task owns.
#include "hamiltonian/direct_kernels.hpp"
#include "hamiltonian/direct_parts.hpp"

namespace cisolve {
namespace {

/// Bytes of a tile that stay in a core's second-level cache beside what streams past.
constexpr std::int64_t tile_bytes = 1 << 20;

}  // namespace

void DirectProduct::same_spin(const Task& task, const Side& s, const double* x, double* y) const {
  const BlockLayout::Panel& panel = s.layout.panels[task.panel];
  const direct::OwnLinks own{s.major_links, s.layout, s.minor_coulomb, task.panel};
  const std::int64_t most = std::int64_t{kernels_.most_groups} * direct::lanes;
  for (std::int64_t column = task.first_column; column < task.last_column; column += most) {
    const std::int64_t groups = whole_lanes(std::min(most, task.last_column - column)) / direct::lanes;
    const direct::ExciteOwn excite_own = kernels_.excite_own[groups - 1];
    s.for_each_class(task.panel, task.first_row, task.last_row,
                     [&](int c, std::int32_t first, std::int32_t last, std::int64_t row) {
                       const std::int32_t ordinal = s.major.offsets[c];
                       for (std::int32_t i = first; i < last; ++i, ++row) {
                         excite_own(own, ordinal + i, x + panel.offset, panel.stride, column,
                                    y + panel.offset + row * panel.stride);
                       }
                     });
  }
}

void DirectProduct::walk_tiles(const Task& task, const Side& s, int d, const double* x, double* y,
                               Array<double>& tile) const {
  const Source source(s, task, d);
  if (source.rows == 0) return;
  const BlockLayout::Panel& to = s.layout.panels[task.panel];
  const BlockLayout::Panel& from = s.layout.panels[d];
  const std::int64_t most =
      std::clamp<std::int64_t>(tile_bytes / (8 * source.rows) / BlockLayout::lanes * BlockLayout::lanes,
                               BlockLayout::lanes, std::int64_t{kernels_.most_groups} * direct::lanes);
  std::vector<double> values(2 * std::size_t{integrals_.num_pairs()});
  std::vector<double> half_values(s.parity ? values.size() : 0);
  for (const SpinLinks::PairList& list : s.minor_links.pair_lists_between(task.panel, d)) {
    if (couples_[task.layout][list.pair] == 0 || dense_->has(s, task.layout, task.panel, d, list.irrep))
      continue;
    const auto* targets = s.minor_links.targets.data();
    const std::int64_t first =
        std::lower_bound(targets + list.first, targets + list.last, task.first_column) - targets;
    const std::int64_t last =
        std::lower_bound(targets + first, targets + list.last, task.last_column) - targets;
    if (first == last) continue;
    const double* integrals = s.minor_integrals.row(list.pair);
    for (const std::uint32_t pq : integrals_.pairs_of(list.irrep)) {
      values[2 * std::size_t{pq}] = integrals[pq];
      values[2 * std::size_t{pq} + 1] = -integrals[pq];
    }
    if (s.parity) {
      for (const std::uint32_t pq : integrals_.pairs_of(list.irrep)) {
        const double factor = pq < list.pair ? 0.0 : pq == list.pair ? 0.5 : 1.0;
        for (std::size_t code = 2 * std::size_t{pq}; code <= 2 * std::size_t{pq} + 1; ++code)
          half_values[code] = factor * values[code];
      }
    }
    const std::int64_t parts = (last - first + most - 1) / most;
    for (std::int64_t part = 0; part < parts; ++part) {
      const std::int64_t begin = first + (last - first) * part / parts;
      const std::int64_t end = first + (last - first) * (part + 1) / parts;
      const direct::LaneList lanes(s.minor_links, begin, static_cast<int>(end - begin));
      const auto at = static_cast<std::size_t>(lanes.groups - 1);
      for (int c = 0; c < s.major.count(); ++c) {
        const std::int64_t row = source.tile_row[c];
        if (row < 0) continue;
        kernels_.gather[at](lanes, x + from.offset + s.layout.row(d, c) * from.stride, from.stride,
                            s.major.size(c), tile.data() + row * lanes.groups * direct::lanes);
      }
      const direct::Excite excite = kernels_.excite[at];
      s.for_each_class(task.panel, task.first_row, task.last_row,
                       [&](int c, std::int32_t first_string, std::int32_t last_string, std::int64_t row) {
                         if (!s.handles(c, task.panel)) return;
                         const std::int32_t ordinal = s.major.offsets[c];
                         const bool half = s.takes_half(c, task.panel);
                         const direct::Excitation excitation{s.major_links.singles.data(),
                                                             half ? half_values.data() : values.data(),
                                                             source.tile_row.data(), tile.data()};
                         for (std::int32_t i = first_string; i < last_string; ++i, ++row) {
                           excite(excitation, s.major_links.singles_of(ordinal + i, list.irrep), lanes,
                                  y + to.offset + row * to.stride);
                         }
                       });
    }
  }
}

void DirectProduct::multiply_densely(const Task& task, const Side& s, int d, const double* x, double* y,
                                     Array<double>& tile) const {
  const BlockLayout::Panel& to = s.layout.panels[task.panel];
  const BlockLayout::Panel& from = s.layout.panels[d];
  struct Link {
    std::uint32_t code;
    const double* row;
  };
  std::vector<Link> found;
  std::vector<const double*> rows;
  std::vector<std::uint32_t> codes;
  for (const std::size_t k : dense_->of(s, task.layout, task.panel, d)) {
    const direct::DenseLinks& links = dense_->links[task.layout][k];
    s.for_each_class(
        task.panel, task.first_row, task.last_row,
        [&](int c, std::int32_t first, std::int32_t last, std::int64_t row) {
          if (!s.handles(c, task.panel)) return;
          const std::int32_t ordinal = s.major.offsets[c];
          for (std::int32_t i = first; i < last; ++i, ++row) {
            found.clear();
            for (const SpinLinks::Group& group : s.major_links.singles_of(ordinal + i, links.irrep())) {
              const std::int64_t base = s.layout.row(d, group.source_class);
              if (base < 0) continue;
              const SpinLinks::Single* entry = s.major_links.singles.data() + group.first;
              for (const SpinLinks::Single* end = entry + group.size; entry != end; ++entry) {
                const std::uint32_t place = integrals_.place_in_irrep(entry->code / 2);
                found.push_back(
                    {2 * place + entry->code % 2, x + from.offset + (base + entry->source) * from.stride});
              }
            }
            const bool half = s.takes_half(c, task.panel);
            if (half) std::ranges::sort(found, {}, &Link::code);
            rows.clear();
            codes.clear();
            for (const Link& link : found) {
              rows.push_back(link.row);
              codes.push_back(link.code);
            }
            links.apply({rows.data(), codes.data(), static_cast<int>(found.size()), half}, tile.data(),
                        y + to.offset + row * to.stride);
          }
        });
  }
}

void DirectProduct::opposite_spin(const Task& task, const Side& s, const double* x, double* y,
                                  Array<double>& tile) const {
  for (int d = 0; d < s.minor.count(); ++d) {
    if (s.minor_links.pair_lists_between(task.panel, d).empty()) continue;
    walk_tiles(task, s, d, x, y, tile);
    multiply_densely(task, s, d, x, y, tile);
  }
}

}  // namespace cisolve
