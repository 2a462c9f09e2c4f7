// SPDX-License-Identifier: MIT
#include "cuda/hamiltonian/direct_tables.hpp"

#include <algorithm>
#include <span>

#include "cuda/core/host_transfer.hpp"

namespace cisolve::cuda::direct {
namespace {

/// Arrays on their way to the device, and how much they take.
class Uploads {
public:
  explicit Uploads(const Stream& stream) : stream_(stream) {}

  template <class T>
  DeviceArray<T> operator()(std::span<const T> host) {
    DeviceArray<T> device(host.size());
    if (!host.empty()) upload(stream_, transfer_, host, device);
    bytes_ += device.size_bytes();
    return device;
  }
  template <class T>
  DeviceArray<T> operator()(const std::vector<T>& host) {
    return (*this)(std::span<const T>(host));
  }

  std::size_t bytes() const noexcept { return bytes_; }

private:
  const Stream& stream_;
  HostTransfer transfer_;
  std::size_t bytes_ = 0;
};

template <class T>
std::int64_t bytes_of(const std::vector<T>& array) {
  return static_cast<std::int64_t>(array.size() * sizeof(T));
}

std::int64_t num_integrals(const IntegralTables& tables) {
  return std::int64_t{tables.num_pairs()} * tables.num_pairs();
}

/// Of projected classes: intermediates, and a strip of columns beside them if it is transposed.
std::int64_t scratch_size(const cisolve::DirectProduct& host, const OwnPlan& plan) {
  std::int64_t most = 0;
  for (const DenseClass& one : plan.dense) {
    if (one.projection < 0) continue;
    const Projection& p = plan.projections.classes[static_cast<std::size_t>(one.projection)];
    const bool left_only = host.parity() != SpinParity::none;
    const std::int64_t rows = std::int64_t{p.num_entries} + (left_only ? 0 : one.size);
    most = std::max(most, rows * p.width);
  }
  return most;
}

}  // namespace

std::int64_t plan_bytes(const DirectPlan& plan) {
  const Excitations& e = plan.excitations;
  const OppositePlan& o = plan.opposite;
  const TiledPlan& t = plan.tiled;
  std::int64_t sum = bytes_of(e.pairs) + bytes_of(e.ranges) + bytes_of(e.links);
  sum += bytes_of(o.blocks) + bytes_of(o.phases) + bytes_of(o.items) + bytes_of(o.step_items) +
         bytes_of(o.slice_offsets) + bytes_of(o.entries) + bytes_of(o.tasks) + bytes_of(o.own_offsets) +
         bytes_of(o.own_values) + bytes_of(o.own_rows);
  const ProjectionPlan& p = plan.own.projections;
  sum += bytes_of(p.items) + bytes_of(p.entries) + bytes_of(p.slots) + bytes_of(p.integrals);
  sum += bytes_of(t.blocks) + bytes_of(t.items) + bytes_of(t.walks) + bytes_of(t.words) + bytes_of(t.tasks);
  for (const auto& links : plan.own.links) {
    sum +=
        bytes_of(links.groups_of) + bytes_of(links.groups) + bytes_of(links.values) + bytes_of(links.sources);
  }
  return sum + bytes_of(plan.own.segments) + bytes_of(plan.own.dense_tiles) +
         bytes_of(plan.own.dense_groups) + bytes_of(plan.layout.tiles) + bytes_of(plan.layout.square_tiles) +
         bytes_of(plan.layout.piece_rows);
}

std::int64_t table_bytes(const cisolve::DirectProduct& host, const DirectPlan& plan) {
  const DirectTables& t = host.tables();
  const OppositePlan& o = plan.opposite;
  const std::int64_t elements = num_integrals(host.integrals()) + (o.packed ? o.packs_size : 0) +
                                plan.own.dense_buffer + plan.own.panel_matrices_size + host.size();
  return plan_bytes(plan) + 8 * elements + bytes_of(t.blocks.places) + bytes_of(t.alpha_major.first_row) +
         bytes_of(t.beta_major.first_row) + t.alpha_coulomb.bytes() +
         (t.blocks.symmetric ? 0 : t.beta_coulomb.bytes());
}

VectorSizes vector_sizes(const cisolve::DirectProduct& host, const DirectPlan& plan) {
  const DirectTables& tables = host.tables();
  const bool both = plan.uses_layout_1;
  const bool parity = host.parity() != SpinParity::none;
  return {{tables.alpha_major.size, both || parity ? tables.beta_major.size : 0},
          {tables.alpha_major.size, both ? tables.beta_major.size : 0},
          scratch_size(host, plan.own)};
}

Tables::Tables(const cisolve::DirectProduct& host, const Stream& stream, const DirectPlan& plan)
    : sizes(vector_sizes(host, plan)), uses_layout_1(plan.uses_layout_1),
      fills_layout_1(plan.own.fills_layout_1), cublas(stream) {
  const DirectTables& t = host.tables();
  const OppositePlan& o = plan.opposite;
  const IntegralTables& i = host.integrals();
  const int spins = t.blocks.symmetric ? 1 : 2;
  Uploads put(stream);
  diagonal = put(host.diagonal());
  integrals = put(std::span(i.row(0), static_cast<std::size_t>(num_integrals(i))));
  const CoulombTable* felt[] = {&t.alpha_coulomb, &t.beta_coulomb};
  const BlockLayout* layouts[] = {&t.alpha_major, &t.beta_major};
  for (int spin = 0; spin < spins; ++spin) {
    coulomb[spin] = put(std::span<const double>(felt[spin]->values.data(), felt[spin]->values.size()));
    groups_of[spin] = put(plan.own.links[spin].groups_of);
    groups[spin] = put(plan.own.links[spin].groups);
    values[spin] = put(plan.own.links[spin].values);
    sources[spin] = put(plan.own.links[spin].sources);
  }
  for (int k = 0; k < 2; ++k) first_row[k] = put(layouts[k]->first_row);
  blocks = put(o.blocks);
  phases = put(o.phases);
  items = put(o.items);
  step_items = put(o.step_items);
  pairs = put(plan.excitations.pairs);
  ranges = put(plan.excitations.ranges);
  links = put(plan.excitations.links);
  slice_offsets = put(o.slice_offsets);
  entries = put(o.entries);
  own_offsets = put(o.own_offsets);
  own_values = put(o.own_values);
  own_rows = put(o.own_rows);
  tasks = put(o.tasks);
  long_blocks = put(plan.tiled.blocks);
  tiled_items = put(plan.tiled.items);
  walks = put(plan.tiled.walks);
  words = put(plan.tiled.words);
  tiled_tasks = put(plan.tiled.tasks);
  segments = put(plan.own.segments);
  dense_tiles = put(plan.own.dense_tiles);
  dense_groups = put(plan.own.dense_groups);
  tiles = put(plan.layout.tiles);
  square_tiles = put(plan.layout.square_tiles);
  piece_rows = put(plan.layout.piece_rows);
  places = put(t.blocks.places);

  const auto of = [&](const auto& arrays, int spin) { return arrays[spins == 1 ? 0 : spin].data(); };
  const ExcitationTables excitations = {pairs.data(),
                                        ranges.data(),
                                        links.data(),
                                        static_cast<std::int32_t>(i.num_pairs()),
                                        integrals.data(),
                                        {of(coulomb, 0), of(coulomb, 1)},
                                        {felt[0]->width, felt[1]->width}};
  opposite = {excitations,       blocks.data(),
              phases.data(),     items.data(),
              step_items.data(), slice_offsets.data(),
              entries.data(),    own_offsets.data(),
              own_values.data(), own_rows.data(),
              tasks.data(),      static_cast<std::int32_t>(tasks.size()),
              o.most_columns,    nullptr};
  if (o.packed) {
    packs = DeviceArray<double>(static_cast<std::size_t>(o.packs_size));
    launch_packs(stream, opposite, packs.data());
    opposite.packs = packs.data();
  }
  launch = {o.shape.blocks, o.shared_bytes()};
  const TiledPlan& long_rows = plan.tiled;
  tiled = {excitations,
           long_blocks.data(),
           tiled_items.data(),
           walks.data(),
           words.data(),
           tiled_tasks.data(),
           static_cast<std::int32_t>(tiled_tasks.size()),
           long_rows.pairs_at_a_time,
           long_rows.most_links,
           long_rows.t_size(),
           long_rows.factors_size()};
  tiled_launch = {long_rows.shared, long_rows.shared_bytes()};
  own = {segments.data(),
         static_cast<std::int32_t>(segments.size()),
         plan.own.num_warps,
         {of(groups_of, 0), of(groups_of, 1)},
         {of(groups, 0), of(groups, 1)},
         {of(values, 0), of(values, 1)},
         {of(sources, 0), of(sources, 1)},
         {first_row[0].data(), first_row[1].data()},
         {t.alpha_major.num_major, t.beta_major.num_major},
         dense_tiles.data(),
         dense_groups.data(),
         static_cast<std::int32_t>(dense_groups.size()),
         plan.own.num_dense_blocks,
         nullptr};
  layout = {tiles.data(), piece_rows.data(), places.data(), square_tiles.data(),
            static_cast<std::int32_t>(square_tiles.size())};
  fill_panel_matrices(host, stream, plan.own);

  const ProjectionPlan& p = plan.own.projections;
  projections = p.classes;
  projection_items = put(p.items);
  projection_entries = put(p.entries);
  projection_slots = put(p.slots);
  projection_integrals = put(p.integrals);
  projection = {projection_items.data(), projection_entries.data(), projection_slots.data(),
                projection_integrals.data()};
  dense_matrices = DeviceArray<double>(static_cast<std::size_t>(plan.own.dense_buffer));
  list_dense_parts(host, plan.own);
  for (const DenseClass& one : dense) {
    if (one.resident >= 0) fill(stream, one, 0, one.size, dense_matrices.data() + one.resident);
  }
  bytes = static_cast<std::int64_t>(put.bytes() + packs.size_bytes() + panel_matrices.size_bytes() +
                                    dense_matrices.size_bytes());
}

void Tables::list_dense_parts(const cisolve::DirectProduct& host, const OwnPlan& plan) {
  dense = plan.dense;
  const Side side(host.tables(), 0);
  for (const DenseClass& one : dense) {
    const StringClasses& classes = one.spin == 0 ? side.major : side.minor;
    dense_ordinals.push_back(classes.offsets[static_cast<std::size_t>(one.number)]);
  }
  for (std::size_t panel = 0; panel < side.layout.panels.size(); ++panel) {
    const BlockLayout::Panel& p = side.layout.panels[panel];
    const auto columns = static_cast<std::int32_t>(p.columns);
    const auto stride = static_cast<std::int32_t>(p.stride);
    for (int c = 0; c < side.major.count(); ++c) {
      const std::int64_t row = side.layout.row(static_cast<int>(panel), c);
      const std::int32_t matrix = plan.dense_of[0][static_cast<std::size_t>(c)];
      if (row < 0 || matrix < 0) continue;
      dense_parts.push_back({static_cast<std::size_t>(matrix), p.offset + row * p.stride, side.major.size(c),
                             columns, stride, true});
    }
    const std::int32_t matrix = plan.dense_of[1][panel];
    if (host.parity() == SpinParity::none && matrix >= 0 && p.rows > 0)
      dense_parts.push_back({static_cast<std::size_t>(matrix), p.offset, static_cast<std::int32_t>(p.rows),
                             columns, stride, false});
  }
}

void Tables::fill(const Stream& stream, const DenseClass& one, std::int32_t first, std::int32_t count,
                  double* to) const {
  const auto at = static_cast<std::size_t>(&one - dense.data());
  launch_densify(stream, own, {one.spin, dense_ordinals[at] + first, count, one.ld, nullptr}, to);
}

void Tables::fill_panel_matrices(const cisolve::DirectProduct& host, const Stream& stream,
                                 const OwnPlan& plan) {
  panel_matrices = DeviceArray<double>(static_cast<std::size_t>(plan.panel_matrices_size));
  own.panel_matrices = panel_matrices.data();
  if (plan.panel_matrices.empty()) return;
  check(cudaMemsetAsync(panel_matrices.data(), 0, panel_matrices.size_bytes(), stream.get()));
  for (const OwnPlan::PanelMatrix& matrix : plan.panel_matrices) {
    const Side side(host.tables(), matrix.layout);
    const std::int64_t* rows = own.first_row[matrix.layout] + std::int64_t{matrix.panel} * side.major.count();
    for (int c = 0; c < side.major.count(); ++c) {
      const std::int64_t row = side.layout.row(matrix.panel, c);
      if (row < 0) continue;
      launch_densify(stream, own,
                     {matrix.layout, side.major.offsets[static_cast<std::size_t>(c)], side.major.size(c),
                      matrix.ld, rows},
                     panel_matrices.data() + matrix.first + row * matrix.ld);
    }
  }
}

/// y = H_same x by rows, y += x H_same by columns, of dense and projected classes. Panels are row-major: for cuBLAS their
/// transposes.
void Tables::multiply_dense(const Stream& stream, const Panels& panels, bool left, double* scratch) {
  const double one = 1.0;
  const double zero = 0.0;
  for (const DensePart& part : dense_parts) {
    if (part.left != left) continue;
    const DenseClass& c = dense[part.matrix];
    const double* x = panels.x[0] + part.x;
    double* y = panels.y[0] + part.x;
    if (c.projection >= 0) {
      launch_projection(stream, projection,
                        {projections[static_cast<std::size_t>(c.projection)], x, y, part.rows, part.columns,
                         part.stride, left},
                        scratch);
      continue;
    }
    const auto room = static_cast<std::int64_t>(dense_matrices.size()) / c.ld;
    const auto most = static_cast<std::int32_t>(std::min<std::int64_t>(c.size, room));
    for (std::int32_t first = 0; first < c.size; first += most) {
      const std::int32_t count = std::min(most, c.size - first);
      double* h = dense_matrices.data() + std::max<std::int64_t>(c.resident, 0);
      if (c.resident < 0) fill(stream, c, first, count, h);
      if (left) {
        check(cublasDgemm(cublas.get(), CUBLAS_OP_N, CUBLAS_OP_N, part.columns, count, c.size, &one, x,
                          part.stride, h, c.ld, &zero, y + static_cast<std::int64_t>(first) * part.stride,
                          part.stride));
      } else {
        check(cublasDgemm(cublas.get(), CUBLAS_OP_T, CUBLAS_OP_N, count, part.rows, c.size, &one, h, c.ld, x,
                          part.stride, &one, y + first, part.stride));
      }
    }
  }
}

/// y = same-spin excitations that no dense class has. What is left to segments where panels are dense is little, and
/// waits for memory most of the time: both at once.
void Tables::multiply_own(const Stream& stream, const Panels& panels) const {
  if (own.num_dense_blocks == 0 || own.num_warps == 0) {
    launch_dense_panels(stream, own, panels);
    launch_segments(stream, own, panels);
    return;
  }
  forked.record(stream);
  wait(beside, forked);
  launch_segments(beside, own, panels);
  joined.record(beside);
  launch_dense_panels(stream, own, panels);
  wait(stream, joined);
}

}  // namespace cisolve::cuda::direct
