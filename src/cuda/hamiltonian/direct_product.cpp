// SPDX-License-Identifier: MIT
#include "cuda/hamiltonian/direct_product.hpp"

#include <algorithm>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cuda/core/cublas_handle.hpp"
#include "cuda/core/host_transfer.hpp"
#include "cuda/hamiltonian/direct_kernels.hpp"
#include "cuda/hamiltonian/direct_plan.hpp"

namespace cisolve::cuda {
namespace {

/// Most blocks at a time that hold intermediates in device memory.
constexpr std::int64_t most_tiles = 144;

/// Arrays on their way to the device, and how much they take.
class Uploads {
public:
  explicit Uploads(const Stream& stream) : stream_(stream) {}
  ~Uploads() { transfer_.finish(); }

  template <class T>
  DeviceArray<T> operator()(std::span<const T> host) {
    DeviceArray<T> device(host.size());
    if (!host.empty()) upload(stream_, transfer_, host, device);
    bytes_ += static_cast<std::int64_t>(host.size_bytes());
    return device;
  }
  template <class T>
  DeviceArray<T> operator()(const std::vector<T>& host) {
    return (*this)(std::span<const T>(host));
  }
  std::int64_t bytes() const noexcept { return bytes_; }

private:
  const Stream& stream_;
  HostTransfer transfer_;
  std::int64_t bytes_ = 0;
};

template <class T>
std::int64_t bytes_of(const std::vector<T>& array) {
  return static_cast<std::int64_t>(array.size() * sizeof(T));
}

std::int64_t num_integrals(const IntegralTables& tables) {
  return std::int64_t{tables.num_pairs()} * tables.num_pairs();
}

std::int64_t table_bytes(const cisolve::DirectProduct& host, const direct::DirectPlan& plan) {
  const DirectTables& t = host.tables();
  const direct::OppositePlan& o = plan.opposite;
  std::int64_t sum = bytes_of(o.blocks) + bytes_of(o.phases) + bytes_of(o.items) + bytes_of(o.step_items) +
                     bytes_of(o.pairs) + bytes_of(o.slice_offsets) + bytes_of(o.short_entries) +
                     bytes_of(o.long_entries) + bytes_of(o.ranges) + bytes_of(o.links) + bytes_of(o.tasks) +
                     bytes_of(o.own_offsets) + bytes_of(o.own_values) + bytes_of(o.own_rows) +
                     8 * num_integrals(host.integrals());
  for (const auto& links : plan.own.links) {
    sum +=
        bytes_of(links.groups_of) + bytes_of(links.groups) + bytes_of(links.values) + bytes_of(links.sources);
  }
  sum += bytes_of(plan.own.segments) + 8 * plan.own.dense_buffer + bytes_of(plan.layout.tiles) +
         bytes_of(plan.layout.piece_rows) + bytes_of(t.blocks.places) + bytes_of(t.alpha_major.first_row) +
         bytes_of(t.beta_major.first_row) + t.alpha_coulomb.bytes() +
         (t.blocks.symmetric ? 0 : t.beta_coulomb.bytes());
  return sum + 8 * host.size();
}

struct VectorSizes {
  std::int64_t x[2], y[2], tiles;
  std::int64_t bytes() const { return 8 * (x[0] + x[1] + y[0] + y[1] + tiles); }
};

VectorSizes vector_sizes(const cisolve::DirectProduct& host, const direct::DirectPlan& plan) {
  const DirectTables& tables = host.tables();
  const bool both = plan.uses_layout_1();
  const bool parity = host.parity() != SpinParity::none;
  return {{tables.alpha_major.size, both || parity ? tables.beta_major.size : 0},
          {tables.alpha_major.size, both ? tables.beta_major.size : 0},
          most_tiles * plan.opposite.tile_size()};
}

}  // namespace

DirectConfig DirectConfig::for_device() {
  int device = 0, bytes = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device));
  return {.shared_memory = bytes};
}

std::int64_t DirectWorkspace::bytes() const noexcept {
  return static_cast<std::int64_t>(x[0].size_bytes() + x[1].size_bytes() + y[0].size_bytes() +
                                   y[1].size_bytes() + tiles.size_bytes());
}

/// What a product needs in device memory, and the dense part of it.
struct DirectProduct::Tables {
  /// A dense same-spin product in a panel of layout 0.
  struct DensePart {
    std::size_t matrix;  ///< in `dense`
    std::int64_t x;      ///< first element of x and y that it works on
    std::int32_t rows, columns, stride;
    bool left;  ///< acts on rows, and writes y; else on columns, and adds
  };

  Tables(const cisolve::DirectProduct& host, const Stream& stream, direct::DirectPlan plan);
  void list_dense_parts(const cisolve::DirectProduct& host, const direct::OwnPlan& plan);
  void fill(const Stream& stream, const direct::DenseClass& one, std::int32_t first, std::int32_t count,
            double* to) const;
  void multiply_dense(const Stream& stream, const direct::Panels& panels, bool left);

