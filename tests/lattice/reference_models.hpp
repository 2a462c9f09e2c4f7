// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string>
#include <vector>

#include "cisolve/lattice/lattice_model.hpp"
#include "io/json.hpp"

namespace cisolve {

/// The clusters of tests/data/lattice/ed.json, with what exact diagonalisation by other programs gave.
inline nlohmann::json reference_models() { return read_json("lattice/ed.json")["cases"]; }

inline Boundary boundary_of(const nlohmann::json& text) {
  if (text.is_number()) return {.open = false, .angle = text};
  return {.open = text == "open", .angle = text == "antiperiodic" ? 1.0 : 0.0};
}

inline std::array<Boundary, 2> boundaries_of(const nlohmann::json& lattice) {
  const nlohmann::json& given = lattice["boundary"];
  if (!given.is_array()) return {boundary_of(given), boundary_of(given)};
  return {boundary_of(given.front()), boundary_of(given.back())};
}

inline Cluster cluster_of(const nlohmann::json& lattice) {
  const std::string kind = lattice["kind"];
  if (kind == "bonds") return Cluster::graph(lattice["sites"]);
  const auto boundary = boundaries_of(lattice);
  if (kind == "chain") return Cluster::chain(lattice["size"], boundary[0]);
  if (kind == "square") return Cluster::rectangle(lattice["size"][0], lattice["size"][1], boundary);
  if (kind == "tilted") return Cluster::tilted(lattice["size"], boundary);
  const auto& v = lattice["vectors"];
  return Cluster::spanned({v[0][0], v[0][1]}, {v[1][0], v[1][1]}, boundary);
}

/// The model of one of them, made as from an input.
inline LatticeModel model_of(const nlohmann::json& reference) {
  const nlohmann::json& m = reference["model"];
  const bool is_t_j = m["kind"] == "t-J";
  const LatticeParameters p{.t = m.value("t", 1.0),
                            .t2 = m.value("t2", 0.0),
                            .t3 = m.value("t3", 0.0),
                            .u = m.value("U", 0.0),
                            .j = m.value("J", 0.0),
                            .v = m.value("V", 0.0)};
  const auto hamiltonian = is_t_j ? LatticeHamiltonian::t_j : LatticeHamiltonian::hubbard;
  const Cluster cluster = cluster_of(reference["lattice"]);
  if (!cluster.is_graph()) return make_lattice_model(hamiltonian, cluster, p);
  LatticeModel model{.hamiltonian = hamiltonian, .cluster = cluster, .parameters = p};
  for (const auto& bond : reference["bonds"])
    model.bonds.push_back(
        {{bond["i"].get<int>() - 1, bond["j"].get<int>() - 1}, bond["t"], bond["J"], bond["V"]});
  return model;
}

}  // namespace cisolve
