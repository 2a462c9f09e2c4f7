// SPDX-License-Identifier: MIT
#include "cuda/selection/list_product.hpp"

#include <bit>
#include <span>
#include <utility>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/selection/determinant_runs.hpp"
#include "cuda/core/device_info.hpp"
#include "cuda/core/uploads.hpp"
#include "cuda/selection/product_kernels.hpp"
#include "cuda/selection/spin_arrays.hpp"
#include "cuda/selection/transfers.hpp"
#include "cuda/sparse/csr_matrix.hpp"

namespace cisolve::cuda {
namespace {

std::int64_t last_of(const Stream& stream, const DeviceArray<std::int64_t>& offsets) {
  std::int64_t last = 0;
  check(cudaMemcpyAsync(&last, offsets.data() + offsets.size() - 1, sizeof(last), cudaMemcpyDeviceToHost,
                        stream.get()));
  stream.synchronize();
  return last;
}

/// Excitations from listed strings of a spin to others.
class SpinLinks {
public:
  template <int Words>
  void find(const Stream& stream, const SpinView& spin, const LinkSearch& search,
            DeviceArray<std::byte>& workspace) {
    const auto strings = static_cast<std::size_t>(spin.size);
    const std::size_t capacity = std::bit_ceil(2 * strings);
    DeviceArray<std::uint64_t> keys(capacity);
    DeviceArray<std::int32_t> numbers_of_keys(capacity);
    check(cudaMemsetAsync(keys.data(), search.none == 0 ? 0 : 0xff, keys.size_bytes(), stream.get()));
    const StringNumbers numbers{keys.data(), numbers_of_keys.data(), capacity - 1};
    launch_number_strings<Words>(stream, spin, numbers, search.none);
    single_offsets_ = zeros<std::int64_t>(stream, strings * 8 + 1);
    own_offsets_ = zeros<std::int64_t>(stream, strings + 1);
    double_offsets_ = zeros<std::int64_t>(stream, strings + 1);
    launch_count_links<Words>(stream, spin, numbers, search, view());
    for (DeviceArray<std::int64_t>* offsets : {&single_offsets_, &own_offsets_, &double_offsets_})
      exclusive_sum(stream, offsets->data(), static_cast<std::int64_t>(offsets->size()), workspace);
    single_targets_ = DeviceArray<std::int32_t>(last_of(stream, single_offsets_));
    single_codes_ = DeviceArray<std::uint32_t>(single_targets_.size());
    own_values_ = DeviceArray<double>(last_of(stream, own_offsets_));
    double_targets_ = DeviceArray<std::int32_t>(last_of(stream, double_offsets_));
    double_values_ = DeviceArray<double>(double_targets_.size());
    launch_list_links<Words>(stream, spin, numbers, search, view());
    stream.synchronize();  // the numbers go
  }

  SpinLinksView view() {
    return {single_offsets_.data(), single_targets_.data(), single_codes_.data(),   own_offsets_.data(),
            own_values_.data(),     double_offsets_.data(), double_targets_.data(), double_values_.data()};
  }

  std::int64_t bytes() const {
    return array_bytes(single_offsets_, single_targets_, single_codes_, own_offsets_, own_values_,
                       double_offsets_, double_targets_, double_values_);
  }

private:
  DeviceArray<std::int64_t> single_offsets_, own_offsets_, double_offsets_;
  DeviceArray<std::int32_t> single_targets_, double_targets_;
  DeviceArray<std::uint32_t> single_codes_;
  DeviceArray<double> own_values_, double_values_;
};

template <int Words>
class ListProduct final : public DeviceMatrix {
public:
  ListProduct(const ListHamiltonian<Words>& matrix, const Stream& stream, double memory_share)
      : ListProduct(matrix, DeterminantRuns<Words>(matrix.determinants()), Uploads(stream)) {
    store_rows(stream, memory_share);
    matrix.note(num_nonzeros_, bytes());
  }

  std::int64_t num_rows() const override { return list_.size; }
  std::int64_t bytes() const override {
    return array_bytes(within_alpha_, within_beta_, between_, alpha_of_, beta_of_, rows_, groups_, slots_,
                       diagonal_) +
           alpha_.bytes() + beta_.bytes() + alpha_links_.bytes() + beta_links_.bytes() +
           array_bytes(stored_.offsets, stored_.columns, stored_.values);
  }

