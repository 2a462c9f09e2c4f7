// SPDX-License-Identifier: MIT
#include "problem/ranked/definition_packet.hpp"

#include <memory>
#include <utility>

#include "cisolve/core/error.hpp"

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

BasisRecipe recipe_of(const Basis& basis) {
  const BasisSummary summary = basis.summary();
  BasisRecipe recipe{.definition = basis.definition(), .hash = summary.hash};
  const bool is_list =
      basis.kind() == FunctionKind::determinant && basis.components() == 1 && basis.as_product() == nullptr;
  if (!is_list) return recipe;
  FunctionList functions = basis.list(false);
  recipe.list = {.alpha = std::move(functions.alpha),
                 .beta = std::move(functions.beta),
                 .irrep = summary.irrep - 1,
                 .num_references = summary.reference_dimension,
                 .level_counts = summary.level_counts};
  // Nor need other references be told, which may be the list itself.
  recipe.definition.spin_complete = summary.spin_complete;
  auto& references = std::get<DeterminantSelection>(recipe.definition.functions).references;
  references.erase(references.begin() + 1, references.end());
  return recipe;
}

std::unique_ptr<Basis> make_basis(const BasisRecipe& recipe, std::int64_t memory) {
  const auto listed = [&](const ListedDeterminants& list) {
    const int orbitals = recipe.definition.integrals->num_orbitals;
    return with_string_words(orbitals, [&]<int Words>() {
      const FunctionView view{.kind = FunctionKind::determinant,
                              .size = std::ssize(list.alpha) / Words,
                              .alpha = list.alpha,
                              .beta = list.beta,
                              .steps = {}};
      return make_basis<Words>(recipe.definition, std::make_unique<ListSpace<Words>>(
                                                      determinants_of<Words>(view), orbitals, list.irrep,
                                                      list.num_references, list.level_counts));
    });
  };
  auto basis = recipe.list ? listed(*recipe.list) : make_basis(recipe.definition, memory);
  if (basis->summary().hash != recipe.hash)
    throw SystemError("this process comes to other functions than the first; are they the same program?");
  return basis;
}

}  // namespace cisolve
