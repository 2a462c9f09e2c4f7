// SPDX-License-Identifier: MIT
#include <Eigen/Core>
#include <algorithm>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/core/thread_scope.hpp"
#include "molecule/eigen_views.hpp"
#include "molecule/gaussian_engine.hpp"
#include "molecule/lowest_root.hpp"
#include "molecule/orbital_integrals.hpp"

namespace cisolve {
namespace {

using detail::as_eigen;
using detail::as_size;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// G with the symmetry of real integrals, which is all of it that the energy sees.
class SymmetricTwo {
public:
  explicit SymmetricTwo(const ActiveDensities& densities)
      : n_(densities.one.rows()), values_(densities.two.size()) {
    const auto& g = densities.two;
    for_each([&](Index u, Index v, Index w, Index x) {
      const double braket = g[at(u, v, w, x)] + g[at(v, u, w, x)] + g[at(u, v, x, w)] + g[at(v, u, x, w)];
      const double ketbra = g[at(w, x, u, v)] + g[at(x, w, u, v)] + g[at(w, x, v, u)] + g[at(x, w, v, u)];
      values_[at(u, v, w, x)] = 0.125 * (braket + ketbra);
    });
  }

  double operator()(Index u, Index v, Index w, Index x) const { return values_[at(u, v, w, x)]; }

private:
  std::size_t at(Index u, Index v, Index w, Index x) const {
    return as_size(((u * n_ + v) * n_ + w) * n_ + x);
  }

  template <class Visit>
  void for_each(const Visit& visit) const {
    for (Index u = 0; u < n_; ++u)
      for (Index v = 0; v < n_; ++v)
        for (Index w = 0; w < n_; ++w)
          for (Index x = 0; x < n_; ++x) visit(u, v, w, x);
  }

  Index n_;
  std::vector<double> values_;
};

Index active_pair(Index u, Index v) { return static_cast<Index>(pair_index(as_size(u), as_size(v))); }

}  // namespace

/// Words of the field: f = F^I + F^A, and F the generalised Fock matrix, a row per occupied orbital:
///     F_ip = 2 f_pi       F_up = sum_v D_uv F^I_pv + sum_vwx G_uvwx (pv|wx)
/// F is half the derivative of E by C_q, projected on C_p. To second order, with A = X F + F X + 2 F',
///     E(x) = E + sum x_pq 2 (F_qp - F_pq) + 1/2 sum x_pq (A_qp - A_pq)
/// where F'_qp is what F_qp changes by if all of its orbitals but C_p do: C_r -> C X_r.
struct OrbitalDerivatives::Implementation {
  Implementation(const Repulsion& where, const OrbitalIntegrals::Data& integrals,
                 const ActiveDensities& densities, std::vector<OrbitalPair> which)
      : repulsion(where), data(integrals), pairs(std::move(which)),
        n(integrals.orbitals.coefficients.columns()), count(std::ssize(integrals.active)),
        one(0.5 * (as_eigen(densities.one) + as_eigen(densities.one).transpose())) {
    const SymmetricTwo two(densities);
    add_active_fock();
    const MatrixXd two_with_coulomb = coulomb_part(two);
    fock = generalised_fock(two_with_coulomb);
    energy = data.inactive_energy + two_particle_energy();
    response = two_with_coulomb;
    add_exchange_part(two);
    set_gradient();
    set_diagonal();
  }

  Index active(Index u) const { return data.active[as_size(u)]; }

  /// Of a column that holds a matrix over all orbitals.
  static double element(const MatrixXd& columns, Index column, Index p, Index q, Index n) {
    return columns(q * n + p, column);
  }
  double coulomb(Index uv, Index p, Index q) const { return element(data.coulomb, uv, p, q, n); }

