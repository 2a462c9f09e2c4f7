// SPDX-License-Identifier: MIT
#include "cisolve/hamiltonian/direct_product.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cisolve/core/error.hpp"
#include "hamiltonian/direct_kernels.hpp"

namespace cisolve {
namespace {

/// Bytes of a tile that stay in a core's second-level cache beside what streams past.
constexpr std::int64_t tile_bytes = 1 << 20;

/// Columns of a panel that one task owns: lists of columns joined by a pair fill a tile about once.
constexpr std::int64_t task_columns = 128;

/// Tasks per thread that even out their different costs.
constexpr double tasks_per_thread = 8.0;

std::int64_t whole_lanes(std::int64_t n) { return (n + BlockLayout::lanes - 1) / BlockLayout::lanes * BlockLayout::lanes; }

}  // namespace

template <int Words>
DirectTables::DirectTables(const ProductSpace<Words>& space, const IntegralTables& tables)
    : blocks(space), alpha_major(blocks, true), beta_major(blocks, false),
      alpha_links(space.alpha(), blocks.alpha, tables),
      beta_links(blocks.symmetric ? alpha_links : SpinLinks(space.beta(), blocks.beta, tables)),
      alpha_coulomb(space.alpha(), blocks.alpha, tables), beta_coulomb(space.beta(), blocks.beta, tables) {}

std::int64_t DirectWorkspace::bytes() const {
  std::size_t sum = x[0].size_bytes() + x[1].size_bytes() + y[0].size_bytes() + y[1].size_bytes();
  for (const Array<double>& tile : tiles) sum += tile.size_bytes();
  return static_cast<std::int64_t>(sum);
}

/// One of the two layouts and the roles that the spins have in it.
struct DirectProduct::Side {
  const BlockLayout& layout;
  const StringClasses& major;
  const StringClasses& minor;
  const SpinLinks& major_links;
  const SpinLinks& minor_links;
  const CoulombTable& minor_coulomb;
  bool alpha_major;

  /// Opposite-spin part of a block of y: computed where its rows are longer.
  bool handles(int major_class, int minor_class) const {
    const std::int32_t length = minor.size(minor_class);
    const std::int32_t other = major.size(major_class);
    return layout.row(minor_class, major_class) >= 0 && (alpha_major ? length >= other : length > other);
  }

  /// body(major class, first string, last string, row of the first): the rows first .. last - 1 of a panel
  /// that belong to a class.
  template <class Body>
  void for_each_class(int panel, std::int64_t first, std::int64_t last, const Body& body) const {
    for (int c = 0; c < major.count(); ++c) {
      const std::int64_t row = layout.row(panel, c);
      if (row < 0) continue;
      const std::int64_t from = std::max(first, row);
      const std::int64_t to = std::min<std::int64_t>(last, row + major.size(c));
      if (from < to) body(c, static_cast<std::int32_t>(from - row), static_cast<std::int32_t>(to - row), from);
    }
  }
};

/// What the columns of one class bring to a task: the rows that its tiles hold.
struct DirectProduct::Source {
  std::vector<std::int64_t> tile_row;  ///< [major classes] -1: not in the tile
  std::int64_t rows = 0;

