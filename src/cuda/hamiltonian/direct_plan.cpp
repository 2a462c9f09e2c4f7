// SPDX-License-Identifier: MIT
#include "cuda/hamiltonian/direct_plan.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <span>

namespace cisolve::cuda::direct {
namespace {

/// What reading an excitation takes beside the row that it excites.
constexpr std::int64_t excitation_bytes = 12;

OwnPlan::Links merge(const SpinLinks& links, std::int32_t num_strings) {
  OwnPlan::Links result;
  result.groups_of.push_back(0);
  const auto append = [&](const SpinLinks::Group& group, const auto& entries) {
    result.groups.push_back({std::ssize(result.values), group.size, group.source_class});
    for (std::int32_t k = 0; k < group.size; ++k) {
      const auto& entry = entries[static_cast<std::size_t>(group.first + k)];
      result.values.push_back(entry.value);
      result.sources.push_back(entry.source);
    }
  };
  for (std::int32_t target = 0; target < num_strings; ++target) {
    for (const SpinLinks::Group& group : links.own_doubles_of(target)) append(group, links.own_doubles);
    for (const SpinLinks::Group& group : links.own_singles_of(target)) append(group, links.own_singles);
    result.groups_of.push_back(std::ssize(result.groups));
  }
  return result;
}

/// Which share of a class's Hamiltonian is not zero; none if it is linked to another class.
double density(const OwnPlan::Links& links, const StringClasses& classes, int c) {
  const std::int64_t size = classes.size(c);
  const auto first = static_cast<std::size_t>(classes.offsets[static_cast<std::size_t>(c)]);
  std::int64_t count = 0;
  for (std::int64_t k = links.groups_of[first]; k < links.groups_of[first + static_cast<std::size_t>(size)];
       ++k) {
    const OwnGroup& group = links.groups[static_cast<std::size_t>(k)];
    if (group.source_class != c) return 0.0;
    count += group.size;
  }
  return static_cast<double>(count) / (static_cast<double>(size) * static_cast<double>(size));
}

}  // namespace

Side::Side(const DirectTables& tables, int n)
    : number(n), layout(n == 0 ? tables.alpha_major : tables.beta_major),
      major(n == 0 ? tables.blocks.alpha : tables.blocks.beta),
      minor(n == 0 ? tables.blocks.beta : tables.blocks.alpha),
      major_links(n == 0 ? tables.alpha_links : tables.beta_links),
      minor_links(n == 0 ? tables.beta_links : tables.alpha_links),
      major_coulomb(n == 0 ? tables.alpha_coulomb : tables.beta_coulomb) {}

void OwnPlan::Links::add_rows(std::size_t target, const BlockLayout& layout, int panel,
                              std::vector<double>& to_values, std::vector<std::int32_t>& to_rows) const {
  for (std::int64_t g = groups_of[target]; g < groups_of[target + 1]; ++g) {
    const OwnGroup& group = groups[static_cast<std::size_t>(g)];
    const std::int64_t row = layout.row(panel, group.source_class);
    if (row < 0) continue;
    for (std::int64_t e = group.first; e < group.first + group.size; ++e) {
      to_values.push_back(values[static_cast<std::size_t>(e)]);
      to_rows.push_back(static_cast<std::int32_t>(row + sources[static_cast<std::size_t>(e)]));
    }
  }
}

OwnPlan::OwnPlan(const cisolve::DirectProduct& host, const DirectConfig& config) {
  const DirectTables& tables = host.tables();
  const bool parity = host.parity() != SpinParity::none;
  const DeviceProfile& device = config.device;
  const std::int32_t least_size = device.dense.size;
  const std::int64_t most_elements = device.budgets.dense_matrices / 8;
  const std::int64_t most_panel_elements = device.budgets.panel_matrices / 8;
  const bool has_room =
      static_cast<std::int64_t>(dense_stages * sizeof(DenseStage)) + device.shared_memory_of_system <=
      device.shared_memory;
  for (int spin = 0; spin < 2; ++spin) {
    const Side side(tables, spin);
    if (spin == 0 || !tables.blocks.symmetric)
      links[spin] = merge(side.major_links, side.major.num_strings());
    const Links& own = tables.blocks.symmetric ? links[0] : links[spin];
    for (int c = 0; c < side.major.count(); ++c) {
      dense_of[spin].push_back(-1);
      const double share = density(own, side.major, c);
      const bool projects = config.same_spin == SameSpin::projected;
      const std::int32_t size = side.major.size(c);
      if (share == 0.0 || (size < least_size && !projects)) continue;
      if (spin == 1 && tables.blocks.symmetric) {
        dense_of[1].back() = dense_of[0][static_cast<std::size_t>(c)];
        continue;
      }
      std::optional<std::int32_t> projection;
      if (config.same_spin != SameSpin::dense) {
        const std::int64_t most_columns =
            std::ranges::max(side.layout.panels, {}, &BlockLayout::Panel::columns).columns;
        projection =
            projections.add(host.integrals(), side.major_links, side.major, c,
                            {share, most_columns, std::max(device.budgets.intermediates / 8, host.size() / 8),
                             projects, device});
      }
      if (!projection && (size < least_size || share < device.dense.share)) continue;
      dense_of[spin].back() = static_cast<std::int32_t>(dense.size());
      dense.push_back({spin, c, size, (size + 7) / 8 * 8, projection.value_or(-1), -1});
    }
  }
  std::int64_t total = 0;
  for (const DenseClass& one : dense) total += one.projection < 0 ? std::int64_t{one.size} * one.ld : 0;
  dense_buffer = std::min(total, most_elements);
  for (std::int64_t next = 0; DenseClass & one : dense) {
    if (one.projection >= 0) continue;
    if (total <= most_elements) one.resident = next;
    next += std::int64_t{one.size} * one.ld;
  }
  for (int layout = 0; layout < (parity ? 1 : 2); ++layout) {
    const Side side(tables, layout);
    for (std::size_t panel = 0; panel < side.layout.panels.size(); ++panel) {
      const BlockLayout::Panel& p = side.layout.panels[panel];
      if (has_room &&
          make_dense(side, static_cast<int>(panel), tables.blocks.symmetric, most_panel_elements)) {
        uses_layout_1 = uses_layout_1 || layout == 1;
        continue;
      }
      for (int c = 0; c < side.major.count(); ++c) {
        const std::int64_t row = side.layout.row(static_cast<int>(panel), c);
        if (row < 0) continue;
        if (dense_of[layout][static_cast<std::size_t>(c)] >= 0) {
          fills_layout_1 = fills_layout_1 && layout == 0;
          continue;
        }
        const auto lanes = static_cast<std::int32_t>(
            std::clamp<std::uint64_t>(std::bit_ceil(static_cast<std::uint64_t>(p.columns)) / 2, 1, 32));
        const auto tiles = static_cast<std::int32_t>((p.columns + 2 * lanes - 1) / (2 * lanes));
        segments.push_back({p.offset + row * p.stride, p.offset, 0, layout, static_cast<std::int32_t>(panel),
                            c, side.major.size(c), side.major.offsets[static_cast<std::size_t>(c)],
                            static_cast<std::int32_t>(p.stride), lanes, tiles});
        uses_layout_1 = uses_layout_1 || layout == 1;
      }
    }
  }
  group_tiles();
}

bool OwnPlan::make_dense(const Side& side, int panel, bool symmetric, std::int64_t most_panel_elements) {
  const BlockLayout::Panel& p = side.layout.panels[static_cast<std::size_t>(panel)];
  const auto classes = static_cast<std::size_t>(side.major.count());
  const auto first_row =
      std::span(side.layout.first_row).subspan(static_cast<std::size_t>(panel) * classes, classes);
  const Links& own = links_of(side.number, symmetric);
  std::int64_t nonzeros = 0;
  for (std::size_t c = 0; c < classes; ++c) {
    if (first_row[c] < 0) continue;
    if (dense_of[side.number][c] >= 0) return false;
    const auto begin = static_cast<std::size_t>(side.major.offsets[c]);
    const auto end = static_cast<std::size_t>(side.major.offsets[c + 1]);
    for (std::int64_t g = own.groups_of[begin]; g < own.groups_of[end]; ++g) {
      const OwnGroup& group = own.groups[static_cast<std::size_t>(g)];
      if (first_row[static_cast<std::size_t>(group.source_class)] >= 0) nonzeros += group.size;
    }
  }
  // What is read: excitations and rows of x, or the matrix for every tile of columns.
  const std::int64_t column_tiles = (p.columns + dense_columns - 1) / dense_columns;
  const std::int64_t ld = (p.rows + dense_targets - 1) / dense_targets * dense_targets;
  if (nonzeros * (excitation_bytes + 8 * p.columns) <= 8 * p.rows * ld * column_tiles) return false;
  auto matrix = std::ranges::find_if(panel_matrices, [&](const PanelMatrix& m) {
    return (symmetric || m.layout == side.number) && std::ranges::equal(m.first_row, first_row);
  });
  if (matrix == panel_matrices.end()) {
    const std::int64_t size = (p.rows + dense_rows - 1) / dense_rows * dense_rows * ld;
    if (panel_matrices_size + size > most_panel_elements) return false;
    matrix = panel_matrices.insert(matrix, {side.number,
                                            panel,
                                            static_cast<std::int32_t>(p.rows),
                                            static_cast<std::int32_t>(ld),
                                            panel_matrices_size,
                                            {first_row.begin(), first_row.end()},
                                            {}});
    panel_matrices_size += size;
  }
  for (std::int64_t first = 0; first < p.columns; first += dense_columns) {
    matrix->tiles.push_back(
        {p.offset + first, static_cast<std::int32_t>(p.stride),
         static_cast<std::int32_t>(std::min<std::int64_t>(dense_columns, p.stride - first)), side.number});
  }
  return true;
}

void OwnPlan::group_tiles() {
  for (PanelMatrix& matrix : panel_matrices) {
    const auto first_tile = static_cast<std::int32_t>(dense_tiles.size());
    const auto num_tiles = static_cast<std::int32_t>(matrix.tiles.size());
    for (std::int32_t k = 0; k < num_tiles; k += most_dense_tiles) {
      dense_groups.push_back({matrix.first, matrix.rows, matrix.ld, first_tile + k,
                              std::min(most_dense_tiles, num_tiles - k), num_dense_blocks});
      num_dense_blocks += matrix.ld / dense_targets;
    }
    dense_tiles.insert(dense_tiles.end(), matrix.tiles.begin(), matrix.tiles.end());
    matrix.tiles = {};
  }
}

bool OwnPlan::take_segment(int layout, int minor_class, int major_class) {
  return std::erase_if(segments, [&](const OwnSegment& s) {
           return s.layout == layout && s.minor_class == minor_class && s.major_class == major_class;
         }) > 0;
}

void OwnPlan::count_warps() {
  num_warps = 0;
  for (OwnSegment& segment : segments) {
    segment.first_warp = num_warps;
    num_warps += std::int64_t{segment.strings} * segment.column_tiles;
  }
}

LayoutPlan::LayoutPlan(const cisolve::DirectProduct& host) {
  const DirectTables& tables = host.tables();
  const StringClasses& alpha = tables.blocks.alpha;
  for (int c = 0; c < alpha.count(); ++c) {
    const BlockLayout::Panel& transposed = tables.beta_major.panels[static_cast<std::size_t>(c)];
    const std::int32_t ordinal = alpha.offsets[static_cast<std::size_t>(c)];
    const auto pieces = host.pieces_of(ordinal);
    for (std::int32_t first = 0; first < alpha.size(c); first += layout_square) {
      const auto rows = std::ssize(piece_rows);
      const std::int32_t count = std::min(layout_square, alpha.size(c) - first);
      for (std::int32_t k = 0; k < count; ++k) {
        for (const auto& piece : host.pieces_of(ordinal + first + k))
          piece_rows.push_back({piece.row, piece.gather});
      }
      for (std::size_t p = 0; p < pieces.size(); ++p) {
        const auto& piece = pieces[p];
        const BlockLayout::Panel& panel =
            tables.alpha_major.panels[static_cast<std::size_t>(piece.beta_class)];
        const auto square = static_cast<std::int32_t>(square_tiles.size());
        const std::int32_t squares = (piece.size + layout_square - 1) / layout_square;
        square_tiles.insert(square_tiles.end(), static_cast<std::size_t>(squares),
                            static_cast<std::int32_t>(tiles.size()));
        tiles.push_back(
            {rows + static_cast<std::int64_t>(p),
             panel.offset + (tables.alpha_major.row(piece.beta_class, c) + first) * panel.stride +
                 piece.position,
             transposed.offset +
                 (tables.beta_major.row(c, piece.beta_class) + piece.position) * transposed.stride + first,
             static_cast<std::int32_t>(pieces.size()), count, piece.size,
             static_cast<std::int32_t>(panel.stride), static_cast<std::int32_t>(transposed.stride), square});
      }
    }
  }
}

}  // namespace cisolve::cuda::direct