  /// f = F^I + sum_uv D_uv [(pq|uv) - 1/2 (pu|qv)]
  void add_active_fock() {
    total_fock = data.inactive_fock;
    for (Index u = 0; u < count; ++u) {
      for (Index v = 0; v <= u; ++v) {
        const double d = (u == v ? 1.0 : 2.0) * one(u, v);
        const auto j = data.coulomb.col(active_pair(u, v)).reshaped(n, n);
        const MatrixXd k = data.exchange.col(active_pair(u, v)).reshaped(n, n);
        total_fock += d * (j - 0.25 * (k + k.transpose()));
      }
    }
  }

  /// sum_wx G_uvwx (pq|wx): a column per pair u >= v.
  MatrixXd coulomb_part(const SymmetricTwo& two) const {
    MatrixXd weights(data.coulomb.cols(), data.coulomb.cols());
    for_each_pair([&](Index w, Index x) {
      for_each_pair([&](Index u, Index v) {
        weights(active_pair(w, x), active_pair(u, v)) = (w == x ? 1.0 : 2.0) * two(u, v, w, x);
      });
    });
    return data.coulomb * weights;
  }

  /// Adds 2 sum_wx G_uwvx (pw|qx).
  void add_exchange_part(const SymmetricTwo& two) {
    MatrixXd direct(data.exchange.cols(), data.exchange.cols()), transposed = direct;
    for_each_pair([&](Index w, Index x) {
      for_each_pair([&](Index u, Index v) {
        direct(active_pair(w, x), active_pair(u, v)) = 2.0 * two(u, w, v, x);
        transposed(active_pair(w, x), active_pair(u, v)) = w == x ? 0.0 : 2.0 * two(u, x, v, w);
      });
    });
    response += data.exchange * direct;
    const MatrixXd turned = data.exchange * transposed;
    for (Index k = 0; k < turned.cols(); ++k)
      response.col(k).reshaped(n, n) += turned.col(k).reshaped(n, n).transpose();
  }

  template <class Visit>
  void for_each_pair(const Visit& visit) const {
    for (Index u = 0; u < count; ++u) {
      for (Index v = 0; v <= u; ++v) visit(u, v);
    }
  }

  MatrixXd generalised_fock(const MatrixXd& two_with_coulomb) {
    MatrixXd f = MatrixXd::Zero(n, n);
    for (const int i : data.inactive) f.row(i) = 2.0 * total_fock.col(i).transpose();
    for (Index u = 0; u < count; ++u) {
      for (Index v = 0; v < count; ++v) {
        f.row(active(u)) += one(u, v) * data.inactive_fock.col(active(v)).transpose();
        f.row(active(u)) += two_with_coulomb.col(active_pair(u, v)).reshaped(n, n).col(active(v)).transpose();
      }
    }
    return f;
  }

  /// sum D_uv F^I_uv + 1/2 sum G_uvwx (uv|wx), from sum_u F_uu = sum D F^I + sum G (..|..).
  double two_particle_energy() const {
    double sum = 0.0;
    for (Index u = 0; u < count; ++u) {
      sum += 0.5 * fock(active(u), active(u));
      for (Index v = 0; v < count; ++v) sum += 0.5 * one(u, v) * data.inactive_fock(active(u), active(v));
    }
    return sum;
  }

  void set_gradient() {
    gradient.reserve(pairs.size());
    for (const auto& [p, q] : pairs) gradient.push_back(2.0 * (fock(q, p) - fock(p, q)));
  }

  MatrixXd kappa(std::span<const double> x) const {
    MatrixXd turn = MatrixXd::Zero(n, n);
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      turn(pairs[k].p, pairs[k].q) = x[k];
      turn(pairs[k].q, pairs[k].p) = -x[k];
    }
    return turn;
  }