  Source(const Side& side, const Task& task, int minor_class)
      : tile_row(static_cast<std::size_t>(side.major.count()), -1) {
    std::vector<int> targets;
    side.for_each_class(task.panel, task.first_row, task.last_row, [&](int c, auto, auto, auto) {
      if (side.handles(c, task.panel)) targets.push_back(c);
    });
    for (int source = 0; source < side.major.count(); ++source) {
      if (side.layout.row(minor_class, source) < 0) continue;
      const bool needed =
          std::ranges::any_of(targets, [&](int target) { return side.major_links.is_linked(target, source); });
      if (!needed) continue;
      tile_row[static_cast<std::size_t>(source)] = rows;
      rows += side.major.size(source);
    }
  }
};

template <int Words>
DirectProduct::DirectProduct(const ProductSpace<Words>& space, const IntegralTables& tables,
                             std::span<const double> diagonal)
    : size_(space.size()), integrals_(tables), direct_(space, tables), diagonal_(diagonal) {
  if (std::ssize(diagonal) != size_) throw DimensionError("DirectProduct: one diagonal element per determinant is needed");
  if (tables.threshold() > 0.0) throw DimensionError("DirectProduct: no threshold is possible");
  const std::uint32_t num_pairs = tables.num_pairs();
  for (std::uint32_t rs = 0; rs < num_pairs; ++rs) {
    bool any = false;
    for (int p = 0; p < tables.num_orbitals(); ++p) {
      for (int q = 0; q < p; ++q) any = any || tables.row(rs)[tables.pair(p, q)] != 0.0;
    }
    couples_.push_back(any ? 1 : 0);
  }
  const BlockStructure& blocks = direct_.blocks;
  pieces_of_.push_back(0);
  for (const std::int32_t alpha : blocks.alpha.strings) {
    for (int level = 0; level < space.num_levels(); ++level) {
      const auto betas = space.run_betas(level, alpha);
      if (betas.empty()) continue;
      const auto first = static_cast<std::size_t>(betas.front());
      pieces_.push_back({space.run_offset(level, alpha), blocks.beta.class_of[first], blocks.beta.position[first],
                         static_cast<std::int32_t>(betas.size())});
    }
    // The same sequence for all strings of a class, whatever the levels.
    std::sort(pieces_.begin() + pieces_of_.back(), pieces_.end(), [](const Piece& a, const Piece& b) {
      return std::pair(a.beta_class, a.position) < std::pair(b.beta_class, b.position);
    });
    pieces_of_.push_back(static_cast<std::int64_t>(pieces_.size()));
  }
  list_tasks();
}

DirectProduct::Side DirectProduct::side(int layout) const {
  const BlockStructure& blocks = direct_.blocks;
  if (layout == 0) {
    return {direct_.alpha_major, blocks.alpha, blocks.beta, direct_.alpha_links, direct_.beta_links,
            direct_.beta_coulomb, true};
  }
  return {direct_.beta_major, blocks.beta, blocks.alpha, direct_.beta_links, direct_.alpha_links,
          direct_.alpha_coulomb, false};
}

double DirectProduct::cost_of(const Task& task) const {
  const Side s = side(task.layout);
  double links = 0.0, singles = 0.0, handled = 0.0;
  s.for_each_class(task.panel, task.first_row, task.last_row, [&](int c, std::int32_t first, std::int32_t last, auto) {
    const auto begin = static_cast<std::size_t>(s.major.offsets[static_cast<std::size_t>(c)] + first);
    const auto end = static_cast<std::size_t>(s.major.offsets[static_cast<std::size_t>(c)] + last);
    const auto entries = [](const auto& groups, std::int64_t from, std::int64_t to) {
      double sum = 0.0;
      for (std::int64_t g = from; g < to; ++g) sum += groups[static_cast<std::size_t>(g)].size;
      return sum;
    };
    links += entries(s.major_links.own_double_groups, s.major_links.own_double_groups_of[begin],
                     s.major_links.own_double_groups_of[end]);
    if (!s.handles(c, task.panel)) return;
    handled += last - first;
    singles += entries(s.major_links.single_groups, s.major_links.single_groups_of[8 * begin],
                       s.major_links.single_groups_of[8 * end]);
  });
  const auto columns = static_cast<double>(task.last_column - task.first_column);
  double cost = columns * links;
  for (int d = 0; d < s.minor.count(); ++d) {
    double lanes = 0.0;
    for (const auto& list : s.minor_links.pair_lists_between(task.panel, d)) lanes += static_cast<double>(list.last - list.first);
    if (lanes == 0.0) continue;
    lanes *= columns / static_cast<double>(s.layout.panels[static_cast<std::size_t>(task.panel)].columns);
    // Elements gathered and scattered, each worth some multiplications.
    constexpr double move = 8.0;
    const Source source(s, task, d);
    if (source.rows > 0) cost += lanes * (move * static_cast<double>(source.rows) + move * handled + singles / 4.0);
  }
  return cost;
}

void DirectProduct::list_tasks() {
  double total = 0.0;
  std::vector<Task> whole;
  for (int layout = 0; layout < 2; ++layout) {
    const auto& panels = side(layout).layout.panels;
    for (std::size_t panel = 0; panel < panels.size(); ++panel) {
      const std::int64_t parts = (panels[panel].columns + task_columns - 1) / task_columns;
      const std::int64_t width = whole_lanes((panels[panel].columns + parts - 1) / parts);
      for (std::int64_t column = 0; column < panels[panel].columns; column += width) {
        Task task{layout, static_cast<int>(panel), 0, panels[panel].rows, column,
                  std::min(column + width, panels[panel].columns), 0.0};
        task.cost = cost_of(task);
        total += task.cost;
        whole.push_back(task);
      }
    }
  }
  const double most = total / (tasks_per_thread * omp_get_max_threads());
  for (const Task& task : whole) {
    const auto parts = std::clamp<std::int64_t>(std::llround(task.cost / most), 1, task.last_row);
    for (std::int64_t k = 0; k < parts; ++k) {
      Task part = task;
      part.first_row = task.last_row * k / parts;
      part.last_row = task.last_row * (k + 1) / parts;
      part.cost = task.cost / static_cast<double>(parts);
      tasks_.push_back(part);
    }
  }
  std::stable_sort(tasks_.begin(), tasks_.end(), [](const Task& a, const Task& b) { return a.cost > b.cost; });
  // The widest tile that may be needed.
  for (const Task& task : tasks_) {
    const Side s = side(task.layout);
    for (int d = 0; d < s.minor.count(); ++d) {
      if (s.minor_links.pair_lists_between(task.panel, d).empty()) continue;
      const Source source(s, task, d);
      tile_size_ = std::max(tile_size_, static_cast<std::size_t>(source.rows) * direct::most_lanes);
    }
  }
}

std::int64_t DirectProduct::workspace_bytes() const {
  return 16 * (direct_.alpha_major.size + direct_.beta_major.size) +
         8 * static_cast<std::int64_t>(tile_size_) * omp_get_max_threads();
}

void DirectProduct::prepare(DirectWorkspace& workspace) const {
  for (int layout = 0; layout < 2; ++layout) {
    const auto size = static_cast<std::size_t>(side(layout).layout.size);
    if (workspace.x[layout].size() == size) continue;
    workspace.x[layout] = Array<double>(size);
    workspace.y[layout] = Array<double>(size);
    double* x = workspace.x[layout].data();
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < size; ++i) x[i] = 0.0;  // padding stays so
  }
  workspace.tiles.resize(static_cast<std::size_t>(omp_get_max_threads()));
  for (Array<double>& tile : workspace.tiles) {
    if (tile.size() < tile_size_) tile = Array<double>(tile_size_);
  }
}

