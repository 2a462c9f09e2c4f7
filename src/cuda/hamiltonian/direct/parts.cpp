// SPDX-License-Identifier: MIT
#include "cuda/hamiltonian/direct/parts.hpp"

namespace cisolve::cuda::direct {
namespace {

ExcitationTables tables_of(const cisolve::DirectProduct& host,
                           const ExcitationArrays<DeviceArray>& excitations,
                           const IntegralArrays<DeviceArray>& integrals) {
  const DirectTables& tables = host.tables();
  const DeviceArray<double>& beta =
      tables.exchange_symmetric ? integrals.alpha_coulomb : integrals.beta_coulomb;
  const DeviceArray<double>& of_beta =
      host.integrals().is_unrestricted() ? integrals.beta_integrals : integrals.alpha_integrals;
  return {.lists = pointers_to(excitations),
          .num_all_pairs = static_cast<std::int32_t>(host.integrals().num_pairs()),
          .integrals = {integrals.alpha_integrals.data(), of_beta.data()},
          .coulomb = {integrals.alpha_coulomb.data(), beta.data()},
          .coulomb_width = {tables.alpha_coulomb.width, tables.beta_coulomb.width}};
}

}  // namespace

Parts::Parts(const cisolve::DirectProduct& host, std::span<const double> diagonal, const DirectPlan& plan,
             Uploads put)
    : vectors(plan.vectors), uses_layout_1(plan.uses_layout_1), excitations(put(plan.excitations)),
      integrals(put(plan.integrals)), layout(diagonal, plan.layout, put),
      same_spin(host, plan.same_spin, put),
      opposite(plan.opposite, plan.same_spin.ranked, tables_of(host, excitations, integrals), put),
      long_rows(plan.long_rows, tables_of(host, excitations, integrals), put), strips(plan.strips) {
  if (plan.exchange) exchange.emplace(*plan.exchange, put);
}

}  // namespace cisolve::cuda::direct
