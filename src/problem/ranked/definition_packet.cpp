// SPDX-License-Identifier: MIT
#include "problem/ranked/definition_packet.hpp"

#include <memory>
#include <utility>

namespace cisolve {

template <class Packet>
void pass(Packet& packet, SpinOverlap& overlap) {
  packet(overlap.active, overlap.core, overlap.virtuals, overlap.constant, overlap.source);
}

template <class Packet>
void pass(Packet& packet, BetaIntegrals& beta) {
  packet(beta.one, beta.two, beta.mixed, beta.overlap);
}

template <class Packet>
void pass(Packet& packet, Integrals& integrals) {
  packet(integrals.num_orbitals, integrals.core_energy, integrals.one, integrals.two, integrals.irreps,
         integrals.beta);
}

template <class Packet>
void pass(Packet& packet, ComplexIntegrals& integrals) {
  packet(integrals.num_orbitals, integrals.are_spinors, integrals.core_energy, integrals.one, integrals.two);
}

template <class Packet>
void pass(Packet& packet, DeterminantSelection& selection) {
  packet(selection.num_orbitals, selection.irreps, selection.references, selection.excitation_level,
         selection.irrep, selection.max_holes, selection.max_particles, selection.spin_complete,
         selection.cas);
}

template <class Packet>
void pass(Packet& packet, CsfSelection& selection) {
  packet(selection.num_orbitals, selection.irreps, selection.references, selection.excitation_level,
         selection.irrep, selection.two_s, selection.bounds);
}

namespace {

/// What is shared here is the other process's own there.
template <class Packet, class T>
void pass_shared(Packet& packet, std::shared_ptr<const T>& shared) {
  std::optional<T> value;
  if constexpr (Packet::reads) {
    packet(value);
    shared = value ? std::make_shared<const T>(std::move(*value)) : nullptr;
  } else {
    packet(shared != nullptr);
    if (shared != nullptr) packet(*shared);
  }
}

template <class Packet>
void pass_definition(Packet& packet, BasisDefinition& definition) {
  pass_shared(packet, definition.integrals);
  pass_shared(packet, definition.complex);
  std::string group = definition.point_group.is_known() ? definition.point_group.name() : "";
  bool are_csfs = definition.kind() == FunctionKind::csf;
  packet(group, are_csfs);
  if constexpr (Packet::reads) {
    definition.point_group = group.empty() ? PointGroup() : PointGroup::parse(group);
    if (are_csfs)
      definition.functions = CsfSelection();
    else
      definition.functions = DeterminantSelection();
  }
  std::visit([&](auto& functions) { packet(functions); }, definition.functions);
  packet(definition.multiplicity, definition.spin_complete);
}

}  // namespace

void pass(PacketWriter& packet, BasisDefinition& definition) { pass_definition(packet, definition); }
void pass(PacketReader& packet, BasisDefinition& definition) { pass_definition(packet, definition); }

}  // namespace cisolve