  std::int64_t bytes = 0;
  VectorSizes sizes;
  bool uses_layout_1, fills_layout_1;
  DeviceArray<double> diagonal, integrals, coulomb[2], values[2], own_values;
  DeviceArray<direct::Block> blocks;
  DeviceArray<direct::Phase> phases;
  DeviceArray<direct::Item> items;
  DeviceArray<direct::Pair> pairs;
  DeviceArray<direct::Range> ranges;
  DeviceArray<direct::Link> links;
  DeviceArray<direct::RowTask> tasks;
  DeviceArray<direct::OwnSegment> segments;
  DeviceArray<direct::OwnGroup> groups[2];
  DeviceArray<direct::LayoutTile> tiles;
  DeviceArray<std::uint16_t> short_entries;
  DeviceArray<std::uint32_t> long_entries;
  DeviceArray<direct::PieceRows> piece_rows;
  DeviceArray<std::int32_t> step_items, slice_offsets, sources[2], own_rows, places;
  DeviceArray<std::int64_t> own_offsets, groups_of[2], first_row[2];
  std::vector<direct::DenseClass> dense;
  std::vector<std::int32_t> dense_ordinals;  ///< first of each class
  std::vector<DensePart> dense_parts;
  DeviceArray<double> dense_matrices;
  CublasHandle cublas;
  direct::OppositeTables opposite;
  direct::SumsLaunch launch;
  direct::OwnTables own;
  direct::LayoutTables layout;
};

DirectProduct::Tables::Tables(const cisolve::DirectProduct& host, const Stream& stream,
                              direct::DirectPlan plan)
    : bytes(table_bytes(host, plan)), sizes(vector_sizes(host, plan)), uses_layout_1(plan.uses_layout_1()),
      fills_layout_1(plan.own.fills_layout[1]), cublas(stream) {
  const DirectTables& t = host.tables();
  const direct::OppositePlan& o = plan.opposite;
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
  pairs = put(o.pairs);
  slice_offsets = put(o.slice_offsets);
  short_entries = put(o.short_entries);
  long_entries = put(o.long_entries);
  ranges = put(o.ranges);
  own_offsets = put(o.own_offsets);
  own_values = put(o.own_values);
  own_rows = put(o.own_rows);
  links = put(o.links);
  tasks = put(o.tasks);
  segments = put(plan.own.segments);
  tiles = put(plan.layout.tiles);
  piece_rows = put(plan.layout.piece_rows);
  places = put(t.blocks.places);

  const auto of = [&](const auto& arrays, int spin) { return arrays[spins == 1 ? 0 : spin].data(); };
  opposite = {blocks.data(),
              phases.data(),
              items.data(),
              step_items.data(),
              pairs.data(),
              slice_offsets.data(),
              nullptr,
              ranges.data(),
              links.data(),
              own_offsets.data(),
              own_values.data(),
              own_rows.data(),
              tasks.data(),
              static_cast<std::int32_t>(tasks.size()),
              static_cast<std::int32_t>(i.num_pairs()),
              o.most_factors,
              o.most_links,
              o.most_items,
              o.most_columns,
              integrals.data(),
              {of(coulomb, 0), of(coulomb, 1)},
              {felt[0]->width, felt[1]->width}};
  opposite.entries = o.shape.shared ? static_cast<const void*>(short_entries.data()) : long_entries.data();
  launch = {o.shape.blocks, o.shape.shared, o.shared_bytes(), 0, nullptr, o.tile_size()};
  own = {segments.data(),
         static_cast<std::int32_t>(segments.size()),
         plan.own.num_warps,
         {of(groups_of, 0), of(groups_of, 1)},
         {of(groups, 0), of(groups, 1)},
         {of(values, 0), of(values, 1)},
         {of(sources, 0), of(sources, 1)},
         {first_row[0].data(), first_row[1].data()},
         {t.alpha_major.num_major, t.beta_major.num_major}};
  layout = {tiles.data(), piece_rows.data(), places.data(), static_cast<std::int32_t>(tiles.size()),
            plan.layout.most_beta_strings};

  dense_matrices = DeviceArray<double>(static_cast<std::size_t>(plan.own.dense_buffer));
  list_dense_parts(host, plan.own);
  for (const direct::DenseClass& one : dense) {
    if (one.resident >= 0) fill(stream, one, 0, one.size, dense_matrices.data() + one.resident);
  }
}