  /// What F^I and f change by where the orbitals in them turn.
  std::pair<MatrixXd, MatrixXd> fock_response(const MatrixXd& turn) const {
    if (data.inactive.empty()) return {MatrixXd::Zero(n, n), MatrixXd::Zero(n, n)};
    const auto c = as_eigen(data.orbitals.coefficients);
    const auto density = [&](const MatrixXd& orbitals, const MatrixXd& weighted_turn) {
      const MatrixXd half = orbitals * (c * weighted_turn).transpose();
      return detail::to_matrix(half + half.transpose());
    };
    const std::vector<Matrix> densities = {
        density(2.0 * c(Eigen::all, data.inactive), turn(Eigen::all, data.inactive)),
        density(c(Eigen::all, data.active), turn(Eigen::all, data.active) * one)};
    const auto jk = repulsion.coulomb_exchange(densities);
    const auto fock_of = [&](const CoulombExchange& of) {
      return MatrixXd(c.transpose() * (as_eigen(of.coulomb) - 0.5 * as_eigen(of.exchange)) * c);
    };
    const MatrixXd inactive = fock_of(jk[0]);
    return {inactive, inactive + fock_of(jk[1])};
  }

  std::vector<double> product(std::span<const double> x) const {
    const ThreadScope one_thread(detail::threads_for_small_matrices);
    const MatrixXd turn = kappa(x);
    const auto [inactive_change, total_change] = fock_response(turn);
    MatrixXd change = MatrixXd::Zero(n, n);
    for (const int i : data.inactive)
      change.row(i) = 2.0 * (total_fock * turn.col(i) + total_change.col(i)).transpose();
    for (Index v = 0; v < count; ++v) {
      const auto turned = turn.col(active(v));
      const VectorXd one_electron = data.inactive_fock * turned + inactive_change.col(active(v));
      for (Index u = 0; u < count; ++u) {
        const auto m = response.col(active_pair(u, v)).reshaped(n, n);
        VectorXd row = one(u, v) * one_electron;
        if (u >= v) row += m * turned;
        if (u < v) row += m.transpose() * turned;
        change.row(active(u)) += row.transpose();
      }
    }
    const MatrixXd a = turn * fock + fock * turn + 2.0 * change;
    std::vector<double> y;
    y.reserve(pairs.size());
    for (const auto& [p, q] : pairs) y.push_back(a(q, p) - a(p, q));
    return y;
  }

  /// (M^uv)_pq of `response`, in either order of u and v.
  double response_at(Index u, Index v, Index p, Index q) const {
    return u >= v ? element(response, active_pair(u, v), p, q, n)
                  : element(response, active_pair(u, v), q, p, n);
  }

  void set_diagonal() {
    std::vector<Index> number(as_size(n), -1);  // among the active orbitals
    for (Index u = 0; u < count; ++u) number[as_size(active(u))] = u;
    for (const auto& [p, q] : pairs) {
      const Index u = number[as_size(p)], v = number[as_size(q)];
      double value = -2.0 * (fock(p, p) + fock(q, q));
      if (u >= 0 && v >= 0) {
        value += diagonal_active_active(u, v);
      } else if (u >= 0) {
        value += diagonal_active_inactive(u, q);
      } else if (v >= 0) {
        value += 2.0 * (one(v, v) * data.inactive_fock(p, p) + response_at(v, v, p, p));
      } else {
        value += 4.0 * total_fock(p, p);
      }
      diagonal.push_back(value);
    }
  }

  double diagonal_active_active(Index u, Index v) const {
    const Index p = active(u), q = active(v);
    const auto& f = data.inactive_fock;
    const double row_v =
        one(v, v) * f(p, p) - one(v, u) * f(p, q) + response_at(v, v, p, p) - response_at(v, u, p, q);
    const double row_u =
        one(u, u) * f(q, q) - one(u, v) * f(q, p) + response_at(u, u, q, q) - response_at(u, v, q, p);
    return 2.0 * (row_v + row_u);
  }

