// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

#include "cisolve/problem/plan.hpp"
#include "problem/ranked/definition_packet.hpp"

namespace cisolve {

template <class Packet>
void pass(Packet& packet, SpinStructure& spin) {
  packet(spin.dimension, spin.wanted, spin.others);
}

template <class Packet>
void pass(Packet& packet, IterationRecord& record) {
  packet(record.iteration, record.phase, record.subspace_size, record.num_applications, record.seconds,
         record.energies, record.residual_norms);
}

/// What other processes make of a problem and its plan the same again from.
struct PlannedProblem {
  BasisDefinition definition;
  std::uint64_t basis_hash = 0;  ///< of the functions that must come out
  SpinParity parity = SpinParity::none;
  std::optional<SpinStructure> spin = {};
  bool keeps_spin = false, with_packs = true, on_device = false;
  int ranks = 1;
  int threads = 1;  ///< of each process
  DavidsonConfig solver = {};
};

template <class Packet>
void pass(Packet& packet, PlannedProblem& planned) {
  packet(planned.definition, planned.basis_hash, planned.parity, planned.spin, planned.keeps_spin,
         planned.with_packs, planned.on_device, planned.ranks, planned.threads, planned.solver);
}

}  // namespace cisolve
