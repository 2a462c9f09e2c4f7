// SPDX-License-Identifier: MIT
#include "cisolve/sampling/trial_state.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "cisolve/core/error.hpp"
#include "core/symmetric_eigenpairs.hpp"
#include "sampling/pair_function.hpp"

namespace cisolve {
namespace {

// Orbital energies closer than this are degenerate: which of them are filled would be left to rounding.
constexpr double smallest_gap = 1e-9;

void require_electrons(const LatticeModel& model, ElectronNumbers electrons) {
  const int sites = model.sites();
  if (electrons.up < 0 || electrons.down < 0 || electrons.total() == 0)
    throw InputError(
        fmt::format("{} up and {} down electrons: at least one is needed", electrons.up, electrons.down));
  const int most = model.is_t_j() ? sites : 2 * sites;
  if (electrons.total() > most || electrons.up > sites || electrons.down > sites)
    throw InputError(fmt::format("{} up and {} down electrons do not fit {} sites; {} may hold {} in all",
                                 electrons.up, electrons.down, sites,
                                 model.is_t_j() ? "the t-J model" : "Hubbard's model", most));
}

void require_numbers(const LatticeModel& model, const TrialParameters& parameters) {
  const auto refuse = [](std::string_view name, double value, std::string_view range) {
    throw InputError(fmt::format("{} is {}; it is to be {}", name, value, range));
  };
  if (!(parameters.gutzwiller > 0.0) || !std::isfinite(parameters.gutzwiller))
    refuse("gutzwiller", parameters.gutzwiller, "above 0");
  if (model.is_t_j() && parameters.gutzwiller != 1.0)
    throw InputError("gutzwiller goes with Hubbard's model; in the t-J model no site is doubly occupied");
  if (parameters.wavefunction != Wavefunction::bcs) return;
  if (!(parameters.delta > 0.0) || !std::isfinite(parameters.delta))
    refuse("delta", parameters.delta, "above 0; without a gap take wavefunction = \"fermi-sea\"");
  if (parameters.pair_cutoff && (!(*parameters.pair_cutoff > 0.0) || !std::isfinite(*parameters.pair_cutoff)))
    refuse("pair_cutoff", *parameters.pair_cutoff, "\"exact\" or above 0");
  for (const auto which : {TrialParameter::mu, TrialParameter::t2, TrialParameter::t3}) {
    const double value = parameter_of(parameters, which);
    if (!std::isfinite(value)) refuse(name_of(which), value, "a finite number");
  }
}

void require_varied(const LatticeModel& model, const TrialParameters& parameters,
                    std::span<const TrialParameter> varied) {
  for (const TrialParameter which : varied) {
    if (which == TrialParameter::log_gutzwiller) {
      if (model.is_t_j())
        throw InputError("gutzwiller can't be optimised in the t-J model, where it has no effect");
    } else if (which.is_of_jastrow()) {
      const auto& values =
          which.kind == TrialParameter::jastrow ? parameters.jastrow : parameters.spin_jastrow;
      if (which.shell < 1 || which.shell > std::ssize(values))
        throw InputError(
            fmt::format("{} can't be optimised, as the trial state has {} numbers of that factor",
                        name_of(which), values.size()));
    } else if (parameters.wavefunction == Wavefunction::fermi_sea) {
      throw InputError(
          fmt::format("{} can't be optimised: it belongs to wavefunction = \"bcs\", not to \"fermi-sea\"",
                      name_of(which)));
    }
  }
}

void require_bcs(const LatticeModel& model, ElectronNumbers electrons, const TrialParameters& parameters) {
  if (electrons.up != electrons.down) {
    const int total = electrons.total();
    const std::string found =
        total % 2 == 0
            ? fmt::format("{} up and {} down; take {} of each", electrons.up, electrons.down, total / 2)
            : fmt::format("{} electrons; take {} or {}", total, total - 1, total + 1);
    throw InputError(
        fmt::format("bcs needs as many up as down electrons: {}, or wavefunction = \"fermi-sea\"", found));
  }
  const Cluster& cluster = model.cluster;
  if (cluster.is_graph())
    throw InputError("bcs needs momenta, which a list of bonds has not; take wavefunction = \"fermi-sea\"");
  if (cluster.has_open_boundary())
    throw InputError(
        "bcs needs momenta, so that no boundary is open; close it, or take wavefunction = \"fermi-sea\"");
  if (parameters.pairing == Pairing::d && cluster.dimensions() == 1)
    throw InputError("pairing \"d\" needs two dimensions; on a chain take \"extended-s\" or \"s\"");
}

/// Numbers of electrons of one spin next to `count`, below and above, whose shells are closed.
std::string nearest_closed(const Eigen::VectorXd& energies, int count) {
  const int sites = static_cast<int>(energies.size());
  const auto is_closed = [&](int n) {
    return n == 0 || n == sites || energies[n] - energies[n - 1] > smallest_gap;
  };
  int below = count, above = count;
  while (!is_closed(below)) --below;
  while (!is_closed(above)) ++above;
  return fmt::format("{} and {}", below, above);
}

void make_orbitals(const LatticeModel& model, TrialState& state) {
  const Matrix hopping = hopping_matrix(model);
  const int sites = model.sites();
  const auto [energies, vectors] =
      symmetric_eigenpairs(Eigen::Map<const Eigen::MatrixXd>(hopping.data(), sites, sites));
  for (const int count : {state.electrons.up, state.electrons.down}) {
    if (count == 0 || count == sites) continue;
    if (energies[count] - energies[count - 1] > smallest_gap) continue;
    throw InputError(
        fmt::format("the fermi-sea of {} electrons of one spin is an open shell: its highest orbital has the "
                    "energy {:.6f}, the next one {:.6f}; the nearest closed shells have {} electrons",
                    count, energies[count - 1], energies[count], nearest_closed(energies, count)));
  }
  const int columns = std::max(state.electrons.up, state.electrons.down);
  state.orbitals = Matrix(sites, columns);
  for (int k = 0; k < columns; ++k) {
    for (int i = 0; i < sites; ++i) state.orbitals(i, k) = vectors(i, k);
  }
}

}  // namespace

double parameter_of(const TrialParameters& parameters, TrialParameter which) {
  switch (which.kind) {
    case TrialParameter::delta:
      return parameters.delta;
    case TrialParameter::mu:
      return parameters.mu;
    case TrialParameter::t2:
      return parameters.t2;
    case TrialParameter::t3:
      return parameters.t3;
    case TrialParameter::jastrow:
      return parameters.jastrow[which.shell - 1];
    case TrialParameter::spin_jastrow:
      return parameters.spin_jastrow[which.shell - 1];
    case TrialParameter::log_gutzwiller:
      break;
  }
  return std::log(parameters.gutzwiller);
}

void set_parameter(TrialParameters& parameters, TrialParameter which, double value) {
  switch (which.kind) {
    case TrialParameter::delta:
      parameters.delta = value;
      return;
    case TrialParameter::mu:
      parameters.mu = value;
      return;
    case TrialParameter::t2:
      parameters.t2 = value;
      return;
    case TrialParameter::t3:
      parameters.t3 = value;
      return;
    case TrialParameter::log_gutzwiller:
      parameters.gutzwiller = std::exp(value);
      return;
    case TrialParameter::jastrow:
      parameters.jastrow[which.shell - 1] = value;
      return;
    case TrialParameter::spin_jastrow:
      parameters.spin_jastrow[which.shell - 1] = value;
      return;
  }
}

std::string name_of(TrialParameter parameter) {
  switch (parameter.kind) {
    case TrialParameter::delta:
      return "delta";
    case TrialParameter::mu:
      return "mu";
    case TrialParameter::t2:
      return "t2";
    case TrialParameter::t3:
      return "t3";
    case TrialParameter::jastrow:
      return fmt::format("jastrow_{}", parameter.shell);
    case TrialParameter::spin_jastrow:
      return fmt::format("spin_jastrow_{}", parameter.shell);
    case TrialParameter::log_gutzwiller:
      break;
  }
  return "gutzwiller";
}

bool has_one_configuration(const LatticeModel& model, ElectronNumbers electrons) {
  const int sites = model.sites();
  if (model.is_t_j()) return electrons.total() == sites && (electrons.up == 0 || electrons.down == 0);
  const auto is_rigid = [&](int count) { return count == 0 || count == sites; };
  return is_rigid(electrons.up) && is_rigid(electrons.down);
}

TrialState make_trial_state(const LatticeModel& model, ElectronNumbers electrons,
                            const TrialParameters& parameters, std::span<const TrialParameter> varied) {
  if (model.is_complex())
    throw InputError(
        "variational Monte Carlo needs a real wavefunction: boundaries are periodic, antiperiodic or open");
  require_electrons(model, electrons);
  require_numbers(model, parameters);
  require_varied(model, parameters, varied);
  TrialState state{.parameters = parameters,
                   .electrons = electrons,
                   .sites = model.sites(),
                   .jastrow = make_jastrow_factor(model, parameters.jastrow, parameters.spin_jastrow),
                   .varied = {varied.begin(), varied.end()}};
  if (state.is_sea()) {
    make_orbitals(model, state);
    state.phi_derivatives.resize(varied.size());
  } else {
    require_bcs(model, electrons, parameters);
    sampling::make_pairs(model.cluster, state);
  }
  return state;
}

}  // namespace cisolve
