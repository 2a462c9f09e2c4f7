// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/sampling/delayed_table.hpp"
#include "cuda/sampling/tables.hpp"

// Where the tables of a chain are while a group walks with it: shared memory that each kind needs, and how a walker is made
// of it.

namespace cisolve::cuda::sampling {

__device__ inline double* table_of(const Setup& setup, int chain) {
  return setup.chains.tables + setup.chains.table_size * chain;
}

/// In device memory, changed at once; the reference.
struct PlainPairs {
  using Walker = PairWalker<EagerTable<1>>;

  static std::size_t shared_bytes(const Setup& setup) {
    return EagerTable<1>::change_doubles(setup.walk.sites, setup.walk.sites) * sizeof(double);
  }
  static std::int64_t table_doubles(const WalkView& walk) {
    return std::int64_t{walk.sites} * ScratchPool::padded(walk.sites);
  }
  template <class Group>
  __device__ static Walker load(const Group&, const Setup& setup, int chain, double* shared) {
    const int sites = setup.walk.sites;
    return {{.t = table_of(setup, chain),
             .c = shared,
             .r = shared + 2 * sites,
             .rows = sites,
             .columns = sites,
             .stride = ScratchPool::padded(sites)}};
  }
  template <class Group>
  __device__ static void store(const Group&, const Setup&, int, const Walker&) {}
};

/// Both tables of a sea in device memory.
struct PlainSea {
  using Walker = SeaWalker<EagerTable<1>>;

  static std::size_t shared_bytes(const Setup& setup) {
    return EagerTable<1>::change_doubles(setup.walk.sites, setup.walk.sites) * sizeof(double);
  }
  static std::int64_t table_doubles(const WalkView& walk) {
    return std::int64_t{walk.sites - walk.up} * ScratchPool::padded(walk.up) +
           std::int64_t{walk.sites - walk.down} * ScratchPool::padded(walk.down);
  }
  template <class Group>
  __device__ static Walker load(const Group&, const Setup& setup, int chain, double* shared) {
    const WalkView& walk = setup.walk;
    const auto table = [&](double* t, int electrons) {
      return EagerTable<1>{.t = t,
                           .c = shared,
                           .r = shared + 2 * walk.sites,
                           .rows = walk.sites - electrons,
                           .columns = electrons,
                           .stride = ScratchPool::padded(electrons)};
    };
    double* up = table_of(setup, chain);
    return {table(up, walk.up),
            table(up + std::ptrdiff_t{walk.sites - walk.up} * ScratchPool::padded(walk.up), walk.down)};
  }
  template <class Group>
  __device__ static void store(const Group&, const Setup&, int, const Walker&) {}
};

/// In shared memory, changed at once; up to 32 `columns` sites.
template <int columns>
struct SharedPairs {
  using Table = EagerTable<columns>;
  using Walker = PairWalker<Table>;

  /// Odd, so that the elements of a column are in different banks.
  CISOLVE_HOST_DEVICE static int stride_for(int sites) { return sites | 1; }
  static std::size_t shared_bytes(const Setup& setup) {
    return (static_cast<std::size_t>(table_doubles(setup.walk)) +
            Table::change_doubles(setup.walk.sites, setup.walk.sites)) *
           sizeof(double);
  }
  CISOLVE_HOST_DEVICE static std::int64_t table_doubles(const WalkView& walk) {
    return std::int64_t{walk.sites} * stride_for(walk.sites);
  }
  template <class Group>
  __device__ static Walker load(const Group& group, const Setup& setup, int chain, double* shared) {
    const int sites = setup.walk.sites, doubles = static_cast<int>(table_doubles(setup.walk));
    const double* from = table_of(setup, chain);
    for (int k = group.rank(); k < doubles; k += Group::size) shared[k] = __ldcg(from + k);
    double* changes = shared + doubles;
    return {{.t = shared,
             .c = changes,
             .r = changes + 2 * sites,
             .rows = sites,
             .columns = sites,
             .stride = stride_for(sites)}};
  }
  template <class Group>
  __device__ static void store(const Group& group, const Setup& setup, int chain, const Walker& walker) {
    const int doubles = static_cast<int>(table_doubles(setup.walk));
    double* to = table_of(setup, chain);
    for (int k = group.rank(); k < doubles; k += Group::size) to[k] = walker.table.t[k];
  }
};

/// In device memory; changes wait in shared memory.
struct DelayedPairs {
  using Walker = PairWalker<DelayedTable>;

  static std::size_t bytes_of(int sites, int ranks) {
    return 2 * static_cast<std::size_t>(ranks) * static_cast<std::size_t>(DelayedTable::stride_for(sites)) *
           sizeof(double);
  }
  static std::size_t shared_bytes(const Setup& setup) { return bytes_of(setup.walk.sites, setup.ranks); }
  static std::int64_t table_doubles(const WalkView& walk) { return PlainPairs::table_doubles(walk); }
  template <class Group>
  __device__ static Walker load(const Group& group, const Setup& setup, int chain, double* shared) {
    const int sites = setup.walk.sites, stride = DelayedTable::stride_for(sites), ranks = setup.ranks;
    // Also what is beyond the table's order is read.
    for (int k = group.rank(); k < 2 * ranks * stride; k += Group::size) shared[k] = 0.0;
    return {{.t = table_of(setup, chain),
             .c = shared,
             .r = shared + std::ptrdiff_t{ranks} * stride,
             .order = sites,
             .t_stride = ScratchPool::padded(sites),
             .stride = stride,
             .most = ranks,
             .pending = 0}};
  }
  template <class Group>
  __device__ static void store(const Group&, const Setup&, int, const Walker&) {}
};

}  // namespace cisolve::cuda::sampling