/// x in both layouts.
void DirectProduct::distribute(const double* x, DirectWorkspace& workspace) const {
  const StringClasses& alpha = direct_.blocks.alpha;
  const BlockLayout& by_alpha = direct_.alpha_major;
  const BlockLayout& by_beta = direct_.beta_major;
  double* rows = workspace.x[0].data();
  double* columns = workspace.x[1].data();
  for (int c = 0; c < alpha.count(); ++c) {
    const BlockLayout::Panel& transposed = by_beta.panels[static_cast<std::size_t>(c)];
#pragma omp parallel for schedule(static)
    for (std::int32_t first = 0; first < alpha.size(c); first += BlockLayout::lanes) {
      const auto count = std::min<std::int32_t>(BlockLayout::lanes, alpha.size(c) - first);
      const auto ordinal = static_cast<std::size_t>(alpha.offsets[static_cast<std::size_t>(c)] + first);
      const std::int64_t num_pieces = pieces_of_[ordinal + 1] - pieces_of_[ordinal];
      for (std::int64_t p = 0; p < num_pieces; ++p) {
        const double* from[BlockLayout::lanes];
        const Piece& piece = pieces_[static_cast<std::size_t>(pieces_of_[ordinal] + p)];
        const BlockLayout::Panel& panel = by_alpha.panels[static_cast<std::size_t>(piece.beta_class)];
        for (std::int32_t k = 0; k < count; ++k) {
          from[k] = x + pieces_[static_cast<std::size_t>(pieces_of_[ordinal + static_cast<std::size_t>(k)] + p)].row;
          double* to = rows + panel.offset + (by_alpha.row(piece.beta_class, c) + first + k) * panel.stride + piece.position;
          std::copy_n(from[k], piece.size, to);
        }
        double* to = columns + transposed.offset +
                     (by_beta.row(c, piece.beta_class) + piece.position) * transposed.stride + first;
        for (std::int32_t j = 0; j < piece.size; ++j, to += transposed.stride) {
          for (std::int32_t k = 0; k < count; ++k) to[k] = from[k][j];
        }
      }
    }
  }
}

