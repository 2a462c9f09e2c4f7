// SPDX-License-Identifier: MIT
#include "cisolve/hamiltonian/ranked_direct_product.hpp"
#include "cisolve/hamiltonian/ranked_matrix.hpp"
#include "cisolve/vectors/host_backend.hpp"
#include "problem/ranked/ranked_share.hpp"
#include "problem/ranked/stored_share.hpp"

namespace cisolve {

namespace {

using RankedHost = RankedBackend<HostBackend>;

struct RankedHostPlatform {
  using Base = HostBackend;

  struct Device {
    Device(const Communicator&, const Placement&) {}
    void make_current() const {}
    HostBackend make_base() const { return {}; }
  };

  static std::optional<SpinDensities> spin_densities(const Base&, const StringProduct&, const VectorSource&,
                                                     bool) {
    return std::nullopt;  // the basis makes them as soon
  }

  class Direct {
  public:
    Direct(const RankedHost& backend, const SharedProblem& shared, std::span<const double> diagonal)
        : product_(*shared.problem().basis->as_product(), *shared.direct().product, backend.ranks()) {
      product_.use_diagonal(diagonal);
    }
    double shift() const { return product_.shift(); }
    void abort() noexcept {}  // it waits in the communicator alone
    std::optional<SpinDensities> densities(const RankedBackend<Base>&, const StringProduct&,
                                           const VectorSource&, std::span<const int>, bool) const {
      return std::nullopt;  // the basis makes them as soon
    }
    void multiply(ConstHostView x, HostView y) { product_.multiply(x, y, workspace_); }
    void project(HostView x) { product_.project(x, workspace_); }

  private:
    RankedDirectProduct product_;
    RankedDirectWorkspace workspace_;
  };

  struct Exchange {
    explicit Exchange(const Communicator&) {}
    void abort() noexcept {}  // it waits in the communicator alone
  };

  class Matrix {
  public:
    Matrix(const RankedHost& backend, RowsOfRank& rows, const RowShares& shares, std::int64_t, Exchange&)
        : matrix_(rows.whole(), shares, backend.ranks()) {}
    void multiply(ConstHostView x, HostView y) { matrix_.multiply(x, y, workspace_); }

  private:
    RankedMatrix matrix_;
    RankedMatrixWorkspace workspace_;
  };
};

}  // namespace

MakeShare host_shares() { return make_shares_on<RankedHostPlatform>(); }

}  // namespace cisolve
