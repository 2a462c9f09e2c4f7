// SPDX-License-Identifier: MIT
#include "sampling/reference_state.hpp"

#include <stdexcept>

namespace cisolve::test {
namespace {

using nlohmann::json;

Boundary boundary_of(const std::string& name) {
  return {.open = name == "open", .angle = name == "antiperiodic" ? 1.0 : 0.0};
}

Cluster cluster_of(const json& lattice) {
  const json boundary = lattice.value("boundary", json("periodic"));
  const auto of = [&](int q) { return boundary_of(boundary.is_array() ? boundary[q] : boundary); };
  if (lattice["kind"] == "chain") return Cluster::chain(lattice["size"], of(0));
  if (lattice["kind"] == "tilted") return Cluster::tilted(lattice["size"], {of(0), of(1)});
  return Cluster::rectangle(lattice["size"][0], lattice["size"][1], {of(0), of(1)});
}

LatticeModel model_of(const json& entry) {
  const json& m = entry["model"];
  const LatticeParameters parameters = {.t = 1.0,
                                        .t2 = m.value("t2", 0.0),
                                        .t3 = m.value("t3", 0.0),
                                        .u = m.value("U", 0.0),
                                        .j = m.value("J", 0.0),
                                        .v = m.value("V", 0.0)};
  const auto kind = m["kind"] == "t-J" ? LatticeHamiltonian::t_j : LatticeHamiltonian::hubbard;
  return make_lattice_model(kind, cluster_of(entry["lattice"]), parameters);
}

TrialParameters parameters_of(const json& w) {
  TrialParameters parameters = {
      .wavefunction = w["kind"] == "bcs" ? Wavefunction::bcs : Wavefunction::fermi_sea,
      .pairing = w.value("pairing", "d") == "d" ? Pairing::d : Pairing::extended_s,
      .delta = w.value("delta", 1.0),
      .mu = w.value("mu", 0.0),
      .t2 = w.value("t2", 0.0),
      .t3 = w.value("t3", 0.0),
      .gutzwiller = w.value("gutzwiller", 1.0),
      .jastrow = w.value("jastrow", std::vector<double>{}),
      .spin_jastrow = w.value("spin_jastrow", std::vector<double>{})};
  if (w.contains("singular") && w["singular"].is_number())
    parameters.pair_cutoff = w["singular"].get<double>();
  return parameters;
}

TrialParameter parameter_named(const std::string& name) {
  if (name == "log_gutzwiller") return TrialParameter::log_gutzwiller;
  for (const auto kind :
       {TrialParameter::delta, TrialParameter::mu, TrialParameter::t2, TrialParameter::t3}) {
    if (name == name_of(kind)) return kind;
  }
  for (const auto kind : {TrialParameter::jastrow, TrialParameter::spin_jastrow}) {
    for (int shell = 1; shell < 10; ++shell) {
      if (name == name_of({kind, shell})) return {kind, shell};
    }
  }
  throw std::runtime_error("no parameter " + name);
}

}  // namespace

std::vector<ReferenceState> reference_states(const std::string& file) {
  std::vector<ReferenceState> states;
  const json read = read_json("lattice/" + file);
  for (const json& entry : read["cases"]) {
    ReferenceState state{.name = entry["name"],
                         .model = model_of(entry),
                         .electrons = {entry["n_up"], entry["n_down"]},
                         .parameters = parameters_of(entry["wavefunction"]),
                         .json = entry};
    for (const json& name : entry.value("parameters", json::array()))
      state.varied.push_back(parameter_named(name));
    states.push_back(state);
  }
  return states;
}

ReferenceState reference_state(const std::string& file, const std::string& name) {
  for (const ReferenceState& state : reference_states(file)) {
    if (state.name == name) return state;
  }
  throw std::runtime_error("no state " + name + " in " + file);
}

ReferenceState reference_state(const std::string& name) {
  return reference_state(name.ends_with("jastrow") ? "jastrow.json" : "vmc.json", name);
}

ReferenceState tilted_pairs(int length, int pairs) {
  return {.name = "tilted",
          .model = make_lattice_model(LatticeHamiltonian::t_j, Cluster::tilted(length), {.j = 0.3}),
          .electrons = {pairs, pairs},
          .parameters = {.delta = 1.5}};
}

}  // namespace cisolve::test