/// y = diagonal x + what both layouts hold.
void DirectProduct::collect(const double* x, const DirectWorkspace& workspace, double* y) const {
  const StringClasses& alpha = direct_.blocks.alpha;
  const BlockLayout& by_alpha = direct_.alpha_major;
  const BlockLayout& by_beta = direct_.beta_major;
  for (int c = 0; c < alpha.count(); ++c) {
    const BlockLayout::Panel& transposed = by_beta.panels[static_cast<std::size_t>(c)];
#pragma omp parallel for schedule(static)
    for (std::int32_t first = 0; first < alpha.size(c); first += BlockLayout::lanes) {
      const auto count = std::min<std::int32_t>(BlockLayout::lanes, alpha.size(c) - first);
      const auto ordinal = static_cast<std::size_t>(alpha.offsets[static_cast<std::size_t>(c)] + first);
      const std::int64_t num_pieces = pieces_of_[ordinal + 1] - pieces_of_[ordinal];
      for (std::int64_t p = 0; p < num_pieces; ++p) {
        double* to[BlockLayout::lanes];
        const Piece& piece = pieces_[static_cast<std::size_t>(pieces_of_[ordinal] + p)];
        const BlockLayout::Panel& panel = by_alpha.panels[static_cast<std::size_t>(piece.beta_class)];
        for (std::int32_t k = 0; k < count; ++k) {
          const std::int64_t row = pieces_[static_cast<std::size_t>(pieces_of_[ordinal + static_cast<std::size_t>(k)] + p)].row;
          const double* from = workspace.y[0].data() + panel.offset +
                               (by_alpha.row(piece.beta_class, c) + first + k) * panel.stride + piece.position;
          to[k] = y + row;
          for (std::int32_t j = 0; j < piece.size; ++j) {
            const auto at = static_cast<std::size_t>(row + j);
            y[at] = diagonal_[at] * x[at] + from[j];
          }
        }
        const double* from = workspace.y[1].data() + transposed.offset +
                             (by_beta.row(c, piece.beta_class) + piece.position) * transposed.stride + first;
        for (std::int32_t j = 0; j < piece.size; ++j, from += transposed.stride) {
          for (std::int32_t k = 0; k < count; ++k) to[k][j] += from[k];
        }
      }
    }
  }
}

void DirectProduct::same_spin(const Task& task, const Side& s, const double* x, double* y) const {
  const BlockLayout::Panel& panel = s.layout.panels[static_cast<std::size_t>(task.panel)];
  const direct::OwnLinks own{s.major_links, s.layout, s.minor_coulomb, task.panel};
  for (std::int64_t column = task.first_column; column < task.last_column; column += direct::most_lanes) {
    const std::int64_t width = std::min<std::int64_t>(direct::most_lanes, task.last_column - column);
    direct::with_vectors(static_cast<int>(whole_lanes(width) / BlockLayout::lanes), [&](auto vectors) {
      s.for_each_class(task.panel, task.first_row, task.last_row,
                       [&](int c, std::int32_t first, std::int32_t last, std::int64_t row) {
                         const std::int32_t ordinal = s.major.offsets[static_cast<std::size_t>(c)];
                         for (std::int32_t i = first; i < last; ++i, ++row) {
                           direct::excite_own<vectors()>(own, ordinal + i, x + panel.offset, panel.stride, column,
                                                         y + panel.offset + row * panel.stride);
                         }
                       });
    });
  }
}