void DirectProduct::Tables::list_dense_parts(const cisolve::DirectProduct& host,
                                             const direct::OwnPlan& plan) {
  dense = plan.dense;
  const direct::Side side(host.tables(), 0);
  for (const direct::DenseClass& one : dense) {
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

void DirectProduct::Tables::fill(const Stream& stream, const direct::DenseClass& one, std::int32_t first,
                                 std::int32_t count, double* to) const {
  const auto at = static_cast<std::size_t>(&one - dense.data());
  direct::launch_densify(stream, own, one.spin, dense_ordinals[at], first, count, one.ld, to);
}

/// y = H_same x by rows, y += x H_same by columns. Panels are row-major: for cuBLAS their transposes.
void DirectProduct::Tables::multiply_dense(const Stream& stream, const direct::Panels& panels, bool left) {
  const double one = 1.0;
  const double zero = 0.0;
  for (const DensePart& part : dense_parts) {
    if (part.left != left) continue;
    const direct::DenseClass& c = dense[part.matrix];
    const double* x = panels.x[0] + part.x;
    double* y = panels.y[0] + part.x;
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

DirectProduct::DirectProduct(const cisolve::DirectProduct& host, const Stream& stream,
                             const DirectConfig& config)
    : size_(host.size()), parity_(host.parity()), shift_(host.shift()), stream_(stream),
      tables_(std::make_unique<Tables>(host, stream, direct::DirectPlan(host, config))) {}

DirectProduct::~DirectProduct() = default;

DirectBytes DirectProduct::bytes_for(const cisolve::DirectProduct& host, const DirectConfig& config) {
  const direct::DirectPlan plan(host, config);
  return {table_bytes(host, plan) + static_cast<std::int64_t>(CublasHandle::workspace_bytes),
          vector_sizes(host, plan).bytes()};
}

std::int64_t DirectProduct::bytes() const noexcept {
  return tables_->bytes + static_cast<std::int64_t>(CublasHandle::workspace_bytes);
}
std::int64_t DirectProduct::workspace_bytes() const noexcept { return tables_->sizes.bytes(); }

void DirectProduct::prepare(DirectWorkspace& workspace) const {
  const auto fit = [&](DeviceArray<double>& array, std::int64_t size) {
    if (static_cast<std::int64_t>(array.size()) == size) return;
    array = DeviceArray<double>();  // Free first: both need not fit.
    array = DeviceArray<double>(static_cast<std::size_t>(size));
    if (size > 0)
      check(cudaMemsetAsync(array.data(), 0, array.size_bytes(), stream_.get()));  // padding stays so
  };
  for (int k = 0; k < 2; ++k) {
    fit(workspace.x[k], tables_->sizes.x[k]);
    fit(workspace.y[k], tables_->sizes.y[k]);
  }
  fit(workspace.tiles, tables_->sizes.tiles);
}

void DirectProduct::multiply(ConstDeviceView x, DeviceView y, DirectWorkspace& workspace) const {
  if (x.rows != size_ || y.rows != size_ || x.columns != y.columns) {
    throw DimensionError("DirectProduct: x and y must have one row per determinant and equally many columns");
  }
  prepare(workspace);
  Tables& t = *tables_;
  DirectWorkspace& w = workspace;
  const bool parity = parity_ != SpinParity::none;
  const direct::Panels panels{{w.x[0].data(), w.x[1].data()}, {w.y[0].data(), w.y[1].data()}};
  direct::SumsLaunch launch = t.launch;
  launch.tiles = w.tiles.data();
  launch.num_tiles = static_cast<int>(most_tiles);
  for (int k = 0; k < x.columns; ++k) {
    direct::launch_distribute(stream_, t.layout, x.column(k), w.x[0].data(), w.x[1].data());
    if (parity)
      direct::launch_symmetrize(stream_, t.sizes.x[0], static_cast<double>(parity_), w.x[1].data(),
                                w.x[0].data());
    if (t.uses_layout_1 && !t.fills_layout_1)
      check(cudaMemsetAsync(w.y[1].data(), 0, w.y[1].size_bytes(), stream_.get()));
    t.multiply_dense(stream_, panels, true);
    direct::launch_own(stream_, t.own, panels);
    direct::launch_sums(stream_, t.opposite, launch, panels);
    t.multiply_dense(stream_, panels, false);
    const direct::Collected collected{x.column(k),
                                      t.diagonal.data(),
                                      w.y[0].data(),
                                      parity ? w.y[0].data() : w.y[1].data(),
                                      parity_ == SpinParity::odd ? -1.0 : 1.0,
                                      parity ? w.x[0].data() : nullptr,
                                      shift_};
    direct::launch_collect(stream_, t.layout, collected, y.column(k));
  }
}

void DirectProduct::project(DeviceView x, DirectWorkspace& workspace) const {
  if (x.rows != size_) throw DimensionError("DirectProduct: x must have one row per determinant");
  if (parity_ == SpinParity::none) return;
  prepare(workspace);
  DirectWorkspace& w = workspace;
  for (int k = 0; k < x.columns; ++k) {
    direct::launch_distribute(stream_, tables_->layout, x.column(k), w.x[0].data(), w.x[1].data());
    direct::launch_symmetrize(stream_, tables_->sizes.x[0], static_cast<double>(parity_), w.x[1].data(),
                              w.x[0].data());
    direct::launch_restore(stream_, tables_->layout, w.x[0].data(), x.column(k));
  }
}

}  // namespace cisolve::cuda