  void multiply(const Stream& stream, ConstDeviceView x, DeviceView y, SpmvWorkspace& workspace,
                ProductUpdate update) const override {
    if (x.rows != num_rows() || y.rows != num_rows() || x.columns != y.columns)
      throw DimensionError("list product: shapes disagree");
    if (stored_.nonzeros > 0) return spmv(stream, stored_, x, y, workspace, update);
    for (int k = 0; k < x.columns;) {
      const int rest = x.columns - k, columns = rest >= 4 ? 4 : rest >= 2 ? 2 : 1;
      double* places =
          workspace.packed_vectors(static_cast<std::size_t>(list_.size) * static_cast<std::size_t>(columns));
      pack(stream, x.slice(k, columns), columns, places, list_.rows);
      launch_product<Words>(stream, list_, columns, places, y.column(k), y.stride, update);
      k += columns;
    }
  }

private:
  ListProduct(const ListHamiltonian<Words>& matrix, const DeterminantRuns<Words>& runs, Uploads upload)
      : within_alpha_(upload(matrix.tables().within())),
        within_beta_(upload(of_beta_alone(matrix.tables(), matrix.tables().beta().within()))),
        between_(upload(of_beta_alone(matrix.tables(), matrix.tables().between()))),
        alpha_(upload, runs.alpha, matrix.determinants()[0].alpha.count(), matrix.tables(),
               matrix.alpha_moves(), within_alpha_.data()),
        beta_(upload, runs.beta, matrix.determinants()[0].beta.count(), matrix.tables().beta(),
              matrix.beta_moves(),
              matrix.tables().is_unrestricted() ? within_beta_.data() : within_alpha_.data()) {
    const Stream& stream = upload.stream();
    const IntegralTables& tables = matrix.tables();
    list_.alpha = alpha_.view();
    list_.beta = beta_.view();
    list_.between = tables.is_unrestricted() ? between_.data() : within_alpha_.data();
    list_.core_energy = tables.core_energy();
    list_.threshold = tables.threshold();
    list_.size = matrix.num_rows();
    list_.num_pairs = tables.num_pairs();
    list_.num_orbitals = tables.num_orbitals();
    find_links(tables, upload);
    group(runs, upload);
    diagonal_ = DeviceArray<double>(static_cast<std::size_t>(list_.size));
    launch_diagonal<Words>(stream, list_, diagonal_.data());
    list_.diagonal = diagonal_.data();
  }

  static std::span<const double> of_beta_alone(const IntegralTables& tables, std::span<const double> values) {
    return tables.is_unrestricted() ? values : std::span<const double>{};
  }

  void find_links(const IntegralTables& tables, Uploads& upload) {
    const Stream& stream = upload.stream();
    const std::vector<std::uint8_t> of_orbitals(tables.irreps().begin(), tables.irreps().end());
    const DeviceArray<std::uint8_t> irreps = upload(std::span(of_orbitals));
    const bool has_empty = list_.alpha.electrons == 0 || list_.beta.electrons == 0;
    const LinkSearch search{irreps.data(), has_empty ? ~std::uint64_t{0} : 0, list_.num_pairs,
                            list_.num_orbitals};
    DeviceArray<std::byte> workspace;
    alpha_links_.find<Words>(stream, list_.alpha, search, workspace);
    beta_links_.find<Words>(stream, list_.beta, search, workspace);
    list_.alpha_links = alpha_links_.view();
    list_.beta_links = beta_links_.view();
  }