void DirectProduct::opposite_spin(const Task& task, const Side& s, const double* x, double* y, Array<double>& tile) const {
  const BlockLayout::Panel& to = s.layout.panels[static_cast<std::size_t>(task.panel)];
  std::vector<double> values(2 * std::size_t{integrals_.num_pairs()});
  for (int d = 0; d < s.minor.count(); ++d) {
    const auto lists = s.minor_links.pair_lists_between(task.panel, d);
    if (lists.empty()) continue;
    const Source source(s, task, d);
    if (source.rows == 0) continue;
    const BlockLayout::Panel& from = s.layout.panels[static_cast<std::size_t>(d)];
    const std::int64_t most = std::clamp<std::int64_t>(
        tile_bytes / (8 * source.rows) / BlockLayout::lanes * BlockLayout::lanes, BlockLayout::lanes, direct::most_lanes);
    for (const SpinLinks::PairList& list : lists) {
      const auto* targets = s.minor_links.targets.data();
      const std::int64_t first = std::lower_bound(targets + list.first, targets + list.last, task.first_column) - targets;
      const std::int64_t last = std::lower_bound(targets + first, targets + list.last, task.last_column) - targets;
      if (first == last) continue;
      if (!couples_[list.pair]) continue;
      const double* integrals = integrals_.row(list.pair);
      for (std::size_t pq = 0; pq < integrals_.num_pairs(); ++pq) {
        values[2 * pq] = integrals[pq];
        values[2 * pq + 1] = -integrals[pq];
      }
      const std::int64_t parts = (last - first + most - 1) / most;
      for (std::int64_t part = 0; part < parts; ++part) {
        const std::int64_t begin = first + (last - first) * part / parts;
        const std::int64_t end = first + (last - first) * (part + 1) / parts;
        const direct::LaneList lanes(s.minor_links, begin, static_cast<int>(end - begin));
        direct::with_vectors(lanes.vectors, [&](auto vectors) {
          for (int c = 0; c < s.major.count(); ++c) {
            const std::int64_t row = source.tile_row[static_cast<std::size_t>(c)];
            if (row < 0) continue;
            direct::gather<vectors()>(lanes, x + from.offset + s.layout.row(d, c) * from.stride, from.stride,
                                      s.major.size(c), tile.data() + row * vectors() * BlockLayout::lanes);
          }
          s.for_each_class(task.panel, task.first_row, task.last_row,
                           [&](int c, std::int32_t first_string, std::int32_t last_string, std::int64_t row) {
                             if (!s.handles(c, task.panel)) return;
                             const std::int32_t ordinal = s.major.offsets[static_cast<std::size_t>(c)];
                             for (std::int32_t i = first_string; i < last_string; ++i, ++row) {
                               direct::excite<vectors()>(s.major_links, s.major_links.singles_of(ordinal + i, list.irrep),
                                                         values.data(), source.tile_row.data(), tile.data(), lanes,
                                                         y + to.offset + row * to.stride);
                             }
                           });
        });
      }
    }
  }
}

void DirectProduct::run(const Task& task, DirectWorkspace& workspace, Array<double>& tile) const {
  const Side s = side(task.layout);
  const double* x = workspace.x[task.layout].data();
  double* y = workspace.y[task.layout].data();
  same_spin(task, s, x, y);
  opposite_spin(task, s, x, y, tile);
}

void DirectProduct::multiply(ConstHostView x, HostView y, DirectWorkspace& workspace) const {
  if (x.rows != size_ || y.rows != size_ || x.columns != y.columns) {
    throw DimensionError("DirectProduct: x and y must have one row per determinant and equally many columns");
  }
  prepare(workspace);
  for (int k = 0; k < x.columns; ++k) {
    distribute(x.column(k), workspace);
#pragma omp parallel for schedule(dynamic)
    for (std::size_t task = 0; task < tasks_.size(); ++task) {
      run(tasks_[task], workspace, workspace.tiles[static_cast<std::size_t>(omp_get_thread_num())]);
    }
    collect(x.column(k), workspace, y.column(k));
  }
}

template DirectTables::DirectTables(const ProductSpace<1>&, const IntegralTables&);
template DirectTables::DirectTables(const ProductSpace<2>&, const IntegralTables&);
template DirectProduct::DirectProduct(const ProductSpace<1>&, const IntegralTables&, std::span<const double>);
template DirectProduct::DirectProduct(const ProductSpace<2>&, const IntegralTables&, std::span<const double>);

}  // namespace cisolve
