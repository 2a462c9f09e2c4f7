// SPDX-License-Identifier: MIT
#include "cisolve/hamiltonian/direct_product.hpp"

#include <omp.h>

#include <algorithm>

#include "cisolve/core/error.hpp"
#include "hamiltonian/direct_parts.hpp"

namespace cisolve {

DirectTables::DirectTables(const StringProduct& space, const IntegralTables& tables)
    : blocks(space), alpha_major(blocks, true), beta_major(blocks, false),
      alpha_links(space.alpha(), blocks.alpha, tables), alpha_coulomb(space.alpha(), blocks.alpha, tables),
      own_beta_links_(blocks.symmetric ? std::nullopt
                                       : std::make_optional<SpinLinks>(space.beta(), blocks.beta, tables)),
      own_beta_coulomb_(blocks.symmetric
                            ? std::nullopt
                            : std::make_optional<CoulombTable>(space.beta(), blocks.beta, tables)),
      beta_links(blocks.symmetric ? alpha_links : *own_beta_links_),
      beta_coulomb(blocks.symmetric ? alpha_coulomb : *own_beta_coulomb_) {}

DirectProduct::DirectProduct(const StringProduct& space, const IntegralTables& tables,
                             std::span<const double> diagonal, SpinParity parity)
    : size_(space.size()), parity_(parity), integrals_(tables), direct_(space, tables) {
  if (has_parity() && !direct_.blocks.symmetric)
    throw DimensionError("DirectProduct: the space has no spin parity");
  if (!diagonal.empty()) use_diagonal(diagonal);
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
      const std::int32_t list = space.run_list(level, alpha);
      if (list == StringProduct::no_list) continue;
      const std::size_t at = list;
      for (std::int64_t k = blocks.parts_of[at]; k < blocks.parts_of[at + 1]; ++k) {
        const BlockStructure::ListPart& part = blocks.parts[k];
        pieces_.push_back(
            {space.run_offset(level, alpha), part.gather, part.beta_class, part.position, part.size});
      }
    }
    // The same sequence for all strings of a class, whatever the levels.
    std::sort(pieces_.begin() + pieces_of_.back(), pieces_.end(), [](const Piece& a, const Piece& b) {
      return std::pair(a.beta_class, a.position) < std::pair(b.beta_class, b.position);
    });
    pieces_of_.push_back(static_cast<std::int64_t>(pieces_.size()));
  }
}

DirectProduct::~DirectProduct() = default;

void DirectProduct::use_diagonal(std::span<const double> diagonal) {
  if (std::ssize(diagonal) != size_)
    throw DimensionError("DirectProduct: one diagonal element per determinant is needed");
  diagonal_ = diagonal;
  if (!has_parity()) return;
  double largest = diagonal.front();
#pragma omp parallel for schedule(static) reduction(max : largest)
  for (std::size_t i = 0; i < diagonal.size(); ++i) largest = std::max(largest, diagonal[i]);
  shift_ = largest;
}

void DirectProduct::plan() const {
  if (dense_) return;
  choose_dense();
  list_tasks();
}

std::int64_t DirectProduct::bytes() const {
  plan();
  std::int64_t sum = direct_.bytes();
  for (const auto& layout : dense_->links) {
    for (const direct::DenseLinks& links : layout) sum += links.bytes();
  }
  return sum;
}

std::int64_t DirectProduct::workspace_bytes() const {
  plan();
  const std::int64_t y_size = direct_.alpha_major.size + (has_parity() ? 0 : direct_.beta_major.size);
  return 8 * (direct_.alpha_major.size + direct_.beta_major.size + y_size) +
         8 * static_cast<std::int64_t>(tile_size_) * omp_get_max_threads();
}