  void group(const DeterminantRuns<Words>& runs, Uploads& upload) {
    const auto size = static_cast<std::size_t>(list_.size);
    std::vector<std::int32_t> alpha_of(size), beta_of(size), rows(size);
    std::vector<StringGroup> groups;
    std::int64_t slots = 0;
    for (std::size_t a = 0; a + 1 < runs.alpha.offsets.size(); ++a) {
      const std::int64_t first = runs.alpha.offsets[a], last = runs.alpha.offsets[a + 1];
      for (std::int64_t place = first; place < last; ++place) {
        const std::size_t at = place;
        alpha_of[at] = static_cast<std::int32_t>(a);
        beta_of[at] = runs.alpha.members[at].other;
        rows[at] = runs.alpha.members[at].row;
      }
      const auto capacity = std::bit_ceil(static_cast<std::uint32_t>(2 * (last - first)));
      groups.push_back({slots, capacity - 1});
      slots += capacity;
    }
    alpha_of_ = upload(std::span(std::as_const(alpha_of)));
    beta_of_ = upload(std::span(std::as_const(beta_of)));
    rows_ = upload(std::span(std::as_const(rows)));
    groups_ = upload(std::span(std::as_const(groups)));
    list_.alpha_of = alpha_of_.data();
    list_.beta_of = beta_of_.data();
    list_.rows = rows_.data();
    list_.groups = groups_.data();
    clear(upload.stream(), slots_, static_cast<std::size_t>(slots), 0xff);
    launch_fill_groups(upload.stream(), list_, slots_.data());
    list_.slots = slots_.data();
  }

  void store_rows(const Stream& stream, double memory_share) {
    DeviceArray<std::byte> workspace;
    const std::int64_t rows = list_.size;
    stored_.offsets = zeros<std::int64_t>(stream, static_cast<std::size_t>(rows) + 1);
    launch_count_elements<Words>(stream, list_, stored_.offsets.data());
    exclusive_sum(stream, stored_.offsets.data(), rows + 1, workspace);
    num_nonzeros_ = last_of(stream, stored_.offsets);
    constexpr double of_element = sizeof(double) + sizeof(std::int32_t), of_vectors = 512.0;  // bytes
    if (of_element * static_cast<double>(num_nonzeros_) + of_vectors * static_cast<double>(rows) >
        memory_share * static_cast<double>(free_device_bytes())) {
      stored_ = {};
      return;
    }
    const std::size_t elements = static_cast<std::size_t>(num_nonzeros_) + spare_elements;
    stored_.columns = DeviceArray<std::int32_t>(elements);
    stored_.values = DeviceArray<double>(elements);
    check(cudaMemsetAsync(stored_.columns.data() + num_nonzeros_, 0, spare_elements * sizeof(std::int32_t),
                          stream.get()));
    check(cudaMemsetAsync(stored_.values.data() + num_nonzeros_, 0, spare_elements * sizeof(double),
                          stream.get()));
    launch_list_elements<Words>(stream, list_, stored_.offsets.data(), stored_.columns.data(),
                                stored_.values.data());
    stored_.num_rows = stored_.num_columns = rows;
    stored_.nonzeros = num_nonzeros_;
    stream.synchronize();  // the workspace goes
  }

  DeviceArray<double> within_alpha_, within_beta_, between_;  ///< the last two of unrestricted integrals
  SpinArrays alpha_, beta_;
  SpinLinks alpha_links_, beta_links_;
  DeviceArray<std::int32_t> alpha_of_, beta_of_, rows_;
  DeviceArray<StringGroup> groups_;
  DeviceArray<std::uint64_t> slots_;
  DeviceArray<double> diagonal_;
  ListProductView list_{};
  std::int64_t num_nonzeros_ = 0;
  DeviceCsrMatrix stored_;  ///< empty: rows are made in each product
};

template <int Words>
std::unique_ptr<DeviceMatrix> product_if(const StoredMatrix& matrix, const Stream& stream,
                                         double memory_share) {
  const auto* list = dynamic_cast<const ListHamiltonian<Words>*>(&matrix);
  return list == nullptr ? nullptr : std::make_unique<ListProduct<Words>>(*list, stream, memory_share);
}

}  // namespace

std::unique_ptr<DeviceMatrix> list_product(const StoredMatrix& matrix, const Stream& stream,
                                           double memory_share) {
  std::unique_ptr<DeviceMatrix> product;
#define TRY(W) \
  if (!product) product = product_if<W>(matrix, stream, memory_share);
  CISOLVE_FOR_ALL_WORDS(TRY)
#undef TRY
  return product;
}

}  // namespace cisolve::cuda