  double diagonal_active_inactive(Index u, Index i) const {
    const auto j = [&](Index v, Index w) { return coulomb(active_pair(v, w), i, i); };
    const auto k = [&](Index v, Index w) { return element(data.exchange, active_pair(v, w), i, i, n); };
    double total_change = 3.0 * k(u, u) - j(u, u);
    double weighted_change = 0.0;
    for (Index v = 0; v < count; ++v) {
      total_change -= one(u, v) * (1.5 * k(u, v) - 0.5 * j(u, v));
      weighted_change += one(u, v) * (3.0 * k(u, v) - j(u, v));
    }
    const Index p = active(u);
    const double row_i = 2.0 * (total_fock(p, p) + total_change);
    const double row_u = one(u, u) * data.inactive_fock(i, i) + response_at(u, u, i, i) - weighted_change;
    return 2.0 * (row_i + row_u);
  }

  const Repulsion& repulsion;
  const OrbitalIntegrals::Data& data;
  std::vector<OrbitalPair> pairs;
  Index n, count;       ///< orbitals, active ones
  MatrixXd one;         ///< D
  MatrixXd total_fock;  ///< f
  MatrixXd fock;        ///< F
  MatrixXd response;    ///< M^uv_pq = sum_wx [G_uvwx (pq|wx) + 2 G_uwvx (pw|qx)]: a column per pair u >= v
  double energy = 0.0;
  std::vector<double> gradient, diagonal;
};

namespace {

void require_densities(const ActiveDensities& densities, std::size_t active) {
  const bool fits = densities.one.rows() == static_cast<int>(active) &&
                    densities.one.columns() == densities.one.rows() &&
                    densities.two.size() == active * active * active * active;
  if (!fits) throw DimensionError("OrbitalDerivatives: densities of another number of active orbitals");
}

}  // namespace

OrbitalDerivatives::OrbitalDerivatives(const FunctionIntegrals& functions, const OrbitalIntegrals& integrals,
                                       const ActiveDensities& densities, std::vector<OrbitalPair> pairs) {
  const ThreadScope one_thread(detail::threads_for_small_matrices);
  const int n = integrals.orbitals().coefficients.columns();
  require_densities(densities, integrals.data().active.size());
  for (const auto& [p, q] : pairs) {
    if (std::min(p, q) < 0 || std::max(p, q) >= n || p == q)
      throw DimensionError("OrbitalDerivatives: a pair names an orbital that is not there, or one twice");
  }
  implementation_ =
      std::make_unique<Implementation>(functions.repulsion, integrals.data(), densities, std::move(pairs));
}

OrbitalDerivatives::~OrbitalDerivatives() = default;
OrbitalDerivatives::OrbitalDerivatives(OrbitalDerivatives&&) noexcept = default;
OrbitalDerivatives& OrbitalDerivatives::operator=(OrbitalDerivatives&&) noexcept = default;

double OrbitalDerivatives::energy() const { return implementation_->energy; }
const std::vector<OrbitalPair>& OrbitalDerivatives::pairs() const { return implementation_->pairs; }
const std::vector<double>& OrbitalDerivatives::gradient() const { return implementation_->gradient; }
const std::vector<double>& OrbitalDerivatives::diagonal() const { return implementation_->diagonal; }
Matrix OrbitalDerivatives::fock() const { return detail::to_matrix(implementation_->total_fock); }

std::vector<double> OrbitalDerivatives::hessian_product(std::span<const double> x) const {
  if (x.size() != implementation_->pairs.size())
    throw DimensionError("OrbitalDerivatives: one element of x per pair");
  return implementation_->product(x);
}

double OrbitalDerivatives::lowest_hessian_eigenvalue() const {
  const std::vector<double>& diagonal = implementation_->diagonal;
  if (diagonal.empty()) return 0.0;
  detail::LowestRoot root(Eigen::Map<const VectorXd>(diagonal.data(), static_cast<Index>(diagonal.size())));
  while (!root.finished()) {
    const VectorXd& x = root.next();
    const std::vector<double> y = implementation_->product({x.data(), diagonal.size()});
    root.add(Eigen::Map<const VectorXd>(y.data(), x.size()));
  }
  return root.value();
}

}  // namespace cisolve