void DirectProduct::prepare(DirectWorkspace& workspace) const {
  plan();
  for (int layout = 0; layout < 2; ++layout) {
    const std::size_t size = side(layout).layout.size;
    if (workspace.x[layout].size() == size) continue;
    workspace.x[layout] = Array<double>(size);
    if (layout < num_layouts()) workspace.y[layout] = Array<double>(size);
    double* x = workspace.x[layout].data();
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < size; ++i) x[i] = 0.0;  // padding stays so
  }
  workspace.tiles.resize(omp_get_max_threads());
  for (Array<double>& tile : workspace.tiles) {
    if (tile.size() < tile_size_) tile = Array<double>(tile_size_);
  }
}

/// visit(row of the j-th string of a piece, counted from the run's first), where consecutive as a formula.
template <class Visit>
void DirectProduct::with_rows(const Piece& piece, const Visit& visit) const {
  if (piece.gather < 0) {
    visit([](std::int32_t j) { return j; });
  } else {
    const std::int32_t* places = direct_.blocks.places.data() + piece.gather;
    visit([places](std::int32_t j) { return places[j]; });
  }
}

/// x in both layouts; with a parity, the part that has it.
void DirectProduct::distribute(const double* x, DirectWorkspace& workspace) const {
  const StringClasses& alpha = direct_.blocks.alpha;
  const BlockLayout& by_alpha = direct_.alpha_major;
  const BlockLayout& by_beta = direct_.beta_major;
  double* rows = workspace.x[0].data();
  double* columns = workspace.x[1].data();
  for (int c = 0; c < alpha.count(); ++c) {
    const BlockLayout::Panel& transposed = by_beta.panels[c];
#pragma omp parallel for schedule(static)
    for (std::int32_t first = 0; first < alpha.size(c); first += BlockLayout::lanes) {
      const auto count = std::min<std::int32_t>(BlockLayout::lanes, alpha.size(c) - first);
      const std::size_t ordinal = alpha.offsets[c] + first;
      const std::int64_t num_pieces = pieces_of_[ordinal + 1] - pieces_of_[ordinal];
      for (std::int64_t p = 0; p < num_pieces; ++p) {
        const double* from[BlockLayout::lanes];
        const Piece& piece = pieces_[pieces_of_[ordinal] + p];
        const BlockLayout::Panel& panel = by_alpha.panels[piece.beta_class];
        for (std::int32_t k = 0; k < count; ++k) {
          const Piece& own = pieces_[pieces_of_[ordinal + k] + p];
          double* to = rows + panel.offset + (by_alpha.row(piece.beta_class, c) + first + k) * panel.stride +
                       piece.position;
          with_rows(own, [&](const auto row_of) {
            for (std::int32_t j = 0; j < piece.size; ++j) to[j] = x[own.row + row_of(j)];
          });
          from[k] = to;
        }
        double* to = columns + transposed.offset +
                     (by_beta.row(c, piece.beta_class) + piece.position) * transposed.stride + first;
        for (std::int32_t j = 0; j < piece.size; ++j, to += transposed.stride) {
          for (std::int32_t k = 0; k < count; ++k) to[k] = from[k][j];
        }
      }
    }
  }
  if (!has_parity()) return;
  const auto sign = static_cast<double>(parity_);
#pragma omp parallel for simd schedule(static)
  for (std::int64_t i = 0; i < by_alpha.size; ++i) rows[i] = 0.5 * (rows[i] + sign * columns[i]);
}

