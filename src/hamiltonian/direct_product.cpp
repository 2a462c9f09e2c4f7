// SPDX-License-Identifier: MIT
#include "cisolve/hamiltonian/direct_product.hpp"

#include <omp.h>

#include <algorithm>

#include "cisolve/core/error.hpp"
#include "hamiltonian/direct_kernels.hpp"
#include "hamiltonian/direct_parts.hpp"

namespace cisolve {

DirectTables::DirectTables(const StringProduct& space, const IntegralTables& tables, OwnDoubles doubles)
    : blocks(space), exchange_symmetric(blocks.symmetric && !tables.is_unrestricted()),
      alpha_major(blocks, true), beta_major(blocks, false),
      alpha_links(space.alpha(), blocks.alpha, tables.alpha(), doubles),
      alpha_coulomb(space.alpha(), blocks.alpha, tables.beta()),
      own_beta_links_(exchange_symmetric
                          ? std::nullopt
                          : std::make_optional<SpinLinks>(space.beta(), blocks.beta, tables.beta(), doubles)),
      own_beta_coulomb_(exchange_symmetric
                            ? std::nullopt
                            : std::make_optional<CoulombTable>(space.beta(), blocks.beta, tables.alpha())),
      beta_links(exchange_symmetric ? alpha_links : *own_beta_links_),
      beta_coulomb(exchange_symmetric ? alpha_coulomb : *own_beta_coulomb_) {}

DirectProduct::DirectProduct(const StringProduct& space, const IntegralTables& tables,
                             std::span<const double> diagonal, SpinParity parity, OwnDoubles doubles)
    : size_(space.size()), parity_(parity), integrals_(tables), kernels_(direct::kernels()),
      direct_(space, tables, doubles) {
  if (has_parity() && !direct_.exchange_symmetric)
    throw DimensionError("DirectProduct: the space or its integrals have no spin parity");
  whole_ = share_of({});
  if (!diagonal.empty()) use_diagonal(diagonal);
  if (tables.threshold() > 0.0) throw DimensionError("DirectProduct: no threshold is possible");
  for (int layout = 0; layout < 2; ++layout) {
    const IntegralTables& of_minor = layout == 0 ? tables.beta() : tables.alpha();
    for (std::uint32_t rs = 0; rs < tables.num_pairs(); ++rs) {
      bool any = false;
      for (int p = 0; p < tables.num_orbitals(); ++p) {
        for (int q = 0; q < p; ++q) any = any || of_minor.row(rs)[tables.pair(p, q)] != 0.0;
      }
      couples_[layout].push_back(any ? 1 : 0);
    }
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
  std::call_once(whole_is_planned_, [&] { plan(whole_); });
}

void DirectProduct::plan(Share& share) const {
  std::call_once(dense_is_chosen_, [&] { choose_dense(); });
  list_tasks(share);
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
         8 * static_cast<std::int64_t>(whole_.tile_size) * omp_get_max_threads();
}

void DirectProduct::prepare(const Share& share, DirectWorkspace& workspace) const {
  for (int layout = 0; layout < 2; ++layout) {
    const std::size_t size = (layout == 0 ? direct_.alpha_major : direct_.beta_major).size;
    if (workspace.x[layout].size() == size) continue;
    workspace.x[layout] = Array<double>(size);
    if (layout < num_layouts()) workspace.y[layout] = Array<double>(size);
    double* x = workspace.x[layout].data();
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < size; ++i) x[i] = 0.0;  // padding stays so
  }
  workspace.tiles.resize(omp_get_max_threads());
  for (Array<double>& tile : workspace.tiles) {
    if (tile.size() < share.tile_size) tile = Array<double>(share.tile_size);
  }
}

/// body(Tile) for the determinants of some alpha strings, BlockLayout::lanes strings at a time, in parallel.
template <class Body>
void DirectProduct::for_tiles_of(Ranges alpha, const Body& body) const {
  constexpr std::int32_t lanes = BlockLayout::lanes;
  for (std::size_t c = 0; c < alpha.size(); ++c) {
#pragma omp parallel for schedule(static)
    for (std::int32_t first = alpha[c].first; first < alpha[c].last; first += lanes)
      for_each_tile(static_cast<int>(c), first, std::min(lanes, alpha[c].last - first), body);
  }
}

/// visit(first row, row of the j-th beta string counted from there) for a string of a tile; where rows are consecutive
/// the latter is a formula.
template <class Visit>
void DirectProduct::with_rows(const Tile& tile, std::int32_t string, const Places& places,
                              const Visit& visit) const {
  const std::size_t at = static_cast<std::size_t>(pieces_of_[tile.ordinal + string]) + tile.piece;
  const Piece& piece = pieces_[at];
  const std::int64_t first = places.first == nullptr ? piece.row : places.first[at] - places.base;
  if (piece.gather < 0) {
    visit(first, [](std::int32_t j) { return j; });
  } else {
    const std::int32_t* rows = direct_.blocks.places.data() + piece.gather;
    visit(first, [rows](std::int32_t j) { return rows[j]; });
  }
}

/// x in both layouts; with a parity, the part that has it.
void DirectProduct::distribute(const double* x, const Places& places, DirectWorkspace& workspace) const {
  double* rows = workspace.x[0].data();
  double* columns = workspace.x[1].data();
  for_tiles_of(whole_.own[0], [&](const Tile& tile) {
    for (std::int32_t k = 0; k < tile.strings; ++k) {
      double* to = rows + tile.by_alpha + k * tile.alpha_stride;
      with_rows(tile, k, places, [&](std::int64_t first, const auto row_of) {
        for (std::int32_t j = 0; j < tile.beta_strings; ++j) to[j] = x[first + row_of(j)];
      });
    }
    const double* from = rows + tile.by_alpha;
    double* to = columns + tile.by_beta;
    for (std::int32_t j = 0; j < tile.beta_strings; ++j, to += tile.beta_stride) {
      for (std::int32_t k = 0; k < tile.strings; ++k) to[k] = from[k * tile.alpha_stride + j];
    }
  });
  if (!has_parity()) return;
  const auto sign = static_cast<double>(parity_);
#pragma omp parallel for simd schedule(static)
  for (std::int64_t i = 0; i < direct_.alpha_major.size; ++i) rows[i] = 0.5 * (rows[i] + sign * columns[i]);
}

/// y = diagonal x + what both layouts hold; with a parity, the second as the mirror image of the first.
void DirectProduct::collect(const Share& share, const OwnRows& own, const DirectWorkspace& workspace) const {
  const double* columns = workspace.y[has_parity() ? 0 : 1].data();
  const double sign = parity_ == SpinParity::odd ? -1.0 : 1.0;
  const double shift = own.shift;
  for_tiles_of(share.own[0], [&](const Tile& tile) {
    bool consecutive = true;
    double* to[BlockLayout::lanes];
    for (std::int32_t k = 0; k < tile.strings; ++k) {
      const std::int64_t at = tile.by_alpha + k * tile.alpha_stride;
      const double* from = workspace.y[0].data() + at;
      const double* within = workspace.x[0].data() + at;
      consecutive = consecutive && pieces_of(tile.ordinal + k)[tile.piece].gather < 0;
      with_rows(tile, k, own.places, [&](std::int64_t first, const auto row_of) {
        const double* diagonal = own.diagonal + first;
        const double* before = own.x + first;
        to[k] = own.y + first;
        if (has_parity()) {
          for (std::int32_t j = 0; j < tile.beta_strings; ++j) {
            const std::int32_t row = row_of(j);
            to[k][row] = diagonal[row] * within[j] + from[j] + shift * (before[row] - within[j]);
          }
        } else {
          for (std::int32_t j = 0; j < tile.beta_strings; ++j) {
            const std::int32_t row = row_of(j);
            to[k][row] = diagonal[row] * within[j] + from[j];
          }
        }
      });
    }
    const double* from = columns + tile.by_beta;
    if (consecutive) {
      for (std::int32_t j = 0; j < tile.beta_strings; ++j, from += tile.beta_stride) {
        for (std::int32_t k = 0; k < tile.strings; ++k) to[k][j] += sign * from[k];
      }
      return;
    }
    for (std::int32_t k = 0; k < tile.strings; ++k) {
      with_rows(tile, k, own.places, [&](std::int64_t, const auto row_of) {
        for (std::int32_t j = 0; j < tile.beta_strings; ++j)
          to[k][row_of(j)] += sign * from[j * tile.beta_stride + k];
      });
    }
  });
}

void DirectProduct::run(const Task& task, const Side& s, DirectWorkspace& workspace,
                        Array<double>& tile) const {
  const double* x = workspace.x[task.layout].data();
  double* y = workspace.y[task.layout].data();
  same_spin(task, s, x, y);
  opposite_spin(task, s, x, y, tile);
}

void DirectProduct::run_tasks(const Share& share, DirectWorkspace& workspace) const {
  const std::vector<Task>& tasks = share.tasks;
#pragma omp parallel for schedule(dynamic)
  for (std::size_t k = 0; k < tasks.size(); ++k)
    run(tasks[k], side(tasks[k].layout, share), workspace, workspace.tiles[omp_get_thread_num()]);
}

void DirectProduct::multiply(ConstHostView x, HostView y, DirectWorkspace& workspace) const {
  if (x.rows != size_ || y.rows != size_ || x.columns != y.columns) {
    throw DimensionError("DirectProduct: x and y must have one row per determinant and equally many columns");
  }
  plan();
  prepare(whole_, workspace);
  for (int k = 0; k < x.columns; ++k) {
    distribute(x.column(k), {}, workspace);
    run_tasks(whole_, workspace);
    collect(whole_, {{}, x.column(k), diagonal_.data(), shift_, y.column(k)}, workspace);
  }
}

void DirectProduct::project(HostView x, DirectWorkspace& workspace) const {
  if (!has_parity()) return;
  plan();
  prepare(whole_, workspace);
  for (int column = 0; column < x.columns; ++column) {
    distribute(x.column(column), {}, workspace);
    take_projected(whole_, {}, workspace, x.column(column));
  }
}

/// What `distribute` left of x, in own rows.
void DirectProduct::take_projected(const Share& share, const Places& places, const DirectWorkspace& workspace,
                                   double* x) const {
  for_tiles_of(share.own[0], [&](const Tile& tile) {
    for (std::int32_t k = 0; k < tile.strings; ++k) {
      const double* from = workspace.x[0].data() + tile.by_alpha + k * tile.alpha_stride;
      with_rows(tile, k, places, [&](std::int64_t first, const auto row_of) {
        for (std::int32_t j = 0; j < tile.beta_strings; ++j) x[first + row_of(j)] = from[j];
      });
    }
  });
}

}  // namespace cisolve