/// y = diagonal x + what both layouts hold; with a parity, the second as the mirror image of the first.
void DirectProduct::collect(const double* x, const DirectWorkspace& workspace, double* y) const {
  const StringClasses& alpha = direct_.blocks.alpha;
  const BlockLayout& by_alpha = direct_.alpha_major;
  const BlockLayout& by_beta = direct_.beta_major;
  const double* columns = workspace.y[has_parity() ? 0 : 1].data();
  const double sign = parity_ == SpinParity::odd ? -1.0 : 1.0;
  for (int c = 0; c < alpha.count(); ++c) {
    const BlockLayout::Panel& transposed = by_beta.panels[c];
#pragma omp parallel for schedule(static)
    for (std::int32_t first = 0; first < alpha.size(c); first += BlockLayout::lanes) {
      const auto count = std::min<std::int32_t>(BlockLayout::lanes, alpha.size(c) - first);
      const std::size_t ordinal = alpha.offsets[c] + first;
      const std::int64_t num_pieces = pieces_of_[ordinal + 1] - pieces_of_[ordinal];
      for (std::int64_t p = 0; p < num_pieces; ++p) {
        const Piece& piece = pieces_[pieces_of_[ordinal] + p];
        const BlockLayout::Panel& panel = by_alpha.panels[piece.beta_class];
        bool consecutive = true;
        double* to[BlockLayout::lanes];
        for (std::int32_t k = 0; k < count; ++k) {
          const Piece& own = pieces_[pieces_of_[ordinal + k] + p];
          const std::int64_t at =
              panel.offset + (by_alpha.row(piece.beta_class, c) + first + k) * panel.stride + piece.position;
          const double* from = workspace.y[0].data() + at;
          const double* within = workspace.x[0].data() + at;
          const double* diagonal = diagonal_.data() + own.row;
          const double* before = x + own.row;
          to[k] = y + own.row;
          consecutive = consecutive && own.gather < 0;
          with_rows(own, [&](const auto row_of) {
            if (has_parity()) {
              for (std::int32_t j = 0; j < piece.size; ++j) {
                const std::int32_t row = row_of(j);
                to[k][row] = diagonal[row] * within[j] + from[j] + shift_ * (before[row] - within[j]);
              }
            } else {
              for (std::int32_t j = 0; j < piece.size; ++j) {
                const std::int32_t row = row_of(j);
                to[k][row] = diagonal[row] * within[j] + from[j];
              }
            }
          });
        }
        const double* from = columns + transposed.offset +
                             (by_beta.row(c, piece.beta_class) + piece.position) * transposed.stride + first;
        if (consecutive) {
          for (std::int32_t j = 0; j < piece.size; ++j, from += transposed.stride) {
            for (std::int32_t k = 0; k < count; ++k) to[k][j] += sign * from[k];
          }
          continue;
        }
        for (std::int32_t k = 0; k < count; ++k) {
          with_rows(pieces_[pieces_of_[ordinal + k] + p], [&](const auto row_of) {
            for (std::int32_t j = 0; j < piece.size; ++j)
              to[k][row_of(j)] += sign * from[j * transposed.stride + k];
          });
        }
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
      run(tasks_[task], workspace, workspace.tiles[omp_get_thread_num()]);
    }
    collect(x.column(k), workspace, y.column(k));
  }
}

void DirectProduct::project(HostView x, DirectWorkspace& workspace) const {
  if (!has_parity()) return;
  prepare(workspace);
  const StringClasses& alpha = direct_.blocks.alpha;
  for (int k = 0; k < x.columns; ++k) {
    distribute(x.column(k), workspace);
    for (int c = 0; c < alpha.count(); ++c) {
#pragma omp parallel for schedule(static)
      for (std::int32_t a = 0; a < alpha.size(c); ++a) {
        const std::size_t ordinal = alpha.offsets[c] + a;
        for (std::int64_t p = pieces_of_[ordinal]; p < pieces_of_[ordinal + 1]; ++p) {
          const Piece& piece = pieces_[p];
          const BlockLayout::Panel& panel = direct_.alpha_major.panels[piece.beta_class];
          const std::int64_t row = direct_.alpha_major.row(piece.beta_class, c) + a;
          const double* from = workspace.x[0].data() + panel.offset + row * panel.stride + piece.position;
          double* to = x.column(k) + piece.row;
          with_rows(piece, [&](const auto row_of) {
            for (std::int32_t j = 0; j < piece.size; ++j) to[row_of(j)] = from[j];
          });
        }
      }
    }
  }
}

}  // namespace cisolve
